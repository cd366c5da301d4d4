"""Trials of a journal become rows; whether one is noisy is judged when it is read, from its facts."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from publish_toy import entry, noise, trial, write_run
from toy_logs import wrote

from pipeline.bundle.bundle import Bundle
from pipeline.bundle.journal import FILE
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.ingest import ingest, read
from pipeline.ingest.buckets import joined
from pipeline.ingest.columns import Columns
from pipeline.ingest.tables import SCHEMAS
from pipeline.measure.noise import ADVICE, DRIFT, STEAL

TOY = entry(1, "toy")


@pytest.fixture
def run(lab) -> Bundle:
    write_run(paths.bundle("r"))
    return Bundle.open("r")


def rows(run: Bundle, *lines: dict) -> pd.DataFrame:
    (run.folder / FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return read.read(run, TOY).trials.set_index("trial")


def test_a_trial_is_noisy_by_its_facts_whatever_an_old_line_says(run):
    quiet = trial(1, 1, noise=noise() | {"noisy": True, "reasons": ["steal 2.0 %"]})
    loud = trial(2, 1, noise=noise(steal_pct=12.0, floor_after_ns=150.0) | {"noisy": False, "reasons": []})
    found = rows(run, quiet, loud)
    assert found["noisy"].tolist() == [False, True]
    assert found["noise_reasons"].tolist() == [
        "",
        f"steal 12.0 %: {ADVICE[STEAL]}; calibration floor drifted +50.0 %: {ADVICE[DRIFT]}",
    ]
    assert found["steal_pct"].tolist() == [0.0, 12.0]


def test_pressure_is_judged_beside_the_other_trials_of_the_configuration_and_old_runs_lack_foreign_cpu(run):
    old = {key: value for key, value in noise(psi_pct=90.0).items() if not key.startswith("foreign")}
    usual = [trial(number, 1, noise=old) for number in (1, 2, 3)]
    found = rows(run, *usual, trial(4, 1, noise=noise(psi_pct=111.0)), trial(5, 1, variant="other"))
    assert found["noisy"].tolist() == [False, False, False, True, False]
    assert found["foreign_pct"].isna().tolist() == [True, True, True, False, False]


def test_a_trial_that_never_ran_has_no_facts_and_is_not_noisy(run):
    refused = {key: value for key, value in trial(1, 1, status="unsupported").items() if key != "noise"}
    found = rows(run, refused, refused | {"trial": "x", "noise": None})
    assert not found["noisy"].any() and found["steal_pct"].isna().all() and found["voluntary"].tolist() == [0, 0]


def test_an_axis_that_came_later_has_the_value_that_the_harness_was_given(run):
    """An archived trial keeps its meaning when a parameter becomes an axis; one planned without it has none."""
    later = replace(TOY, axes={**TOY.axes, "keep_every": "int", "unknown": "int"})
    lines = [trial(1, 1), trial(2, 1) | {"axes": {"keep_every": 50}}, trial(3, 1) | {"axes": {"keep_every": None}}]
    lines = [line | {"files": wrote(run, line["trial"], "x", 7)} for line in lines]
    (run.folder / FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read.read(run, later).trials
    assert found["keep_every"].fillna(0).tolist() == [7, 50, 0] and found["unknown"].isna().all()


def test_measured_are_those_that_kept_the_contract(run):
    lines = [
        trial(number, 1, status=status)
        for number, status in enumerate(("measured", "unsupported", "crashed", "timeout", "measured"), 1)
    ]
    (run.folder / FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read.read(run, TOY)
    assert found.measured["trial"].tolist() == [lines[0]["trial"], lines[4]["trial"]] and len(found.trials) == 5


@pytest.mark.parametrize("part", ["peer", "json", "jit"])
def test_rows_of_a_part_bear_its_name_and_those_of_the_main_part_do_not(run, part):
    files = wrote(run, "t", "main", 5)
    files |= {name: sha for name, sha in wrote(run, f"t.{part}", "other", 7).items() if not name.endswith(".log")}
    line = trial(1, 1) | {"trial": "t", "files": files, "parts": {part: {"command": ["{c}"], "exit": 0}}}
    (run.folder / FILE).write_text(json.dumps(line) + "\n")
    found = read.read(run, TOY)
    assert found.iterations[["series", "operations", "samples"]].astype(str).agg(" ".join, axis=1).tolist() == [
        "t0 5 1",
        f"{part}.t0 7 1",
    ]
    buckets = joined(found.buckets.parts(["t"]))
    assert buckets[["series", "low_ns"]].to_numpy().tolist() == [["t0", 5], [f"{part}.t0", 7]]
    assert found.trial_buckets[["phase", "series", "low_ns", "count"]].to_numpy().tolist() == [
        ["measured", "t0", 5, 1],
        ["measured", f"{part}.t0", 7, 1],
    ]
    assert found.measures[["series", "name", "value"]].to_numpy().tolist() == [
        ["t0", "word", 1],
        ["", "all", 5],
        [f"{part}.t0", f"{part}.word", 1],
        ["", f"{part}.all", 7],
    ]
    assert found.checks["name"].tolist() == ["sum", f"{part}.sum"]
    assert found.facts["name"].tolist() == ["name", "options.a", f"{part}.name", f"{part}.options.a"]
    assert found.trials["monotonic_ns"].tolist() == [5]


def test_a_run_without_a_trial_of_the_experiment_is_named(run):
    with pytest.raises(LabError, match="run 'r' holds no trial of toy; measure it first"):
        rows(run, trial(1, 1, experiment="other"))


def test_an_experiment_that_ended_without_a_trial_has_empty_tables(run):
    ended = {"event": "finished", "experiment": "toy", "ended_by": "left_out", "blocks": 0, "spent_s": 0.0}
    (run.folder / FILE).write_text(json.dumps(ended) + "\n")
    found = ingest.ingest(run, TOY)
    assert found.trials.empty and {"trial", "threads"} <= set(found.trials) and found.measures.empty


def test_columns_take_scalars_lists_and_repeats_and_join_them():
    columns = Columns(SCHEMAS["buckets"])
    for trial_name, repeats in (("a", [2, 1]), ("b", [1, 0])):
        length = sum(repeats)
        columns.add(
            length,
            np.array(repeats),
            trial=trial_name,
            iteration=[0, 1],
            series=["t0", "t1"],
            low_ns=np.arange(length),
            width_ns=np.ones(length, int),
            count=np.full(length, 5),
        )
    frame = columns.frame()
    assert frame[["trial", "iteration", "series"]].astype(str).agg("".join, axis=1).tolist() == [
        "a0t0",
        "a0t0",
        "a1t1",
        "b0t0",
    ]
    assert frame["low_ns"].tolist() == [0, 1, 2, 0] and str(frame["series"].dtype) == "category"
    empty = Columns(SCHEMAS["events"]).frame()
    assert list(empty) == list(SCHEMAS["events"]) and empty.empty
