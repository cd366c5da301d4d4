"""The closed queue of any service: the closed form, exponential services, constant times, and a simulation."""

from __future__ import annotations

import heapq
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.models import closed_queue
from pipeline.models.finite_source import Times, throughput

TIME = st.floats(1, 1e4)
N = np.arange(1, 17)
SLACK = 1 + 1e-9


def exponential(mean: float, count: int = 4000) -> Times:
    """Quantiles at levels evenly apart."""
    return Times.of(-mean * np.log1p(-(np.arange(count) + 0.5) / count))


def takacs(n: int, outside: float, service: Times) -> float:
    """The closed form of services of one kind, of the Laplace transform of the service at 1 / Z, 2 / Z, ..."""
    total = product = 1.0
    for r in range(1, n):
        transform = service.shares @ np.exp(-r * service.values / outside)
        product *= (1 - transform) / transform
        total += comb(n - 1, r) * product
    return 1e9 / (service.mean + outside / n / total)


def simulated(n, outside, free, queued, visits=60_000, seed=1):
    """X of threads that work, find the lock free or queue first come first served; times are drawn from lists."""
    rng = np.random.default_rng(seed)
    asks = [(one, k) for k, one in enumerate(rng.exponential(outside, n))]
    heapq.heapify(asks)
    works, firsts, others = rng.exponential(outside, visits), rng.choice(free, visits), rng.choice(queued, visits)
    end = 0.0
    for work, first, other in zip(works, firsts, others, strict=True):
        now, who = heapq.heappop(asks)
        end = end + other if now < end else now + first
        heapq.heappush(asks, (end + work, who))
    return 1e9 * visits / end


@pytest.mark.parametrize("outside", [30.0, 500.0, 20_000.0])
@pytest.mark.parametrize("service", [Times.of(100.0), Times.of([20, 400]), exponential(100)], ids=["D", "two", "M"])
def test_of_one_kind_it_is_the_closed_form(outside, service):
    assert throughput(N, outside, service, service) == pytest.approx([takacs(int(n), outside, service) for n in N])


@pytest.mark.parametrize("outside", [100.0, 1000.0])
def test_exponential_services_are_the_machine_repairman(outside):
    n = np.arange(1, 65)
    assert throughput(n, outside, exponential(100), exponential(100)) == pytest.approx(
        closed_queue.repairman(n, outside, 100), rel=2e-4
    )


@pytest.mark.thorough
@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("queued", [[180.0], [50, 60, 70, 900], [8.0]])
def test_a_simulation_agrees(n, queued):
    exact = throughput(n, 1000.0, Times.of([15, 25]), Times.of(queued))[0]
    assert exact == pytest.approx(simulated(n, 1000.0, [15, 25], queued), rel=0.015)


@given(st.floats(0, 1e5), TIME, st.floats(0, 1e4))
def test_a_curve_of_constant_times_is_between_its_bounds(outside, free, more):
    x = throughput(N, outside, free, free + more)
    assert (x <= closed_queue.bound(N, outside, free) * SLACK).all()
    slowest = closed_queue.repairman(N, outside, free + more)  # always another in before, and services that vary more
    assert (x >= slowest / SLACK).all()


@given(st.floats(10, 1e5), TIME)
def test_more_threads_do_no_less_and_services_that_vary_do(outside, mean):
    constant, varying = (throughput(N, outside, *[Times.of(one)] * 2) for one in (mean, [mean / 10, mean * 1.9]))
    assert (np.diff(constant) >= -1e-9 * constant[1:]).all() and (varying <= constant * SLACK).all()


@given(TIME, TIME)
def test_limits(free, queued):
    assert throughput([1, 9], 0.0, free, queued) == pytest.approx([1e9 / free, 1e9 / queued])
    assert throughput([1, 64], 1e-3, free, queued)[1] == pytest.approx(1e9 / queued)
    assert throughput([1, 64], 1e12, free, queued) == pytest.approx([1e-3, 64e-3], rel=1e-5)


def test_two_threads_that_hardly_meet_find_the_lock_free():
    residence = closed_queue.residence(2, 1e6, throughput(2, 1e6, 20.0, 900.0))
    assert residence == pytest.approx(20, rel=0.01)


def test_times_keep_their_mean_and_close_ones_become_one():
    found = Times.of([100.0, 101.0, 5000.0, 0.0], [2, 2, 1, 5])
    assert found.values == pytest.approx([0, 100.5, 5000]) and found.shares == pytest.approx([0.5, 0.4, 0.1])
    assert found.mean == pytest.approx(540.2)
    assert len(exponential(100).values) < 600


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: throughput(0, 1.0, 1.0, 1.0), "threads are whole numbers from 1 to 256"),
        (lambda: throughput(300, 1.0, 1.0, 1.0), "threads are whole numbers from 1 to 256"),
        (lambda: throughput([1.5], 1.0, 1.0, 1.0), "threads are whole numbers"),
        (lambda: throughput(1, -1.0, 1.0, 1.0), "work outside of -1 ns"),
        (lambda: throughput(1, np.nan, 1.0, 1.0), "work outside of nan ns"),
        (lambda: throughput(1, 1.0, 1.0, 0.0), "a service takes time"),
        (lambda: throughput(1, 1.0, 1.0, -1.0), "must be finite, not negative"),
        (lambda: Times.of([]), "at least one"),
        (lambda: Times.of([1.0, np.inf]), "must be finite"),
        (lambda: Times.of([1.0, 2.0], [1]), "needs its count"),
        (lambda: Times.of([1.0, 2.0], [0, 0]), "not all may be 0"),
        (lambda: Times.of([1.0, 2.0], [1, -1]), "needs its count"),
    ],
)
def test_what_is_no_queue_is_refused(call, told):
    with pytest.raises(LabError, match="finite source") as caught:
        call()
    assert told in str(caught.value)
