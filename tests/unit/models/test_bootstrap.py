"""Intervals from resampled statistics."""

import math

import numpy as np

from pipeline.models.bootstrap import percentile_interval


def test_the_central_part_of_the_resampled_statistics():
    assert percentile_interval(np.arange(1.0, 1002.0)) == (26.0, 976.0)
    assert percentile_interval(np.arange(1.0, 1002.0), 0.5) == (251.0, 751.0)


def test_infinite_resamples_do_not_spoil_the_finite_end():
    low, high = percentile_interval(np.array([1.0] * 50 + [math.inf] * 50 + [math.nan]))
    assert (low, high) == (1.0, math.inf)
    assert all(math.isnan(end) for end in percentile_interval(np.array([math.nan])))
