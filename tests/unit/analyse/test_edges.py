"""Numbers of the analysis at the edges of their rules, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from analyse_tables import costs_to_iterations, entry, tables
from compare_figures import histogram

from pipeline.analyse import claim_test, lines, pauses, shift, timeline
from pipeline.analyse.blocks import by_block
from pipeline.analyse.effect import Effect
from pipeline.analyse.events import disturbed
from pipeline.analyse.passes import rates
from pipeline.analyse.resampled import Words
from pipeline.analyse.trials import Trials
from pipeline.catalogue.claims import Region
from pipeline.words.numbers import LEVEL

pytestmark = pytest.mark.thorough


def effect(low: float, high: float, **doubts) -> Effect:
    return Effect((low + high) / 2, low, high, "ratio", **{"trials": 9, "noisy": 0} | doubts)


# --- judging ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("doubt", ["noisy", "unsteady"])
def test_an_interval_may_rest_on_a_third_of_doubtful_trials_and_on_no_more(doubt):
    rule = Region(low=2)
    assert claim_test.decide(rule, "outside", effect(3, 4, **{doubt: 3}))[0] == claim_test.REPRODUCED
    verdict, why = claim_test.decide(rule, "outside", effect(3, 4, **{doubt: 4}))
    assert verdict == claim_test.INCONCLUSIVE and why == f"the interval rests on 4 {doubt} trials"


@pytest.mark.parametrize(
    ("refuting", "low", "high", "verdict"),
    [
        ("outside", 1.0, 1.9, claim_test.NOT_REPRODUCED),
        ("outside", 1.0, 2.0, claim_test.INCONCLUSIVE),  # one point in common
        ("never", 1.0, 1.9, claim_test.INCONCLUSIVE),
        (Region(below=1.5), 1.0, 1.4, claim_test.NOT_REPRODUCED),
        (Region(below=1.5), 1.0, 1.5, claim_test.INCONCLUSIVE),
        (Region(below=1.5), 1.6, 1.9, claim_test.INCONCLUSIVE),
        (Region(below=1.5), 2.0, 9.0, claim_test.REPRODUCED),
    ],
)
def test_what_refutes_a_claim_is_its_own_rule(refuting, low, high, verdict):
    assert claim_test.decide(Region(low=2), refuting, effect(low, high))[0] == verdict


@pytest.mark.parametrize(("trials", "decided"), [(4, False), (5, True)])
def test_a_verdict_needs_five_trials(trials, decided):
    assert (
        claim_test.decide(Region(low=2), "outside", effect(3, 4, trials=trials))[0] == claim_test.REPRODUCED
    ) == decided


# --- time -------------------------------------------------------------------------------------------------------------


def test_a_change_of_level_is_timed_from_the_first_and_has_the_nearest_event():
    found = pd.DataFrame({"t_ns": [5e6, 7e6, 12e6], "level": [8.0, 4.0, 6.0]})
    events = pd.DataFrame({"kind": ["deopt", "deopt", "compile"], "t_ns": [6.5e6, 20e6, 7e6]})
    told = timeline.changes(found, events, "deopt")
    assert told["at_ms"].tolist() == [2, 7] and told["factor"].tolist() == [0.5, 1.5]
    assert told["lag_ms"].tolist() == [0.5, 5.5]
    assert timeline.changes(found, events, "none")["lag_ms"].isna().all()


@pytest.mark.parametrize(("at", "unsteady"), [(1700, False), (1899, False), (1900, True), (2099, True), (2400, True)])
def test_an_event_in_as_many_iterations_before_the_last_ones_disturbs_them(at, unsteady):
    """Fifteen iterations of 100 ns from 1,000 on: the last three begin at 2,200, with as many before them at 1,900."""
    metric = {"kind": "cost", "series": "t*", "last": 3, "undisturbed": {"kind": "compile"}}
    rows = costs_to_iterations(
        "t0", [1.0] * 15
    )  # 1,000 to 2,500: the last three from 2,200, with three more from 1,900
    event = ("t0", at, "compile", "m", 4, 1, "", "1")
    found = entry({"m": metric})
    trials = Trials(found, tables([{"variant": "slow"}], iterations=rows, events=[event]))
    assert bool(len(disturbed(trials, found.metrics["m"]))) == unsteady


def test_the_rate_of_a_pass_is_of_exactly_a_second():
    trials = pd.DataFrame({"trial": ["t"], "variant": "v", "runtime": "c", "noisy": False})
    columns = ["trial", "phase", "series", "operations", "elapsed_ns"]
    rows = [("t", "pass1", "read", 3, 1_000_000_000), ("t", "pass1", "write", 7, 1), ("t", "measured", "read", 9, 1)]
    found, _ = rates(pd.DataFrame(rows, columns=columns), trials, "read", "m", size=1, unit="1/s")
    assert found["value"].tolist() == [3.0]


# --- shapes -----------------------------------------------------------------------------------------------------------


def test_a_group_without_a_line_does_not_end_the_others():
    one = pd.DataFrame({"variant": "a", "runtime": "c", "at": [60.0] * 4, "value": [1.0, 2.0, 3.0, 4.0]})
    other = pd.DataFrame({"variant": "b", "runtime": "c", "at": [1.0, 2.0, 3.0, 4.0], "value": [3.0, 5.0, 7.0, 9.0]})
    curve, parameters = lines.curves(pd.concat([one, other]), "at", 1, "ns")
    assert set(curve["variant"]) == {"b"} and parameters.set_index("name").loc["b", "estimate"] == pytest.approx(2)


def test_percentiles_are_taken_ever_nearer_to_the_whole():
    grid = shift._grid(100_000)
    assert (np.diff(grid) > 0).all() and 0 <= grid[0] < 1 and grid[-1] == pytest.approx(99.99, abs=1e-3)
    assert {50.0, 90.0, 99.0, 99.9} <= set(grid)
    assert shift._grid(1_000)[-1] == pytest.approx(99.0)


def test_the_band_of_a_shift_is_of_the_resamples_quantiles(monkeypatch):
    """Resampled ratios of 0, 1, ... 1,000 at every percentile: 2.5 % of them lie below 25."""
    random = np.random.default_rng(1)
    sides = [[histogram(random, 1.0) for _ in range(6)] for _ in range(2)]
    drawn = iter([np.ones((1001, 1)), np.arange(1001.0)[:, None]])
    monkeypatch.setattr(shift, "_resampled", lambda side, merged, grid, random: next(drawn) * np.ones(len(grid)))
    found = shift.shift(*sides)
    assert found["low"].to_numpy() == pytest.approx(500 * (1 - LEVEL))
    assert found["high"].to_numpy() == pytest.approx(500 * (1 + LEVEL))


def test_the_load_of_a_trial_is_its_operations_service_by_its_time():
    trial = pauses._Trial(SimpleNamespace(total=40), np.array([200.0]), 1000.0, 10.0)
    assert trial.load == pytest.approx(0.4)
    # One pause of 200: an operation due in it waits for the rest of it and for the backlog, and is then served.
    assert trial.late([0.0, 1 / 6, 1 / 3, 1.0]) == pytest.approx([210, 110, 10, 10])


def test_the_words_of_services_are_plain_values():
    assert Words("a", "b", "c", "d", "e", "f") == Words("a", "b", "c", "d", "e", "f")


@pytest.mark.parametrize(
    ("trials", "value"),
    [
        ([(1, False, True), (2, True, True), (3, False, False), (4, True, False)], 1),
        ([(2, True, True), (4, True, False)], 2),
        ([(3, False, False), (4, True, False)], 3),
        ([(2, True, True), (3, False, False), (4, True, False)], 2.5),  # one doubt each: as doubtful as the other
    ],
)
def test_of_a_block_the_trials_with_the_fewest_doubts_count(trials, value):
    rows = pd.DataFrame(trials, columns=["value", "noisy", "steady"]).assign(block=1)
    assert by_block(rows)["value"].tolist() == [value]
