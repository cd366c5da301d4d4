"""The encoder and the log writer: what is written is read again, by our reader and by the Python library."""

from __future__ import annotations

import numpy as np
import pytest
from hdr_logs import HIGHEST, counts_of
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.hdr import encode, library
from pipeline.hdr.counts import Counts
from pipeline.hdr.histograms import NONE
from pipeline.hdr.log import Record, parse_log
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import maximum, minimum
from pipeline.hdr.v2 import decode_base64, decode_plain

VALUES = st.lists(st.integers(0, HIGHEST), max_size=60)
RECORDS = [
    Record("t0", 0.0, 0.004, 0.0, counts_of([1, 250, 2_499_500])),
    Record("t1", 0.0, 0.005, 0.0, NONE),
    Record("t0", 1.2345, 0.004, 0.0, counts_of([7] * 3)),
]


def same(ours: Counts, theirs: Counts) -> bool:
    names = ("low", "width", "count", "digits", "lowest", "highest")
    return all(np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in names)


@settings(max_examples=40)
@given(VALUES, st.integers(1, 5), st.sampled_from([1, 8, 1000]))
@example([], 3, 1)
@example([0, 1, 3, 6], 3, 1)  # neighbours, one empty counter between two, and two
def test_what_is_encoded_is_decoded(values, digits, lowest):
    counts = counts_of(values, digits=digits, lowest=lowest)
    assert same(decode_plain(encode.plain(counts)), counts) and same(decode_base64(encode.payload(counts)), counts)


@pytest.mark.parametrize("count", [1, 63, 64, 8191, 8192, 2**54, 2**55, 2**62])
def test_a_count_of_any_size_is_encoded(count):
    counts = counts_of([5, HIGHEST], [count, 1])
    assert same(decode_plain(encode.plain(counts)), counts)


def test_an_empty_histogram_has_the_counter_of_zero():
    assert encode.plain(NONE)[-1:] == b"\0" and len(encode.plain(NONE)) == 41


@pytest.mark.thorough
@settings(max_examples=12)
@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4))
def test_values_are_the_same_recorded_by_the_library_and_through_our_log(intervals):
    records = [
        Record(tag, float(at), 1.0, 0.0, counts_of(values))
        for at, pair in enumerate(intervals)
        for tag, values in zip(("t0", "t1"), pair, strict=True)
    ]
    read = parse_log(encode.log_text(1_700_000_000.0, records).encode(), "x.hlog").records
    merged = merge(one.counts for one in read)
    ours, theirs = library.histogram(merged), HdrHistogram(1, HIGHEST, 3)
    for pair in intervals:
        for value in [*pair[0], *pair[1]]:
            assert theirs.record_value(value)
    assert list(ours.counts) == list(theirs.counts) and ours.encode() == theirs.encode()
    assert ours.get_total_count() == theirs.get_total_count() == merged.total == sum(map(len, sum(intervals, ())))
    assert ours.get_min_value() == theirs.get_min_value() == minimum(merged)
    assert ours.get_max_value() == theirs.get_max_value() == maximum(merged)
    assert ours.get_mean_value() == theirs.get_mean_value()


# --- logs ------------------------------------------------------------------------------------------------------------


def test_a_log_keeps_tags_times_and_its_comments():
    text = encode.log_text(1_700_000_000.123, RECORDS, ["Values in\nnanoseconds", "of a run"])
    lines = text.splitlines()
    assert lines[:6] == [
        "#[Histogram log format version 1.3]",
        "#[Values in nanoseconds]",
        "#[of a run]",
        "#[StartTime: 1700000000.123 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]",
        "#[BaseTime: 1700000000.123 (seconds since epoch)]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    assert lines[6].startswith("Tag=t0,0.000,0.004,2.501,HISTF")  # the bucket ends at 2,500,607
    log = parse_log(text.encode(), "x.hlog")
    assert log.start_time == log.base_time == 1_700_000_000.123
    for one, written in zip(log.records, RECORDS, strict=True):
        assert one.tag == written.tag and one.length == written.length and same(one.counts, written.counts)
        assert one.start == pytest.approx(written.start, abs=0.0006)


def test_a_line_without_a_tag_has_none():
    one = Record(None, 0.0, 0.004, 0.0, NONE)
    assert encode.log_text(0.0, [one]).splitlines()[-1].startswith("0.000,0.004,0.000,HISTF")


def test_the_python_library_reads_our_log(tmp_path):
    file = tmp_path / "x.hlog"
    file.write_text(encode.log_text(1_700_000_000.0, RECORDS, ["Values in nanoseconds"]))
    reader = HistogramLogReader(str(file), HdrHistogram(1, HIGHEST, 3))
    first, empty, last = (reader.get_next_interval_histogram() for _ in RECORDS)
    assert [one.get_tag() for one in (first, empty, last)] == ["t0", "t1", "t0"]
    assert [one.get_total_count() for one in (first, empty, last)] == [3, 0, 3]
    assert first.get_max_value() == 2_500_607 and last.get_min_value() == 7
    assert last.get_start_time_stamp() == 1_700_000_001_234  # 1.234, milliseconds cut by the library


# --- as a histogram of the library -----------------------------------------------------------------------------------


def test_an_empty_histogram_of_the_library():
    made = library.histogram(NONE)
    assert made.get_total_count() == 0 and not any(made.counts)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (counts_of([1], digits=0), "has no such histogram of 0 digits"),
        (Counts(*(np.array([one]) for one in (1 << 50, 1 << 40, 1)), 3, 1, 1000), "outside the range up to 1000"),
    ],
)
def test_what_the_library_would_leave_out_in_silence_is_an_error(counts, told):
    with pytest.raises(LabError, match=told):
        library.histogram(counts)
