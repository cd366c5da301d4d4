"""Who prepares the files of an import: this process, workers of its own or a scheduler's, and what is said without."""

from __future__ import annotations

import sys

import pytest

from pipeline.collection import dask_workers, imports
from pipeline.commands import collection
from pipeline.ground.errors import LabError


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.1:8786", "tcp://example.org:8786", "127.0.0.1", "tls://127.0.0.1:1", "tcp://127.0.0.1:x"]
)
def test_only_schedulers_of_this_machine_are_asked(address: str):
    with pytest.raises(LabError, match="give tcp://127.0.0.1:PORT"):
        dask_workers.scheduler(address)


@pytest.mark.parametrize("count", [-1, 257])
def test_a_number_of_workers_has_limits(count: int):
    with pytest.raises(LabError, match="a number from 1 to 256"):
        dask_workers.workers(count)


def test_without_dask_one_process_imports_and_workers_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    assert collection._preparing(100, None, "") is imports.in_turn
    with pytest.raises(LabError, match="harness/python.sh sync import"):
        collection._preparing(100, 2, "")


def test_few_files_and_no_workers_are_for_this_process():
    assert collection._preparing(collection.MANY - 1, None, "") is imports.in_turn
    assert collection._preparing(100, 0, "") is imports.in_turn
    with pytest.raises(LabError, match="one of the two"):
        collection._preparing(100, 0, "tcp://127.0.0.1:1")
