"""Histogram logs as people have them, imported: older encodings, doubles, tags of any words, packed files."""

from __future__ import annotations

import bz2
import gzip
import lzma
from dataclasses import replace

import numpy as np
import pytest
from hdr_logs import counts_of
from hypothesis import given, settings
from hypothesis import strategies as st
from laboratory import DATA

from pipeline.foreign import registry, sessions
from pipeline.foreign.files import File
from pipeline.foreign.reading import Found, Options, Thing
from pipeline.foreign.units import scaled
from pipeline.ground.errors import LabError
from pipeline.hdr.log import read_log
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import maximum, mean, percentiles

pytestmark = pytest.mark.thorough

CASES = DATA / "cases"


def read(path, **options) -> Found:
    return registry.read(File(path, path.name), Options(**options))[1]


def total(found: Found, name: str = "latency"):
    return sessions.total(found.windows[Thing(name)])


@pytest.mark.parametrize(
    ("name", "series", "tool", "unit", "count"),
    [
        ("jHiccup-2.0.1.logV0.hlog", "latency", "jHiccup", "ns", 61_256),
        ("jHiccup-2.0.6.logV1.hlog", "latency", "jHiccup", "ns", 65_964),
        ("ycsb.logV1.hlog.xz", "READ", "YCSB", "us", 300_056),
    ],
)
def test_old_encodings_are_imported_with_the_unit_of_their_writer(name, series, tool, unit, count):
    found = read(CASES / name)
    assert (found.tool, found.unit, total(found, series).total) == (tool, unit, count)
    whole = merge(one.counts for one in read_log(CASES / name).records)
    assert maximum(total(found, series)) == maximum(whole) * (1000 if unit == "us" else 1)


def test_doubles_become_whole_ns_by_the_unit_that_is_given():
    with pytest.raises(LabError, match="double.hlog: the unit of its values is not told; give --unit"):
        read(CASES / "double.hlog")
    counts = total(read(CASES / "double.hlog", unit="s"))
    assert counts.total == 200_000 and int(counts.low[0]) == 999_451
    assert percentiles(counts, [50.0, 99.0]) == [1_693_726, 5_583_763]
    assert abs(mean(counts) / 1_998_322.65 - 1) < 1e-3


def test_the_tag_is_all_in_front_of_the_numbers():
    found = read(CASES / "tags_with_blanks.hlog", unit="ns")
    assert {thing.name for thing in found.windows} == {"GET /users?id=1", "lat€nz", "<b>x</b>", "latency"}
    assert {total(found, thing.name).total for thing in found.windows} == {40_000}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_log_is_imported(tmp_path, pack):
    file = tmp_path / "log"
    file.write_bytes(pack(gzip.decompress((CASES / "log.hlog.gz").read_bytes())))
    assert total(read(file, unit="ns")).total == 200_000
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(LabError, match="log: cannot be unpacked"):
        read(file, unit="ns")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 1 << 20), min_size=1, max_size=40), st.integers(-30, 8), st.sampled_from([1, 1000]))
def test_doubles_in_whole_ns_lose_no_value_and_overlap_nowhere(values, power, ns):
    """The lowest and the highest value of each bucket are within 1 ns of the doubles'."""
    counts = replace(counts_of(values), ratio=2.0**power)
    made, factor = scaled(counts, ns), ns * counts.ratio
    assert made.total == counts.total and (made.low >= 0).all() and (made.width >= 1).all()
    assert (made.low[:-1] + made.width[:-1] <= made.low[1:]).all()
    assert abs(made.low[0] - counts.low[0] * factor) <= 1
    for percent in (10.0, 50.0, 100.0):
        ours, theirs = percentiles(made, [percent])[0], percentiles(counts, [percent])[0] * factor
        assert abs(ours - theirs) <= 1
    again = [scaled(replace(counts_of([one]), ratio=counts.ratio), ns) for one in values]
    np.testing.assert_array_equal(merge([made, *again]).count, 2 * made.count)
