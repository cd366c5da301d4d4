"""Files that were damaged, or made to do harm: one line each, or a right answer."""

from __future__ import annotations

import json
import random
import re
import warnings

import damage
import damaged_files
import harmless
import numpy as np
import pytest
from damaged_files import GOODS
from laboratory import DATA
from own_files import hlog, records

from pipeline.foreign import registry, sessions
from pipeline.foreign.files import File
from pipeline.foreign.names import LONGEST, shown
from pipeline.foreign.reading import Found, Options, Thing
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts

pytestmark = pytest.mark.thorough

OWN = DATA / "own"
QUICK = 40  # of each good file; many, apart and whole: tests/processes/own


def read(path, **options) -> Found:
    return registry.read(File(path, path.name), Options(**options))[1]


def refused(path, says: str, status: int = 4, **options) -> None:
    with warnings.catch_warnings(), pytest.raises(LabError, match=says) as error:
        warnings.simplefilter("error")
        read(path, **options).whole(path.name)
    assert error.value.status == status and str(error.value).startswith(path.name)


@pytest.mark.parametrize("name", GOODS)
def test_damaged_files_are_one_line_or_a_right_answer(name):
    told = damaged_files.tried(GOODS[name], 1, QUICK)
    assert not told["faults"] and told["read"] + sum(told["errors"].values()) == QUICK


@pytest.mark.parametrize("number", [1357, 1501])  # found by 10,000 of them
def test_bins_of_fio_that_overlap_are_refused_by_the_file_s_name(tmp_path, number):
    (tmp_path / "a.json").write_bytes(GOODS["fio with fsync"].damaged(1, number))
    refused(tmp_path / "a.json", "a.json: not as fio writes it.*bins that overlap")


@pytest.mark.parametrize("name", GOODS)
def test_a_good_file_is_read_without_a_fault(name, tmp_path):
    (tmp_path / "file").write_bytes(GOODS[name].raw)
    assert damaged_files.fault(tmp_path / "file", GOODS[name].options, "") == ""


def test_a_number_is_the_same_file_every_time_and_most_differ_from_the_good_one():
    one = GOODS["JMH"]
    files = [one.damaged(5, number) for number in range(50)]
    assert files == [one.damaged(5, number) for number in range(50)] != [one.damaged(6, n) for n in range(50)]
    assert len(set(files)) > 40 and any(damage.MARK.encode() in file for file in files)


def test_a_damaged_payload_can_still_be_unpacked():
    raw = (OWN / "jhiccup.hlog").read_bytes()
    assert damage._payload(raw, random.Random(1)) != raw
    files = [GOODS["histogram log of jHiccup"].damaged(1, number) for number in range(200)]
    assert any(damage._payload(file, random.Random(2)) != file for file in files)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (lambda path: (_ for _ in ()).throw(RuntimeError("x")), "RuntimeError: 'x'"),
        (lambda path: (_ for _ in ()).throw(LabError("no name")), "says 'no name'"),
        (lambda path: (_ for _ in ()).throw(LabError("damaged: " + "x" * 900)), "says 'damaged: xxx"),
    ],
)
def test_a_reader_that_breaks_its_word_is_a_fault(monkeypatch, tmp_path, broken, says):
    monkeypatch.setattr(registry, "read", lambda file, options, form: broken(file))
    assert str(damaged_files.fault(tmp_path / "x", Options(), "")).startswith(says)


def test_what_no_right_answer_holds():
    counts = Counts(np.array([1, 2]), np.array([2, 1]), np.array([1, 1]), 3, 1, 4)
    found = Found(tool="\x1b[2J", begun=float("inf"))
    found.window(Thing("a"), 0.0, 1.0, counts, "x")
    told = list(damaged_files.wrong(found))
    assert told == ["holds buckets that overlap", "began at inf", "shows '\\x1b[2J'"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"<p>{damage.MARK}</p><img src='{damage.MARK}.png'>", ""),
        (f"<script>{damage.MARK}()</script>", "script 'hostilemark()'"),
        (f"<p on{damage.MARK}>", "attribute"),
        (f"<img src=x onerror={damage.MARK}>", "attribute 'onerror' of 'img'"),
        (f"<a href='{'java'}script:{damage.MARK}'>", "attribute 'href'"),
        (f"<{damage.MARK}>", "element"),
        ("<p>\x1b[2J</p>", "holds"),
        ("<p>\u202e</p>", "holds"),
    ],
)
def test_words_that_act_on_a_page_are_found(text, says):
    told = list(harmless.in_text(text, ".html"))
    assert (told == []) if not says else told[0].startswith(says)


def test_what_an_import_must_not_leave_is_found(tmp_path):
    given = tmp_path / "given" / "file"
    for path in (given, tmp_path / "runs" / "x" / "run.json", tmp_path / "elsewhere", tmp_path / "build" / damage.MARK):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    told = list(harmless.faults(1, "\x1b[2J\n", "Traceback\nx", tmp_path, given))
    assert told == [
        "ended with status 1",
        "printed a traceback: 'x'",
        "printed 2 lines of an error",
        "printed '\\x1b[2J'",
        f"wrote a file called {damage.MARK!r}",
        "wrote 'elsewhere'",
    ]
    (tmp_path / "elsewhere").unlink()
    (tmp_path / "build" / damage.MARK).unlink()
    assert not list(harmless.faults(0, "read\n", "", tmp_path, given))


# --- what was found --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2, 20])
def test_a_packed_file_that_is_damaged_inside_is_one_line(tmp_path, number):
    (tmp_path / "a").write_bytes(GOODS["histogram log packed by gzip"].damaged(1, number))
    refused(tmp_path / "a", "cannot be unpacked .*copy it again", unit="ns")


def test_a_time_beyond_any_is_named_with_its_line(tmp_path):
    (tmp_path / "a").write_text("latency_us,when\n1,0\n2,1e300\n")
    refused(tmp_path / "a", "a:3: time '1e300' is beyond any", time="when")


def test_a_line_of_k6_is_that_of_the_file_and_vegeta_has_no_header(tmp_path):
    rows = "metric_name,timestamp,metric_value\nvus,1700000000,1\nhttp_req_duration,1700000000,x\n"
    (tmp_path / "a").write_text(rows)
    refused(tmp_path / "a", "a:3: latency 'x' is no number")
    good = "1700000000000000000,200,5,0,1,,x,y,0\n"
    (tmp_path / "a").write_text(good + good.replace(",5,", ",x,"))
    refused(tmp_path / "a", "a:2: latency 'x' is no number")


def test_samples_that_64_bits_do_not_hold_are_one_line(tmp_path):
    told = json.loads((OWN / "jmh.json").read_text())
    told = [next(one for one in told if one["mode"] == "sample")]
    told[0]["primaryMetric"]["rawDataHistogram"] = [[[[1, 2**63 - 1], [1, 2**63 - 1]]]]
    (tmp_path / "a").write_text(json.dumps(told))
    refused(tmp_path / "a", "receivers: holds more samples than can be counted")


def test_a_job_of_fio_without_a_latency_has_its_rate_and_a_note(tmp_path):
    told = json.loads((OWN / "fio_plus.json").read_text())
    told["jobs"][0]["read"].pop("clat_ns")
    told["jobs"][0]["read"].pop("lat_ns", None)
    (tmp_path / "a").write_text(json.dumps(told))
    found = read(tmp_path / "a")
    assert found.notes == ["a: read: holds no latencies (disable_lat, disable_clat)"]
    assert Thing("read", found.things[0].axes) in found.values and {one.name for one in found.windows} == {"write"}


@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("wrk2.txt", (r"Requests/sec: +", "Requests/sec: -"), "intended: rate -.* is no number from 0 on"),
        ("fio_plus.json", (r'"iops" : [0-9.]+', '"iops" : 1e400'), "iops inf is no number from 0 on"),
        ("fio_percentiles.json", (r'"bw_bytes" : [0-9]+', '"bw_bytes" : 1e400'), "bandwidth inf is no number"),
        ("fio_percentiles.json", (r'"min" : [1-9][0-9]+', '"min" : -5'), "not as fio writes it .*a time below 0"),
    ],
)
def test_a_number_that_is_none_is_one_line(tmp_path, file, change, says):
    path = tmp_path / "a"
    path.write_text(re.sub(*change, (OWN / file).read_text()))
    refused(path, says)


def test_a_header_that_is_cut_is_one_line(tmp_path):
    (tmp_path / "a").write_text('when""",name,latency\n0.0,put,1.5\n')
    options = {"unit": "us", "value": "latency", "time": "when"}
    refused(tmp_path / "a", "a:1: column 'when' is not where a header has one", **options)


@pytest.mark.parametrize("begun", ["1e18", "-5"])
def test_a_beginning_that_is_no_date_is_one_line(tmp_path, begun):
    told = json.loads((OWN / "fio_plus.json").read_text())
    (tmp_path / "a").write_text(json.dumps(told | {"timestamp": float(begun)}))
    refused(tmp_path / "a", "after 1970, which is no date")


def test_an_interval_that_is_no_time_is_one_line(tmp_path):
    log = hlog(tmp_path / "a", records(1, 2))
    log.write_text(re.sub(r"^1\.000,1\.000", "1.000,1e300", log.read_text(), flags=re.M))
    refused(log, "a:.*lasts 1e\\+300 s from 1 s on, which is no time")


def test_parts_of_a_sum_that_have_none_are_named():
    counts = Counts(np.array([0]), np.array([1]), np.array([2**62]), 0, 1, 1)
    found = Found()
    for at in range(2):
        found.window(Thing("a"), float(at), 1.0, counts, "x")
    with pytest.raises(LabError, match="^x: a: .*64 bits"):
        found.whole("x")
    assert sessions.total(list(found.windows[Thing("a")])[:1]).total == 2**62


@pytest.mark.parametrize(
    "name", ["\x1b[31mred\x1b[0m", "<b>bold</b>", "../../etc/passwd", "a\nb", "x" * 10_000, "$\\frac{1}{2}$", "‮evil"]
)
def test_names_out_of_files_are_data(name):
    told = shown(name)
    assert len(told) <= LONGEST and "\x1b" not in told and "\n" not in told and "$" not in told
    assert told.isprintable()


def test_a_tag_that_commands_a_terminal_is_plain_text(tmp_path):
    path = hlog(tmp_path / "a.hlog", records(1, 3, tags=("A",)))
    path.write_text(path.read_text().replace("Tag=A", "Tag=\x1b[2J\x07<script>"))
    _, found = registry.read(File(path, "a"), Options())
    assert re.fullmatch(r"\[2J\s*<script>", found.things[0].name.strip())


def test_a_bomb_of_gzip_is_not_unpacked(tmp_path):
    import gzip

    path = tmp_path / "bomb.json"
    with gzip.open(path, "wb") as out:
        out.write(b'[{"benchmark": "a", "mode": "avgt"},')
        for _ in range(300):
            out.write(b" " * (1 << 20))
    with pytest.raises(LabError, match="larger than 256 MiB"):
        registry.read(File(path, "bomb.json"), Options())
