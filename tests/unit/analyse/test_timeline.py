"""The trials of a configuration in time, and the one that stands for them."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from pipeline.analyse.timeline import all_changes, course, representative


def test_the_lower_median_stands_for_the_trials_and_its_events_only_are_told():
    metrics = pd.DataFrame({"trial": ["t3", "t2", "t1", "t4"], "metric": "rate", "value": [3.0, 2.0, 1.0, 4.0]})
    assert representative(metrics, "rate") == "t2"
    rows = [(t, i, i * 1000, 1000, 10 if i < 8 else 20) for t in ("t1", "t2", "x") for i in range(16)]
    iterations = pd.DataFrame(rows, columns=["trial", "iteration", "start_ns", "elapsed_ns", "operations"])
    methods = ["A::run", "A::run", "A::other"]
    events = pd.DataFrame({"trial": ["t1", "t2", "t2"], "method": methods, "kind": "compile", "t_ns": [1, 7900, 7950]})
    tables = SimpleNamespace(iterations=iterations, events=events)
    trials = pd.DataFrame({"trial": ["t1", "t2", "t3", "t4"], "variant": "v", "runtime": "c"})
    went = course(tables, metrics, trials, "rate", ("::run",))
    assert went.shown == "t2" and set(went.iterations["trial"]) == {"t1", "t2"}
    assert list(went.events["trial"]) == ["t1", "t2"]
    assert list(went.levels["level"]) == [1e7, 2e7]
    assert went.changes("compile")["lag_ms"].tolist() == [1e-4]

    none = course(tables, metrics, trials[:0], "rate", ("::run",))
    assert none.shown == "" and none.iterations.empty and none.levels.empty
    told = all_changes([went, none, went], "compile")
    assert told.to_dict("records") == [
        {"variant": "v", "runtime": "c", "at_ms": 8e-3, "factor": 2.0, "lag_ms": pytest.approx(1e-4)}
    ]
    assert list(all_changes([none], "compile")) == list(told)
