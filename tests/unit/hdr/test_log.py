"""The log reader: recorded logs, round trips, and every kind of damaged file."""

import base64
import gzip
import json
import re
import zlib

import numpy as np
import pytest
from hdr_logs import DATA, HIGHEST, LOGS, NUMBERS, assert_like_java, encode, log_of, payload, plain
from hdrh.histogram import HdrHistogram
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.hdr.log import buckets, parse_log, read_log, summary
from pipeline.hdr.merge import Sum, merge
from pipeline.hdr.reader import BATCH, Reader
from pipeline.hdr.v2 import decode_base64, decode_plain, decode_together, unwrap, zigzag_leb128

VALUES = st.lists(st.integers(1, HIGHEST - 1), max_size=40)

# --- the numbers -----------------------------------------------------------------------------------------------------


def test_recorded_logs_have_the_numbers_java_gave():
    """expected.json was written by oracle.py (HdrHistogram 2.2.2); it holds where no Java is installed."""
    expected = json.loads((DATA / "expected.json").read_text())
    assert sorted(expected) == [path.name for path in LOGS]
    for path in LOGS:
        assert_like_java(summary(read_log(path)), expected[path.name])


@pytest.mark.thorough
@settings(max_examples=40)
@given(st.lists(st.integers(0, HIGHEST), max_size=200), st.integers(1, 5))
def test_round_trip_with_the_python_encoder(values, digits):
    encoded = encode(values, digits)
    counts = decode_base64(encoded)
    assert counts.total == len(values)
    assert (counts.digits, counts.lowest, counts.highest) == (digits, 1, HIGHEST)
    other = HdrHistogram.decode(encoded)
    for low, width, count in zip(counts.low.tolist(), counts.width.tolist(), counts.count.tolist(), strict=True):
        assert count == sum(low <= value < low + width for value in values)
        assert other.get_count_at_value(low) == count
        assert other.get_lowest_equivalent_value(low) == low


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=50))
def test_leb128_of_any_64_bit_number(numbers):
    data = bytearray()
    for number in numbers:
        word = ((number << 1) ^ (number >> 63)) & (2**64 - 1)
        for _ in range(8):
            if word < 0x80:
                break
            data.append(word & 0x7F | 0x80)
            word >>= 7
        data.append(word)
    assert zigzag_leb128(np.frombuffer(bytes(data), dtype=np.uint8)).tolist() == numbers


# --- what is read ----------------------------------------------------------------------------------------------------


def test_tags_are_kept_apart_and_said_to_be_merged():
    log = read_log(DATA / "tagged_v13.hlog")
    found = summary(log)
    assert found["tags"] == ["t0", "t1", "read"] and found["merged_tags"] is True
    assert found["count"] == sum(one["count"] for one in found["by_tag"].values())
    only = summary(read_log(DATA / "tagged_v13.hlog", tag="t1"))
    assert only["merged_tags"] is False and only["tags"] == ["t1"]
    assert {key: only[key] for key in NUMBERS} == {key: found["by_tag"]["t1"][key] for key in NUMBERS}
    assert json.loads(json.dumps(found)) == found


def test_untagged_lines_among_tagged_ones_are_selected_by_the_empty_tag():
    everything, untagged = read_log(DATA / "absolute_v12.hlog"), read_log(DATA / "absolute_v12.hlog", tag="")
    assert summary(everything)["tags"] == ["", "A"]
    assert {record.tag for record in untagged.records} == {None}
    assert len(untagged.records) * 2 == len(everything.records)


def test_times():
    log = read_log(DATA / "absolute_v12.hlog")
    assert log.start_time == 1700000000.0 and log.base_time == 0.0
    assert [record.start for record in log.records[::2]] == [float(i) for i in range(8)]
    assert read_log(DATA / "untagged_v13.hlog").base_time == 1700000000.0
    bare = read_log(DATA / "no_header.hlog")
    assert bare.start_time is None and bare.base_time == 0.0 and bare.records[0].start == 0.0
    one = encode([5])
    relative = parse_log(b"#[StartTime: 1700000000.5 (seconds since epoch)]\n" + log_of(one, one), "x")
    assert relative.base_time == 1700000000.5 and [record.start for record in relative.records] == [0.0, 1.0]


def test_forms_that_mean_the_same(tmp_path):
    raw = (DATA / "tagged_v13.hlog").read_bytes()
    expected = summary(read_log(DATA / "tagged_v13.hlog"))
    packed = tmp_path / "a.hlog.gz"
    packed.write_bytes(gzip.compress(raw))
    assert summary(read_log(packed)) == expected
    for other in (raw.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + raw, raw.rstrip(b"\n"), raw.replace(b"\n", b"\n\n")):
        assert summary(parse_log(other, "x")) == expected
    squeezed = encode([3, 70, 9000])
    data = zlib.decompress(base64.b64decode(squeezed)[8:])
    histe = base64.b64encode(data).decode()
    assert squeezed.startswith("HISTF") and histe.startswith("HISTE")
    assert summary(parse_log(log_of(histe), "x")) == summary(parse_log(log_of(squeezed), "x"))


def test_empty_histograms_do_not_disturb_min():
    log = parse_log(log_of(encode([]), encode([500, 501]), encode([])), "x")
    found = summary(log)
    assert (found["intervals"], found["count"], found["min"]) == (3, 2, 500)
    nothing = summary(parse_log(log_of(encode([])), "x"))
    assert [nothing[key] for key in NUMBERS] == [0, 0, 0, 0.0, 0, 0, 0, 0, 0]


# --- what is refused -------------------------------------------------------------------------------------------------

GOOD = encode([10, 20, 30])
WORDS = b"\x01\x02"


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        (b"", 0, "is empty"),
        (b" \n\n", 0, "is empty"),
        (b"\xff\xfe\x00", 1, "not UTF-8"),
        (b"#[Histogram log format version 1.3]\n", 0, "no histogram line"),
        (b"#[Histogram log format version 2.0]\n", 1, "version '2.0' is unknown"),
        (b"#[StartTime: nan (seconds)]\n", 1, "StartTime 'nan' is not a finite number"),
        (b"threads,throughput\n1,2\n", 1, "not a histogram line"),
        (b'{"a": 1}\n', 1, "not a histogram line"),
        (log_of(GOOD) + b"1.0,1.0,1.0\n", 2, "not a histogram line"),
        (f"nan,1,1,{GOOD}".encode(), 1, "timestamp 'nan' is not a finite number"),
        (f"1e999,1,1,{GOOD}".encode(), 1, "timestamp '1e999' is not a finite number"),
        (f"1,inf,1,{GOOD}".encode(), 1, "interval length 'inf' is not a finite number"),
        (f"1,1,x,{GOOD}".encode(), 1, "interval maximum 'x' is not a finite number"),
        (log_of(GOOD, GOOD[:-9]), 2, "not base64"),
        (log_of(GOOD, GOOD[:-8]), 2, "cut short"),
        (log_of(GOOD, "HIST"), 2, "too short"),
        (log_of(GOOD, "!" + GOOD[1:]), 2, "not base64"),
        (log_of(payload(plain(WORDS), length=7)), 1, "declares 7 compressed bytes"),
        (log_of(payload(plain(WORDS), cookie=0x1C849329)), 1, "the unknown cookie 0x1c849313"),
        (log_of(payload(plain(WORDS), cookie=0x1C849302)), 1, "the unknown cookie 0x1c849313"),
        (log_of(base64.b64encode(plain(WORDS, cookie=0x1C849308)).decode()), 1, "the unknown cookie 0x1c849308"),
        (
            log_of(base64.b64encode(plain(WORDS, cookie=0x1C849381)).decode()),
            1,
            "bytes of counters of 8 each (cut short)",
        ),
        (log_of(payload(plain(WORDS), cookie=0x0C72124E)), 1, "starts with the unknown cookie"),
        (log_of(payload(plain(WORDS), cookie=0x12345678)), 1, "unknown cookie 0x12345678"),
        (log_of(payload(plain(WORDS, cookie=0x1C849301))), 1, "unknown cookie 0x1c849301"),
        (log_of(payload(plain(WORDS), squeeze=lambda data: b"x" + zlib.compress(data))), 1, "zlib"),
        (log_of(payload(plain(WORDS), squeeze=lambda data: zlib.compress(data) + b"x")), 1, "does not end after the 2"),
        (log_of(payload(plain(WORDS), squeeze=lambda data: zlib.compress(data)[:-2])), 1, "does not end after the 2"),
        (log_of(payload(b"too short")), 1, "shorter than a histogram header"),
        (log_of(payload(plain(WORDS, declared=1))), 1, "does not end after the 1 bytes"),
        (log_of(payload(plain(WORDS, declared=3))), 1, "declares 3 bytes of counters and has 2"),
        (log_of(payload(plain(WORDS, declared=-1))), 1, "declares -1 bytes"),
        (log_of(payload(plain(b"\0" * (1 << 20)))), 1, "its range allows"),
        (log_of(payload(plain(b"\0" * (1 << 20), declared=5))), 1, "does not end after the 5 bytes"),
        (log_of(payload(plain(b"\x80"))), 1, "cut short"),
        (log_of(payload(plain(b"\x02" * 20, highest=2, digits=0))), 1, "do not fit the range"),
        (log_of(payload(plain(b"\xff\xff\xff\xff\xff\xff\xff\x7f"))), 1, "longer than any histogram"),
        (log_of(payload(plain((b"\xfe" + b"\xff" * 7 + b"\xff") * 2))), 1, "more than 64 bits"),
        (log_of(payload(plain(WORDS, digits=6))), 1, "impossible histogram settings"),
        (log_of(payload(plain(WORDS, lowest=0))), 1, "impossible histogram settings"),
        (log_of(payload(plain(WORDS, lowest=-5))), 1, "impossible histogram settings"),
        (log_of(payload(plain(WORDS, highest=1))), 1, "impossible histogram settings"),
        (log_of(payload(plain(WORDS, lowest=2**50, highest=2**60, digits=5))), 1, "exceed 64 bits"),
    ],
)
def test_bad_logs_are_refused_in_one_line(data, line, says):
    with pytest.raises(LabError) as error:
        parse_log(data, "some.hlog")
    message = str(error.value)
    assert says in message and "\n" not in message and len(message) < 250
    assert message.startswith(f"some.hlog:{line}: " if line else "some.hlog: ")
    assert "; " in message, "says what to do"
    assert error.value.status == 2


def test_counts_that_overflow_only_together():
    half = payload(plain(b"\xfe" + b"\xff" * 7 + b"\x7f"))
    with pytest.raises(LabError, match="more than 64 bits"):
        summary(parse_log(log_of(half, half, half), "x"))


def test_bad_files_and_arguments(tmp_path):
    good = DATA / "untagged_v13.hlog"
    broken = tmp_path / "broken.hlog.gz"
    broken.write_bytes(gzip.compress(good.read_bytes())[:-20])
    for path, says in (
        (tmp_path / "absent.hlog", "no such file"),
        (tmp_path, "is a directory"),
        (broken, "cannot be unpacked"),
    ):
        with pytest.raises(LabError, match=f"{re.escape(str(path))}: .*{says}"):
            read_log(path)
    with pytest.raises(LabError, match="none of its 15 intervals .* tags are 't0', 't1', 'read'"):
        read_log(DATA / "tagged_v13.hlog", tag="writes")
    with pytest.raises(LabError, match="--start: not a number"):
        read_log(good, start=float("nan"))
    with pytest.raises(LabError, match="--start 3 is after --end 1"):
        read_log(good, start=3, end=1)


def test_a_line_with_the_wrong_tag_is_not_decoded():
    data = f"Tag=a,0,1,1,{GOOD}\nTag=b,0,1,1,damaged\n".encode()
    assert len(parse_log(data, "x", tag="a").records) == 1
    with pytest.raises(LabError, match="x:2: "):
        parse_log(data, "x")


@pytest.mark.thorough
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_damaged_bytes_raise_nothing_but_lab_errors(data):
    raw = bytearray((DATA / "tagged_v13.hlog").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        kind = data.draw(st.sampled_from(["set", "drop", "cut"]))
        if kind == "set":
            raw[at] = data.draw(st.integers(0, 255))
        elif kind == "drop":
            del raw[at : at + data.draw(st.integers(1, 30))]
        else:
            del raw[at:]
        if not raw:
            break
    only_lab_errors(bytes(raw))


@pytest.mark.thorough
@settings(max_examples=300)
@given(st.binary(max_size=80), st.binary(max_size=30), st.sampled_from([0x1C849313, 0x1C849303, 0]))
def test_damaged_payloads_raise_nothing_but_lab_errors(words, tail, cookie):
    """Mutations behind the checksum of zlib: header and counters of any content."""
    header = bytearray(plain(words, cookie=cookie))
    for i, byte in enumerate(tail):
        header[(7 * i + byte) % len(header)] ^= byte
    only_lab_errors(log_of(payload(bytes(header))))
    only_lab_errors(log_of(base64.b64encode(bytes(header)).decode()))


@settings(max_examples=50)
@given(st.lists(VALUES, min_size=1, max_size=8), st.sampled_from([1, 3]))
def test_the_buckets_of_a_log_are_those_of_its_records(recorded, odd):
    """Also where one of them is of another layout, so that none is decoded together with the others."""
    raw = log_of(*(encode(values) for values in recorded), encode([5, 5, 900], odd))
    low, width, count, length = buckets(raw, "x")
    every = [record.counts for record in parse_log(raw, "x").records]
    assert length.tolist() == [len(one.low) for one in every]
    for name, column in {"low": low, "width": width, "count": count}.items():
        np.testing.assert_array_equal(column, np.concatenate([getattr(one, name) for one in every]))


def only_lab_errors(raw: bytes) -> None:
    try:
        found = summary(parse_log(raw, "fuzzed.hlog"))
    except LabError as error:
        assert str(error) and "\n" not in str(error)
    else:
        assert found["count"] >= 0 and found["min"] <= found["p50"] <= found["max"]


@settings(max_examples=50)
@given(st.lists(VALUES, min_size=1, max_size=8))
def test_decoding_together_is_decoding_one_by_one(recorded):
    payloads = [unwrap(encode(values)) for values in recorded]
    together = decode_together(payloads)
    if together is None:
        assert not any(recorded)
        return
    for one, payload_bytes in zip(together.each, payloads, strict=True):
        alone = decode_plain(payload_bytes)
        assert (one.digits, one.lowest, one.highest) == (alone.digits, alone.lowest, alone.highest)
        for column in ("low", "width", "count"):
            np.testing.assert_array_equal(getattr(one, column), getattr(alone, column))


def test_one_damaged_payload_among_many_names_its_line():
    good, bad = encode([1, 2, 3]), encode([5, 6])[:-6] + "AAAA=="
    lines = [f"Tag=a,{k}.000,1.000,1.000,{text}" for k, text in enumerate([good, good, bad, good])]
    with pytest.raises(LabError, match="x:3: "):
        parse_log("\n".join(lines).encode(), "x")


# --- what other writers do -------------------------------------------------------------------------------------------

ENDS = '"StartTimestamp","EndTimestamp","Interval_Max","Interval_Compressed_Histogram"\n'


def of_times(*times: tuple[float, float], legend: str = ENDS, start: float | None = 1700000000.0) -> bytes:
    head = "" if start is None else f"#[StartTime: {start:.3f} (seconds since epoch)]\n"
    return (head + legend + "".join(f"{a:.3f},{b:.3f},30.0,{GOOD}\n" for a, b in times)).encode()


def test_the_second_field_of_the_c_library_is_an_end():
    log = parse_log(of_times((1700000000.0, 1700000001.0), (1700000001.0, 1700000003.5)), "x")
    assert [(one.start, one.length) for one in log.records] == [(0.0, 1.0), (1.0, 2.5)]


@pytest.mark.parametrize("start", [0.0, 1700000000.0])
def test_a_length_under_the_legend_of_an_end_is_a_length(start):
    """As hdr_log_write_entry of the C library and old Java writers have it."""
    log = parse_log(of_times(*((start + k, 1.0) for k in range(4))), "x")
    assert [one.length for one in log.records] == [1.0] * 4
    ends = parse_log(of_times((0.0, 1.0), (1.0, 2.0), (2.0, 3.0)), "x")
    assert [one.length for one in ends.records] == [1.0] * 3


def test_without_that_legend_the_second_field_is_a_length():
    legend = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
    log = parse_log(of_times((0.0, 1.0), (1.0, 2.0), legend=legend), "x")
    assert [one.length for one in log.records] == [1.0, 2.0]


def test_a_second_head_is_refused_with_its_line():
    one = of_times((0.0, 1.0), (1.0, 1.0))
    with pytest.raises(LabError, match="x:5: a second head; these are two logs joined, split them there"):
        parse_log(one + one, "x")


def test_a_line_that_a_kill_has_cut_is_left_out_and_told(tmp_path):
    raw = log_of(GOOD, GOOD)
    for cut in (3, 30):
        file = tmp_path / "killed.hlog"
        file.write_bytes(raw[:-cut])
        log = read_log(file)
        assert len(log.records) == 1 and "line 2, the last, is cut short" in log.notes[0]
        assert summary(log)["notes"] == log.notes
        with pytest.raises(LabError, match="x:2: "):
            parse_log(raw[:-cut], "x")
    file.write_bytes(raw[:-3] + b"\n")
    with pytest.raises(LabError, match="killed.hlog:2: "):
        read_log(file)
    file.write_bytes(log_of(GOOD)[:-3])
    with pytest.raises(LabError, match="killed.hlog:1: "):
        read_log(file)


def test_a_reader_holds_no_more_than_a_batch():
    """Each record is handed out before lines far behind it are read."""
    read = 0

    def lines():
        nonlocal read
        for k in range(5000):
            read += 1
            yield f"{k}.0,1.0,1.0,{GOOD}\n".encode()

    records = iter(Reader(lines, "x"))
    next(records)
    assert read <= 2 * BATCH
    assert sum(1 for _ in records) == 4999 and read == 5000


@given(st.lists(st.lists(st.integers(1, 10**6), max_size=5), min_size=1, max_size=200))
def test_a_sum_that_grows_is_the_sum_of_all(several):
    every, growing = [decode_base64(encode(values)) for values in several], Sum()
    for one in every:
        growing.add(one)
    whole = merge(every)
    assert growing.added == len(every)
    for column in ("low", "width", "count"):
        np.testing.assert_array_equal(getattr(growing.total, column), getattr(whole, column))
