"""What programs write is read as `lab import` reads it: the cases of people's files as what `{out}` holds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from laboratory import DATA

from pipeline.foreign.reading import Found
from pipeline.ground.errors import LabError
from pipeline.ingest.imported import OwnFiles
from pipeline.versus import plan, setup
from pipeline.versus.arguments import Arguments

pytestmark = pytest.mark.thorough  # imports what programs write

CASES = DATA / "cases"
# case -> the unit that is given, the series or benchmarks that are told, what is asked first.
READ = {
    "numbers.txt": ("ms", {"latency"}, ["p50"]),
    "one_column.csv": ("", {"latency"}, ["p50"]),
    "jmeter_no_head.jtl": ("", {"GET /home"}, ["p50"]),
    "jmh_object.json": ("", {"B.single"}, ["time"]),
    "jmh_gc.json": ("", {"B.gc"}, ["throughput"]),
    "jmh_group.json": ("", {"B.group"}, ["throughput"]),
    "tags_with_blanks.hlog": ("ns", {"GET /users?id=1", "lat€nz", "<b>x</b>", "latency"}, ["p50", "p99", "p99_9"]),
    "log.hlog.gz": ("ns", {"latency"}, ["p50", "p99", "p99_9"]),
    "jHiccup-2.0.1.logV0.hlog": ("", {"latency"}, ["p50", "p99", "p99_9"]),
    "jHiccup-2.0.6.logV1.hlog": ("", {"latency"}, ["p50", "p99", "p99_9"]),
    "ycsb.logV1.hlog.xz": ("", {"READ"}, ["p50", "p99", "p99_9"]),
    "double.hlog": ("s", {"latency"}, ["p50", "p99", "p99_9"]),
    "fio_fsync.json": ("", {"write", "sync"}, ["p50"]),
}


def asked(**more) -> Arguments:
    return Arguments({"old": ["./old", "{out}"], "new": ["./new", "{out}"]}, "/", {}, **more)


def written(name: str, **more) -> Found:
    return setup.written(asked(**more), "old", CASES / name)


class Rows:
    """Columns of a table, kept as they are added."""

    def __init__(self) -> None:
        self.trials: list[str] = []

    def add(self, number: int, **columns) -> None:
        self.trials.append(columns["trial"])


@pytest.mark.parametrize("name", READ)
def test_what_is_written_has_rows_of_its_own(name):
    unit, series, first = READ[name]
    found = written(name, unit=unit)
    entry = setup.entry(asked(unit=unit), (found,))
    assert set(entry.variants) == {plan.PROGRAM, *series}
    assert [one.metric for one in entry.headlines] == first


@pytest.mark.parametrize("name", READ)
def test_each_trial_is_ingested_under_the_same_names(name):
    unit, series, _ = READ[name]
    entry = setup.entry(asked(unit=unit), (written(name, unit=unit),))
    bundle = SimpleNamespace(
        info={"own": {"options": {"unit": unit} if unit else {}}}, verified_path=lambda *_: CASES / name
    )
    line = {"trial": "old-0001", "files": {f"raw/own/0001{setup.WRITTEN}": "0"}, "axes": {}}
    columns = {table: Rows() for table in ("iterations", "buckets", "trial_buckets", "measures", "checks", "facts")}
    lines = [told for told, _ in OwnFiles(bundle).written(line, entry.variants, columns)]
    assert {told["variant"] for told in lines} == series
    assert all(set(told["axes"]) <= set(entry.axes) for told in lines)
    assert {told["trial"] for told in lines} == set(columns["facts"].trials)


@pytest.mark.parametrize(
    ("name", "unit", "said"),
    [
        ("numbers.txt", "", "the unit of its values is not told; give --unit"),
        ("jmh_table.txt", "", "run it with -rf json"),
        ("semicolon.csv", "us", "its values are in ms"),
        ("README.md", "", "none of the formats read here"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_the_side(name, unit, said):
    with pytest.raises(LabError, match="^old: the file written to {out}[^\n]*$") as error:
        written(name, unit=unit)
    assert said in str(error.value)


def test_what_is_not_read_of_a_file_is_told_once():
    found = [setup.written(asked(), side, CASES / "tab.tsv") for side in ("old", "new")]
    assert setup.notes(found) == [
        "the file written to {out}: tabs between columns",
        "the file written to {out}: columns that are not read: op",
    ]
