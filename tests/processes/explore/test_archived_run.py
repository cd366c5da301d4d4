"""Every view of every experiment of the archived run: drawn within the limits, with numbers that are ours."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from explored import rows_of, schema, without_rows
from PIL import Image

from pipeline.analyse.estimates import select
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.explore import charts, data, export, rendering, times
from pipeline.explore.code import cell
from pipeline.explore.selection import MOST_CURVES, Opened
from pipeline.explore.state import VIEWS
from pipeline.ground import paths
from pipeline.hdr import percentiles
from pipeline.hdr.merge import merge
from pipeline.kit import check, raster


def held() -> list[str]:
    lines = Bundle.open("reference").journal()
    return [name for name in catalogue.load() if journal.of(lines, name)]


OFTEN = ("lock_scaling", "queues")  # of the others the views are drawn in make prove


@pytest.mark.parametrize(
    "experiment", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.prove) for name in held()]
)
def test_every_view_of_an_archived_experiment(experiment: str):
    run, valid = Opened("reference", experiment), schema()
    default = run.choices.checked(run.choices.default)
    everything = replace(default, variants=tuple(run.choices.variants), axes={}, series="*", phase="*")
    for state in (default, everything):
        for view in VIEWS:
            drawn, below = rendering.view([run], replace(state, view=view))
            assert drawn or below
            compile(cell(run, replace(state, view=view)), view, "exec")
            if drawn:
                assert [one.message[:200] for one in valid.iter_errors(without_rows(drawn))] == [], view
                assert rows_of(drawn) <= times.MOST_ROWS and len(drawn["description"]) <= 250
                assert json.dumps(drawn, allow_nan=False).count("http") == 1 and charts.SCHEMA in drawn.values()
        _estimates(run, state)
        _percentiles(run, state)


@pytest.mark.parametrize("view", ["estimates", "percentiles"])
def test_what_is_kept_is_what_the_cell_draws_and_can_be_checked(view: str, tmp_path, monkeypatch):
    run = Opened("reference", "clock")
    state = replace(run.choices.default, view=view)
    archived = {file: file.stat().st_mtime_ns for file in paths.bundle("reference").rglob("*")}
    assert run.lab.estimates is not None and run.lab.tables  # they stay in build/
    monkeypatch.setenv("LAB_BUILD", str(tmp_path))
    folder = export.keep(run, state)[0]
    assert folder == tmp_path / "reference" / "kit" / folder.name and not paths.figures("reference").exists()
    assert archived == {file: file.stat().st_mtime_ns for file in paths.bundle("reference").rglob("*")}
    exec(cell(run, state), {})
    drawn = paths.figures("reference") / folder.name
    assert (folder / f"{folder.name}.csv").read_bytes() == drawn.with_suffix(".csv").read_bytes()
    pictures = (folder / f"{folder.name}.png").read_bytes(), raster.png(drawn.with_suffix(".svg").read_bytes())
    ours, cells = (Image.open(io.BytesIO(one)).tobytes() for one in pictures)
    assert ours == cells

    files = [folder / f"{folder.name}{ending}" for ending in (".png", "-light.svg", ".json")]
    (changed := tmp_path / "changed.json").write_text(files[2].read_text().replace('"metric": "', '"metric": "no '))
    told = [(one.status, one.says) for one in check.check([*files, changed], kept=export.again)]
    assert [status for status, _ in told] == [0, 0, 0, 1] and "there is no metric 'no " in told[3][1], told


def _estimates(run: Opened, state) -> None:
    found = data.estimates([run], state)
    points = found.tables["points"].set_index("curve")["estimate"] if len(found.tables["points"]) else []
    assert len(found.curves) <= MOST_CURVES
    for curve in found.curves:
        where = {"metric": state.metric} | curve.key
        rows = select(run.lab.estimates, where if state.by else where | {"variant": list(state.variants)})
        rows = rows[rows[state.by].notna()] if state.by else rows
        assert len(rows) == 0 or sorted(points.loc[[curve.label]]) == sorted(rows["estimate"])


def _percentiles(run: Opened, state) -> None:
    found = data.percentile_curves([run], state)
    rows = found.tables["nines"]
    for curve, row in zip(found.curves, rows.to_dict("records"), strict=True):
        merged = merge(curve.histograms(state))
        assert row["samples"] == merged.total and row["greatest"] == percentiles.maximum(merged)
        if percentiles.supported(merged.total, 99):
            assert row["p99"] == percentiles.percentile(merged, 99)
