"""The solver of the scaling laws and Student's intervals, each by another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pipeline.models import j_curve, least_squares, scaling_intervals
from pipeline.models.least_squares import Table, solve
from pipeline.models.scaling import usl

THREADS = np.array([1, 2, 3, 4, 6, 8.0])
NOISY = usl(THREADS, 3.0, 0.05, 0.02) * np.array([1.02, 0.97, 1.01, 1.03, 0.98, 1.01])


@pytest.mark.parametrize("errors", ["relative", "absolute"])
def test_students_intervals_are_those_of_numeric_derivatives(errors):
    """Also of the peak and the throughput there, whose logarithms are what has an interval."""
    table = Table.of(THREADS, NOISY)
    theta = solve(table, table.sums(), "usl", errors)[0]
    steps = np.diag(1e-6 * theta)

    def moved(of):
        return np.stack([(of(theta + one) - of(theta - one)) / (2 * one.max()) for one in steps], axis=-1)

    fitted = (lambda at: np.log(table.fitted(at))) if errors == "relative" else table.fitted
    slopes, residuals, df = moved(fitted), table.residuals(theta, errors), len(THREADS) - 3
    covariance = np.linalg.inv(slopes.T @ slopes) * (residuals @ residuals) / df
    gradients = moved(lambda at: np.array(scaling_intervals.quantities(at)))
    half = stats.t.ppf(0.975, df) * np.sqrt(np.einsum("qi,ij,qj->q", gradients, covariance, gradients))
    found = scaling_intervals.student(table, theta, 3, errors)
    values = [float(one) for one in scaling_intervals.quantities(theta)]
    assert values[3] > 1 and values[1] > 0 and values[2] > 0, "a peak, and nothing at its bound"
    for one, value, width in zip(found[:3], values[:3], half[:3], strict=True):
        assert (one.estimate, one.high) == pytest.approx((value, value + width), rel=1e-5)
    for one, value, width in zip(found[3:], values[3:], half[3:], strict=True):
        factor = math.exp(width / value)
        assert (one.low, one.estimate, one.high) == pytest.approx((value / factor, value, value * factor), rel=1e-5)


def test_a_step_that_overshoots_is_shortened(monkeypatch):
    """Round by round the sum of squares never grows; where whole steps are all there are, the descent ends early."""
    table = Table.of(THREADS, np.array([1.5, 25.7, 2.3, 2.6, 1.4, 2.1]))

    def least(rounds: int) -> float:
        monkeypatch.setattr(least_squares, "MAX_STEPS", rounds)
        return (table.residuals(solve(table, table.sums(), "usl", "absolute")[0], "absolute") ** 2).sum()

    shortened = [least(rounds) for rounds in range(12)]
    monkeypatch.setattr(least_squares, "SHORTER", (1.0,))
    whole = [least(rounds) for rounds in range(12)]
    assert all(after <= before for before, after in zip(shortened, shortened[1:], strict=False))
    assert shortened[1] == whole[1] < shortened[0] and shortened[-1] < 0.99 * whole[-1]


def test_resamples_deviate_to_the_side_that_the_trials_do():
    """Of four trials one is far above: most draws are of the three others, whose widened deviation lies below."""
    x = np.array([1.0, 1.0, 1.0, 8.0])
    sums = Table.of([1, 1, 1, 1], x).resampled(1, 400).x[:, 0]
    mean = math.log(8) / 4
    below = math.exp(mean * (1 - math.sqrt(4 / 3)))
    above = math.exp(mean + 3 * mean * math.sqrt(4 / 3))
    possible = [(4 - far) * below + far * above for far in range(5)]
    assert {min(range(5), key=lambda far: abs(possible[far] - one)) for one in sums} >= {0, 1, 2}
    assert all(min(abs(one - other) for other in possible) < 1e-9 for one in sums)


def test_the_knee_is_said_in_per_cent():
    loads = np.array([10, 20, 40, 60, 80, 90.0])
    fit = j_curve.fit_j_curve(loads, j_curve.j_curve(loads, 3.0, 1.0))
    assert "latency has doubled at a load of 75 % (the knee)" in fit.sentence.replace(" [75, 75]", "")
