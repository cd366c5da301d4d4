"""What laws foretell from half of the CPUs: their own curves, others, and what is too little to ask them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pipeline.ground.errors import LabError
from pipeline.models import closed_queue
from pipeline.models.extrapolation import extrapolate
from pipeline.models.scaling import usl

COUNTS = (1, 2, 3, 4, 6, 8, 12, 16)


def sweep(of, counts=COUNTS, trials=6, spread=0.004, seed=1):
    """(threads, throughput) of a curve, its trials scattered by `spread`."""
    threads = np.repeat(counts, trials)
    return threads, of(threads) * np.random.default_rng(seed).lognormal(0, spread, len(threads))


def law(sigma, kappa):
    return lambda n: usl(n, 1e6, sigma, kappa)


def test_a_law_foretells_its_own_curve_and_not_the_other_law_that_of_it():
    found = extrapolate(*sweep(law(0.05, 0.004)), 16)
    assert list(found) == ["usl", "amdahl"]
    fit = found["usl"]
    assert (
        fit.identified and fit.short == "explains it" and list(fit.parameters) == ["with 12 threads", "with 16 threads"]
    )
    assert "fitted up to 8 threads, foretells the throughput up to 16 threads within 10 %" in fit.sentence
    assert fit.details["used"] == [1, 2, 3, 4, 6, 8]
    assert [row["threads"] for row in fit.details["foretold"]] == [12, 16]
    for row in fit.details["foretold"]:
        assert row["low"] < law(0.05, 0.004)(row["threads"]) < row["high"]
        assert row["high"] - row["low"] < 0.2 * row["estimate"]
    other = found["amdahl"]
    assert other.identified and other.short == "does not explain it at 16 threads"
    assert "with 16 threads came 0." in other.sentence and "times what it foretold" in other.sentence


def test_amdahl_foretells_what_has_no_coherency():
    assert extrapolate(*sweep(law(0.1, 0.0)), 16)["amdahl"].short == "explains it"


def test_trials_that_scatter_leave_it_undecided():
    fit = extrapolate(*sweep(law(0.05, 0.004), trials=4, spread=0.08), 16)["usl"]
    assert fit.identified and fit.short == "undecided" and "is undecided up to 16 threads" in fit.sentence


def test_what_was_not_used_moves_no_prediction():
    threads, x = sweep(law(0.05, 0.004))
    more = np.where(threads > 8, 3 * x, x)
    first, second = (extrapolate(threads, one, 16)["usl"] for one in (x, more))
    assert first.details["foretold"] == second.details["foretold"]
    assert first.short == "explains it" and second.short.startswith("does not explain it at")


def test_more_threads_than_cpus_are_neither_used_nor_asked():
    threads, x = sweep(law(0.05, 0.004), (*COUNTS, 32, 64))
    fit = extrapolate(threads, x, 16)["usl"]
    assert [row["threads"] for row in fit.details["foretold"]] == [12, 16] and fit.details["rows"] == 48


def test_the_same_seed_gives_the_same_interval_and_the_unit_does_not_matter():
    threads, x = sweep(law(0.05, 0.004))
    first, same, scaled = (extrapolate(threads, one, 16, seed=3)["usl"] for one in (x, x, x / 1e6))
    assert first == same
    assert [one.estimate for one in scaled.parameters.values()] == pytest.approx(
        [one.estimate for one in first.parameters.values()]
    )


@pytest.mark.parametrize(
    ("counts", "cpus", "told"),
    [
        ((1, 2), 2, "half of 2 CPUs has no room for the 6 thread counts that a law needs"),
        ((1, 2, 4, 8, 16), 16, "2 more thread counts from 1 to 8 are needed"),
        ((1, 2, 3, 4, 6, 12), 12, "1 more thread count from 1 to 6 is needed"),
        ((1, 2, 3, 4, 6, 8), 16, "nothing was measured with 9 to 16 threads"),
        ((9, 16), 16, "6 more thread counts from 1 to 8 are needed"),
    ],
)
def test_what_is_lacking_is_said(counts, cpus, told):
    for fit in extrapolate(*sweep(law(0.05, 0.004), counts), cpus).values():
        assert fit.model is None and not fit.identified and fit.short == f"nothing foretold: {told}"
        assert fit.sentence.endswith(f"foretells nothing here: {told}.") and fit.to_dict()["foretold"] == []


def test_a_curve_outside_of_the_law_foretells_nothing():
    """A lock that falls with the second thread and then rises."""
    fit = extrapolate(*sweep(lambda n: np.where(n == 2, 3e5, 1e6)), 16)["usl"]
    assert fit.model is None and fit.short == "nothing foretold: it does not describe the counts used"
    assert (
        "foretells nothing here: it does not describe the counts used. Throughput falls by 70 % from N = 1"
        in fit.sentence
    )


def test_few_trials_are_not_judged():
    fit = extrapolate(*sweep(law(0.05, 0.004), trials=2), 16)["usl"]
    assert not fit.identified and fit.interval == "none" and fit.short == "too few trials (2) for an interval"
    assert all(math.isnan(one.low) for one in fit.parameters.values()) and fit.details["foretold"][0]["low"] is None


def test_the_queue_itself_bends_sharper_than_amdahl():
    found = extrapolate(*sweep(lambda n: closed_queue.repairman(n, 1000, 200)), 16)
    assert found["amdahl"].short.startswith("does not explain it")


@pytest.mark.parametrize(
    ("threads", "x", "cpus"),
    [([], [], 16), ([1, 2], [1.0], 16), ([1, 2], [1.0, 2.0], 0), ([1, 2], [0.0, 1.0], 16), ([1], [math.nan], 16)],
)
def test_what_is_no_sweep_is_refused(threads, x, cpus):
    with pytest.raises(LabError, match="extrapolation"):
        extrapolate(threads, x, cpus)
