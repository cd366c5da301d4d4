"""The closed queue: textbook values, limits, properties, and a simulation that knows none of the formulas."""

import heapq
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.models import closed_queue

THREADS = st.integers(1, 64)
OUTSIDE = st.floats(0, 1e5)
SERVICE = st.floats(1, 1e4)
LAWS = (closed_queue.bound, closed_queue.repairman)


def birth_death(n, z, s):
    """X = (1 - p0) / S of the textbook's state probabilities."""
    r = s / z
    p0 = 1 / sum(factorial(n) / factorial(n - k) * r**k for k in range(n + 1))
    return 1e9 * (1 - p0) / s


def simulated(n, z, s, draw_z, draw_s, visits, seed):
    """Threads that think, queue first come first served, and are served: completions per second."""
    rng = np.random.default_rng(seed)
    arrivals = [(draw_z(rng, z), k) for k in range(n)]
    heapq.heapify(arrivals)
    free = start = 0.0
    for visit in range(visits):
        now, who = heapq.heappop(arrivals)
        free = max(now, free) + draw_s(rng, s)
        if visit == visits // 10:
            start = free
        heapq.heappush(arrivals, (free + draw_z(rng, z), who))
    return 1e9 * (visits - 1 - visits // 10) / (free - start)


def constant(_, mean):
    return mean


def exponential(rng, mean):
    return rng.exponential(mean)


@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize("z", [10.0, 300.0, 5000.0])
def test_repairman_is_the_birth_death_solution(n, z):
    assert closed_queue.repairman(n, z, 100)[0] == pytest.approx(birth_death(n, z, 100))


def test_textbook_values():
    # Two machines, one repairman, Z = S: p0 = 1 / (1 + 2 + 2) = 0.2.
    assert closed_queue.repairman(2, 1e9, 1e9)[0] == pytest.approx(0.8)
    # Lazowska et al., section 5.3: a terminal system of N = 20, Z = 15 s, bottleneck 1 s: 1 / S beyond N* = 16.
    assert closed_queue.bound([15, 16, 20], 15e9, 1e9) == pytest.approx([15 / 16, 1, 1])
    assert closed_queue.knee(16, 1e9, 1e9) == 15e9


@given(THREADS, SERVICE)
def test_without_work_outside_the_lock_is_saturated(n, s):
    for law in LAWS:
        assert law(n, 0, s)[0] == pytest.approx(1e9 / s)


@given(OUTSIDE, SERVICE)
def test_one_thread_never_waits(z, s):
    for law in LAWS:
        assert law(1, z, s)[0] == pytest.approx(1e9 / (z + s))


@given(THREADS, OUTSIDE, SERVICE)
def test_repairman_is_below_the_bound_and_above_total_queueing(n, z, s):
    x = closed_queue.repairman(n, z, s)[0]
    assert 1e9 * n / (z + n * s) * (1 - 1e-9) <= x <= closed_queue.bound(n, z, s)[0] * (1 + 1e-9)


@given(THREADS, OUTSIDE, SERVICE)
def test_more_work_or_longer_service_is_slower_and_more_threads_are_not(n, z, s):
    for law in LAWS:
        x = law(n, z, s)[0]
        slack = 1 + 1e-9
        assert law(n, z + 50, s)[0] <= x * slack
        assert law(n, z, s * 1.1)[0] <= x * slack
        assert law(n + 1, z, s)[0] * slack >= x
        assert closed_queue.residence(n, z, x) >= s * (1 - 1e-6) - 1e-6 * z


@given(THREADS, SERVICE, st.floats(0.1, 1))
def test_the_branches_of_the_bound_meet_at_the_knee(n, s, share):
    z = closed_queue.knee(n, s, share * s)
    assert n / (z + share * s) == pytest.approx(1 / s)
    assert closed_queue.knee(2, 10, 50) == 0


def by_states(n, z, s, f):
    """X of the birth and death of threads that are there, with F as long as it is one and S with more."""
    shares = [1.0]
    for k in range(1, n + 1):
        shares.append(shares[-1] * (n - k + 1) / z * (f if k == 1 else s))
    rates = [0, 1 / f, *[1 / s] * (n - 1)]
    return 1e9 * sum(rate * share for rate, share in zip(rates, shares, strict=True)) / sum(shares)


@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize(("z", "f"), [(10.0, 20.0), (300.0, 20.0), (300.0, 150.0), (5000.0, 99.0)])
def test_who_finds_the_lock_free_takes_another_time(n, z, f):
    assert closed_queue.repairman(n, z, 100, free_ns=f)[0] == pytest.approx(by_states(n, z, 100, f))


@given(THREADS, st.floats(10, 1e5), SERVICE, st.floats(0.05, 1))
def test_a_shorter_service_of_the_free_lock_is_no_slower(n, z, s, share):
    alike, shorter = (closed_queue.repairman(n, z, s, free_ns=one)[0] for one in (s, share * s))
    assert alike <= shorter * (1 + 1e-9) and shorter <= 1e9 * n / (z + share * s) * (1 + 1e-9)


def test_values_of_several_trials_at_once():
    n, z, s = np.array([1, 2, 5]), np.array([0.0, 100, 900]), np.array([50.0, 60, 70])
    together = closed_queue.repairman(n, z, s)
    assert together == pytest.approx([closed_queue.repairman(*one)[0] for one in zip(n, z, s, strict=True)])


@pytest.mark.thorough
@pytest.mark.parametrize("n,z", [(2, 100.0), (2, 400.0), (8, 1000.0)])
def test_a_simulation_agrees(n, z):
    markov = simulated(n, z, 200, exponential, exponential, 60_000, seed=1)
    assert closed_queue.repairman(n, z, 200)[0] == pytest.approx(markov, rel=0.02)
    in_step = simulated(n, z, 200, constant, constant, 2_000, seed=1)
    assert closed_queue.bound(n, z, 200)[0] == pytest.approx(in_step, rel=0.01)
    # Of exponential work and constant service, as a lock has, the throughput lies between the two.
    lock = simulated(n, z, 200, exponential, constant, 60_000, seed=2)
    assert closed_queue.repairman(n, z, 200)[0] * 0.98 < lock < closed_queue.bound(n, z, 200)[0] * 1.01


@pytest.mark.parametrize(
    "n,z,s", [(0, 1, 1), (1.5, 1, 1), (2, -1, 1), (2, 1, 0), (2, np.nan, 1), (2, 1, np.inf), ([], [], [])]
)
def test_impossible_values_are_refused(n, z, s):
    with pytest.raises(LabError, match="closed queue"):
        closed_queue.repairman(n, z, s)


def sweep(factor=1.0, spread=0.01, blocks=8, values=(100, 300, 3000), seed=1):
    rng = np.random.default_rng(seed)
    outside = np.repeat(np.array(values, dtype=float), blocks)
    predicted = closed_queue.repairman(2, outside, 200)
    measured = predicted * factor * rng.lognormal(0, spread, len(outside))
    return outside, measured, predicted, closed_queue.bound(1, outside, 200) * 2


def test_the_queue_explains_what_follows_it():
    fit = closed_queue.judge(*sweep())
    assert fit.identified and "explains the throughput" in fit.sentence
    assert list(fit.parameters) == ["at 100 ns", "at 300 ns", "at 3 µs"]


def test_the_queue_does_not_explain_what_is_off_at_one_value():
    outside, measured, predicted, unhindered = sweep()
    measured[outside == 300] *= 0.6
    fit = closed_queue.judge(outside, measured, predicted, unhindered)
    assert "does not explain" in fit.sentence and "300 ns" in fit.sentence


def test_noise_leaves_it_undecided():
    fit = closed_queue.judge(*sweep(spread=0.3))
    assert fit.sentence.startswith("Undecided")


def test_where_threads_never_meet_nothing_is_identified():
    fit = closed_queue.judge(*sweep(values=(100_000,)))
    assert not fit.identified and "hardly meet" in fit.sentence


def test_few_trials_are_not_judged():
    fit = closed_queue.judge(*sweep(blocks=2))
    assert not fit.identified and fit.interval == "none" and "Too few trials (2)" in fit.sentence


def test_a_wrong_throughput_is_refused():
    outside, measured, predicted, unhindered = sweep()
    measured[0] = 0
    with pytest.raises(LabError, match="positive"):
        closed_queue.judge(outside, measured, predicted, unhindered)
    with pytest.raises(LabError, match="every trial"):
        closed_queue.judge(outside, measured[1:], predicted, unhindered)
