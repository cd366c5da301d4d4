"""What the curve of a lock by threads starts from, taken from a run: section, hand-over, work outside, what came.

The lock is measured with work outside it. With the longest, threads hardly meet, and the time at the lock is a section,
and a hand-over where the owner before was another thread: once in B operations, the run length there. The section by
itself is what an operation costs one thread alone, of the same kernel without work outside. So the hand-over is
h = B (time at the lock - section), as `pipeline.models.handover` has it, here at its cheapest: a thread that comes from
its work finds the lock free. It holds whatever else a single operation costs more than many in a row.
"""

from __future__ import annotations

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
WORDS = closed_queue.WORDS | {"run": "run_length", "alone": "cost"}
LAW = "exponential"  # of the work outside, as the models take it


@dataclass(frozen=True)
class Measured:
    """Mean times in ns, and where each was measured, in words; throughput in ops/s by threads, with the work outside
    that `outside` is of. hand-over: 0 where the section could not be measured without it."""

    times: Mapping[str, Estimate]
    where: Mapping[str, str]
    throughput: Mapping[int, Estimate]


def holds(entry: Experiment) -> bool:
    """Whether an experiment has all that is looked for here."""
    return set(WORDS.values()) <= set(entry.metrics) and {"threads", *closed_queue.AXES.values()} <= set(entry.axes)


def locks(lab: Session) -> dict[str, list[str]]:
    """The variants that several threads had with work outside, in the catalogue's order, each with its runtimes."""
    rows = _outside(lab, "residence")
    on = {name: sorted(set(rows.loc[rows["variant"] == name, "runtime"])) for name in lab.entry.variants}
    return {name: found for name, found in on.items() if found}


def measured(lab: Session, variant: str, runtime: str, asked: float | None = None) -> Measured:
    """The times of one of the `locks` on one of its runtimes.

    asked: the work outside in ns; one that was not measured is taken as it is, and nothing came. None: the longest but
    that with which the section is measured. LabError where the run lacks the run length or the work outside.
    """
    lock = {"variant": variant, "runtime": runtime}
    stays = _outside(lab, "residence", **lock).sort_values(["outside", "threads"], ascending=[False, True])
    longest, threads = float(stays["outside"].iloc[0]), int(stays["threads"].iloc[0])
    meeting = _meeting(threads, longest)
    run = _outside(lab, "run", **lock, outside=longest, threads=threads)
    think = _outside(lab, "think", **lock).sort_values("threads", kind="stable")
    if run.empty or think.empty:
        lacking = WORDS["run" if run.empty else "think"]
        raise LabError(f"run {lab.run!r} has no {lacking} of {variant} with {meeting}; give the times as numbers")
    if alone := _alone(lab, **lock):
        name, section = alone
        times = {"section": section, "hand-over": _handover(_estimate(stays), section, _estimate(run))}
        where = {"section": f"{name}, 1 thread alone", "hand-over": meeting}
    else:
        times = {"section": _estimate(stays), "hand-over": Estimate(0.0)}
        where = {"section": f"{meeting}: no thread alone was measured", "hand-over": "in the section"}
    if asked is None:
        asked = float(max(set(think["outside"]) - {longest}, default=longest))
    think = think[think["outside"] == asked]
    if think.empty:
        given = {"outside": Estimate(asked)}, {"outside": "given; with so much nothing was measured"}
        return Measured(times | given[0], where | given[1], {})
    times["outside"], where["outside"] = _estimate(think), _meeting(int(think["threads"].iloc[0]), asked)
    came = _outside(lab, "throughput", **lock, outside=asked)
    return Measured(times, where, {int(count): _estimate(rows) for count, rows in came.groupby("threads")})


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


def _alone(lab: Session, variant: str, runtime: str) -> tuple[str, Estimate] | None:
    """The label of the first variant that runs the same without work outside and was measured with one thread, and what
    an operation costs it; None where there is none."""
    where = {"metric": WORDS["alone"], "runtime": runtime, "threads": 1, "outside": None}
    runs = {name: (one.harness, one.runs, one.flags_on(runtime)) for name, one in lab.entry.variants.items()}
    for name in (name for name, does in runs.items() if does == runs[variant]):
        rows = estimates.select(lab.estimates, {"variant": name, **where})
        if len(rows):
            return lab.entry.variants[name].label, _estimate(rows)
    return None


def _handover(stays: Estimate, section: Estimate, run: Estimate) -> Estimate:
    """B (time at the lock - section), which the intervals of all three move."""
    own, length = stays.estimate - section.estimate, run.estimate
    found = combined(
        length * own,
        (length * (stays.low - section.estimate), length * (stays.high - section.estimate)),
        (length * (stays.estimate - section.high), length * (stays.estimate - section.low)),
        tuple(sorted((run.low * own, run.high * own))),
    )
    return found if own > 0 else Estimate(0.0, 0.0, max(found.high, 0.0))


def _estimate(rows: pd.DataFrame) -> Estimate:
    return Estimate(*(float(rows[name].iloc[0]) for name in ("estimate", "low", "high")))
