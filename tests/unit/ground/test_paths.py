"""Names of runs are plain, so that no run lies outside the folder of runs."""

from __future__ import annotations

import pytest

from pipeline.ground import paths
from pipeline.ground.errors import LabError


@pytest.mark.parametrize("name", ["", " ", "a b", "a/b", "..", ".x", "-x", "a\nb", "$(id)", "~", "[red]x", "x" * 300])
def test_run_names_are_plain(name):
    with pytest.raises(LabError, match="is not a plain name; use up to 60 letters, digits, - and _"):
        paths.bundle(name)


@pytest.mark.parametrize("name", ["quick", "v1.2", "host-3_b", "läufe", "x" * 60])
def test_plain_run_names_are_taken(name):
    assert paths.bundle(name).name == name


def test_archived_runs_are_those_that_come_with_the_lab_wherever_runs_are(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_RUNS", str(tmp_path))
    assert paths.bundle("mine") == tmp_path / "mine" and not paths.is_archived("mine")
    assert paths.REFERENCE in paths.archived()
    for run in paths.archived():
        assert paths.is_archived(run) and paths.bundle(run) == paths.ROOT / "data" / run


def test_a_folder_of_data_that_holds_no_run_is_no_archived_one(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    for name in ("runs", "published", "second", "first"):
        paths.archive(name).mkdir(parents=True)
    for name in ("second", "first"):
        (paths.archive(name) / "run.json").write_text("{}")
    assert paths.archived() == ["first", "second"]
    assert paths.bundle("published") == paths.runs() / "published"
