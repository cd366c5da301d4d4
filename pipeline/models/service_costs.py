"""What a prediction starts from, measured apart from the latency it predicts: the capacity and the cost of a batch.

Each says "cannot be identified here" rather than give a number that the data do not hold. Sums and counts are of one
trial each (or of one iteration), times in ns.
"""

from __future__ import annotations

import math

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.words.numbers import counted, number, percent

HALF_WIDTH = 0.1  # of a capacity's interval, relative
GENERATOR = 1.5  # times the capacity of what it drives
BATCHES = 30  # of a size
SIZES = 3  # distinct ones
SIZE_RATIO = 8  # of the largest to the smallest
KINDS = {
    "capacity": Kind(
        f"A capacity is identified where its interval is no wider than {percent(HALF_WIDTH)} to each side.",
        {"capacity": ("capacity", "events/s")},
    ),
    "batch cost": Kind(
        "A batch of n events takes a + b n.", {"a": ("a", "ns"), "b": ("b", "ns"), "a+b": ("a + b", "ns")}
    ),
}


def capacity(rates, generator=None) -> Fit:
    """Events per second at saturation, median of one rate per trial; `generator`: what the load generator does alone.

    Identified from 3 trials, with an interval no wider than 10 % to each side and, where that is known, a generator at
    least 1.5 times as fast. LabError when a rate is not positive and finite.
    """
    rates = _finite("rates", rates)
    alone = None if generator is None else float(np.median(_finite("the generator's rates", generator)))
    if rates.min() <= 0 or (alone is not None and alone <= 0):
        raise LabError("capacity: rates must be positive; remove incomplete trials")
    found = Estimate(*median_interval(rates)[:3])
    half = (found.high - found.low) / (2 * found.estimate)
    why = None
    if len(rates) < FEWEST:
        why = f"only {len(rates)} trials ({FEWEST} are needed)"
    elif half > HALF_WIDTH:
        why = f"its interval is {percent(round(half, 3))} wide to each side ({percent(HALF_WIDTH)} are allowed)"
    elif alone is not None and alone < GENERATOR * found.estimate:
        why = f"the generator alone is but {number(alone / found.estimate)} times as fast ({GENERATOR} are needed)"
    said = found.words("events/s")
    return _fit("capacity", {"capacity": found}, why, f"The capacity is {said}.", f"The capacity, {said},", len(rates))


def batch_line(batches, events, total_ns, squared_sizes, size_times_ns):
    """(a, b) of each row of sums, as `batch_cost` takes them, by least squares of a duration on its size: arrays
    or columns alike; nan where all batches are of one size."""
    spread = batches * squared_sizes - events**2
    b = (batches * size_times_ns - events * total_ns) / np.where(spread > 0, spread, np.nan)
    return (total_ns - b * events) / batches, b


def batch_cost(batches, events, total_ns, squared_sizes, size_times_ns, counts_by_size) -> Fit:
    """a and b of batches that take a + b n, in ns: least squares of a batch's duration on its size, from sums.

    By trial: the number of batches, of events in them (the sum of n), the sum of the durations, of n^2 and of n times
    duration. `counts_by_size`: columns of trials x k, how many batches of 2^k to 2^(k+1) - 1 events there were.
    Medians over trials. Identified with 3 trials, at least 3 sizes of 30 batches each (over all trials), the greatest 8
    times the least or more, and a b above 0. Otherwise only a + b is known, where batches are of one event.
    LabError when a sum is not finite or negative.
    """
    n, x, y, xx, xy = _columns(batches, events, total_ns, squared_sizes, size_times_ns)
    counts = np.atleast_2d(np.asarray(counts_by_size, dtype=np.float64))
    if counts.shape[0] != len(n) or not np.isfinite(counts).all():
        raise LabError("batch cost: every trial needs its counts of batch sizes; remove incomplete trials")
    sizes = np.flatnonzero(counts.sum(axis=0) >= BATCHES)
    a, b = batch_line(n, x, y, xx, xy)
    known = np.isfinite(b)
    a, b = a[known], b[known]
    why = None
    if len(sizes) < SIZES or 2.0 ** (sizes[-1] - sizes[0]) < SIZE_RATIO:
        seen = f"{counted(len(sizes), 'size')} of batches {'was' if len(sizes) == 1 else 'were'} seen {BATCHES} times"
        why = f"{seen} ({SIZES}, over a factor {SIZE_RATIO}, are needed)"
    elif int(known.sum()) < FEWEST:
        several = int(known.sum())
        why = f"only {counted(several, 'trial')} {'has' if several == 1 else 'have'} batches of several sizes"
        why += f" ({FEWEST} are needed)"
    elif np.median(b) <= 0:
        why = "batches of more events take no longer"
    if why is None:
        parameters = {name: Estimate(*median_interval(one)[:3]) for name, one in (("a", a), ("b", b))}
        a_ns, b_ns = (one.words("ns") for one in parameters.values())
        told = f"A batch of n events takes a + b n with a = {a_ns} and b = {b_ns}."
        return _fit("batch cost", parameters, None, told, "", len(n))
    single = (n > 0) & (x <= 1.05 * n)
    parameters = {"a": Estimate(math.nan), "b": Estimate(math.nan)}
    if single.any():
        parameters["a+b"] = one = Estimate(*median_interval(y[single] / n[single])[:3])
        why += f"; a batch of one takes {one.words('ns')}"
    return _fit("batch cost", parameters, why, "", "The cost of a batch and of an event", len(n))


def _fit(model: str, parameters: dict, why: str | None, told: str, what: str, trials: int) -> Fit:
    sentence = told if why is None else f"{what} cannot be identified here: {why}."
    how = "of medians over trials" if trials >= FEWEST else "none"
    short = f"from {counted(trials, 'trial')}" if why is None else f"not identified: {why}"
    return Fit(model, parameters, how, why is None, sentence, {"rows": trials}, KINDS[model], short)


def _columns(*columns) -> list[np.ndarray]:
    arrays = [_finite("sums", one) for one in columns]
    if len({one.shape for one in arrays}) > 1 or any((one < 0).any() for one in arrays):
        raise LabError("service costs: every trial needs its sums, none of them negative; remove incomplete trials")
    return arrays


def _finite(name: str, values) -> np.ndarray:
    values = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise LabError(f"service costs: {name} must be finite, one per trial; remove incomplete trials")
    return values
