"""Recorded histograms of a selection: as the library's histogram, and as files, with what they say of themselves."""

from __future__ import annotations

import shlex
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from analyse_tables import entry, tables
from hdr_logs import HIGHEST, counts_of
from hdrh.histogram import HdrHistogram
from typer.testing import CliRunner

from pipeline.analyse import histogram_selection
from pipeline.catalogue import catalogue
from pipeline.commands import cli, options
from pipeline.ground.errors import LabError
from pipeline.hdr import distribution, percentiles
from pipeline.hdr.log import read_log
from pipeline.hdr.merge import merge
from pipeline.session.session import Session

pytestmark = pytest.mark.thorough

KINDS = {
    "cost": {"kind": "cost", "series": "t*"},
    "time": {"kind": "mean", "series": "t*"},
    "time_p50": {"kind": "percentile", "percentile": 50, "series": "t*"},
    "late": {"kind": "percentile", "percentile": 99, "series": "late"},
}
EPOCH_MS, MS = 1_700_000_000_000, 1_000_000
# (trial, iteration, phase, series) -> what it recorded; trial a begins after b
VALUES = {
    ("a", 0, "warmup", "t0"): [9_000],
    ("a", 1, "measured", "t0"): [10, 20],
    ("a", 1, "measured", "t1"): [30],
    ("a", 2, "measured", "t0"): [40, 40],
    ("a", 2, "measured", "t1"): [],
    ("b", 1, "measured", "t0"): [50_000],
    ("c", 1, "measured", "t0"): [7],
    ("c", 1, "measured", "late"): [8],
}
TRIALS = [
    {"trial": "a", "threads": 2, "monotonic_ns": 100 * MS, "epoch_ms": EPOCH_MS + 60_000},
    {"trial": "b", "threads": 2, "block": 2, "monotonic_ns": 500 * MS, "epoch_ms": EPOCH_MS},
    {"trial": "c", "variant": "slow", "monotonic_ns": 0, "epoch_ms": EPOCH_MS},
]


@pytest.fixture
def lab() -> Session:
    """Two trials of one configuration, with two threads, and one of another, with a second series."""
    clock = {one["trial"]: one["monotonic_ns"] for one in TRIALS}
    iterations, buckets = [], []
    for (trial, number, phase, series), values in VALUES.items():
        start = clock[trial] + number * 5 * MS
        iterations.append((trial, number, phase, series, start, 4 * MS, 100, len(values)))
        found = counts_of(values)
        columns = zip(found.low.tolist(), found.width.tolist(), found.count.tolist(), strict=True)
        buckets += [(trial, number, series, *one) for one in columns]
    session = Session.__new__(Session)
    session.entry = replace(entry(KINDS), value="time of one [operation]")
    session.tables = tables(TRIALS, iterations=iterations, buckets=buckets)
    info = {"name": "r", "profile": "quick", "git": "", "created": "2026-11-22T00:00:00", "seed": 1}
    session.bundle = SimpleNamespace(name="r", info=info | {"host": {"cpu": {"cpus": 2}}})
    session.__dict__["so_far"] = ""
    session.__dict__["estimates"] = pd.DataFrame(
        {"metric": ["time", "late"], "variant": ["fast", "slow"], "runtime": "jdk17", "threads": [2, 1]}
    )
    return session


@pytest.fixture
def call(lab, monkeypatch, tmp_path):
    """`lab export` on the session, in this process, into a folder of the test."""
    monkeypatch.setattr(options, "held_of", lambda run, experiments: [lab.entry.name])
    monkeypatch.setattr(options, "profile_of", lambda run: "quick")
    monkeypatch.setattr("pipeline.session.session.Session", lambda *_, **__: lab)
    monkeypatch.setattr("pipeline.host.fingerprint.sentence", lambda host: "a host")
    monkeypatch.setattr(options.console, "width", 500)

    def called(options: str = "") -> list[str]:
        found = CliRunner().invoke(cli.app, ["export", "--to", str(tmp_path / "out"), *shlex.split(options)])
        if isinstance(found.exception, LabError):
            raise found.exception
        assert found.exit_code == 0, found.output
        return found.output.splitlines()

    return called


def recording(*values: int) -> HdrHistogram:
    made = HdrHistogram(1, HIGHEST, 3)
    for value in values:
        assert made.record_value(value)
    return made


# --- as the library's histogram --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "values"),
    [
        ({"variant": "fast", "threads": 2}, (10, 20, 30, 40, 40, 50_000)),
        ({"variant": "fast", "block": 1}, (10, 20, 30, 40, 40)),
        ({"metric": "time"}, (10, 20, 30, 40, 40, 50_000, 7)),
        ({"metric": ["time", "time_p50"], "variant": "slow"}, (7,)),
        ({"metric": "late"}, (8,)),
        ({"series": "late"}, (8,)),
        ({"series": "*"}, (10, 20, 30, 40, 40, 50_000, 7, 8)),
        ({"series": "t*", "phase": "warmup"}, (9_000,)),
    ],
)
def test_a_histogram_is_of_the_measured_values_of_the_selection(lab, chosen, values):
    found, wanted = lab.histogram(**chosen), recording(*values)
    assert list(found.counts) == list(wanted.counts) and found.get_total_count() == len(values)
    assert (found.get_min_value(), found.get_max_value()) == (wanted.get_min_value(), wanted.get_max_value())


def test_a_percentile_of_the_library_is_its_own_and_not_javas(lab):
    """What the docstring warns of."""
    counts = counts_of(range(1, 11))
    assert recording(*range(1, 11)).get_value_at_percentile(94) == 9 and percentiles.percentile(counts, 94) == 10


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"variant": "native"}, "example: no measured trial is selected; widen the selection"),
        ({"sheep": 1}, "unknown column 'sheep'"),
        ({"variant": "slow"}, r"several series were recorded; .*metric=, one of: time \(t\* in .*, late \(late in"),
        ({"metric": "cost"}, "'cost' is no metric of recorded values; there are: time, time_p50, late"),
        ({"metric": "wool"}, "'wool' is no metric of recorded values"),
        ({"metric": "late", "variant": "fast"}, "no value of late in measured in 2 selected trials; these .*: t0, t1"),
        ({"series": "busy"}, "no value of busy in measured in 3 selected trials; these have some: late, t0, t1"),
    ],
)
def test_what_is_empty_or_does_not_mix_is_said(lab, chosen, told):
    with pytest.raises(LabError, match=told):
        lab.histogram(**chosen)


def test_where_no_metric_is_of_recorded_values_a_series_is_asked_for(lab):
    lab.entry = entry({"cost": {"kind": "cost"}})
    with pytest.raises(LabError, match="no value of any metric in 3 selected trials; these have some: late, t0, t1"):
        lab.histogram()
    with pytest.raises(LabError, match="'cost' is no metric of recorded values; there is none; choose by series"):
        lab.histogram(metric="cost")


def test_values_that_an_archive_withholds_are_none(lab):
    lab.tables.iterations["samples"] = 0
    with pytest.raises(LabError, match="no series of them has any"):
        lab.histogram(metric="time")


# --- as files --------------------------------------------------------------------------------------------------------


def test_a_log_and_a_distribution_are_written_of_each_configuration_and_series(call, tmp_path):
    lines = call()
    names = ["example-fast-jdk17-threads=2-t", "example-slow-jdk17-threads=1-late", "example-slow-jdk17-threads=1-t"]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        f"{name}.{kind}" for name in names for kind in ("hgrm", "hlog")
    ]
    assert lines[0].endswith("threads=2-t.hlog, .hgrm: 6 values in 5 intervals of 2 trials") and len(lines) == 3


def test_a_log_keeps_tags_and_the_times_of_every_trial(call, tmp_path):
    call("--where variant=fast")
    file = tmp_path / "out" / "example-fast-jdk17-threads=2-t.hlog"
    log = read_log(file)
    assert log.start_time == (EPOCH_MS + 5) / 1000  # trial b's, which is the second block
    told = [(one.tag, round(one.start, 3), one.length, one.counts.total) for one in log.records]
    assert told == [
        ("t0", 0.0, 0.004, 1),
        ("t0", 60.0, 0.004, 2),
        ("t1", 60.0, 0.004, 1),
        ("t0", 60.005, 0.004, 2),
        ("t1", 60.005, 0.004, 0),
    ]
    comments = file.read_text(encoding="utf-8").splitlines()[1:4]
    assert comments == [
        "#[Values in nanoseconds: time of one [operation]]",
        "#[Series t* of example, variant fast, runtime jdk17, threads 2; trials: a, b]",
        "#[Run r, 2026-11-22, a host]",
    ]


def test_a_distribution_is_of_the_values_of_its_log(call, tmp_path):
    call("--where metric=time --where threads=2")
    assert len(list((tmp_path / "out").iterdir())) == 2
    text = (tmp_path / "out" / "example-fast-jdk17-threads=2-t.hgrm").read_text(encoding="utf-8")
    records = read_log(tmp_path / "out" / "example-fast-jdk17-threads=2-t.hlog").records
    assert text.endswith(distribution.text(merge(one.counts for one in records)))
    assert text.startswith("#[Values in nanoseconds: ") and "Total count    =            6]" in text


def test_without_tags_no_line_has_one(call, tmp_path):
    call("--untagged --series 't*' --where variant=fast")
    records = read_log(tmp_path / "out" / "example-fast-jdk17-threads=2-t.hlog").records
    assert {one.tag for one in records} == {None} and len(records) == 5


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--where sheep=1", "'sheep=1' is not NAME=VALUE"),
        ("--where threads=3", "threads=3 was not measured"),
        ("--where metric=late --where variant=fast", "no value of late"),
        ("--series wool", "no value of wool"),
    ],
)
def test_a_selection_of_nothing_is_refused_and_leaves_no_file(call, tmp_path, options, told):
    with pytest.raises(LabError, match=told):
        call(options)
    assert not list((tmp_path / "out").glob("*"))


def test_an_experiment_that_has_nothing_is_named_and_the_others_are_written(call, lab, monkeypatch, tmp_path):
    monkeypatch.setattr(options, "held_of", lambda run, experiments: ["barren", "example"])
    narrowed = histogram_selection.narrowed
    asked = []

    def barren_first(*given):
        asked.append(given)
        if len(asked) == 1:
            raise LabError("barren: no measured trial is selected")
        return narrowed(*given)

    monkeypatch.setattr(histogram_selection, "narrowed", barren_first)
    lines = call("--where variant=fast")
    assert any("6 values" in line for line in lines) and "left out: barren: no measured trial is selected" in lines
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_damaged_data_ends_the_export(call, monkeypatch):
    def damaged(*_):
        raise LabError("a file was changed", 4)

    monkeypatch.setattr(histogram_selection, "narrowed", damaged)
    with pytest.raises(LabError, match="was changed"):
        call()


def test_no_two_series_of_an_experiment_have_one_file():
    for name in catalogue.load():
        metrics = histogram_selection.metrics_of(catalogue.experiment(name)).values()
        assert len({one.series.replace("*", "") for one in metrics}) == len(metrics), name
