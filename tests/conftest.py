"""What all tests share: a laboratory of its own for each test (runs, build, catalogue, lock)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest
import recorded_machines
from hypothesis import settings
from laboratory import TINY

from pipeline.bundle import lock
from pipeline.catalogue import catalogue
from pipeline.ground import garbage
from pipeline.publish import loading

# As on a host of so many CPUs, for what starts no process.
if many := os.environ.get("LAB_TEST_CPUS"):
    own = {0: set(range(int(many)))}
    os.sched_getaffinity = lambda pid: set(own[0])
    os.sched_setaffinity = lambda pid, cpus: own.update({0: set(cpus)})

# No test is timed. `make check` searches anew each time, a few examples; `make test` tries the same ones for the same
# commit.
settings.register_profile("searching", deadline=None, max_examples=5)
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("searching")

# jsonschema would make a parser of international addresses in every worker, 2.5 s; no test asks for their syntax.
sys.modules.setdefault(loading.ADDRESSES, None)

# A shell starts its background jobs with SIGINT ignored, and what they start inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    garbage.seldom()


@pytest.fixture
def own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measuring lock of the test's own, here and in the command lines it calls."""
    monkeypatch.setattr(lock, "FOLDERS", (tmp_path,))
    monkeypatch.setenv("TEST_LOCK_FOLDER", str(tmp_path))


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_lock: None) -> Path:
    """An empty laboratory with the tiny catalogue; returns its folder."""
    (tmp_path / "catalogue").mkdir()
    (tmp_path / "catalogue" / "lock_scaling.yaml").write_text(TINY)
    for name, folder in (("CATALOGUE", "catalogue"), ("RUNS", "runs"), ("BUILD", "build"), ("IO_DIR", "io")):
        monkeypatch.setenv(f"LAB_{name}", str(tmp_path / folder))
    # A cache of its own: what the other tests read of the real catalogue stays read.
    monkeypatch.setattr(catalogue, "load", cache(catalogue.load.__wrapped__))
    return tmp_path


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The root of a recorded machine, by its name (`recorded_machines.NAMES`): unpacked once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "recorded"
    folder.mkdir(exist_ok=True)
    return partial(recorded_machines.unpack, folder=folder)
