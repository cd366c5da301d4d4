"""Files as people have them: what the README of the cases says that they hold."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from laboratory import DATA

from pipeline.foreign import registry, sessions
from pipeline.foreign.csv_shape import shape_of
from pipeline.foreign.files import File
from pipeline.foreign.reading import Found, Options, Thing
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts
from pipeline.hdr.percentiles import percentiles

CASES = DATA / "cases"
RANKS = ((150, 20_026_000), (270, 38_804_000), (300, 106_064_300))  # of the 300 latencies, in ns
BEGUN = datetime.fromisoformat("2024-05-01T10:00:00.123+02:00").timestamp()


def read(path: Path, **options) -> Found:
    return registry.read(File(path, path.name), Options(**options))[1]


def whole(found: Found, thing: Thing | None = None) -> Counts:
    return sessions.total(found.windows[thing or found.things[0]])


def values(found: Found, thing: Thing) -> dict[str, float]:
    return {one.measure.name: one.value for one in found.values.get(thing, [])}


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "notes"),
    [
        ("one_column.csv", {}, []),
        ("numbers.txt", {"unit": "ms"}, ["no head"]),
        ("tab.tsv", {}, ["tabs between columns", "columns that are not read: op"]),
        ("semicolon.csv", {"time": "zeit_s"}, ["semicolons between columns, decimal commas"]),
        ("iso_time.csv", {"time": "time"}, ["times in time are dates with their zone", "not read: op"]),
    ],
)
def test_the_300_latencies_however_they_are_written(name, options, notes):
    found = read(CASES / name, **options)
    counts = whole(found)
    assert counts.total == 300
    for rank, value in RANKS:
        told = percentiles(counts, [rank / 3])[0]
        assert value <= told < value * 1.001, "a histogram of three digits: the upper end of the value's bucket"
    assert len(found.notes) == len(notes) and all(words in note for words, note in zip(notes, found.notes, strict=True))


def test_times_of_a_table_are_those_of_the_case():
    found = read(CASES / "iso_time.csv", time="time")
    assert found.begun == pytest.approx(BEGUN) and values(found, found.things[0])["rate"] == 1
    assert values(found := read(CASES / "semicolon.csv", time="zeit_s"), found.things[0])["rate"] == 100


def test_a_log_of_jmeter_without_a_head():
    found = read(CASES / "jmeter_no_head.jtl")
    assert found.tool == "JMeter" and found.begun == 1_700_000_000 and found.things == [Thing("GET /home")]
    assert found.notes[0].endswith("no head: taken for JMeter's default columns")
    assert percentiles(whole(found), [50])[0] // 1_000_000 == 20 and whole(found).total == 300


def test_numbers_without_a_unit_are_refused_as_always():
    with pytest.raises(LabError, match="^numbers.txt: the unit of its values is not told; give --unit ns, us, ms or s"):
        read(CASES / "numbers.txt")


@pytest.mark.parametrize("times", [10**exponent for exponent in (0, 3, 6, 9)])
def test_times_since_1970_are_told_by_their_size(tmp_path, times):
    (tmp_path / "a.csv").write_text(f"when,latency_us\n{1_700_000_000 * times},5\n{1_700_000_002 * times},6\n")
    found = read(tmp_path / "a.csv", time="when")
    unit = {1: "s", 10**3: "ms", 10**6: "us", 10**9: "ns"}[times]
    assert found.begun == 1_700_000_000 and f"when are {unit} since 1970, by their size" in found.notes[0]
    assert values(found, found.things[0])["rate"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("text", "begun", "says"),
    [
        ("2024-05-01T08:00:00.123Z", BEGUN, "with their zone"),
        ("2024-05-01T08:00:00.123", BEGUN, "without a zone, taken as UTC"),
        ("2024-05-01 08:00:00.123", BEGUN, "without a zone, taken as UTC"),
    ],
)
def test_dates_with_and_without_a_zone(tmp_path, text, begun, says):
    (tmp_path / "a.csv").write_text(f"when,latency_us\n{text},5\n{text},6\n")
    found = read(tmp_path / "a.csv", time="when")
    assert found.begun == pytest.approx(begun) and says in found.notes[0]


def test_a_date_among_dates_that_is_none_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("when,latency_us\n2024-05-01T08:00:00,5\nsoon,6\n")
    with pytest.raises(LabError, match="a.csv:3: time 'soon' is no date as the first is"):
        read(tmp_path / "a.csv", time="when")


ROWS = st.lists(st.integers(1, 10**9), min_size=2, max_size=80)


@given(ROWS, st.sampled_from("\t;|,"), st.sampled_from(".,"), st.booleans(), st.booleans())
@example([1, 2], ";", ",", True, False)
def test_how_a_table_is_written_changes_no_number(folder, numbers, between, mark, head, alone):
    """Numbers in us with a decimal mark; a decimal comma where commas stand between columns is none."""
    if mark == "," and (between == "," or (alone and not head)):
        mark = "."  # `1,5` in every row is two columns as well
    cells = [f"{one // 10}{mark}{one % 10}" for one in numbers]
    lines = [one if alone else f"{one}{between}put" for one in cells]
    first = ["latency_us"] if alone else [f"latency_us{between}op"]
    path = folder / "a.csv"
    path.write_text("\n".join([*(first if head else []), *lines]) + "\n")
    found = read(path, unit="us", value="" if head or alone else "f0")
    expected = folder / "b.csv"
    expected.write_text("latency_us\n" + "".join(f"{one / 10}\n" for one in numbers))
    ours, theirs = whole(found), whole(read(expected))
    assert ours.low.tolist() == theirs.low.tolist() and ours.count.tolist() == theirs.count.tolist()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@given(st.binary(max_size=300))
def test_the_shape_of_no_table_is_no_fault(head):
    shape = shape_of(head)
    assert shape is None or shape.names


# --- fio -------------------------------------------------------------------------------------------------------------


def test_calls_of_fsync_are_a_series_of_their_own_without_a_rate():
    found = read(CASES / "fio_fsync.json")
    write, sync = found.things
    assert (write.name, sync.name) == ("write", "sync")
    assert whole(found, write).total == 256 and whole(found, sync).total == 255
    assert values(found, write)["told_lat_mean"] == pytest.approx(6171.328, abs=1e-3)
    assert values(found, sync) == {"told_mean": pytest.approx(138_111.588, abs=1e-3)}
    for percent, told in ((50, 91_648), (99.9, 8_716_288)):
        assert abs(percentiles(whole(found, sync), [percent])[0] - told) <= told / 64
    assert found.facts["latency of sync"] and "clat" in found.facts["latency"]


@pytest.mark.parametrize("section", ["read", "write", "trim", "sync"])
def test_a_section_may_be_absent(tmp_path, section):
    told = json.loads((CASES / "fio_fsync.json").read_text())
    told["jobs"][0].pop(section)
    (tmp_path / "a.json").write_text(json.dumps(told))
    left = {"write", "sync"} - {section}
    assert {thing.name for thing in read(tmp_path / "a.json").things} == left


@pytest.mark.parametrize("key", ["iops", "bw_bytes", "runtime", "total_ios", "lat_ns", "slat_ns", "io_bytes"])
def test_a_key_of_a_section_may_be_absent(tmp_path, key):
    told = json.loads((CASES / "fio_fsync.json").read_text())
    told["jobs"][0]["write"].pop(key)
    for name in ("job options", "job_runtime", "jobname", "groupid"):
        told["jobs"][0].pop(name)
    (tmp_path / "a.json").write_text(json.dumps(told))
    found = read(tmp_path / "a.json")
    assert {thing.name: whole(found, thing).total for thing in found.things} == {"write": 256, "sync": 255}
    assert key != "iops" or "iops" not in values(found, found.things[0])


def test_a_section_that_is_not_read_and_a_job_that_did_nothing_are_named(tmp_path):
    told = json.loads((CASES / "fio_fsync.json").read_text())
    told["jobs"][0]["append"] = told["jobs"][0]["write"]
    told["jobs"].append({"jobname": "idle", "read": {"total_ios": 0}})
    (tmp_path / "a.json").write_text(json.dumps(told))
    notes = read(tmp_path / "a.json").notes
    assert notes == [
        "a.json: job sync: its section append is not read",
        "a.json: job idle did nothing, and is left out",
    ]


# --- JMH -------------------------------------------------------------------------------------------------------------


def test_metrics_of_a_profiler_are_metrics():
    found = read(CASES / "jmh_gc.json")
    forks = [values(found, thing) for thing in found.things]
    assert [one["gc.alloc.rate"] for one in forks] == [1230, 1239] and [one["gc.count"] for one in forks] == [0, 0]
    measures = {value.measure.name: value.measure for value in found.values[found.things[0]]}
    assert (measures["gc.alloc.rate"].unit, measures["gc.alloc.rate"].better) == ("MB/sec", None)
    assert (measures["gc.count"].unit, measures["gc.count"].better) == ("counts", "lower")


def test_the_methods_of_a_group_are_judged_like_its_score():
    found = read(CASES / "jmh_group.json")
    for thing in found.things:
        told = values(found, thing)
        assert list(told) == ["throughput", "reader", "writer"]
        assert told["reader"] + told["writer"] == pytest.approx(told["throughput"], rel=0.05)
        assert {one.measure.better for one in found.values[thing]} == {"higher"}


def secondary(folder: Path, **metric) -> Found:
    told = json.loads((CASES / "jmh_gc.json").read_text())
    told[0]["secondaryMetrics"] = {metric.pop("name", "gc.alloc.rate.norm"): metric}
    (folder / "a.json").write_text(json.dumps(told))
    return read(folder / "a.json")


def test_the_methods_of_a_group_that_was_sampled_are_series(tmp_path):
    """Its percentiles, which JMH gives as secondary metrics too, are made of the histogram."""
    told = next(one for one in json.loads((DATA / "own" / "jmh.json").read_text()) if one["mode"] == "sample")
    told["secondaryMetrics"]["reader"] = told["primaryMetric"]
    (tmp_path / "a.json").write_text(json.dumps([told]))
    found = read(tmp_path / "a.json")
    assert list(dict.fromkeys(thing.name for thing in found.windows)) == [
        "Dispatch.receivers",
        "Dispatch.receivers:reader",
    ]
    assert not found.values


@pytest.mark.parametrize(("score", "forks"), [(2.5, [1.5, 3.5]), (10, [3, 7]), (4, [2, 4])])
def test_a_fork_is_made_of_iterations_as_jmh_made_its_score(tmp_path, score, forks):
    """The mean of all: a fork's median; their sum: its sum; the greatest: its greatest."""
    found = secondary(tmp_path, score=score, scoreUnit="B/op", rawData=[[1, 2], [3, 4]])
    assert [values(found, thing)["gc.alloc.rate.norm"] for thing in found.things] == forks
    assert found.values[found.things[0]][1].measure.better == "lower"


def test_a_secondary_score_that_its_raw_data_cannot_have_is_an_error(tmp_path):
    with pytest.raises(LabError, match="gc.alloc.rate.norm 99.0 is not of its raw data; the file was edited") as error:
        secondary(tmp_path, score=99.0, scoreUnit="B/op", rawData=[[1, 2], [3, 4]])
    assert error.value.status == 4


@pytest.mark.parametrize("raw", [[], [["NaN"]], [[-1.0]]])
def test_a_metric_without_numbers_is_named(tmp_path, raw):
    found = secondary(tmp_path, name="asm", score="NaN", scoreUnit="---", rawData=raw)
    assert found.notes == ["B.gc: asm: holds no number for each fork from 0 on, and is left out"]


def test_a_metric_that_is_called_like_one_of_ours_has_its_unit_in_its_name(tmp_path):
    found = secondary(tmp_path, name="throughput", score=2.5, scoreUnit="B/op", rawData=[[1, 2], [3, 4]])
    assert list(values(found, found.things[0])) == ["throughput", "throughput (B/op)"]


def test_one_result_is_read_as_a_list_of_one():
    found = read(CASES / "jmh_object.json")
    assert [thing.name for thing in found.things] == ["B.single", "B.single"]


@pytest.mark.parametrize("name", ["jmh_table.txt", "jmh.csv"])
def test_scores_without_forks_are_refused_with_what_to_do(name):
    with pytest.raises(LabError, match="run it with -rf json: a score without its forks has no verdict"):
        read(CASES / name)
