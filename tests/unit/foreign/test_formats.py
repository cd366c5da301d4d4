"""Percentile files, JMH, fio and CSV: what they tell of themselves, recomputed."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hdr_logs import counts_of
from hypothesis import given
from hypothesis import strategies as st
from laboratory import DATA
from scipy import stats

from pipeline.foreign import fio, registry, sessions
from pipeline.foreign.csv_headers import unit_of
from pipeline.foreign.files import File
from pipeline.foreign.reading import Found, Options, Thing
from pipeline.ground.errors import LabError
from pipeline.hdr import distribution
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import percentiles

OWN = DATA / "own"


def read(path: Path, **options) -> Found:
    return registry.read(File(path, path.name), Options(**options))[1]


def values(found: Found, name: str, number: int = 0) -> dict[str, float]:
    thing = [one for one in found.things if one.name == name][number]
    return {one.measure.name: one.value for one in found.values.get(thing, [])}


def whole(found: Found, thing: Thing):
    return sessions.total(found.windows[thing])


# --- percentile files ------------------------------------------------------------------------------------------------


def test_wrk2_prints_ms_and_ranks_come_from_the_counts():
    found = read(OWN / "wrk2.txt")
    assert (found.unit, found.unit_from, found.bounds, found.corrected) == ("ms", "wrk2 prints ms", True, {"intended"})
    counts = whole(found, Thing("intended"))
    assert counts.total == 5_394_558, "without those of the calibration"
    # The first rows that reach these percentiles, as the file has them.
    assert percentiles(counts, [50, 90, 99]) == [1_010_000, 1_444_000, 2_007_000]
    assert percentiles(counts, [100]) == [19_279_000]
    assert values(found, "intended") == {"told_mean": 968_000.0, "rate": 500.0}
    with pytest.raises(LabError, match="its values are in ms .* leave out --unit us"):
        read(OWN / "wrk2.txt", unit="us")


def test_a_table_without_a_unit_is_refused():
    with pytest.raises(LabError, match=r"unit of its values is not told; give --unit .*their mean is 25"):
        read(OWN / "googlecharts.hgrm")
    assert whole(read(OWN / "googlecharts.hgrm", unit="ms"), Thing("latency")).total == 475_109


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=300))
def test_every_row_of_a_table_of_ours_is_reproduced(recorded):
    """The writer prints what Java prints (tests/processes/hdr), so this is Java's table."""
    table = distribution.text(counts_of(recorded))
    found = Found()
    path = Path("/nowhere.hgrm")
    file = File(path, "x.hgrm")
    object.__setattr__(file, "path", _Text(table))
    registry.FORMATS["hgrm"].read(file, Options(unit="ns"), found)
    counts = whole(found, Thing("latency"))
    running = dict(zip((counts.low + counts.width - 1).tolist(), np.cumsum(counts.count).tolist(), strict=True))
    for line in table.splitlines():
        fields = line.split()
        if len(fields) in (3, 4) and fields[0][0].isdigit():
            assert running[round(float(fields[0]))] == int(fields[2])
    assert counts.total == len(recorded)


class _Text:
    """A path that opens as a text in memory."""

    def __init__(self, text: str) -> None:
        self._text = text

    def open(self, mode: str):
        import io

        return io.BytesIO(self._text.encode())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("5394558]", "5394559]", "the total count 5,394,559 is not the last row's, 5,394,558"),
        ("=        0.968", "=        9.680", "its mean 9.68 is not within its rows"),
        ("0.362     0.100000       540751", "0.062     0.100000       540751", "a row of percentiles goes down"),
    ],
)
def test_a_table_that_contradicts_itself_is_an_error_with_both_numbers(tmp_path, old, new, says):
    text = (OWN / "wrk2.txt").read_text()
    assert old in text
    (tmp_path / "a.txt").write_text(text.replace(old, new))
    with pytest.raises(LabError, match=says) as error:
        read(tmp_path / "a.txt")
    assert error.value.status == 4


def test_a_table_of_vegeta_is_marked_approximate(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text(
        "Value(ms)  Percentile  TotalCount  1/(1-Percentile)\n0.5 0.0 1 1.0\n1.5 0.5 50 2.0\n9.0 1.0 100 1e6\n"
    )
    found = read(path)
    assert found.unit == "ms" and "vegeta encode --to csv" in found.notes[0]


# --- JMH -------------------------------------------------------------------------------------------------------------


def result(forks: list[list[float]], mode: str = "avgt", unit: str = "us/op", **more: Any) -> dict[str, Any]:
    every = [one for fork in forks for one in fork]
    error = (
        stats.t.ppf(0.9995, len(every) - 1) * np.std(every, ddof=1) / math.sqrt(len(every)) if len(every) > 2 else "NaN"
    )
    primary = {"score": float(np.mean(every)), "scoreError": error, "scoreUnit": unit, "rawData": forks}
    return {
        "jmhVersion": "1.37",
        "benchmark": "org.example.Bench.put",
        "mode": mode,
        "threads": 1,
        "forks": len(forks),
        "jdkVersion": "25",
        "primaryMetric": primary,
    } | more


def jmh(folder: Path, *results: dict[str, Any]) -> Path:
    path = folder / "jmh.json"
    path.write_text(json.dumps(list(results)))
    return path


def test_a_fork_is_a_trial_and_its_number_the_median_of_its_iterations(tmp_path):
    found = read(jmh(tmp_path, result([[1.0, 2.0, 9.0], [3.0, 4.0, 5.0]], params={"size": "16", "type": "map"})))
    axes = (("size", 16), ("type", "map"), ("threads", 1))
    assert found.things == [Thing("Bench.put", axes, 0), Thing("Bench.put", axes, 1)]
    assert [values(found, "Bench.put", at)["time"] for at in (0, 1)] == [2000.0, 4000.0]
    assert found.facts["version"] == "1.37" and not found.notes


@pytest.mark.parametrize(
    ("mode", "unit", "name", "value"),
    [("thrpt", "ops/ms", "throughput", 4e6), ("avgt", "ms/op", "time", 4e6), ("ss", "s/op", "shot", 4e9)],
)
def test_scores_in_any_unit(tmp_path, mode, unit, name, value):
    found = read(jmh(tmp_path, result([[4000.0 if mode == "thrpt" else 4.0]], mode, unit)))
    assert values(found, "Bench.put") == {name: value}


def test_one_fork_is_said_to_be_no_repeat(tmp_path):
    assert (
        "holds 1 fork; its 4 iterations are no repeats" in read(jmh(tmp_path, result([[1.0, 2.0, 3.0, 4.0]]))).notes[0]
    )


@pytest.mark.parametrize(("field", "says"), [("score", "score"), ("scoreError", "scoreError")])
def test_a_score_that_is_not_that_of_its_raw_data_is_an_error(tmp_path, field, says):
    edited = result([[1.0, 2.0, 3.0]])
    edited["primaryMetric"][field] *= 1.1
    with pytest.raises(
        LabError, match=f"jmh.json: Bench.put: {says} .* is not .* of its raw data, .*edited or cut"
    ) as error:
        read(jmh(tmp_path, edited))
    assert error.value.status == 4


def sampled(counts: list[list[int]], **more: Any) -> dict[str, Any]:
    pairs = [(value, count) for value, count in counts]
    mean = sum(v * c for v, c in pairs) / sum(c for _, c in pairs)
    told = result([[1.0]], "sample", "us/op", **more)
    told["primaryMetric"] = {
        "score": mean,
        "scoreError": "NaN",
        "scoreUnit": "us/op",
        "rawDataHistogram": [[[list(pair) for pair in pairs]]],
    }
    return told


def test_sample_mode_is_a_histogram_of_buckets_of_ten_bits(tmp_path):
    found = read(jmh(tmp_path, sampled([[0.5, 3], [2.048, 2], [1000.0, 1]], measurementTime="1 s")))
    counts = whole(found, found.things[0])
    assert counts.low.tolist() == [500, 2048, 1_000_000] and counts.width.tolist() == [1, 4, 1024]
    assert found.loop == "closed" and not found.notes


def test_a_file_of_jmh_s_own_has_its_own_scores_errors_and_percentiles():
    """In all four modes, each of the ten percentiles to the last digits: those of sampling from the histogram."""
    told = json.loads((OWN / "jmh.json").read_text())
    found = read(OWN / "jmh.json")
    assert {thing.name for thing in found.things} == {f"Dispatch.receivers ({one['mode']})" for one in told}
    for one in told:
        axes = (("classes", int(one["params"]["classes"])), ("threads", 1))
        checks = found.checks[Thing(f"Dispatch.receivers ({one['mode']})", axes)]
        checks = [check for check in checks if not check.name.endswith(" score")]  # those of profilers
        assert [check.name for check in checks][:3] == ["score", "scoreError", "p0"] and len(checks) == 12
        for check in checks:
            assert float(check.actual) == pytest.approx(float(check.expected), rel=1e-9), (one["mode"], check)


def test_the_distribution_of_jmh_s_sampling_is_that_of_its_histograms():
    """The Lab takes the rank at or above, JMH the line between two: with so many values both are within a ns."""
    found = read(OWN / "jmh.json")
    name = "Dispatch.receivers (sample)"
    for one in (each for each in json.loads((OWN / "jmh.json").read_text()) if each["mode"] == "sample"):
        axes = (("classes", int(one["params"]["classes"])), ("threads", 1))
        forks = [whole(found, Thing(name, axes, fork)) for fork in range(2)]
        raw = one["primaryMetric"]["rawDataHistogram"]
        assert [counts.total for counts in forks] == [sum(n for part in fork for _, n in part) for fork in raw]
        every = merge(forks)
        for key, value in one["primaryMetric"]["scorePercentiles"].items():
            if float(key) < 99.9:
                assert abs(percentiles(every, [float(key)])[0] - 1000 * value) <= 1, key
        assert percentiles(every, [100.0])[0] // 1000 == one["primaryMetric"]["scorePercentiles"]["100.0"] // 1


@pytest.mark.parametrize("mode", ["avgt", "sample"])
@pytest.mark.parametrize("percent", ["0.0", "50.0", "90.0"])
def test_a_percentile_that_is_not_that_of_its_raw_data_is_an_error(tmp_path, mode, percent):
    told = [one for one in json.loads((OWN / "jmh.json").read_text()) if one["mode"] == mode][:1]
    told[0]["primaryMetric"]["scorePercentiles"][percent] *= 1.01
    with pytest.raises(LabError, match=rf"p{float(percent):g} .* is not that of its raw data.*edited") as error:
        read(jmh(tmp_path, *told))
    assert error.value.status == 4


def test_percentiles_of_iterations_are_never_a_latency(tmp_path):
    told = [one for one in json.loads((OWN / "jmh.json").read_text()) if one["mode"] in ("thrpt", "avgt", "ss")]
    found = read(jmh(tmp_path, *told))
    assert not found.windows and {value.measure.name for one in found.values.values() for value in one} == {
        "throughput",
        "time",
        "shot",
    }


def test_sampling_without_a_histogram_has_no_distribution(tmp_path):
    """As older and other writers give it: raw data in place of the histogram, scores of samples that are not there."""
    told = result([[1.0, 2.0, 9.0], [3.0, 4.0, 5.0]], "sample")
    told["primaryMetric"] |= {"score": 3.3, "scorePercentiles": {"99.0": 77.0}}
    found = read(jmh(tmp_path, told))
    assert not found.windows and not found.checks
    assert [values(found, "Bench.put", at)["time"] for at in (0, 1)] == [2000.0, 4000.0]
    assert "no distribution" in found.notes[0]


def test_no_raw_data_at_all_is_refused(tmp_path):
    told = result([[1.0, 2.0]])
    told["primaryMetric"]["rawData"] = []
    with pytest.raises(LabError, match="Bench.put: has no raw data; do not run with -Djmh.json.rawData=false"):
        read(jmh(tmp_path, told))


def test_thinned_counts_are_marked(tmp_path):
    """A buffer of 20 samples for each ms halves its counts when it is full, but never to zero."""
    buffer, lone = 20 * 10, 1
    few, many = sampled([[1.0, buffer // 3], [9.0, lone]], measurementTime="10 ms"), None
    assert not read(jmh(tmp_path, few)).notes
    many = sampled([[1.0, buffer - 20], [9.0, lone]], measurementTime="10 ms")
    assert "may be biased upwards" in read(jmh(tmp_path, many)).notes[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.pop("primaryMetric"),
        lambda one: one["primaryMetric"].update(rawData="none"),
        lambda one: one["primaryMetric"].update(rawData=[[{}]]),
        lambda one: one["primaryMetric"].update(scoreUnit="parsecs/op"),
        lambda one: one.update(threads="many"),
        lambda one: one.update(mode="all"),
    ],
)
def test_a_look_alike_is_one_line(tmp_path, change):
    told = deepcopy(result([[1.0, 2.0]]))
    change(told)
    with pytest.raises(LabError, match="^jmh.json: "):
        read(jmh(tmp_path, told))


# --- fio -------------------------------------------------------------------------------------------------------------


def test_a_file_of_fio_s_own_has_its_own_percentiles():
    told = json.loads((OWN / "fio_plus.json").read_text())["jobs"][0]["read"]
    found = read(OWN / "fio_plus.json")
    thing = next(one for one in found.things if one.name == "read")
    counts = whole(found, thing)
    assert counts.total == told["clat_ns"]["N"] == told["total_ios"]
    for key, value in told["clat_ns"]["percentile"].items():
        ours = percentiles(counts, [float(key)])[0]
        assert abs(ours - value) <= max(0.016 * value, 1), key
    assert dict(thing.axes) == {"bs": "4k", "rw": "randrw"}
    assert values(found, "read")["iops"] == told["iops"] and found.loop == "closed"


@given(st.integers(0, 2**34))
def test_a_bin_holds_the_values_that_fio_counts_in_it(value):
    """fio's own arithmetic (plat_val_to_idx, plat_idx_to_val), written out."""
    most = value.bit_length() - 1
    if value < 128:
        key = value
    else:
        bits = most - 6
        base = 1 << most
        key = base + ((value >> bits) - 64) * (1 << bits) + (1 << bits >> 1)
    counts = fio._bins({str(key): 1})
    assert counts.low[0] <= value < counts.low[0] + counts.width[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda one: one["read"]["clat_ns"].update(N=5), "N 5 is not the sum of its bins"),
        (lambda one: one["read"]["clat_ns"].update(max=10**9), "max 1,000,000,000 is not in its last bin"),
        (lambda one: one["read"]["clat_ns"]["percentile"].update({"99.000000": 5}), "p99 5 is not that of its bins"),
        (lambda one: one.update(error=5), "job t failed with error 5"),
        (lambda one: one["read"].update(clat_ns={}), "not as fio writes it"),
    ],
)
def test_a_file_of_fio_that_contradicts_itself(tmp_path, change, says):
    told = json.loads((OWN / "fio_plus.json").read_text())
    change(told["jobs"][0])
    (tmp_path / "fio.json").write_text("fio: some words first\n" + json.dumps(told))
    with pytest.raises(LabError, match=says):
        read(tmp_path / "fio.json")


def test_without_bins_there_are_fio_s_percentiles_and_nothing_is_merged(tmp_path):
    told = json.loads((OWN / "fio_plus.json").read_text())
    job = told["jobs"][0]
    for direction in ("read", "write"):
        job[direction]["clat_ns"].pop("bins")
    (tmp_path / "a.json").write_text(json.dumps(told))
    found = read(tmp_path / "a.json")
    assert found.bounds and "no bins" in found.notes[0]
    thing = next(one for one in found.things if one.name == "read")
    for key, value in job["read"]["clat_ns"]["percentile"].items():
        assert percentiles(whole(found, thing), [float(key)])[0] <= value or float(key) < 1
    told["jobs"].append(job)
    (tmp_path / "a.json").write_text(json.dumps(told))
    with pytest.raises(LabError, match="percentiles cannot be merged: use json\\+"):
        read(tmp_path / "a.json")


def test_fio_2_is_refused_by_its_version(tmp_path):
    (tmp_path / "a.json").write_text('{"fio version": "fio-2.21", "jobs": []}')
    with pytest.raises(LabError, match="fio-2.21 is older than the format read here"):
        read(tmp_path / "a.json")


# --- CSV -------------------------------------------------------------------------------------------------------------

ROWS = 500


def table(folder: Path, text: str) -> Path:
    path = folder / "a.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("header", "row", "tool", "ns"),
    [
        ("metric_name,timestamp,metric_value,name", "http_req_duration,{s},{n},u", "k6", 10**6),
        ("timeStamp,elapsed,label,success", "{s}000,{n},login,true", "JMeter", 10**6),
        ("request-start,DNS,DNS+dialup,request-duration,bytes,status", "{s},0,0,{n},1,200", "oha", 10**9),
        ("response-time,DNS+dialup,DNS,Request-write,status-code,offset", "{n},0,0,0,200,{s}", "hey", 10**9),
        ("latency_us,when", "{n},{s}", "CSV", 10**3),
    ],
)
def test_headers_that_are_known(tmp_path, header, row, tool, ns):
    rows = [row.format(s=1_700_000_000 + at // 10, n=at % 7) for at in range(ROWS)]
    found = read(table(tmp_path, "\n".join([header, *rows]) + "\n"))
    assert found.tool == tool
    counts = whole(found, found.things[0])
    assert counts.total == ROWS
    assert percentiles(counts, [100])[0] == pytest.approx(6 * ns, rel=1e-3)
    if tool != "CSV":
        assert len(list(found.windows[found.things[0]])) == ROWS // 10 and found.begun == 1_700_000_000
        assert values(found, found.things[0].name)["rate"] == 10


def test_vegeta_has_no_header(tmp_path):
    rows = [f"{1_700_000_000_000_000_000 + at},200,{at * 1000 + 1},0,10,,,attack,{at}" for at in range(20)]
    found = read(table(tmp_path, "\n".join(rows) + "\n"))
    assert found.tool == "vegeta" and whole(found, found.things[0]).total == 20


def test_failed_requests_are_a_series_of_their_own(tmp_path):
    rows = [f"{at},5,login,{'false' if at < 3 else 'true'}" for at in range(10)]
    found = read(table(tmp_path, "timeStamp,elapsed,label,success\n" + "\n".join(rows) + "\n"))
    assert {thing.name: whole(found, thing).total for thing in found.things} == {"login (failed)": 3, "login": 7}


def test_a_row_that_is_no_number_is_named(tmp_path):
    with pytest.raises(LabError, match="a.csv:3: latency 'n/a' is no number from 0 on; correct it or remove the line"):
        read(table(tmp_path, "a,latency_us\n1,5\n2,n/a\n"))


def test_a_column_that_nobody_knows_has_to_be_named(tmp_path):
    path = table(tmp_path, "a,b\n1,5\n2,6\n")
    with pytest.raises(LabError, match=r"no column is known to hold latencies \(columns: a, b\); give --value NAME"):
        read(path)
    with pytest.raises(LabError, match="column b: its unit is not told"):
        read(path, value="b")
    with pytest.raises(LabError, match="--value c: no such column; there are: a, b"):
        read(path, value="c")
    assert whole(read(path, value="b", unit="ms"), Thing("latency")).total == 2


@pytest.mark.parametrize(
    ("name", "unit"),
    [("latency_us", "us"), ("latency (ms)", "ms"), ("elapsed", ""), ("Duration[s]", "s"), ("ns", "ns"), ("status", "")],
)
def test_the_unit_that_a_column_s_name_tells(name, unit):
    assert unit_of(name) == unit


# --- the registry ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty"),
        ("[ ]", "a list without a result, as of JMH where no benchmark matched"),
        ('{"root_group": {}}', "nearest: a k6 summary, which has no distribution; use k6 run --out csv"),
        ("Requests/sec: 5\n", "nearest: the text of wrk"),
        ("hello\n", "none of the formats read here"),
    ],
)
def test_what_is_none_of_the_formats(tmp_path, text, says):
    with pytest.raises(LabError, match=says):
        read(table(tmp_path, text))


def test_a_format_is_known_by_what_is_in_the_file_not_by_its_name():
    for path, name in (
        ("jhiccup.hlog", "hlog"),
        ("wrk2.txt", "hgrm"),
        ("fio_plus.json", "fio"),
        ("googlecharts.hgrm", "hgrm"),
    ):
        assert registry.format_of(File(OWN / path, "x.unknown")).name == name
    with pytest.raises(LabError, match="--format 'hlgo': no such format; there are: hlog, hgrm, jmh, fio, csv"):
        registry.format_of(File(OWN / "wrk2.txt", "x"), "hlgo")
