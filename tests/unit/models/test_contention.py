"""Throughput by threads from mean times: limits, properties, closed networks by another algorithm, bands."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.models import closed_queue
from pipeline.models.contention import BASE, curve, what_ifs
from pipeline.models.fit import Estimate, combined_factor

TIME = st.floats(1, 1e4)
OUTSIDE = st.floats(0, 1e5)
HANDOVER = st.floats(0, 1e4)
LOCKS = st.integers(1, 16)
N = np.arange(1, 33)
SLACK = 1 + 1e-9


def values(found) -> np.ndarray:
    return np.array([one.estimate for one in found.throughput])


def normalised(n: int, outside: float, section: float, handover: float, locks: int) -> float:
    """X = G(n - 1) / G(n) of the product form, by Buzen's convolution: a delay and `locks` servers in parallel, each of
    which takes a section with one thread there and a hand-over on top with more."""
    total = [outside**k / math.factorial(k) for k in range(n + 1)]
    one = [1.0] + [section * (section + handover) ** (k - 1) / locks**k for k in range(1, n + 1)]
    for _ in range(locks):
        total = [sum(total[k - j] * one[j] for j in range(k + 1)) for k in range(n + 1)]
    return 1e9 * total[n - 1] / total[n]


@pytest.mark.parametrize("locks", [1, 2, 5])
@pytest.mark.parametrize(("outside", "section"), [(0.0, 100.0), (300.0, 100.0), (5000.0, 40.0)])
@pytest.mark.parametrize("handover", [0.0, 180.0])
def test_a_small_closed_network_by_convolution(outside, section, handover, locks):
    found = values(curve([1, 2, 3, 8], outside, section, handover, locks))
    assert found == pytest.approx([normalised(n, outside, section, handover, locks) for n in (1, 2, 3, 8)])


@given(TIME, LOCKS)
def test_saturated_locks_that_are_chosen_at_random_stand_idle_now_and_then(section, locks):
    """Without work outside X = k / S x N / (N + k - 1): the others crowd at some of the locks."""
    found = values(curve(N, 0, section, locks=locks))
    assert found == pytest.approx(1e9 * locks / section * N / (N + locks - 1))


@given(OUTSIDE, TIME, LOCKS)
def test_a_curve_without_a_handover_rises_and_stays_below_its_bounds(outside, section, locks):
    found = curve(N, outside, section, locks=locks)
    x = values(found)
    assert (np.diff(x) >= -1e-9 * x[1:]).all() and (x <= found.bound * SLACK).all()
    assert x[-1] <= found.limit.estimate * SLACK


@given(OUTSIDE, TIME, HANDOVER, LOCKS)
def test_the_branches_of_the_bound_meet_at_the_knee(outside, section, handover, locks):
    found = curve(N, outside, section, handover, locks)
    assert found.limit.estimate == pytest.approx(1e9 * locks / (section + handover))
    assert 1e9 * found.knee.estimate / (outside + section) == pytest.approx(found.limit.estimate)
    assert (values(found) <= values(curve(N, outside, section, 0.0, locks)) * SLACK).all()


@pytest.mark.thorough
@settings(max_examples=20)  # each of 4,096 threads
@given(TIME, TIME, HANDOVER)
def test_many_threads_come_to_the_limit(outside, section, handover):
    found = curve(4096, outside, section, handover)
    assume(found.knee.estimate < 2000)
    assert values(found)[0] == pytest.approx(found.limit.estimate, rel=0.01)


@given(OUTSIDE, TIME, HANDOVER)
def test_one_thread_never_hands_over_nor_waits(outside, section, handover):
    assert values(curve(1, outside, section, handover))[0] == pytest.approx(1e9 / (outside + section))


@given(OUTSIDE, TIME, HANDOVER)
def test_one_lock_is_the_machine_repairman(outside, section, handover):
    x = values(curve(N, outside, section, handover, 1))
    assert x == pytest.approx(closed_queue.repairman(N, outside, section + handover, free_ns=section))


@given(OUTSIDE, TIME, HANDOVER, st.integers(2, 8))
def test_what_makes_less_work_is_no_slower(outside, section, handover, locks):
    found = what_ifs(N, outside, section, handover, locks)
    assert list(found) == [BASE, "section halved", f"{locks} locks", "work outside doubled"]
    base, halved, split, doubled = (values(one) for one in found.values())
    assert base == pytest.approx(values(curve(N, outside, section, handover)))
    assert (halved * SLACK >= base).all() and (split * SLACK >= base).all()
    knees = [one.knee.estimate for one in found.values()]
    assert knees[2] == pytest.approx(locks * knees[0])
    # Threads that come back later hand a lock over less often: only without a hand-over are they slower for certain.
    base, doubled = (values(one) for one in list(what_ifs(N, outside, section, 0.0, locks).values())[::3])
    assert (doubled <= base * SLACK).all()
    assert knees[3] - section / (section + handover) == pytest.approx(2 * (knees[0] - section / (section + handover)))


@given(OUTSIDE, TIME)
def test_many_locks_are_none(outside, section):
    x = values(curve(N, outside, section, locks=10**9))
    assert x == pytest.approx(1e9 * N / (outside + section))


def test_half_a_section_does_not_halve_the_handover():
    assert what_ifs(8, 1000, 20, 180)["section halved"].limit.estimate == pytest.approx(1e9 / 190)


# --- the band --------------------------------------------------------------------------------------------------------


def test_numbers_have_no_band():
    found = curve(N, 1000, 20, 180)
    assert all(math.isnan(one.low) and math.isnan(one.high) for one in (*found.throughput, found.knee, found.limit))
    fixed = Estimate(1000.0), Estimate(20.0), Estimate(180.0)
    assert curve(N, *fixed).limit == pytest.approx(found.limit, nan_ok=True)


def test_one_uncertain_time_moves_the_curve_from_end_to_end():
    found = curve([1, 8], 1000, 20, Estimate(180, 150, 230))
    low, high = (values(curve([1, 8], 1000, 20, end)) for end in (230, 150))
    assert [one.low for one in found.throughput] == pytest.approx(low)
    assert [one.high for one in found.throughput] == pytest.approx(high)
    assert (found.limit.low, found.limit.high) == pytest.approx((1e9 / 250, 1e9 / 170))
    assert (found.knee.low, found.knee.high) == pytest.approx((1020 / 250, 1020 / 170))


def test_several_add_as_squares_on_the_logarithm_and_stay_positive():
    section, handover = Estimate(50, 40, 70), Estimate(150, 100, 250)
    found = curve(64, 10, section, handover).limit
    above = math.hypot(math.log(200 / 190), math.log(200 / 150))
    assert found.high == pytest.approx(5e6 * math.exp(above))
    wide = Estimate(100, 1e-3, 1e6)
    assert all(one.low > 0 for one in curve(N, wide, wide, wide).throughput)
    alone = combined_factor(2.0, (1.0, 4.0), (2.0, 2.0))
    assert (alone.estimate, alone.low, alone.high) == pytest.approx((2, 1, 4))


def test_the_interval_of_a_difference_may_reach_below_zero():
    found = curve(8, 1000, 20, Estimate(5, -3, 12))
    assert found.limit.high == pytest.approx(1e9 / 20)
    assert curve(8, 1000, 20, Estimate(0, math.nan, math.nan)).limit.estimate == pytest.approx(5e7)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: curve(0, 1, 1), "threads are whole numbers from 1"),
        (lambda: curve([1, 2.5], 1, 1), "threads are whole numbers"),
        (lambda: curve([], 1, 1), "threads are whole numbers"),
        (lambda: curve(5000, 1, 1), "to 4,096"),
        (lambda: curve(math.nan, 1, 1), "threads are whole numbers"),
        (lambda: curve(1, -1, 1), "mean work outside of -1 ns; give one from 0 to 1e+15 ns"),
        (lambda: curve(1, 1, 0), "section of 0 ns; give one from 1e-06 to 1e+15 ns"),
        (lambda: curve(1, 1, math.nan), "section of nan ns"),
        (lambda: curve(1, 1, Estimate(5, -1, 6)), "section of 0 ns"),
        (lambda: curve(1, 1, 1, -5), "hand-over of -5 ns"),
        (lambda: curve(1, 1, 1, math.inf), "hand-over of inf ns"),
        (lambda: curve(1, 1, 1, locks=0), "0 locks; give a whole number from 1"),
        (lambda: curve(1, 1, 1, locks=1.5), "1.5 locks"),
        (lambda: curve(1, 1, 1, locks=math.nan), "nan locks"),
        (lambda: closed_queue.repairman(1, 1, 1, 0), "closed queue: whole threads"),
        (lambda: closed_queue.bound(1, 1, 1, np.nan), "closed queue: every trial"),
    ],
)
def test_what_makes_no_curve_is_refused(call, told):
    with pytest.raises(LabError) as caught:
        call()
    assert told in str(caught.value)
