"""Times in the system of single events, stepped through one after another: any arrivals, any service times.

Lindley's recursion (1952): one server, first come first served, is done with event i at
c_i = max(c_{i-1}, a_i) + S_i, and the event was in the system for c_i - a_i. With the arrivals that were measured and
service times drawn anew from those that were measured, it predicts every percentile without a law for either. An event
that finds the server idle may cost another time than one that waited (a hop or a wake-up). Also the referee of the
formulas in `pipeline.models.queueing`.

Times in any one unit, float64: give arrivals since their first, not since 1970. A million events take a quarter of a
second. LabError when a time is not finite or negative, arrivals are not in order, or a sample is empty.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

import numpy as np

from pipeline.ground.errors import LabError

# Draws so many service times, or times between arrivals.
Draw = Callable[[np.random.Generator, int], np.ndarray]


def constant(value: float) -> Draw:
    """The same time every time."""
    return sampled([value])


def exponential(mean: float) -> Draw:
    _times("mean", [mean])
    return lambda rng, count: rng.exponential(mean, count)


def gamma(mean: float, variance: float) -> Draw:
    """Gamma distributed times of a mean and variance above 0."""
    _times("mean and variance", [mean, variance])
    if not mean > 0 < variance:
        raise LabError("queue simulation: a gamma distribution needs a mean and a variance above 0")
    return lambda rng, count: rng.gamma(mean**2 / variance, variance / mean, count)


def sampled(values, counts=None) -> Draw:
    """Measured times, drawn with replacement; `counts` says how often each was seen, as a histogram does."""
    values = _times("service times", values)
    if counts is None:
        return lambda rng, count: rng.choice(values, count)
    counts = _times("counts", counts)
    if counts.shape != values.shape or not counts.sum() > 0:
        raise LabError("queue simulation: every value needs its count, and not all may be 0")
    share = np.cumsum(counts)
    share /= share[-1]
    return lambda rng, count: values[np.searchsorted(share, rng.random(count), side="right")]


def schedule(rate: float, count: int, between: str = "poisson", seed: int = 1) -> np.ndarray:
    """Arrival times of `count` events at a rate, `poisson` or `even`, for where those measured are not at hand."""
    if not (np.isfinite(rate) and rate > 0):
        raise LabError(f"queue simulation: rate {rate:g} is not positive and finite; give events per unit of time")
    gaps = _stream(seed, 0).exponential(1 / rate, count) if between == "poisson" else np.full(count, 1 / rate)
    return np.cumsum(gaps)


def resampled(arrivals, service: Draw, first: Draw | None = None, seed: int = 1, flight: float = 0.0) -> np.ndarray:
    """Time in the system of every event, one value per arrival; events that find the server idle take a time of
    `first`, where given, the others one of `service`. `flight`: what each is on its way to the server, which meanwhile
    serves others: it delays an event and occupies nobody."""
    _times("flight", [flight])
    rng = _stream(seed, 1)
    busy = service(rng, len(arrivals))
    return flight + lindley(arrivals, busy, None if first is None else first(rng, len(arrivals)))


def services(sent, done, flight: float) -> tuple[np.ndarray, np.ndarray]:
    """(service of every event, whether it waited) from when it was sent and done: done less the later of the one before
    being done and its own arrival, which is `flight` after its sending. So what it spent on its way while the one
    before was served counts as no service."""
    sent, done = _ordered(sent), _ordered(done)
    if len(sent) != len(done):
        raise LabError("queue simulation: every event that was sent needs the time when it was done")
    before = np.concatenate(([-np.inf], done[:-1]))
    arrived = sent + flight
    return done - np.maximum(before, arrived), arrived <= before


def lindley(arrivals, busy, idle=None) -> np.ndarray:
    """Time in the system of every event from its arrival and the time it takes: `idle` where it finds the server idle,
    `busy` otherwise (both one value per event; the same where idle is not given)."""
    arrivals, busy = _ordered(arrivals), _times("service times", busy)
    found_idle = busy if idle is None else _times("service times", idle)
    if not len(arrivals) == len(busy) == len(found_idle):
        raise LabError("queue simulation: every arrival needs its service time")
    if idle is None:  # c_i is the greatest of a_k + S_k + ... + S_i over k up to i: sums and one running maximum
        total = np.cumsum(busy)
        return total + np.maximum.accumulate(arrivals - (total - busy)) - arrivals
    done, times = -np.inf, []
    for arrival, waited, alone in zip(arrivals.tolist(), busy.tolist(), found_idle.tolist(), strict=True):
        done = arrival + alone if arrival > done else done + waited
        times.append(done)
    return np.array(times) - arrivals


def batched(arrivals, per_batch: float, per_event: float, before: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(time in the system of every event, sizes of the batches) where the server takes all that are present at once.

    A batch of n takes a + b n (`per_batch`, `per_event`); event k of it is done after `before` + b k, before being the
    part of a that precedes the first event, all of it unless told otherwise.
    """
    arrivals = _ordered(arrivals)
    _times("costs", [per_batch, per_event, before or 0.0])
    before = per_batch if before is None else before
    events, waiting, starts, firsts = len(arrivals), [*arrivals.tolist(), np.inf], [], []
    taken, free = 0, -np.inf
    while taken < events:
        start, end = waiting[taken], taken + 1
        if start < free:
            start = free
        if waiting[end] <= start:  # most batches are of one event: searching for each takes twice as long
            end = bisect_right(waiting, start, end)
        starts.append(start)
        firsts.append(taken)
        taken, free = end, start + per_batch + per_event * (end - taken)
    sizes = np.diff([*firsts, events])
    place = np.arange(1, events + 1) - np.repeat(firsts, sizes)
    return np.repeat(starts, sizes) + before + per_event * place - arrivals, sizes


def _stream(seed: int, purpose: int) -> np.random.Generator:
    """Arrivals and services of one seed must not be drawn from the same numbers: long gaps would get long services."""
    return np.random.default_rng([seed, purpose])


def _ordered(arrivals) -> np.ndarray:
    arrivals = _times("arrivals", arrivals)
    if (np.diff(arrivals) < 0).any():
        raise LabError("queue simulation: arrivals must be in order of time; sort the events by their intended time")
    return arrivals


def _times(name: str, values) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not values.size or not (np.isfinite(values).all() and values.min() >= 0):
        raise LabError(f"queue simulation: {name} must be finite, not negative, and at least one; remove the others")
    return values
