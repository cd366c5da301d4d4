"""Numbers are kept until something that they are computed from changes, and are the same however they come."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from analyse_tables import costs_to_iterations, entry, tables
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse import result_cache
from pipeline.ground import arithmetic
from pipeline.ingest.tables import Tables

pytestmark = pytest.mark.thorough

ENTRY = entry({"cost": {"kind": "cost"}})
ROWS = pd.DataFrame(
    {
        "trial": pd.Categorical(["t1", "t0"]),
        "threads": [1, 2],
        "noisy": [True, False],
        "value": [0.1, float("nan")],
        "scope": ["jdk17", None],
    }
)


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process with fixed arithmetic, and nothing remembered of the code."""
    for name, value in arithmetic.environment(os.environ).items():
        monkeypatch.setenv(name, value)
    result_cache._code.cache_clear()
    yield
    result_cache._code.cache_clear()


@pytest.fixture
def ingested(tmp_path: Path) -> Tables:
    return tables([{}, {}], iterations=costs_to_iterations("t0", [1])).but(ingested=(tmp_path, "stamp"))


class Computing:
    """Counts how often it computes."""

    def __init__(self, rows: pd.DataFrame = ROWS) -> None:
        self.times, self.rows = 0, rows

    def __call__(self) -> pd.DataFrame:
        self.times += 1
        return self.rows


def test_what_was_computed_once_is_not_computed_again(ingested):
    compute = Computing()
    first, again = (result_cache.table("numbers", ENTRY, ingested, compute, "word") for _ in range(2))
    assert compute.times == 1
    pd.testing.assert_frame_equal(first, ROWS)
    pd.testing.assert_frame_equal(again, ROWS)
    assert [file.name for file in (ingested.ingested[0] / "computed").iterdir()] == ["numbers.parquet"]


@pytest.mark.parametrize("changed", ["stamp", "entry", "code", "library", "word", "name"])
def test_it_is_computed_again_when_something_it_depends_on_changes(changed, ingested, monkeypatch):
    compute, folder = Computing(), ingested.ingested[0]
    result_cache.table("numbers", ENTRY, ingested, compute, "word")
    name, known, word = "numbers", ENTRY, "word"
    if changed == "stamp":
        ingested = ingested.but(ingested=(folder, "other"))
    elif changed == "entry":
        known = replace(ENTRY, steady_by=["cost", "cost"])
    elif changed == "code":
        (folder / "code.py").write_text("1\n")
        monkeypatch.setattr(result_cache.digest, "code", lambda: [folder / "code.py"])
    elif changed == "library":
        monkeypatch.setattr(result_cache.metadata, "version", lambda library: "0")
    elif changed == "word":
        word = "another"
    else:
        name = "others"
    result_cache._code.cache_clear()
    result_cache.table(name, known, ingested, compute, word)
    assert compute.times == 2


def test_of_tables_that_are_not_as_they_were_ingested_nothing_is_kept(ingested):
    for other in (ingested.but(trials=ingested.trials[:1]), ingested.only({"t0"}), tables([{}])):
        compute = Computing()
        assert result_cache.table("numbers", ENTRY, other, compute) is result_cache.table(
            "numbers", ENTRY, other, compute
        )
        assert compute.times == 2
    assert not (ingested.ingested[0] / "computed").exists()


def test_a_process_whose_last_digits_follow_the_cpu_reads_and_keeps_nothing(ingested, monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    loose = Computing()
    pd.testing.assert_frame_equal(result_cache.table("numbers", ENTRY, ingested, loose), ROWS)
    assert not (ingested.ingested[0] / "computed").exists()
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    result_cache.table("numbers", ENTRY, ingested, Computing())
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    pd.testing.assert_frame_equal(result_cache.table("numbers", ENTRY, ingested, loose), ROWS)
    assert loose.times == 1


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"PAR1" + 40 * b"\0" + b"PAR1"])
def test_a_damaged_file_is_computed_again(damage, ingested):
    compute = Computing()
    result_cache.table("numbers", ENTRY, ingested, compute)
    (ingested.ingested[0] / "computed" / "numbers.parquet").write_bytes(damage)
    pd.testing.assert_frame_equal(result_cache.table("numbers", ENTRY, ingested, compute), ROWS)
    pd.testing.assert_frame_equal(result_cache.table("numbers", ENTRY, ingested, compute), ROWS)
    assert compute.times == 2


def test_without_room_it_is_computed_each_time(ingested):
    (ingested.ingested[0] / "computed").write_text("a file where the folder should be")
    compute = Computing()
    for _ in range(2):
        pd.testing.assert_frame_equal(result_cache.table("numbers", ENTRY, ingested, compute), ROWS)
    assert compute.times == 2


def test_a_write_that_fails_leaves_nothing(ingested, monkeypatch):
    def full(found: pa.Table, part: Path, **_: object) -> None:
        part.write_bytes(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(result_cache.pq, "write_table", full)
    pd.testing.assert_frame_equal(result_cache.table("numbers", ENTRY, ingested, Computing()), ROWS)
    assert list((ingested.ingested[0] / "computed").iterdir()) == []


VALUES = st.floats(allow_nan=True) | st.none()


@given(st.lists(st.tuples(st.text(max_size=4) | st.none(), VALUES, st.booleans(), st.integers(0, 9))))
def test_any_rows_are_the_same_the_first_time_and_later(tmp_path_factory, rows):
    frame = pd.DataFrame(rows, columns=["scope", "value", "noisy", "threads"])
    of = tables([{}]).but(ingested=(tmp_path_factory.mktemp("run"), "stamp"))
    first, again = (result_cache.table("numbers", ENTRY, of, lambda: frame) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    assert len(first) == len(frame)
