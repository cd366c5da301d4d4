"""The archive holds a run whole: unpacked, every file has the bytes that the journal's checksum promises."""

from __future__ import annotations

import pytest

from pipeline.bundle import archive, bundle
from pipeline.catalogue import catalogue
from pipeline.ingest import ingest
from pipeline.measure import sweep as measure
from pipeline import paths
from pipeline.errors import LabError


@pytest.fixture(autouse=True)
def fresh_catalogue(lab, monkeypatch):
    catalogue.load.cache_clear()
    monkeypatch.setattr(paths, "bundle", lambda run: lab / "runs" / run)
    yield
    catalogue.load.cache_clear()


def test_an_archived_run_reads_as_the_run_itself(lab):
    run = measure.measure("r", "lock_scaling", "smoke")
    folder, size = archive.archive("r")
    assert folder == lab / "runs" / "reference" and 0 < size < 200_000
    assert {p.name for p in folder.iterdir()} == {"run.json", "journal.jsonl.tar.xz", "lock_scaling.tar.xz"}
    entry = catalogue.experiment("lock_scaling")
    archived = bundle.Bundle.open("reference")
    assert archived.name == "reference" and archived.journal() == run.journal()
    assert ingest.read(archived, entry).buckets.equals(ingest.read(run, entry).buckets)


def test_packing_twice_gives_the_same_bytes(lab):
    measure.measure("r", "lock_scaling", "smoke")
    first = {p.name: p.read_bytes() for p in archive.archive("r")[0].rglob("*") if p.is_file()}
    second = {p.name: p.read_bytes() for p in archive.archive("r")[0].rglob("*") if p.is_file()}
    assert first == second


def test_a_damaged_archive_is_named(lab):
    measure.measure("r", "lock_scaling", "smoke")
    folder, _ = archive.archive("r")
    file = folder / "lock_scaling.tar.xz"
    file.write_bytes(file.read_bytes()[:4000])
    with pytest.raises(LabError, match="damaged"):
        ingest.read(bundle.Bundle.open("reference"), catalogue.experiment("lock_scaling"))


def test_a_run_with_a_changed_file_is_not_archived(lab):
    run = measure.measure("r", "lock_scaling", "smoke")
    next((run.folder / "raw").rglob("*.json")).write_text("{}")
    with pytest.raises(LabError, match="changed after the run"):
        archive.archive("r")
    assert not (lab / "runs" / "reference").exists()
