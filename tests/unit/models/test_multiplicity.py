import math

import numpy as np
import pytest

from pipeline.models.multiplicity import ratio_p, standing

pytestmark = pytest.mark.thorough


def test_the_published_example():
    # Benjamini and Hochberg 1995, section 4: of 15 p-values the four smallest are refuted at 5 %.
    p = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1,
    ]
    assert standing(p).tolist() == [True] * 4 + [False] * 11
    assert standing(p[::-1]).tolist() == [False] * 11 + [True] * 4


def test_one_large_value_does_not_stop_smaller_ones_behind_it():
    assert standing([0.04, 0.03, 0.05]).all(), "the greatest is at its own limit, so all stand"
    assert not standing([0.04, 0.03, 0.06]).any()


def test_what_has_no_value_does_not_stand_and_does_not_count():
    assert standing([math.nan, 0.04]).tolist() == [False, True]
    assert standing([]).tolist() == [] and standing([math.nan]).tolist() == [False]


def test_where_nothing_differs_hardly_anything_stands():
    rng = np.random.default_rng(2)
    assert np.mean([standing(rng.random(20)).any() for _ in range(2000)]) <= 0.065


def test_the_p_value_of_paired_ratios_is_students():
    # Student 1908, the sleep data: differences 1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4 have p = 0.00283.
    differences = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    assert ratio_p(np.exp(differences)) == pytest.approx(0.002833, abs=1e-6)
    assert ratio_p(np.exp(-np.array(differences))) == ratio_p(np.exp(differences))
    assert ratio_p([2.0] * 6) == 0 and ratio_p([1.0] * 6) == 1
    assert ratio_p([2.0, 3.0, math.inf]) == ratio_p([2.0, 3.0, 0.0]) == ratio_p([2.0, math.nan, 3.0]) == 1
    assert math.isnan(ratio_p([2.0, 3.0]))


@pytest.mark.parametrize("count", [6, 8, 12])
@pytest.mark.parametrize("two_states", [False, True])
def test_pairs_of_the_same_thing_are_told_apart_as_seldom_as_promised(count, two_states):
    rng = np.random.default_rng(count)
    trials = np.exp(rng.normal(0, 0.03, (2, 2000, count)))
    if two_states:
        trials *= np.where(rng.random(trials.shape) < 0.2, 2.0, 1.0)
    p_values = np.array([ratio_p(one) for one in trials[0] / trials[1]])
    assert np.mean(p_values < 0.05) <= 0.065 and np.mean(p_values < 0.005) <= 0.01
