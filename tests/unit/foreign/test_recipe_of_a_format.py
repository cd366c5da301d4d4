"""The recipe of CONTRIBUTING.md: a format is a module's `FORMAT` and its place in the registry; the rest follows."""

from __future__ import annotations

import json

import pytest
from damaged_files import GOODS
from hdr_logs import counts_of
from laboratory import DATA

from pipeline.analyse import estimates
from pipeline.foreign import registry
from pipeline.foreign.files import File
from pipeline.foreign.reading import Format, Found, Options, Thing
from pipeline.ground import paths
from pipeline.own.importer import take
from pipeline.own.page import Page


def read(file: File, options: Options, found: Found) -> None:
    told = json.loads(file.whole("cut it"))
    found.tool, found.unit, found.unit_from = "toy", "ns", "toy tells it"
    thing = Thing(told["name"])
    found.window(thing, 0.0, 1.0, counts_of(told["values"]), file.name)
    found.check(thing, file, "number", told["number"], len(told["values"]), 0, "that of its values")


TOY = Format("toy", "a toy", lambda head: head.startswith(b'{"toy"'), read)


@pytest.fixture
def toy(lab, monkeypatch):
    monkeypatch.setitem(registry.FORMATS, "toy", TOY)
    for seed in range(3):
        values = [1000 + seed] * 2000
        told = {"toy": 1, "name": "x", "values": values, "number": len(values)}
        (lab / f"r{seed}.toy").write_text(json.dumps(told))
    return lab


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    return tmp_path


def test_a_new_format_goes_all_the_way(toy):
    page = Page(take({"all": str(toy / "*.toy")}, name="toys"))
    rows = estimates.select(page.lab.estimates, {"metric": "p50"})
    assert rows["trials"].tolist() == [3] and rows["estimate"].tolist() == [1001.0]


def test_every_format_is_in_the_documents_and_has_a_file():
    """What is read is written down: each format by name in docs/own_data.md, each with a file or a test of its own."""
    words = (paths.docs() / "own_data.md").read_text(encoding="utf-8")
    said = {"hlog": "histogram log", "hgrm": "table of percentiles", "jmh": "JMH", "fio": "fio", "csv": "CSV"}
    for name in registry.FORMATS:
        assert said.get(name, name) in words, f"docs/own_data.md has no row of the format {name}"
    listed = (DATA / "own" / "README.md").read_text(encoding="utf-8")
    for file in (DATA / "own").iterdir():
        assert file.name == "README.md" or f"`{file.name}`" in listed, "a foreign file keeps its licence in the table"
    assert {one.format for one in GOODS.values()} == set(registry.FORMATS), "each format has a file that is damaged"
