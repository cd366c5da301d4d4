"""The percentile distribution as text. That its bytes are Java's is shown with Java (tests/processes/hdr)."""

from __future__ import annotations

import pytest
from hdr_logs import DATA, counts_of

from pipeline.ground.errors import LabError
from pipeline.hdr import distribution
from pipeline.hdr.histograms import NONE
from pipeline.hdr.log import read_log

TEN = """\
       Value     Percentile TotalCount 1/(1-Percentile)

       0.001 0.000000000000          1           1.00
       0.001 0.100000000000          1           1.11
       0.002 0.200000000000          2           1.25
"""


def rows(text: str) -> list[list[float]]:
    return [[float(word) for word in line.split()] for line in text.splitlines()[2:] if not line.startswith("#")]


def test_the_first_rows_and_the_end_are_as_java_prints_them():
    text = distribution.text(counts_of(range(1, 11)), 1000)
    assert text.startswith(TEN)
    assert text.splitlines()[-4:] == [
        "       0.010 1.000000000000         10",
        "#[Mean    =        0.006, StdDeviation   =        0.003]",
        "#[Max     =        0.010, Total count    =           10]",
        "#[Buckets =           32, SubBuckets     =         2048]",
    ]


def test_rows_follow_each_other_closer_towards_100_percent():
    found = rows(distribution.text(counts_of(range(1, 1001))))
    percents = [row[1] for row in found]
    assert percents[:12] == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.775]
    assert all(row[2] >= row[1] * 1000 for row in found) and found[-1] == [1000, 1, 1000]
    assert all(row[3] == pytest.approx(1 / (1 - row[1]), abs=0.006) for row in found[:-1])


def test_values_are_divided_by_the_ratio_and_halves_go_up():
    assert rows(distribution.text(counts_of([1_000_447]), 1e6))[0][0] == 1.0  # its bucket ends there
    assert "       0.001 0.000" in distribution.text(counts_of([5]), 10_000)  # 0.0005: half even would be 0.000


def test_many_values_end_at_100_percent():
    found = rows(distribution.text(counts_of([1, 2], [2**55, 1])))
    assert found[-1] == [2, 1, float(2**55 + 1)] and len(found) < 400


def test_an_empty_histogram_has_no_row():
    assert rows(distribution.text(NONE)) == [] and "Total count    =            0]" in distribution.text(NONE)


@pytest.mark.parametrize("ratio", [0, -1, float("nan"), float("inf"), 1e-10])
def test_a_ratio_that_is_none_is_refused(ratio):
    with pytest.raises(LabError, match="give a number from 1e-9 to 1e18"):
        distribution.text(NONE, ratio)


def test_that_tags_are_merged_is_said():
    lines = distribution.of_log(read_log(DATA / "tagged_v13.hlog")).splitlines()
    assert lines[0].startswith("#[StartTime: 1700000000.000") and lines[1] == "#[Tags merged: t0, t1, read]"
    assert lines[2].split()[0] == "Value"
    for log in (read_log(DATA / "tagged_v13.hlog", tag="t1"), read_log(DATA / "untagged_v13.hlog")):
        assert "merged" not in distribution.of_log(log)
    assert "#[Tags merged: none, A]" in distribution.of_log(read_log(DATA / "absolute_v12.hlog"))
