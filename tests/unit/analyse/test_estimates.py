from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from analyse_tables import entry

from pipeline.analyse import estimates
from pipeline.analyse.selection import Data
from pipeline.ground.errors import LabError

ENTRY = entry({"m": {"kind": "cost"}}, headlines=[{"metric": "m", "where": {"threads": 1}}])


def frame(values, noisy=(), unsteady=(), **columns):
    """Metric rows of one configuration, one block each; `noisy` and `unsteady` are positions."""
    rows = [
        {
            "trial": f"t{n}",
            "variant": "fast",
            "runtime": "jdk17",
            "threads": 1,
            "block": n + 1,
            "noisy": n in noisy,
            "steady": n not in unsteady,
            "metric": "m",
            "value": float(v),
        }
        | columns
        for n, v in enumerate(values)
    ]
    return pd.DataFrame(rows)


def only(metrics):
    found = estimates.compute(ENTRY, metrics)
    assert len(found) == 1
    return found.iloc[0]


def test_the_estimate_is_the_median_inside_its_interval():
    found = only(frame([10, 11, 12, 13, 99]))
    assert (found["estimate"], found["trials"], found["noisy"], found["unit"]) == (12, 5, 0, "ns")
    assert 10 <= found["low"] < 12 < found["high"] <= 99


def test_quiet_trials_are_enough_from_six_on():
    found = only(frame([10] * 6 + [50, 50], noisy=[6, 7]))
    assert (found["estimate"], found["trials"], found["noisy"], found["level"]) == (10, 6, 0, 0.95)


def test_with_fewer_quiet_ones_all_count_and_the_noisy_are_told():
    found = only(frame([10, 10, 50, 50, 50], noisy=[2, 3, 4]))
    assert (found["estimate"], found["trials"], found["noisy"]) == (50, 5, 3)
    assert only(frame([10] * 5 + [50], noisy=[5]))["trials"] == 6, "five of six would not have 95 % any more"


def test_unsteady_trials_yield_to_six_steady_ones():
    assert only(frame([10] * 6 + [50, 50], unsteady=[6, 7]))["unsteady"] == 0
    assert only(frame([10] * 5 + [50, 50], unsteady=[5, 6]))["unsteady"] == 2


def test_an_interval_of_few_trials_is_their_range_and_tells_its_level():
    for count, level in ((3, 0.75), (4, 0.875), (5, 0.9375)):
        found = only(frame(range(10, 10 + count)))
        assert (found["low"], found["high"], found["level"]) == (10, 9 + count, level)
    assert np.isnan(only(frame([10, 12]))["level"])


def test_two_trials_have_no_interval():
    found = only(frame([10, 12]))
    assert found["estimate"] == 11 and np.isnan(found["low"]) and np.isnan(found["high"])


def test_configurations_stay_apart_also_with_an_axis_not_set():
    metrics = pd.concat([frame([1, 1, 1]), frame([2, 2, 2], threads=2), frame([3, 3, 3], threads=None)])
    found = estimates.compute(ENTRY, metrics.astype({"threads": float}))
    assert found["estimate"].tolist() == [1, 2, 3]
    assert np.isnan(found["threads"].iloc[2])


def test_an_interval_is_the_same_whatever_else_is_in_the_table():
    values = [10, 11, 12, 13, 14, 15]
    alone = only(frame(values))
    among = estimates.compute(ENTRY, pd.concat([frame([1, 2, 3], threads=9), frame(values)])).iloc[1]
    assert (alone["low"], alone["high"]) == (among["low"], among["high"])


def test_select_takes_scalars_lists_and_unset():
    metrics = pd.concat([frame([1], threads=1.0), frame([2], threads=2.0), frame([3], threads=np.nan)])
    values = lambda where: estimates.select(metrics, where)["value"].tolist()  # noqa: E731
    assert values({"threads": 2}) == [2]
    assert values({"threads": [1, 2], "variant": "fast"}) == [1, 2]
    assert values({"threads": None}) == [3]
    assert values({"threads": [2, None]}) == [2, 3]
    with pytest.raises(LabError, match="'thread'"):
        values({"thread": 1})


def test_headline_widths_are_relative_halves_and_infinite_without_an_interval():
    metrics = pd.concat(
        [
            frame([100] * 5),
            frame([90, 100, 110, 95, 105], variant="slow"),
            frame([1] * 5, threads=2),
            frame([5, 5], variant="native"),
        ]
    )
    found = estimates.headline_widths(ENTRY, metrics).set_index("variant")["half_width"]
    assert found["fast"] == 0
    assert 0 < found["slow"] <= 0.10
    assert found["native"] == float("inf")
    assert len(found) == 3


def test_of_each_configuration_those_trials_are_counted_that_its_estimate_uses():
    one, other = frame(range(7), noisy=[2]), frame(range(6), noisy=[5], variant="slow")
    found = estimates.counted(pd.concat([other, one]), ["variant", "runtime", "threads"])
    assert found["trial"][found["variant"] == "fast"].tolist() == ["t0", "t1", "t3", "t4", "t5", "t6"]
    assert (found["variant"] == "slow").sum() == 6, "five quiet ones are not enough"
    published = pd.DataFrame({"source": ["post"], "value": [1.0]})
    assert estimates.counted(published, ["variant"]) is published


def test_a_selection_that_names_no_placement_is_without_two_threads_elsewhere():
    places = (None, "siblings", "far", "spread", "0,1", "kinds")
    rows = pd.concat([frame([10, 11], placement=place) for place in places])
    assert list(estimates.select(rows, {"metric": "m"})["placement"].dropna().unique()) == ["spread", "0,1"]
    assert len(estimates.select(rows, {"threads": 1})) == 6
    assert (
        len(estimates.select(rows, {"placement": "siblings"})) == len(estimates.select(rows, {"placement": None})) == 2
    )
    assert len(estimates.select(rows, {})) == len(rows)
    widths = estimates.headline_widths(ENTRY, rows)
    assert list(widths["trials"]) == [6]  # two of no placement, of spread and of 0,1


def test_a_claim_that_names_no_placement_is_of_the_nearest_cpus():
    asked = replace(ENTRY, axes={"threads": "int", "placement": "str"})
    data = Data(asked, None, pd.concat([frame([10] * 5, placement=None), frame([99] * 5, placement="far")]))
    assert set(data.one({"metric": "m", "variant": "fast"})["value"]) == {10}
    assert set(data.one({"metric": "m", "variant": "fast", "placement": "far"})["value"]) == {99}
