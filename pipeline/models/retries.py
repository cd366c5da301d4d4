"""Optimistic retries: X = p X0.

A loop around a compare-and-set repeats until its attempt succeeds. Its twin does on the same contended cache line
what an attempt does, and cannot fail: a load, an atomic addition that needs the loaded value, and a branch on whether
another thread came between, for a processor that guessed that branch wrongly begins anew. If an attempt costs what the
twin's operation costs, of which X0 complete per second, then the loop completes p X0, where
p = operations / (operations + failed attempts) is the measured success rate. X / (p X0) is 1 where that holds; below 1
an attempt costs more than such an operation. The addition alone is no twin: it goes to the line once, an attempt twice.
"""

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.words.numbers import number, percent

TOLERANCE = 0.1
KIND = Kind(
    "p is the share of attempts that succeed. It explains the throughput X where the whole interval of X / (p X0) lies "
    f"within {percent(TOLERANCE)} of 1, and does not where all of it lies outside; X0 is the throughput of its "
    "twin, an operation that does what an attempt does and always succeeds.",
    {"p": ("p", "1"), "r": ("X / (p X0)", "1")},
)


def retries(throughput, unconditional, failed) -> Fit:
    """p and r = X / (p X0) from X and X0 (operations per second) and failed attempts per operation, one per trial.

    Medians over trials with intervals. The model explains the throughput when the whole interval of r lies inside
    1 +- 10 %, does not when it lies outside, and in between that is undecided; below 3 trials nothing is identified.
    LabError when a rate is not positive and finite, or a count is negative or not finite.
    """
    columns = [np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in (throughput, unconditional, failed)]
    throughput, unconditional, failed = columns
    if not all(one.size and np.isfinite(one).all() for one in columns):
        raise LabError("retries: every trial needs two rates and its failed attempts; remove incomplete trials")
    if (throughput <= 0).any() or (unconditional <= 0).any() or (failed < 0).any():
        raise LabError("retries: rates must be positive and failed attempts not negative; remove incomplete trials")
    success = 1 / (1 + failed)
    p = Estimate(*median_interval(success)[:3])
    r = Estimate(*median_interval(throughput / (success * unconditional))[:3])
    trials = len(success)
    identified = trials >= FEWEST
    succeed = f"{percent(round(p.estimate, 3))} of the attempts succeed"
    if not identified:
        short = f"too few trials ({trials}) for an interval"
        sentence = f"{short[0].upper()}{short[1:]}: the model cannot be judged here."
    else:
        cost = f"an attempt costs {number(1 / r.estimate)} times an operation that always succeeds"
        said = {
            "inside": (f"that alone explains the throughput within {percent(TOLERANCE)}", "explains it"),
            "outside": (f"that alone does not explain the throughput: {cost}", f"does not explain it: {cost}"),
            "across": (
                f"whether that alone explains the throughput within {percent(TOLERANCE)} is undecided",
                "undecided",
            ),
        }
        verdict, short = said[r.against(1 - TOLERANCE, 1 + TOLERANCE)]
        sentence = f"{succeed}; {verdict}."
    interval = "of medians over trials" if identified else "none"
    return Fit("retries", {"p": p, "r": r}, interval, identified, sentence, {"rows": trials}, KIND, short)
