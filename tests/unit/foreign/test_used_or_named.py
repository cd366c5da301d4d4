"""Of a file with parts that no test here thought of, each part is used, or a note names it."""

from __future__ import annotations

import copy
import csv
import json
from collections.abc import Iterable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from laboratory import DATA
from own_files import hlog, records

from pipeline.foreign import registry
from pipeline.foreign.csv_headers import LATENCY, WRITERS, writer_of
from pipeline.foreign.csv_samples import MOST_NAMED
from pipeline.foreign.files import File
from pipeline.foreign.names import shown
from pipeline.foreign.reading import Found, Options

CASES = DATA / "cases"
FIO = json.loads((CASES / "fio_fsync.json").read_text())
JMH = json.loads((CASES / "jmh_gc.json").read_text())
CELLS = {"metric_name": "http_req_duration", "success": "true", "label": "get"}
WORDS = st.text("abcdgkx0.$_-é% ", min_size=1, max_size=12).map(str.strip).filter(lambda one: one[:1].isalpha())
NUMBERS = st.floats(0, 1e6) | st.sampled_from([-1.0, "NaN"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


def read(path, **options) -> Found:
    return registry.read(File(path, path.name), Options(**options))[1]


def unnamed(found: Found, parts: Iterable[str], used: Iterable[str] = ()) -> list[str]:
    """The parts that are neither used nor named."""
    notes, used = " ".join(found.notes), set(used)
    return [one for one in parts if shown(one) not in used and shown(one) not in notes]


@given(
    st.sampled_from([(), *(one.header for one in WRITERS)]),
    st.lists(WORDS, unique_by=shown, max_size=MOST_NAMED // 2),
    st.sampled_from(",;\t"),
    st.booleans(),
)
@example(WRITERS[1].header, ["success", "bytes"], ",", False)
def test_each_column_of_a_table(folder, header, extra, between, last):
    assume(not any(LATENCY.fullmatch(one) or one in header for one in extra))
    known = list(header or ["latency_us"])
    names = [*extra, *known] if last else [*known, *extra]
    with (folder / "a.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=between)
        writer.writerow(names)
        writer.writerows([[CELLS.get(name, str(at)) for name in names] for at in range(1, 4)])
    found = read(folder / "a.csv")
    one = writer_of(names)
    used = [*one.columns, one.success] if one else ["latency_us"]
    assert not unnamed(found, names, used)
    assert sum(window.counts.total for each in found.windows.values() for window in each) == 3


@given(st.dictionaries(WORDS, st.lists(NUMBERS, max_size=4), max_size=4), st.sampled_from(["ops/s", "B/op", "---"]))
@example({"gc.count": [], "a": [1.0, 2.0]}, "B/op")
@example({"a$b": [1.0], "a.b": [2.0]}, "B/op")
def test_each_metric_of_a_benchmark(folder, metrics, unit):
    told = copy.deepcopy(JMH)
    told[0]["secondaryMetrics"] = {
        name: {"score": "NaN", "scoreUnit": unit, "rawData": [values]} for name, values in metrics.items()
    }
    (folder / "a.json").write_text(json.dumps(told))
    found = read(folder / "a.json")
    measures = [one.measure.name for each in found.values.values() for one in each]
    assert not unnamed(found, metrics, {name.removesuffix(f" ({unit})") for name in measures})
    for values in found.values.values():
        names = [one.measure.name for one in values]
        assert len(set(names)) == len(names), "two metrics are no one metric"


@given(
    st.dictionaries(WORDS.filter(lambda one: one not in FIO["jobs"][0]), st.integers(0, 9), max_size=3),
    st.sampled_from(["total_ios", "lat_ns", "clat_ns"]),
)
@example({"append": 1}, "lat_ns")
def test_each_section_of_a_job(folder, sections, how):
    told = copy.deepcopy(FIO)
    for name, number in sections.items():
        told["jobs"][0][name] = {"total_ios": number} if how == "total_ios" else {how: {"N": number}}
    (folder / "a.json").write_text(json.dumps(told))
    found = read(folder / "a.json")
    assert not unnamed(found, [name for name, number in sections.items() if number])
    assert [thing.name for thing in found.things] == ["write", "sync"]


@given(st.lists(WORDS, unique=True, min_size=1, max_size=4))
@example(["a$b", "a.b"])
def test_each_tag_of_a_log(folder, tags):
    made = records(1, seconds=2, rate=20, tags=tags)
    found = read(hlog(folder / "a.hlog", made))
    assert not unnamed(found, tags, [thing.name for thing in found.windows])
    assert sum(window.counts.total for each in found.windows.values() for window in each) == 40 * len(tags)
    assert bool(found.notes) == (len(found.windows) < len(tags)), "tags that become one are named"
