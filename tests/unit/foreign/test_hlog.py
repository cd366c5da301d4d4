"""Histogram logs of others: units, series, what their lines tell, and memory that does not grow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hdr_logs import counts_of
from laboratory import DATA
from own_files import BEGUN, STRESS, hlog, records

from pipeline.foreign import registry, sessions, units
from pipeline.foreign.files import File
from pipeline.foreign.reading import Found, Options, Thing
from pipeline.foreign.windows import FEWEST, Windows
from pipeline.ground.errors import LabError
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import maximum, percentiles
from pipeline.hdr.reader import Record

OWN = DATA / "own"
NO_HEAD = "#[made by nobody]\n"


def read(path: Path, **options) -> Found:
    return registry.read(File(path, path.name), Options(**options))[1]


def total(found: Found, name: str = "latency"):
    return sessions.total(found.windows[Thing(name)])


# --- files that nobody here wrote ------------------------------------------------------------------------------------


def test_a_log_of_jhiccup_is_known_to_be_in_ns():
    found = read(OWN / "jhiccup.hlog")
    assert (found.tool, found.unit, found.unit_from) == ("jHiccup", "ns", "jHiccup records in ns")
    counts = total(found)
    assert counts.total == 48761
    assert found.begun == 1441812279.474 and not found.notes


def test_tags_may_come_in_any_order_of_time():
    found = read(OWN / "tagged-non-monotonic.hlog", unit="ns")
    assert [thing.name for thing in found.things] == ["A", "B", "C"]
    assert [round(one.start, 3) for one in found.windows[Thing("B")]] == [-2.006, -0.999]


# --- units -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "unit", "tool"),
    [
        (STRESS, "ns", "cassandra-stress"),
        ("#[Logged with jHiccup version 2.0.10]\n", "ns", "jHiccup"),
        ("#[Logging for: READ]\n", "us", "YCSB"),
        ("#UNITS: timestamps = seconds, values in the histogram = nanoseconds\n", "ns", "HdrHistogram log"),
        ("#[Values in nanoseconds: one operation]\n", "ns", "HdrHistogram log"),
        ("#[Values in microseconds]\n", "us", "HdrHistogram log"),
    ],
)
def test_the_unit_that_a_head_tells(tmp_path, head, unit, tool):
    found = read(hlog(tmp_path / "a.hlog", records(1, 2), head))
    assert (found.unit, found.tool) == (unit, tool)
    other = next(one for one in units.FACTORS if one != unit)
    with pytest.raises(LabError, match=f"its values are in {unit} .*leave out --unit {other}"):
        read(tmp_path / "a.hlog", unit=other)


def test_without_a_unit_the_hint_is_how_many_were_in_flight(tmp_path):
    """400 a second of 2.4 ms in the mean: by Little's law 0.96 in flight, whatever unit they were recorded in."""
    for unit, ns in (("ns", 1), ("us", 1000)):
        path = hlog(tmp_path / f"{unit}.hlog", records(1, 20, ns=ns), NO_HEAD)
        with pytest.raises(LabError, match=f"give --unit: in {unit} 0.9.* requests were in flight on average"):
            read(path)
    assert "ms" not in units.unknown("x", counts_of([10_000]), 5.0).args[0], "10 s are longer than the log of 5 s"


def test_one_log_in_three_units_is_the_same_log(tmp_path):
    """Values that all three can hold: whole ms."""
    values = [np.array([1, 2, 2, 3, 40]) * 1_000_000 + 0 for _ in range(3)]
    found = {}
    for unit, ns in (("ns", 1), ("us", 1_000), ("ms", 1_000_000)):
        made = [Record(None, float(at), 1.0, 0.0, counts_of(one // ns)) for at, one in enumerate(values)]
        counts = total(read(hlog(tmp_path / f"{unit}.hlog", made, NO_HEAD), unit=unit))
        found[unit] = counts
    for percent in (1, 50, 100):
        least = [percentiles(one, [percent])[0] for one in found.values()]
        assert max(least) <= min(least) * 1.001
    assert {one.total for one in found.values()} == {15}


def test_highest_and_lowest_of_a_bucket_are_java_s_times_the_unit():
    counts = counts_of([5, 5_000, 5_000_000])
    scaled = units.scaled(counts, 1000)
    assert (scaled.low == counts.low * 1000).all() and scaled.digits == 0
    assert (scaled.low + scaled.width - 1 == (counts.low + counts.width - 1) * 1000).all()


# --- what lines tell -------------------------------------------------------------------------------------------------


def test_a_line_whose_maximum_is_not_its_histogram_s_is_a_contradiction(tmp_path):
    path = hlog(tmp_path / "a.hlog", records(1, 8))
    lines = path.read_text().splitlines()
    at = len(lines) - 2
    fields = lines[at].split(",")
    fields[2] = "1.000"
    path.write_text("\n".join([*lines[:at], ",".join(fields), *lines[at + 1 :]]) + "\n")
    says = f"a.hlog:{at + 1}: the line tells the maximum 1,000,000, its histogram has"
    with pytest.raises(LabError, match=says) as error:
        read(path)
    assert error.value.status == 4


@pytest.mark.parametrize("ratio", [1e6, 1e3, 1.0])
def test_a_writer_may_divide_the_maximum_by_any_power(tmp_path, ratio):
    made = records(1, 8)
    path, told = hlog(tmp_path / "a.hlog", made), iter(made)
    lines = []
    for line in path.read_text().splitlines():
        fields = line.split(",")
        if "HIST" in line and not line.startswith("#"):
            fields[2] = f"{maximum(next(told).counts) / ratio:.3f}"
        lines.append(",".join(fields))
    path.write_text("\n".join(lines) + "\n")
    assert not read(path).notes


def test_two_untagged_histograms_of_one_interval_are_two_things(tmp_path):
    made = records(1, 4)
    path = hlog(tmp_path / "a.hlog", [made[0], made[1], made[1], made[2]])
    with pytest.raises(LabError, match=r"a.hlog:\d+,\d+: two untagged histograms of one interval"):
        read(path)


def test_only_the_series_and_seconds_that_are_asked_for(tmp_path):
    path = hlog(tmp_path / "a.hlog", records(1, 10, tags=("READ-rt", "READ-st")))
    found = read(path, series=("*-rt",), start=2.0, end=5.0)
    assert [thing.name for thing in found.things] == ["READ-rt"] and total(found, "READ-rt").total == 4 * 400
    assert found.corrected == {"READ-rt"}
    with pytest.raises(LabError, match="none of its series is one of WRITE"):
        read(path, series=("WRITE",))


# --- windows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [4, 7, 50])
@pytest.mark.parametrize("number", [1, 3, 8, 99, 100])
def test_windows_hold_everything_in_bounded_room(most, number):
    windows, every = Windows(max(most, FEWEST)), []
    for at in range(number):
        counts = counts_of([at + 1, 1000 * (at + 1)])
        every.append(counts)
        windows.add(float(at), 1.0, counts)
    found = list(windows)
    assert len(found) <= max(most, FEWEST) + 1
    assert sum(one.length for one in found) == number
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert (merge(one.counts for one in found).count == merge(every).count).all()


# --- parts -----------------------------------------------------------------------------------------------------------


def test_parts_of_one_load_are_the_log_of_all_of_it(tmp_path):
    """A log cut into three by hand, each interval's values dealt out, is the log again."""
    made = records(1, 20, rate=300)
    whole = read(hlog(tmp_path / "whole.hlog", made))
    parts = []
    for part in range(3):
        dealt = []
        for one in made:
            values = np.repeat(one.counts.low, one.counts.count)
            dealt.append(Record(None, one.start, one.length, 0.0, counts_of(values[part::3])))
        path = hlog(tmp_path / f"client{part}.hlog", dealt)
        parts.append(File(path, path.name))
    together = sessions.read(parts, Options())[1]
    ours, theirs = total(together), total(whole)
    assert (ours.low == theirs.low).all() and (ours.count == theirs.count).all()
    again = sessions.read(parts[::-1], Options())[1]
    assert (total(again).count == theirs.count).all()


def test_what_did_not_run_together_is_no_part(tmp_path):
    first = hlog(tmp_path / "a.hlog", records(1, 20))
    later = hlog(tmp_path / "b.hlog", records(2, 20), begun=BEGUN + 15)
    with pytest.raises(LabError, match="less than half of the time in common.*repeats, not parts"):
        sessions.read([File(one, one.name) for one in (first, later)], Options())
    half = hlog(tmp_path / "c.hlog", records(2, 20), begun=BEGUN + 5)
    found = sessions.read([File(one, one.name) for one in (first, half)], Options())[1]
    assert total(found).total == 2 * 15 * 400, "the stretch that is common to both"


def test_percentile_files_are_bounded_and_never_merged(tmp_path):
    text = (OWN / "wrk2.txt").read_text()
    other = tmp_path / "other.txt"
    other.write_text(text)
    with pytest.raises(LabError, match="percentile files cannot be merged; all that is known of their common p99 is"):
        sessions.read([File(OWN / "wrk2.txt", "a"), File(other, "b")], Options())
