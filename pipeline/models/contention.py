"""Throughput by threads of a lock with work outside it, and what would move it.

Each of N threads works for Z outside, then needs the lock, whose section (acquire, what it guards, release) takes S
where the lock is free. To pass it on to a thread that waits takes h on top: S + h is the time from one release to the
next while somebody waits. A lock that its owner may take again before those who wait beats the curve, and one that
costs more to pass on the more wait lies below it.

throughput  the machine repairman M/M/1//N, exact where work and service are exponential and the server takes S with one
            thread there and S + h with more (Feller 1968, XVII.5), by mean value analysis (Reiser and Lavenberg 1980;
            `pipeline.models.closed_queue`)
bound       min(N / (Z + S), 1 / (S + h)): what the curve nears with few threads, and with many (Denning and Buzen
            1978). Services that are all alike come closer to it; near the knee some find the lock free, and where h is
            not 0 the curve may be above it
knee        N* = (Z + S) / (S + h), where its branches meet (Kleinrock 1976): from there on threads queue
limit       1 / (S + h), which throughput nears the more threads queue

With k locks each operation needs one of them, chosen uniformly and anew, as keys of a hash table choose their stripe: k
exponential servers in product form, of which knee and limit are k times as high. Real keys are not uniform: a hot one
brings less. Times in ns, rates in operations per second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models import closed_queue
from pipeline.models.fit import Estimate, combined_factor

BASE = "as it is"
MOST_THREADS = 4096
LEAST, MOST = 1e-6, 1e15  # ns, of a section, and of any time
TAKEN_FOR_GRANTED = (
    "Taken for granted: a CPU for each thread, exponential times, a hand-over wherever a thread waited, "
    "locks chosen at random. The knee is the number of threads from which on they queue."
)


@dataclass(frozen=True)
class Curve:
    """By number of threads, n of each: the predicted throughput and its bound, in ops/s. knee: in threads; limit: in
    ops/s. An interval is there where one of the times has one."""

    threads: np.ndarray
    throughput: tuple[Estimate, ...]
    bound: np.ndarray
    knee: Estimate
    limit: Estimate


def curve(threads, outside, section, handover=0.0, locks: int = 1) -> Curve:
    """The curve of numbers of threads (n,) from mean times in ns, each a number or an Estimate.

    The band: each time moves within its own interval, and the distances add as squares, on the logarithm
    (`pipeline.models.fit.combined`). A time without an interval is taken as known.
    LabError when numbers of threads or locks are not whole and positive, threads more than 4,096, or a time is
    negative, above 1e15 ns or, of the section, below 1e-6 ns.
    """
    n = np.atleast_1d(np.asarray(threads, dtype=np.float64))
    if n.ndim != 1 or not n.size or not ((n >= 1) & (n <= MOST_THREADS) & (n == np.round(n))).all():
        raise LabError(f"contention: threads are whole numbers from 1 to {MOST_THREADS:,}")
    if not (locks >= 1 and locks == np.round(locks)):
        raise LabError(f"contention: {locks:g} locks; give a whole number from 1")
    times = _ends("mean work outside", outside), _ends("section", section, LEAST), _ends("hand-over", handover)
    # One row with all times as they are, then two for each time, with its low and its high end.
    moved = np.repeat([[estimate for estimate, _, _ in times]], 1 + 2 * len(times), axis=0)
    for column, (_, low, high) in enumerate(times):
        moved[[1 + 2 * column, 2 + 2 * column], column] = low, high
    z, s, h = moved.T[:, :, None]
    throughput = closed_queue.repairman(n, z, s + h, locks, s)
    knee, limit = locks * (z + s) / (s + h), 1e9 * locks / (s + h)
    known = all((ends == ends[0]).all() for ends in times)
    *rates, knee, limit = (_with_band(column, known) for column in np.hstack([throughput, knee, limit]).T)
    return Curve(n.astype(int), tuple(rates), closed_queue.bound(n, z, s + h, locks, s)[0], knee, limit)


def what_ifs(threads, outside, section, handover=0.0, locks: int = 2) -> dict[str, Curve]:
    """By what is changed, BASE first: the curve as it is, with half of the section, with several locks in place of one,
    and with twice the work outside. The hand-over stays. LabError as `curve`."""
    asked = {
        BASE: (outside, section, 1),
        "section halved": (outside, _times(section, 0.5), 1),
        f"{locks} locks": (outside, section, locks),
        "work outside doubled": (_times(outside, 2.0), section, 1),
    }
    return {name: curve(threads, z, s, handover, k) for name, (z, s, k) in asked.items()}


def _ends(name: str, value: float | Estimate, least: float = 0.0) -> np.ndarray:
    """A time and the ends of its interval, which are the time itself where it has none; that of a difference may reach
    below 0, where no time lies."""
    one = value if isinstance(value, Estimate) else Estimate(float(value))
    ends = np.array([one.estimate, one.low, one.high])
    ends[np.isnan(ends)] = one.estimate
    ends[1] = max(ends[1], 0.0)
    if wrong := [end for end in ends if not least <= end <= MOST]:
        raise LabError(f"contention: a {name} of {wrong[0]:g} ns; give one from {least:g} to {MOST:g} ns")
    return ends


def _with_band(moved: np.ndarray, known: bool) -> Estimate:
    """A positive quantity of all times as they are, then with each of them at both ends of its interval; without an
    interval where all times are known."""
    if known:
        return Estimate(float(moved[0]))
    ends = moved[1:].reshape(-1, 2)
    return combined_factor(float(moved[0]), *zip(ends.min(axis=1), ends.max(axis=1), strict=True))


def _times(value: float | Estimate, factor: float) -> float | Estimate:
    if isinstance(value, Estimate):
        return Estimate(value.estimate * factor, value.low * factor, value.high * factor)
    return value * factor
