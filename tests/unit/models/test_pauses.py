"""The lateness that a list of pauses predicts, against a server that is stepped through them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.models import pauses
from pipeline.models.lindley import lindley

MS = 1e6  # ns


def simulated(lengths, apart: float, tau: float, service: float) -> tuple[np.ndarray, float]:
    """How late operations start that are due every `tau`, and the time watched; a pause is a job of its own length, the
    first of which comes `apart` after the beginning and the others so long one after the other (ns)."""
    watched = apart * (len(lengths) + 1)
    due = np.arange(0.0, watched, tau)
    begins = apart * np.arange(1, len(lengths) + 1) - tau / 2
    arrivals, times = np.concatenate([due, begins]), np.concatenate([np.full(len(due), service), lengths])
    order = np.argsort(arrivals)
    found = lindley(arrivals[order], times[order])
    return found[order < len(due)] - service, watched


def test_the_worked_number():
    """One pause of 10 ms, an operation of 0.3 us every 10 us: 0.005154 s of the time watched is later than 5 ms."""
    watched = 1_600 * MS
    assert pauses.later(5 * MS, [10 * MS], watched, 0.3 / 10)[0] * watched / 1e9 == pytest.approx(0.005154, abs=1e-6)


@pytest.mark.parametrize("load", [0.03, 0.5, 0.9])
def test_a_simulated_server_is_as_late_as_predicted(load):
    lengths, tau = np.array([1, 2, 2, 5, 0.3]) * MS, 1_000.0
    found, watched = simulated(lengths, 60 * MS, tau, load * tau)
    assert watched == 360 * MS
    for x in np.array([0.1, 0.3, 0.9, 1.5, 2, 4]) * MS:
        share = (found > x).mean()
        assert pauses.later(x, lengths, watched, load)[0] == pytest.approx(share, rel=1e-3)
        assert pauses.lateness(share, lengths, watched, load) == pytest.approx(x, rel=1e-3, abs=tau)
    assert (found > 5 * MS).sum() == 0 == pauses.later(5 * MS, lengths, watched, load)[0]


def test_pauses_that_follow_closely_make_a_longer_tail():
    lengths = np.full(4, 5 * MS)
    found, watched = simulated(lengths, 6 * MS, 1_000.0, 500.0)  # each backlog takes 10 ms
    assert (found > 6 * MS).mean() > 0.1 and pauses.later(6 * MS, lengths, watched, 0.5)[0] == 0


def test_no_pause_and_shares_that_have_not_to_wait():
    assert pauses.later([0, 5], [], 100, 0.1).tolist() == [0, 0]
    assert pauses.lateness(0.1, [], 100, 0.1) == 0
    # 10 / (0.5 * 100): a fifth of the operations waits at all, and the last of them hardly.
    assert pauses.later(0, [10], 100, 0.5)[0] == pytest.approx(0.2)
    assert pauses.lateness([0, 0.1, 0.2, 0.3], [10], 100, 0.5) == pytest.approx([10, 5, 0, 0])
    assert pauses.later(0, [80, 90], 100, 0.5)[0] == 1


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8), st.floats(0, 0.95), st.floats(1e-3, 0.999))
def test_one_is_the_inverse_of_the_other(lengths, load, part):
    watched = 20 * sum(lengths) / (1 - load)  # so that a twentieth of the operations waits
    share = part * pauses.later(0, lengths, watched, load)[0]
    x = pauses.lateness(share, lengths, watched, load)
    assert 0 <= x <= max(lengths)
    assert pauses.later(x, lengths, watched, load)[0] == pytest.approx(share, rel=1e-6)
    assert pauses.later(x, lengths, watched, load)[0] == pytest.approx(
        sum(max(0.0, one - x) for one in lengths) / ((1 - load) * watched), rel=1e-6
    )


@pytest.mark.parametrize(
    ("than", "lengths", "watched", "load", "said"),
    [
        (0, [1], 0, 0, "watched for 0"),
        (0, [1], math.nan, 0, "watched for –"),
        (0, [1], 10, 1, "the load 1 is not in 0 to 1"),
        (0, [1], 10, -0.1, "the load -0.1"),
        (0, [1, -1], 10, 0, "pauses must be finite and not negative"),
        (-1, [1], 10, 0, "lateness must be finite and not negative"),
        (math.inf, [1], 10, 0, "lateness must be finite and not negative"),
    ],
)
def test_what_cannot_be_predicted_is_refused(than, lengths, watched, load, said):
    with pytest.raises(LabError, match=said):
        pauses.later(than, lengths, watched, load)


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([0.67, 1, 1.5], "explains it"),
        ([0.66, 1, 1.5], "undecided"),
        ([0.67, 1, 1.51], "undecided"),
        ([0.1, 0.3, 0.66], "does not explain it"),
        ([1.51, 2, 3], "does not explain it"),
    ],
)
def test_the_verdict_is_within_a_factor_of_one_and_a_half(ratios, verdict):
    fit = pauses.explained(np.array(ratios) * 7e6, np.full(3, 7e6), [30, 30, 99])
    assert fit.details["verdict"] == verdict and fit.identified
    assert fit.sentence.startswith("The log of pauses") and "0.667 to 1.5." in fit.sentence
    assert not pauses.explained([1.0, 1.0], [1.0, 1.0], [30, 30]).identified


def test_one_or_two_pauses_a_trial_judge_nothing():
    """G1 once had one collection in each trial: the ratio was that of one number to itself."""
    fit = pauses.explained(np.full(5, 7e6), np.full(5, 7e6), [29, 29, 29, 30, 30])
    assert not fit.identified and not fit.parameters and fit.short == "29 pauses a trial, fewer than 30"
    assert pauses.explained([], [], []).short == "0 pauses a trial, fewer than 30"
