"""A parcel says where it comes from, and a run that it measures says so; a checkout says nothing."""

from __future__ import annotations

import json

import pytest

from pipeline.bundle import bundle, checksums
from pipeline.ground import origin, paths
from pipeline.ground.errors import LabError
from pipeline.host import runtimes

ABOUT = {
    "sum": "ab" * 32,
    "git": "0123456789ab+",
    "harness": {"java": "1", "c": "2", "fio": "3", "lab": "4"},
    "compiler": "cc 12",
}


def test_a_checkout_has_sums_of_its_sources():
    assert origin.told() == {}
    assert checksums.of_harnesses() == checksums.of_sources() and set(checksums.of_sources()) == {
        "java",
        "c",
        "fio",
        "lab",
    }


@pytest.fixture
def parcel(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / origin.FILE).write_text(json.dumps(ABOUT))
    for built in (paths.java_harness(), paths.c_harness()):
        built.parent.mkdir(parents=True)
        built.touch()
    monkeypatch.setattr(runtimes, "jdks", dict)
    monkeypatch.setattr(runtimes, "version", lambda program: "")
    return tmp_path


def test_a_parcel_has_those_of_the_checkout_and_its_own(parcel):
    assert checksums.of_harnesses() == {**ABOUT["harness"], "parcel": "ab" * 6}
    assert bundle.git_revision() == ABOUT["git"]


def test_a_parcel_goes_without_a_jdk_and_knows_its_compiler(parcel):
    found = runtimes.all_runtimes()
    assert set(found) == {"c", "fio"} and found["c"].version == "cc 12"
    (parcel / origin.FILE).unlink()
    with pytest.raises(LabError, match="no JDK 17 or later found"):
        runtimes.all_runtimes()


@pytest.mark.parametrize("content", ["{", "[1]", "7"])
def test_what_is_damaged_is_named(parcel, content):
    (parcel / origin.FILE).write_text(content)
    with pytest.raises(LabError, match="parcel.json is damaged; remove its folder"):
        origin.told()
