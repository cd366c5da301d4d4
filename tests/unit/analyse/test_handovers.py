"""What passing something on costs is taken from the fewest threads and checked with the next number of them."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.analyse.handovers import fewest_threads, passed_on

LOCAL, HANDOVER, RUN = 20.0, 150.0, 4.0


def contended(**of: float) -> pd.DataFrame:
    """Six trials of every number of threads of two locks; `of`: handover cost by variant."""
    rows = [
        {"trial": f"{variant}{threads}-{n}", "variant": variant, "runtime": "c", "threads": threads, "h": h + n / 10}
        for variant, h in of.items()
        for threads in (2, 3, 4)
        for n in range(6)
    ]
    return pd.DataFrame(rows)


def turns(trials: pd.DataFrame) -> pd.DataFrame:
    cost = LOCAL + trials["h"] / RUN
    return pd.DataFrame({"trial": trials["trial"], "cost": cost, "run_length": RUN, "runs": 9})


ALONE = pd.DataFrame({"variant": ["a"] * 6 + ["b"] * 6, "runtime": "c", "value": [LOCAL] * 6 + [1.0] * 6})


def test_the_fewest_threads_are_asked_by_variant_and_runtime():
    trials = contended(a=HANDOVER, b=HANDOVER)
    trials = trials[~((trials["variant"] == "b") & (trials["threads"] == 2))]
    assert fewest_threads(trials).groupby("variant")["threads"].unique().map(list).to_dict() == {"a": [2], "b": [3]}


def test_a_handover_is_checked_with_the_next_number_of_threads_of_the_same_lock():
    trials = contended(a=HANDOVER, b=900.0)
    found = passed_on(fewest_threads(trials[trials["variant"] == "a"]), turns(trials), trials, ALONE)
    assert found.parameters["h"].estimate == pytest.approx(HANDOVER, abs=1)
    assert found.parameters["x"].estimate == pytest.approx(1, abs=0.01)
    assert "of 3 threads within" in found.sentence and found.identified


def test_without_more_threads_nothing_checks_it():
    trials = contended(a=HANDOVER).query("threads == 2")
    found = passed_on(trials, turns(trials), trials, ALONE, moved="cache line")
    assert "Moving the cache line" in found.sentence and "nothing else was measured" in found.sentence
