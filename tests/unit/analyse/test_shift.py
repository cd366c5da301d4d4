"""After / before at every percentile."""

import numpy as np
import pytest
from compare_figures import histogram

from pipeline.analyse.shift import shift

pytestmark = pytest.mark.thorough


def sides(times, trials=6, seed=1):
    random = np.random.default_rng(seed)
    return [[histogram(random, factor) for _ in range(trials)] for factor in (1, times)]


def test_what_is_slower_everywhere_is_shifted_everywhere():
    found = shift(*sides(1.5))
    middle = found[found["percentile"].between(10, 99)]
    assert middle["value"].between(1.4, 1.6).all()
    assert ((middle["low"] <= 1.5) & (1.5 <= middle["high"])).mean() > 0.8 and (middle["high"] < 1.8).all()
    assert found["after"].div(found["before"]).equals(found["value"])


def test_it_ends_where_fewer_than_ten_samples_lie_beyond():
    # 6 trials of 4,000 samples: ten of 24,000 lie beyond 99.958 %.
    assert shift(*sides(1.0))["percentile"].max() == pytest.approx(99.955, abs=0.01)


def test_a_slow_tail_moves_the_tail_alone():
    before, after = sides(1.0)
    random = np.random.default_rng(3)
    tail = histogram(random, 50)
    after = [*after, tail]  # one sample in seven comes from it
    found = shift(before, after).set_index("percentile")["value"]
    assert found[50.0] == pytest.approx(1.1, abs=0.1) and found[99.0] > 10


def test_without_samples_there_is_nothing_and_with_few_trials_no_band():
    assert shift([], sides(1.0)[1]).empty
    few = shift(*sides(1.0, trials=2))
    assert len(few) and few["low"].isna().all()
    assert shift(*sides(1.2)).equals(shift(*sides(1.2)))
