"""A lock with work outside it: N threads in a closed queue in front of one server.

A thread works for Z on the average outside the lock, then asks for it, waits, and is served for S: acquire, critical
section and release, with what moving the lock to another owner costs. That is another time for who finds the lock free
(F) than for who waited (S). Nobody comes or leaves, so N is fixed and by Little's law N = X (R + Z), where R is the
residence time at the lock.

bound       X <= min(N / (Z + F), 1 / S), the asymptotic bound; threads that all take the same times reach it, for they
            fall into step (Denning and Buzen 1978; Lazowska et al. 1984, chapter 5; Kleinrock 1976)
repairman   the machine repairman M/M/1//N, exact where Z and S are exponential (Feller 1968, XVII.5; Kleinrock 1975,
            section 3.8), by mean value analysis (Reiser and Lavenberg 1980). With an F of its own the server takes F
            as long as one thread is there, and S while there are more: a rate that depends on the load, for which the
            same analysis is exact (Lavenberg and Reiser). Of the one that is left after others F is said, not S: at
            most a few percent; what is exact there, and for any distribution, is `pipeline.models.finite_source`

The two branches of the bound meet where N = (Z + F) / S, the knee: with less work outside the lock is what limits.
Times in ns, X in operations per second.

Both take several locks of which each operation chooses one at random: a lock is then visited by one operation in k, and
k exponential servers are a product form that mean value analysis solves exactly (Reiser and Lavenberg 1980).
"""

from __future__ import annotations

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.models.sample_size import to_decide
from pipeline.words.numbers import percent, quantity

TOLERANCE = 0.1
KIND = Kind(
    "Numbers are measured over predicted throughput. The queue explains it where every interval lies within "
    f"{percent(TOLERANCE)} of 1, and does not where one of them lies outside."
)


def bound(threads, outside_ns, service_ns, locks=1, free_ns=None) -> np.ndarray:
    """The asymptotic bound of X, that of few threads and that of many. Where F is less than S, threads near the knee
    may be above it, for they find the lock free now and then. LabError as `repairman`."""
    n, z, s, k, f = _checked(threads, outside_ns, service_ns, locks, free_ns)
    return 1e9 * np.minimum(n / (z + f), k / s)


def repairman(threads, outside_ns, service_ns, locks=1, free_ns=None) -> np.ndarray:
    """X of M/M/1//N, or of so many `locks` that are chosen uniformly, each time anew. free_ns: F; S where not given.

    LabError when a number of threads or locks is not whole and positive, Z negative or a service not positive.
    """
    n, z, s, k, f = _checked(threads, outside_ns, service_ns, locks, free_ns)
    throughput, waiting, idle = np.zeros(n.shape), np.zeros(n.shape), np.ones(n.shape)
    for present in range(1, int(n.max()) + 1):
        # Who arrives finds each lock as one thread fewer leaves it: with so many there, or free.
        stays = s * (1 + waiting) - (s - f) * idle
        rate = present / (z + stays)
        waiting = rate / k * stays
        idle = np.clip(1 - rate / k * (s - (s - f) * idle), 0, 1)
        throughput = np.where(n == present, 1e9 * rate, throughput)
    return throughput


def residence(threads, outside_ns, throughput) -> np.ndarray:
    """R = N / X - Z in ns."""
    return np.asarray(threads) * 1e9 / np.asarray(throughput) - np.asarray(outside_ns)


def knee(threads, service_ns, free_ns) -> np.ndarray:
    """The work outside, in ns, at which the branches of the bound meet; 0 where the lock never is what limits."""
    return np.maximum(np.asarray(threads) * np.asarray(service_ns) - np.asarray(free_ns), 0)


def judge(outside, measured, predicted, unhindered) -> Fit:
    """Whether the queue explains a throughput measured at several values of the work outside.

    One value each per trial: the work outside that was asked for (ns), X measured and predicted, and N / (Z + S), what
    threads that never met would do. The model explains X when the interval of measured / predicted lies within 10 % of
    1 at every value, does not when it lies outside at one of them, and is undecided otherwise. Where threads that never
    met would do as much within 10 % everywhere, or trials are too few, nothing is identified.
    LabError when a throughput is not positive and finite or the lengths differ.
    """
    columns = [np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in (outside, measured, predicted, unhindered)]
    if len({one.shape for one in columns}) > 1 or columns[0].ndim != 1 or not columns[0].size:
        raise LabError("closed queue: every trial needs its work outside and three throughputs")
    outside, measured, predicted, unhindered = columns
    if not all(np.isfinite(one).all() and (one > 0).all() for one in columns[1:]):
        raise LabError("closed queue: throughputs must be positive and finite; remove incomplete trials")
    ratios, queueing = {}, []
    for value in np.unique(outside):
        here = outside == value
        ratios[value] = Estimate(*median_interval(measured[here] / predicted[here])[:3])
        queueing.append(abs(np.median(predicted[here] / unhindered[here]) - 1) > TOLERANCE)
    parameters = {f"at {quantity(value, 'ns')}": ratio for value, ratio in ratios.items()}
    fewest = min(int((outside == value).sum()) for value in ratios)
    identified = fewest >= FEWEST and any(queueing)
    how = "of medians over trials" if fewest >= FEWEST else "none"
    sentence, short = _told(ratios, fewest, any(queueing))
    more = to_decide([*ratios.values()], 1 / (1 + TOLERANCE), 1 + TOLERANCE, fewest) if short == "undecided" else None
    return Fit("closed queue", parameters, how, identified, sentence, {"rows": len(outside)}, KIND, short, more)


def _told(ratios: dict[float, Estimate], fewest: int, queueing: bool) -> tuple[str, str]:
    """The sentence, and what of it a table of such fits does not say already."""
    if fewest < FEWEST:
        short = f"too few trials ({fewest}) for an interval"
        return f"{short[0].upper()}{short[1:]}: the queue cannot be judged here.", short
    if not queueing:
        short = "the threads hardly meet"
        return (
            "The threads hardly meet at any work outside that was measured: the queue cannot be identified here.",
            short,
        )
    off = {value: one for value, one in ratios.items() if one.low > 1 + TOLERANCE or one.high < 1 / (1 + TOLERANCE)}
    if off:
        value, worst = max(off.items(), key=lambda item: abs(np.log(item[1].estimate)))
        ratio = worst.words()
        outside = quantity(value, "ns")
        sentence = f"The queue does not explain it: with {outside} outside, {ratio} times the prediction."
        return sentence, f"does not explain it at {outside}"
    if all(1 / (1 + TOLERANCE) <= one.low and one.high <= 1 + TOLERANCE for one in ratios.values()):
        return "The queue explains the throughput within 10 % at every work outside.", "explains it"
    sentence = "Undecided: no interval lies off the prediction by more than 10 %, but not every one is that narrow."
    return sentence, "undecided"


def _checked(threads, outside_ns, service_ns, locks, free_ns=None) -> tuple[np.ndarray, ...]:
    free_ns = service_ns if free_ns is None else free_ns
    given = threads, outside_ns, service_ns, locks, free_ns
    n, z, s, k, f = np.broadcast_arrays(*(np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in given))
    if not n.size or not all(np.isfinite(one).all() for one in (n, z, s, k, f)):
        raise LabError("closed queue: every trial needs threads, work outside and service; remove incomplete trials")
    if (
        any((one < 1).any() or (one != np.round(one)).any() for one in (n, k))
        or (z < 0).any()
        or (np.minimum(s, f) <= 0).any()
    ):
        raise LabError("closed queue: whole threads from 1, work outside from 0 and a service above 0 are needed")
    return n, z, s, k, f
