"""What comes to nothing keeps its types, so that numbers joined to it stay numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from analyse_tables import costs_to_iterations, entry, tables
from pandas.api.types import is_numeric_dtype

from pipeline.analyse import by_trial, estimates, lines, metrics, passes, queueing, response, timeline, too_few_samples
from pipeline.analyse.frames import framed, joined
from pipeline.analyse.trials import Trials
from pipeline.models.finite_source import Times

ENTRY = entry({"cost": {"kind": "cost", "series": "*", "estimator": "median"}})
PASSED = costs_to_iterations("t0", [10.0] * 3, phase="pass1")
SOME = tables([{}], iterations=[*costs_to_iterations("t0", [10.0] * 12), *PASSED])
NONE = tables([{"status": "crashed"}])
QUEUE = pd.DataFrame(
    [
        {"variant": "lock", "runtime": "c", "threads": 2, "law": "constant", "block": 1, "asked": asked}
        for asked in (50, 1000)
    ],
    index=pd.Index(["t0", "t1"], name="trial"),
)
SEEN = pd.DataFrame([("t0", 1e7, 100.0, Times.of(40.0), None)], columns=queueing.SEEN)
PREDICTED = pd.DataFrame({"trial": ["t0"], "variant": ["a"], "block": [1], "noisy": [False], "steady": [True]})
PREDICTED = PREDICTED.assign(predicted=1.0, mean=2.0)
SIZES = pd.DataFrame({"variant": "a", "runtime": "c", "size": [1.0, 2, 4, 8], "value": [2.0, 3, 5, 9]})


def measured(of):
    return metrics.compute(ENTRY, of)


def course(of):
    return timeline.course(of, measured(of), of.measured, "cost", ("::x",))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("made", "some", "none"),
    [
        (measured, SOME, NONE),
        (lambda of: estimates.compute(ENTRY, measured(of)), SOME, NONE),
        (lambda of: estimates.headline_widths(ENTRY, measured(of)), SOME, NONE),
        (lambda of: by_trial.wide(measured(of), ["threads"], ("cost",)), SOME, NONE),
        (lambda of: passes.rates(of.iterations, of.measured, "t", "rate", size=1, unit="B/s")[1], SOME, NONE),
        (lambda of: course(of).levels, SOME, NONE),
        (lambda of: timeline.all_changes([course(of)], "compile"), SOME, NONE),
        (lambda of: too_few_samples.withheld(Trials(ENTRY, of)), SOME, NONE),
        (lambda rows: queueing.predictions(rows, SEEN), QUEUE, QUEUE.head(0)),
        (lambda rows: queueing.predictions(rows, SEEN), QUEUE, QUEUE[QUEUE["asked"] == 1000]),
        (lambda rows: response.per_trial(rows, "predicted", "mean", ["variant"]), PREDICTED, PREDICTED.head(0)),
        (lambda rows: lines.curves(rows, "size", 1)[0], SIZES, SIZES.head(0)),
        (lambda rows: lines.curves(rows, "size", 1)[1], SIZES, SIZES.head(0)),
    ],
)
def test_what_comes_of_nothing_has_the_columns_and_numbers_of_what_comes_of_something(made, some, none):
    full, empty = made(some), made(none)
    assert list(full) == list(empty) and empty.empty
    assert [is_numeric_dtype(kind) for kind in full.dtypes] == [is_numeric_dtype(kind) for kind in empty.dtypes]


def test_a_metric_that_is_derived_of_nothing_leaves_the_others_as_they_are():
    known = measured(SOME)
    for values in (pd.Series(dtype=float), pd.Series([], dtype=object), pd.Series({"t0": None})):
        both = pd.concat([known, by_trial.derived(known, "half", values)])
        assert both.dtypes.equals(known.dtypes) and len(both) == len(known)


def test_a_trial_without_the_metric_is_not_shown_in_time():
    assert course(NONE).trials.empty and course(NONE).shown == ""
    went = timeline.course(SOME, measured(NONE), SOME.measured, "cost", ("::x",))
    assert went.iterations.empty and went.trials.empty and went.levels.empty


def test_levels_pass_over_iterations_in_which_nothing_was_done():
    rows = costs_to_iterations("t0", [10.0] * 12)
    still = [row[:6] + (0,) + row[7:] if row[1] == 4 else row for row in rows]
    found = timeline.levels(tables([{}], iterations=still).iterations, "t0")
    assert list(found["level"]) == [pytest.approx(1e8)]


def test_a_frame_without_rows_has_the_types_of_one_with_rows():
    row = {"trial": "t", "variant": "a", "noisy": True, "block": 1, "estimate": 1.5}
    full = framed([row | {"distance": 8}], [*row, "distance"])
    assert framed((), list(row)).dtypes.equals(full.dtypes.drop("distance"))
    assert framed((), list(full), like=full).dtypes.equals(full.dtypes)


def test_joined_to_nothing_numbers_stay_numbers():
    some = pd.DataFrame({"runtime": ["c"], "value": [1.0]})
    none = joined([], ["runtime", "value"])
    assert joined([some, none], ["runtime", "value"]).dtypes.equals(some.dtypes)
    assert np.isfinite(joined([some, none], ["runtime", "value"])["value"]).all()
