"""Fits to the sweeps of imported runs, and their figures."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from hdr_logs import counts_of
from laboratory import DATA
from own_files import BEGUN, hlog
from typer.testing import CliRunner

from pipeline.commands import fit as commands
from pipeline.foreign.reading import Options
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr import distribution
from pipeline.hdr.reader import Record
from pipeline.kit import check
from pipeline.kit.kit import Kit
from pipeline.kit.settings import Settings
from pipeline.models.scaling import usl
from pipeline.own import fit_figures, fits
from pipeline.own.importer import take

pytestmark = pytest.mark.thorough

DEPTHS = (1, 2, 4, 8, 16, 32)
LAW = 1000.0, 0.08, 0.002


@pytest.fixture
def disk(lab) -> str:
    """A sweep of fio by depth, three sessions each, of a disk that follows the USL."""
    told = json.loads((DATA / "own" / "fio_plus.json").read_text())
    chance = np.random.default_rng(1)
    for depth in DEPTHS:
        for number in range(3):
            job = told["jobs"][0]
            job["job options"]["iodepth"] = str(depth)
            job["read"]["iops"] = float(usl(depth, *LAW)) * chance.normal(1, 0.01)
            (lab / f"d{depth}-{number}.json").write_text(json.dumps(told | {"timestamp": BEGUN + 100 * depth + number}))
    return take({"disk": str(lab / "d*.json")}, Options(series=("read",)), name="disk")


@pytest.fixture
def web(lab) -> str:
    """wrk2 at rates of a server that answers 1,000 requests a second, three runs of all rates."""
    chance = np.random.default_rng(1)
    for rate in (200, 400, 600, 700, 800, 950):
        for number in range(3):
            mean = 1 / (1 - rate / 1000)
            recorded = (1000 * (chance.exponential(mean, 5000) * chance.normal(1, 0.02)) + 100).astype(np.int64)
            text = distribution.text(counts_of(recorded), 1000.0)
            file = lab / "wrk" / str(rate) / f"r{number}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"  Detailed Percentile spectrum:\n{text}\nRequests/sec: {rate}.00\n")
    return take({"web": str(lab / "wrk" / "{offered}" / "{run}.txt")}, name="web")


def test_a_fit_in_words_is_readable(disk):
    told = CliRunner().invoke(commands.app, ["scaling", disk, "--x", "iodepth", "--y", "iops"]).output
    scores = next(line for line in told.splitlines() if line.startswith("  AICc"))
    assert re.fullmatch(r"  AICc     linear -?[\d.]+, amdahl -?[\d.]+, usl -?[\d.]+", scores)
    assert max(map(len, re.findall(r"[\d.]+", scores))) <= 5


def saved(run: str, name: str) -> tuple[pd.DataFrame, dict]:
    folder = paths.figures(run)
    assert {file.suffix for file in folder.glob(f"{name}*")} == {".svg", ".csv", ".json"}
    return pd.read_csv(folder / f"{name}.csv"), json.loads((folder / f"{name}.json").read_text())


def test_a_sweep_of_sessions_at_one_depth_each_follows_its_law(disk):
    """Each file is a session, so its factor is its depth's: taken out as a round's it is the law itself."""
    found = fits.scaling(disk, "iodepth")
    (part,) = found.parts
    assert found.x == "iodepth" and part.fit.model == "usl"
    for name, true in zip(("lambda", "sigma", "kappa"), LAW, strict=True):
        one = part.fit.parameters[name]
        assert one.low < true < one.high and one.estimate == pytest.approx(true, rel=0.25), name


def test_the_law_of_a_sweep_is_drawn(disk):
    fit_figures.scaling_figure(fits.scaling(disk, "iodepth"))
    table, about = saved(disk, "iops_by_iodepth_fit")
    curve = table[table["mark"] == "fit"]
    assert (curve["source"] == "The Universal Scalability Law").all() and (table["mark"] == "trial").sum() == 18
    at = np.interp([1, 8, 32], curve["x"], curve["value"])
    assert at == pytest.approx(usl(np.array([1, 8, 32]), *LAW), rel=0.05), "where the figure draws it"
    assert "lambda = " in json.dumps(about)


def test_the_knee_of_a_sweep_of_loads_is_drawn(web):
    found = fits.j_curve(web, "offered", "p99", 1000.0)
    (part,) = found.parts
    assert part.fit.model == "j-curve" and "bootstrap over blocks" in part.fit.interval
    fit_figures.load_figure(found)
    table, about = saved(web, "p99_by_load_fit")
    (knee,) = table.loc[table["mark"] == "knee", "x"]
    assert knee == pytest.approx(100 * part.fit.parameters["knee"].estimate) and 30 < knee < 70
    medians = table[table["mark"] == "estimate"].set_index("x")["value"]
    assert medians.index.tolist() == [20, 40, 60, 70, 80, 95]
    curve = table[table["mark"] == "line"]
    assert np.interp(80, curve["x"], curve["value"]) == pytest.approx(medians[80], rel=0.15)
    assert "a capacity of 1,000" in (paths.figures(web) / "p99_by_load_fit.svg").read_text()


def test_a_load_that_is_a_metric_takes_the_axis_for_the_sweep(web):
    found = fits.j_curve(web, "rate", "p99", 1000.0)
    assert [part.name for part in found.parts] == ["web, intended"]
    assert sorted(found.parts[0].rows["x"].unique()) == pytest.approx([20, 40, 60, 70, 80, 95])
    fit_figures.load_figure(found)
    assert (saved(web, "p99_by_load_fit")[0]["mark"] == "knee").sum() == 1


def test_without_a_capacity_there_is_no_knee(web):
    with pytest.raises(LabError, match="the knee is a share of the capacity; give --capacity, the greatest offered"):
        fits.j_curve(web, "offered")


def test_little_s_law_of_a_closed_load(lab):
    """So many clients that each wait for their answer: rate times mean time is how many there are."""
    for clients in (1, 4, 16):
        for number in range(6):
            times = np.full(clients * 100, 10_000_000)  # ns: each client asks a hundred times a second
            made = [Record(None, float(second), 1.0, 0.0, counts_of(times)) for second in range(3)]
            hlog(lab / "logs" / str(clients) / f"r{number}.hlog", made, begun=BEGUN + 100 * number + clients)
    run = take({"all": str(lab / "logs" / "{clients}" / "{run}.hlog")}, name="closed")
    found = fits.little(run, "clients")
    (part,) = found.parts
    assert part.fit.parameters["ratio"].estimate == pytest.approx(1, abs=0.001)
    assert sorted(part.rows["x"].unique()) == [1, 4, 16] and "agree within 10 %" in part.fit.sentence


def test_an_axis_is_not_called_as_a_number_or_a_column(web, lab):
    pattern = str(lab / "wrk" / "{rate}" / "{run}.txt")
    with pytest.raises(LabError, match="axis 'rate': is also what a number of these files is called; .*{rate_of_run}"):
        take({"web": pattern}, name="again")
    with pytest.raises(LabError, match="{block}: the tables of a run have a column of that name"):
        take({"web": pattern.replace("rate", "block")}, name="again")


def test_the_kit_of_a_fit_s_figure_is_checked_by_making_the_fit_again(disk, tmp_path):
    fit_figures.scaling_figure(fits.scaling(disk, "iodepth", "iops", "usl", seed=7))
    folder = Kit.of(disk, "iops_by_iodepth_fit", Settings()).write()
    other = tmp_path / "other.json"
    record = json.loads((folder / "iops_by_iodepth_fit.json").read_text())
    for name, told in {"seed": 8, "model": "none", "x": ["iodepth"]}.items():
        wrong = {**record["lab"]["fit"], "with": {**record["lab"]["fit"]["with"], name: told}}
        other.write_text(json.dumps(record | {"lab": record["lab"] | {"fit": wrong}}))
        (found,) = check.check([other])
        assert (found.status, "\n" in found.says) == (check.DIFFERS, False), found.says
    kept = [one for one in folder.glob("*.*g") if "-card" not in one.name]
    found = list(check.check([*kept, folder / "iops_by_iodepth_fit.json"]))
    assert len(found) > 4 and {one.status for one in found} == {check.SAME}, found
