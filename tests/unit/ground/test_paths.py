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


def test_the_reference_is_the_archived_one_wherever_runs_are(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_RUNS", str(tmp_path))
    assert paths.bundle("mine") == tmp_path / "mine"
    assert paths.bundle(paths.REFERENCE) == paths.ROOT / "data" / "reference"
