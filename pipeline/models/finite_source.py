"""A lock with work outside it whose services are of two kinds and of any distribution: what was measured, and no law.

N threads work outside, exponentially, for Z on the average, then queue for the lock. Who finds it free takes one kind
of service, and who waited, because others were in, another: from the release before to its own, so that it holds what
it costs to pass the lock on. This is the queue M/G/1//N with a first service of its own. Exact, so nothing is simulated
and nothing scatters; the order in which those who wait are served does not matter, if services do not depend on it.

At the end of a service let t of the other N - 1 threads work outside. From t < N - 1 somebody waits, is served, and
meanwhile t + 1 threads work, each of which goes on working throughout a service S with probability exp(-S / Z): the
next t is binomial, averaged over S. It grows by 1 at most, so that the flow from t to t + 1 balances that from above t
to below: a recursion of sums of positive terms (the embedded chain of Takács 1962, chapter 5; with services of one kind
its closed form is the referee in the tests). One operation then takes, with p the share of t = N - 1, which is that of
those that find the lock free, 1 / X = p (Z / N + E[free]) + (1 - p) E[queued].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.ground.errors import LabError

MOST_THREADS = 256
CELL = 0.02  # values that lie closer than that, relatively, are taken as their mean
LEAST_SHARE = 1e-300


@dataclass(frozen=True)
class Times:
    """A distribution: values in ns, each with its share, which add up to 1; both of shape (k,)."""

    values: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, values, counts=None) -> Times:
        """Of one time, of times that were measured (or quantiles of them at levels evenly apart), or of those that a
        histogram has with their `counts`. Times within 2 % of each other become their mean.
        LabError when one is not finite or negative, there is none, or the counts are not of them."""
        values = np.atleast_1d(np.asarray(values, dtype=np.float64))
        counts = np.ones(values.shape) if counts is None else np.asarray(counts, dtype=np.float64)
        if values.ndim != 1 or not values.size or not (np.isfinite(values) & (values >= 0)).all():
            raise LabError("finite source: times must be finite, not negative, and at least one; remove the others")
        if counts.shape != values.shape or not (np.isfinite(counts) & (counts >= 0)).all() or not counts.sum() > 0:
            raise LabError("finite source: every time needs its count, and not all may be 0")
        cells = np.floor(np.log(np.maximum(values, np.finfo(float).tiny)) / CELL)
        cell = np.unique(cells, return_inverse=True)[1]
        mass, total = np.bincount(cell, counts), np.bincount(cell, counts * values)
        held = mass > 0
        return cls(total[held] / mass[held], mass[held] / mass.sum())

    @property
    def mean(self) -> float:
        return float(self.shares @ self.values)


def throughput(threads, outside: float, free: float | Times, queued: float | Times) -> np.ndarray:
    """X in ops/s of each number of threads, shape (n,); `outside` the mean in ns, the services of who finds the lock
    free and of who waited each one time in ns or Times.

    LabError when a number of threads is not whole, positive and 256 at most, work outside negative, a time not finite
    or negative, or the mean service 0.
    """
    n = np.atleast_1d(np.asarray(threads, dtype=np.float64))
    if n.ndim != 1 or not n.size or not ((n >= 1) & (n <= MOST_THREADS) & (n == np.round(n))).all():
        raise LabError(f"finite source: threads are whole numbers from 1 to {MOST_THREADS}")
    if not (np.isfinite(outside) and outside >= 0):
        raise LabError(f"finite source: work outside of {outside:g} ns; give a finite time in ns from 0")
    free, queued = (one if isinstance(one, Times) else Times.of(one) for one in (free, queued))
    if not min(free.mean, queued.mean) > 0:
        raise LabError("finite source: a service takes time; give one above 0 ns")
    if outside == 0:
        return 1e9 / np.where(n == 1, free.mean, queued.mean)
    most = int(n.max())
    first, other = (_still_outside(one, outside, most) for one in (free, queued))
    return np.array([1e9 / _per_operation(int(one), outside, (free.mean, queued.mean), first, other) for one in n])


def _per_operation(n: int, outside: float, means: tuple[float, float], first: np.ndarray, other: np.ndarray) -> float:
    """1 / X in ns. means: of both kinds of service; first, other: `_still_outside` of them."""
    starts = np.cumsum(first[n - 1])
    below = np.cumsum(other[:n], axis=1)  # row m, column t: at most t of m are still outside
    share = np.zeros(n)
    share[-1] = 1.0
    for t in range(n - 2, -1, -1):
        falls = share[t + 1 : -1] @ below[t + 2 :, t] + share[-1] * starts[t]
        share[t] = falls / max(other[t + 1, t + 1], LEAST_SHARE)
        share /= share.max()
    found_free = share[-1] / share.sum()
    return found_free * (outside / n + means[0]) + (1 - found_free) * means[1]


def _still_outside(service: Times, outside: float, most: int) -> np.ndarray:
    """Row m, column t, each from 0 to `most`: the probability that of m threads which work outside when a service
    begins t still do when it ends."""
    with np.errstate(over="ignore"):  # of hardly any work outside none is left when a service ends
        share = (service.values / outside)[:, None]
    stays, leaves = np.exp(-share), -np.expm1(-share)
    each = np.zeros((len(service.values), most + 1))
    each[:, 0] = 1.0
    rows = [service.shares @ each]
    for _ in range(most):
        before = each
        each = leaves * before
        each[:, 1:] += stays * before[:, :-1]
        rows.append(service.shares @ each)
    return np.array(rows)
