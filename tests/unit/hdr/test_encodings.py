"""Payloads of the older encodings and of DoubleHistogram, and packed logs: the Java library's numbers."""

from __future__ import annotations

import base64
import bz2
import gzip
import lzma
import math
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hdr_logs import counts_of
from hypothesis import given, settings
from hypothesis import strategies as st
from laboratory import DATA

from pipeline.ground.errors import LabError
from pipeline.hdr import encode
from pipeline.hdr.counts import Counts, Geometry
from pipeline.hdr.encodings import HEADER_V0
from pipeline.hdr.encodings import counts_of as decoded
from pipeline.hdr.log import greatest_double, parse_log, read_log, summary
from pipeline.hdr.merge import finer, merge
from pipeline.hdr.percentiles import percentiles
from pipeline.hdr.v2 import HEADER, PayloadError

CASES = DATA / "cases"
HIGHEST = 1 << 24
V0, V1 = 0x1C849308, 0x1C849301
COLUMNS = ("low", "width", "count")


def old(counts: Counts, base: int, word: int) -> bytes:
    """The plain payload of V0 or V1, as the Java library of that time wrote it: counters up to the greatest value."""
    at = Geometry.of(counts.digits, counts.lowest).index(counts.low)
    every = np.zeros(int(at.max(initial=-1)) + 1, f">i{word}")
    every[at] = counts.count
    body, cookie = every.tobytes(), base | word << 4
    if base == V0:
        return HEADER_V0.pack(cookie, counts.digits, counts.lowest, counts.highest, counts.total) + body
    return HEADER.pack(cookie, len(body), 0, counts.digits, counts.lowest, counts.highest, counts.ratio) + body


def packed(plain: bytes) -> bytes:
    body = zlib.compress(plain)
    return struct.pack(">Ii", struct.unpack_from(">I", plain)[0] + 1, len(body)) + body


def double(inner: bytes, digits: int, cookie: int = 0x0C72124F) -> bytes:
    return struct.pack(">Iiq", cookie, digits, 4) + inner


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def same(one: Counts, other: Counts) -> None:
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column))
    assert (one.digits, one.lowest, one.ratio) == (other.digits, other.lowest, other.ratio)


# --- the README's cases, as the Java library 2.2.2 reads them ---------------------------------------------------------


def numbers(name: str) -> dict:
    return summary(read_log(CASES / name))


def at_three_digits(name: str, *percents: float) -> list[int]:
    like = Counts(*(np.empty(0, np.int64) for _ in range(3)), 3, 1, 3_600_000_000_000)
    return percentiles(merge([like, *(one.counts for one in read_log(CASES / name).records)]), percents)


@pytest.mark.parametrize(
    ("name", "intervals", "count", "mean", "greatest", "three"),
    [
        ("jHiccup-2.0.1.logV0.hlog", 81, 61_256, 33_138_446.61, 1_577_058_303, [377_087, 1_099_956_223]),
        ("jHiccup-2.0.6.logV1.hlog", 88, 65_964, 40_037_601.34, 1_895_825_407, [377_087, 1_234_173_951]),
    ],
)
def test_logs_of_old_versions_of_jhiccup(name, intervals, count, mean, greatest, three):
    found = numbers(name)
    assert (found["intervals"], found["count"], found["max"]) == (intervals, count, greatest)
    assert round(found["mean"], 2) == mean
    assert at_three_digits(name, 50.0, 99.0) == three


def test_a_log_of_ycsb_that_is_packed_with_xz():
    found = numbers("ycsb.logV1.hlog.xz")
    assert [found[key] for key in ("intervals", "count", "max", "p50", "p99")] == [
        602,
        300_056,
        1_546_239,
        373,
        130_559,
    ]


def test_a_log_of_doubles():
    """The greatest is 0.014556884765625 less 2 units in the last place of it and one more, as Java's arithmetic."""
    found = numbers("double.hlog")
    assert (found["intervals"], found["count"]) == (10, 200_000)
    told = [found[key] for key in ("min", "max", "mean", "p50", "p99")]
    assert told == [
        9.9945068359375e-4,
        0.014556884765624998,
        0.001998322653770447,
        0.0016937255859375,
        0.005583763122558594,
    ]


def test_tags_with_blanks_and_commas():
    found = numbers("tags_with_blanks.hlog")
    assert found["tags"] == ["GET /users?id=1", "lat€nz", "<b>x</b>", ""]
    assert {(one["intervals"], one["count"], one["max"]) for one in found["by_tag"].values()} == {
        (3, 40_000, 13_008_895)
    }


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30))
def test_the_tag_is_all_in_front_of_the_four_fields(tag):
    payload = encode.payload(counts_of([1, 2, 3]))
    for line in (f"Tag={tag},0.5,1.5,2.0,{payload}", f"Tag={tag} 0.5 1.5 2.0 {payload}"):
        (record,) = parse_log(line.encode(), "x").records
        assert (record.tag, record.start, record.length, record.max) == (tag, 0.0, 1.5, 2.0)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_log_is_told_by_its_content(tmp_path, pack):
    raw = gzip.decompress((CASES / "log.hlog.gz").read_bytes())
    file = tmp_path / "log.hlog"
    file.write_bytes(pack(raw))
    found = summary(read_log(file))
    told = [found[key] for key in ("intervals", "count", "p50", "p99.9", "max")]
    assert told == [10, 200_000, 1_694_719, 7_876_607, 14_557_183]
    file.write_bytes(pack(raw)[:-40])
    with pytest.raises(LabError, match=r"log\.hlog: cannot be unpacked"):
        read_log(file)


def test_zstd_says_how_to_unpack_it(tmp_path):
    (tmp_path / "a").write_bytes(b"\x28\xb5\x2f\xfd rest")
    with pytest.raises(LabError, match="is packed with zstd, which is not read; unpack it first"):
        read_log(tmp_path / "a")


# --- round trips -----------------------------------------------------------------------------------------------------

VALUES = st.lists(st.integers(0, HIGHEST), max_size=30)


@settings(max_examples=60, deadline=None)
@given(VALUES, st.integers(0, 4), st.sampled_from([V0, V1]), st.sampled_from([2, 4, 8]), st.booleans())
def test_old_encodings_come_back_as_they_were(values, digits, base, word, compressed):
    counts = counts_of(values, digits=digits, highest=HIGHEST)
    plain = old(counts, base, word)
    same(decoded(text(packed(plain) if compressed else plain)), counts)


@settings(max_examples=60, deadline=None)
@given(VALUES, st.integers(-300, 300), st.sampled_from(["v1", "v2", "plain"]))
def test_doubles_come_back_with_their_ratio(values, power, inner):
    counts = replace(counts_of(values, highest=HIGHEST), ratio=2.0**power)
    plain = bytearray(old(counts, V1, 4) if inner == "v1" else encode.plain(counts))
    struct.pack_into(">d", plain, HEADER.size - 8, counts.ratio)
    data = double(bytes(plain), 3, 0x0C72124E) if inner == "plain" else double(packed(bytes(plain)), 3)
    same(decoded(text(data)), counts)


@given(st.lists(st.tuples(st.integers(1024, 8191), st.integers(0, 20)), min_size=1, max_size=6))
def test_doubles_of_several_ratios_add_up_value_by_value(parts):
    """Values of the upper half of a bucket keep their width, whatever the ratio."""
    several = [replace(counts_of([value]), ratio=2.0**-power) for value, power in parts]
    whole = merge(several)
    assert whole.ratio == min(one.ratio for one in several) and whole.total == len(parts)
    lows = sorted({float(one.low[0]) * one.ratio for one in several})
    assert [float(low) * whole.ratio for low in whole.low] == lows


def test_values_too_far_apart_have_no_sum():
    with pytest.raises(LabError, match="too far apart"):
        finer(replace(counts_of([5]), ratio=1.0), 2.0**-40)


@given(st.integers(1, 1 << 40), st.integers(-900, 900))
def test_the_greatest_double_lies_within_its_bucket(value, power):
    counts = replace(counts_of([value], highest=1 << 41), ratio=2.0**power)
    following = float(counts.low[-1] + counts.width[-1]) * counts.ratio
    assert 0 <= following - greatest_double(counts) <= 2 * math.ulp(following)


# --- what is damaged -------------------------------------------------------------------------------------------------

GOOD = [
    *(old(counts_of([1, 50, 70_000]), base, word) for base in (V0, V1) for word in (2, 8)),
    double(encode.plain(counts_of([1024, 3000])), 3, 0x0C72124E),
]


@pytest.mark.thorough
@settings(max_examples=300, deadline=5000)
@given(st.sampled_from(GOOD), st.data())
def test_damaged_payloads_raise_nothing_but_payload_errors(good, data):
    raw = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, min(60, len(raw) - 1)))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        raw = raw[: data.draw(st.integers(0, len(raw)))]
    for damaged in (bytes(raw), packed(bytes(raw)) if 4 <= len(raw) and raw[0] < 0xFF else bytes(raw)):
        try:
            counts = decoded(text(damaged))
        except PayloadError as error:
            assert str(error) and "\n" not in str(error)
        else:
            assert counts.total >= 0 and (counts.count > 0).all()


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (lambda: old(counts_of([9]), V1, 8)[:-1], "cut short"),
        (lambda: old(counts_of([9]), V1, 2) + b"\0\0", "does not end after 20 bytes"),
        (lambda: old(counts_of([9]), V0, 4)[:-1], "cut short"),
        (lambda: old(counts_of([9]), V0, 8)[:-8] + b"\xff" * 8, "a counter is below 0"),
        (lambda: old(counts_of([1, 9]), V0, 8)[:-8] + b"\x7f" + b"\xff" * 7, "more than 64 bits"),
        (lambda: packed(old(counts_of([9]), V0, 8))[:-1], "declares .* compressed bytes"),
        (lambda: double(encode.plain(counts_of([9])), 2, 0x0C72124E), "of 2 digits holds a histogram of 3"),
        (lambda: double(old(replace(counts_of([9]), ratio=0.3), V1, 8), 3, 0x0C72124E), "0.3 and no power of two"),
        (lambda: double(old(replace(counts_of([9]), ratio=math.nan), V1, 8), 3, 0x0C72124E), "no power of two"),
        (lambda: double(b"", 3), "too short for a DoubleHistogram"),
    ],
)
def test_what_is_wrong_is_said(damaged, says):
    with pytest.raises(PayloadError, match=says):
        decoded(text(damaged()))
