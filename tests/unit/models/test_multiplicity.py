import math

import numpy as np

from pipeline.models.multiplicity import standing


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
