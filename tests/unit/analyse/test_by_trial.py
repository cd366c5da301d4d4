"""Metrics by trial: several in a row, a derived one as any other, the twin of the same block."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.analyse import by_trial


def metrics(*rows: tuple) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["trial", "variant", "threads", "block", "metric", "value"])
    return frame.assign(runtime="c", noisy=False, steady=True)


ROWS = metrics(
    ("t1", "loop", 2.0, 1, "rate", 10.0),
    ("t1", "loop", 2.0, 1, "failed", 0.5),
    ("t2", "loop", 2.0, 2, "rate", 12.0),
    ("t3", "add", 2.0, 1, "rate", 30.0),
    ("t4", "add", 4.0, 1, "rate", 50.0),
    ("t5", "loop", float("nan"), 1, "rate", 7.0),
    ("t6", "add", float("nan"), 1, "rate", 8.0),
)


def test_a_trial_that_lacks_one_of_the_metrics_has_no_row():
    found = by_trial.wide(ROWS, ["threads"], ("rate", "failed"))
    assert list(found.index) == ["t1"]
    assert found.loc["t1", ["variant", "threads", "block", "rate", "failed"]].tolist() == ["loop", 2.0, 1, 10.0, 0.5]


def test_a_metric_that_no_trial_has_leaves_no_row_but_its_column():
    found = by_trial.wide(ROWS, ["threads"], ("rate", "visits"))
    assert found.empty and {"rate", "visits", "block"} <= set(found)


def test_a_derived_metric_has_the_columns_of_the_others():
    values = pd.Series({"t1": 5.0, "t2": float("nan"), "unknown": 3.0})
    found = by_trial.derived(ROWS, "half", values)
    assert list(found) == list(ROWS) and found["trial"].tolist() == ["t1"]
    assert by_trial.derived(ROWS, "half", pd.Series(dtype=float)).empty
    assert found.iloc[0][["metric", "value", "variant", "block"]].tolist() == ["half", 5.0, "loop", 1]


def test_a_twin_is_of_the_same_block_and_the_same_place_of_every_axis():
    rows = by_trial.wide(ROWS, ["threads"], ("rate",)).query("variant == 'loop'")
    found = by_trial.twins(ROWS, ["threads"], rows, "rate", {"loop": "add"})
    assert list(found.index) == ["t1", "t2", "t5"]
    assert found.to_list() == pytest.approx([30.0, float("nan"), 8.0], nan_ok=True)


def test_of_a_blocks_repeated_trials_the_quietest_is_the_twin():
    again = metrics(("t7", "add", 2.0, 1, "rate", 1.0)).assign(noisy=True)
    rows = by_trial.wide(ROWS, ["threads"], ("rate",)).loc[["t1"]]
    found = by_trial.twins(pd.concat([ROWS, again]), ["threads"], rows, "rate", {"loop": "add"})
    assert found.to_list() == [30.0]
