"""Percentiles of the pauses of several trials, and what few of them do not tell."""

import numpy as np
import pytest

from pipeline.ground.errors import LabError
from pipeline.models import pause_lengths
from pipeline.models.pause_lengths import lengths


def of_trials(*groups):
    trials = np.concatenate([np.full(len(one), number) for number, one in enumerate(groups)])
    return lengths(trials, np.concatenate(groups))


def test_few_pauses_are_a_number_and_no_percentile():
    fit = lengths(["a", "b", "b"], [5.0, 6.0, 7.0])
    assert not fit.identified and not fit.parameters and fit.short == "3 pauses in 2 trials"
    assert lengths([], []).short == "0 pauses in 0 trials"
    assert "median" not in lengths(["a"] * 19, range(19)).parameters, "nine lie beyond it"
    assert set(lengths(["a"] * 20, range(20)).parameters) == {"median"}


def test_percentiles_are_of_all_pauses_by_nearest_rank():
    fit = of_trials(np.arange(1, 51), np.arange(51, 101))
    assert (fit.parameters["median"].estimate, fit.parameters["p90"].estimate) == (50, 90)
    assert set(fit.parameters) == {"median", "p90"} and fit.short == "100 pauses in 2 trials"
    assert np.isnan(fit.parameters["median"].low), "two trials have no interval"


@pytest.mark.thorough
def test_trials_that_differ_make_the_interval_wide_however_many_pauses_they_have():
    random = np.random.default_rng(1)
    alike = of_trials(*(random.normal(100, 10, 60) for _ in range(5)))
    differ = of_trials(*(random.normal(100 + 20 * trial, 10, 60) for trial in range(5)))
    narrow, wide = (one.parameters["median"] for one in (alike, differ))
    assert narrow.low < 100 < narrow.high and narrow.high - narrow.low < 10
    assert wide.low < 125 and wide.high > 155


@pytest.mark.thorough
def test_the_interval_covers_the_median_of_what_the_pauses_are_drawn_from(monkeypatch):
    monkeypatch.setattr(pause_lengths, "RESAMPLES", 400)  # 2,000 moved an end by a tenth of the width at most
    random, covered = np.random.default_rng(7), 0
    for _ in range(40):
        one = of_trials(*(random.exponential(1000, 30) + 100 for _ in range(8))).parameters["median"]
        covered += one.low <= 100 + 1000 * np.log(2) <= one.high
    assert covered >= 36


@pytest.mark.parametrize(("trials", "sizes"), [(["a"], [-1.0]), (["a"], [np.nan]), (["a", "b"], [1.0])])
def test_what_is_no_pause_is_refused(trials, sizes):
    with pytest.raises(LabError, match="pauses: each needs its trial and a length"):
        lengths(trials, sizes)


@pytest.mark.parametrize("sizes", [(30, 1, 64, 57), (2, 2, 2), (100, 41, 33, 80, 5)])
def test_what_is_resampled_at_once_is_what_would_be_one_by_one(monkeypatch, sizes):
    """Trial by trial and pause by pause, by the same random numbers, and sorted whole."""
    monkeypatch.setattr(pause_lengths, "RESAMPLES", 50)
    groups = [np.sort(np.random.default_rng(at).exponential(1000, size)) for at, size in enumerate(sizes)]
    drawn, random = pause_lengths._resampled(groups, [50, 90], np.random.default_rng(3)), np.random.default_rng(3)
    for row in drawn:
        chosen = [groups[one] for one in random.integers(len(groups), size=len(groups))]
        pauses = np.sort(np.concatenate([one[random.integers(len(one), size=len(one))] for one in chosen]))
        assert row.tolist() == [pauses[-(-len(pauses) * percent // 100) - 1] for percent in (50, 90)]
