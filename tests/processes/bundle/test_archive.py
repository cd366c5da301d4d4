"""The archive holds a run whole: unpacked, every file has the bytes that the journal's checksum promises."""

from __future__ import annotations

import pytest
from tiny_run import measure

from pipeline import paths
from pipeline.bundle import archive, bundle
from pipeline.catalogue import catalogue
from pipeline.errors import LabError
from pipeline.ingest import read


@pytest.fixture(autouse=True)
def reference_in_the_laboratory(lab, monkeypatch):
    monkeypatch.setattr(paths, "bundle", lambda run: lab / "runs" / run)


def test_an_archived_run_reads_as_the_run_itself(lab):
    run = measure()
    folder, size = archive.archive("r")
    assert folder == lab / "runs" / "reference" and 0 < size < 200_000
    assert {p.name for p in folder.iterdir()} == {"run.json", "journal.jsonl.tar.xz", "lock_scaling.tar.xz"}
    entry = catalogue.experiment("lock_scaling")
    archived = bundle.Bundle.open("reference")
    assert archived.name == "reference" and archived.journal() == run.journal()
    assert read.read(archived, entry).buckets.equals(read.read(run, entry).buckets)


def test_packing_twice_gives_the_same_bytes(lab):
    measure()
    first = {p.name: p.read_bytes() for p in archive.archive("r")[0].rglob("*") if p.is_file()}
    second = {p.name: p.read_bytes() for p in archive.archive("r")[0].rglob("*") if p.is_file()}
    assert first == second


def test_a_damaged_archive_is_named(lab):
    measure()
    folder, _ = archive.archive("r")
    file = folder / "lock_scaling.tar.xz"
    file.write_bytes(file.read_bytes()[:4000])
    with pytest.raises(LabError, match="damaged"):
        read.read(bundle.Bundle.open("reference"), catalogue.experiment("lock_scaling"))


def test_a_run_with_a_changed_file_is_not_archived(lab):
    run = measure()
    next((run.folder / "raw").rglob("*.json")).write_text("{}")
    with pytest.raises(LabError, match="changed after the run"):
        archive.archive("r")
    assert not (lab / "runs" / "reference").exists()
