"""What the curve of a lock by threads starts from, taken from a run: section, hand-over, work outside, what came.

The lock is measured with work outside it, every operation timed, and the log of operations says what each took of the
lock: the section is what one took that found it free, and the hand-over what it took more, in the mean, from the
release before to its own, where it had to wait. Both are with the work outside that is asked for, and where the fewest
threads meet: it costs more to pass a lock on the more wait for it, so a curve from two threads is that of a lock whose
hand-over stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from pipeline.analyse import estimates
from pipeline.catalogue.entry import Experiment
from pipeline.ground.errors import LabError
from pipeline.models.contention import Curve
from pipeline.models.fit import Estimate, combined
from pipeline.session import closed_queue
from pipeline.session.session import Session
from pipeline.words.numbers import counted, number, quantity

# Which metric is which word of the model.
WORDS = closed_queue.WORDS
LAW = "exponential"  # of the work outside, as the models take it


@dataclass(frozen=True)
class Measured:
    """Mean times in ns, and where each was measured, in words; throughput in ops/s by threads, with the work outside
    that `outside` is of. hand-over: at least 0."""

    times: Mapping[str, Estimate]
    where: Mapping[str, str]
    throughput: Mapping[int, Estimate]


def holds(entry: Experiment) -> bool:
    """Whether an experiment has all that is looked for here."""
    return set(WORDS.values()) <= set(entry.metrics) and {"threads", *closed_queue.AXES.values()} <= set(entry.axes)


def locks(lab: Session) -> dict[str, list[str]]:
    """The variants that several threads had with work outside, in the catalogue's order, each with its runtimes."""
    rows = _outside(lab, "free")
    on = {name: sorted(set(rows.loc[rows["variant"] == name, "runtime"])) for name in lab.entry.variants}
    return {name: found for name, found in on.items() if found}


def measured(lab: Session, variant: str, runtime: str, asked: float | None = None) -> Measured:
    """The times of one of the `locks` on one of its runtimes.

    asked: the work outside in ns; one that was not measured is taken as it is, with the services of the nearest that
    was, and nothing came. None: the longest but one. LabError where the run lacks the services or the work outside.
    """
    lock = {"variant": variant, "runtime": runtime}
    think, free, queued = (
        _outside(lab, word, **lock).sort_values("threads", kind="stable") for word in ("think", "free", "queued")
    )
    both = set(free["outside"]) & set(queued["outside"]) & set(think["outside"])
    if not both:
        lacking = next(
            (WORDS[word] for word, rows in (("think", think), ("free", free)) if rows.empty), WORDS["queued"]
        )
        raise LabError(f"run {lab.run!r} has no {lacking} of {variant} with several threads; give the times as numbers")
    if asked is None:
        asked = sorted(both)[-2:][0]
    near = min(both, key=lambda one: abs(math.log(one / asked)) if asked > 0 else one)
    think, free, queued = (rows[rows["outside"] == near] for rows in (think, free, queued))
    found = [_estimate(rows) for rows in (free, queued)]
    meeting = {name: _meeting(int(rows["threads"].iloc[0]), near) for name, rows in (("think", think), ("free", free))}
    times = {"section": found[0], "hand-over": _handover(*found)}
    where = dict.fromkeys(times, meeting["free"])
    if asked != near:
        given = {"outside": Estimate(asked)}, {"outside": "given; with so much nothing was measured"}
        return Measured(times | given[0], where | given[1], {})
    came = _outside(lab, "throughput", **lock, outside=asked)
    return Measured(
        times | {"outside": _estimate(think)},
        where | {"outside": meeting["think"]},
        {int(count): _estimate(rows) for count, rows in came.groupby("threads")},
    )


def works(lab: Session, variant: str, runtime: str) -> list[float]:
    """The work outside, in ns as it was asked for, with which one of the `locks` was measured, the least first."""
    return sorted(set(_outside(lab, "think", variant=variant, runtime=runtime)["outside"]))


def compared(curve: Curve, came: Mapping[int, Estimate]) -> str:
    """In a sentence how far measured throughput is from a curve where that has the thread counts; empty without any."""
    predicted = zip(curve.threads.tolist(), curve.throughput, strict=True)
    factors = sorted(came[count].estimate / one.estimate for count, one in predicted if count in came)
    if not factors:
        return ""
    least, most = number(factors[0]), number(factors[-1])
    return f"Measured throughput is {least if least == most else f'{least}–{most}'}x what is predicted."


def _meeting(threads: int, outside: float) -> str:
    return f"{counted(threads, 'thread')}, {quantity(outside, 'ns')} outside asked for"


def _outside(lab: Session, word: str, **where: str | float) -> pd.DataFrame:
    """Estimates of a word of the model for several threads with work outside, on the nearest CPUs."""
    rows = estimates.select(lab.estimates, {"metric": WORDS[word], "outside_law": LAW, **where})
    return rows[rows["threads"] > 1]


def _handover(free: Estimate, queued: Estimate) -> Estimate:
    """Queued less free, which the intervals of both move."""
    found = combined(
        queued.estimate - free.estimate,
        (queued.low - free.estimate, queued.high - free.estimate),
        (queued.estimate - free.high, queued.estimate - free.low),
    )
    return found if found.estimate > 0 else Estimate(0.0, 0.0, max(found.high, 0.0))


def _estimate(rows: pd.DataFrame) -> Estimate:
    return Estimate(*(float(rows[name].iloc[0]) for name in ("estimate", "low", "high")))
