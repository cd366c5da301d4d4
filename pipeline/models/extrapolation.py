"""Extrapolation of a law of scaling: fitted to few threads, drawn on to more, and compared with what came there.

That is what people use Amdahl's law and the universal scalability law for (Gunther 1993 and 2007, chapter 5): to know
the throughput of threads that they do not have yet. So each law is fitted to the counts up to half of the CPUs, asked
for those above, up to all of them, and neither law nor interval has seen a trial of these. More threads than CPUs wait
for a CPU, of which the laws know nothing: their counts are left out.
"""

from __future__ import annotations

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.bootstrap import RESAMPLES
from pipeline.models.fit import Estimate, Fit, Kind, combined_factor
from pipeline.models.least_squares import Table, solve
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.models.sample_size import to_decide
from pipeline.models.scaling import MIN_DISTINCT, NAMES, fit_scaling, usl
from pipeline.models.scaling_intervals import from_resamples, quantities
from pipeline.words.numbers import counted, percent

TOLERANCE = 0.1
REGION = (1 / (1 + TOLERANCE), 1 + TOLERANCE)
LAWS = ("usl", "amdahl")
KIND = Kind(
    "Numbers are measured over foretold throughput. The law, fitted up to half of the CPUs, explains the others where "
    f"every interval lies within {percent(TOLERANCE)} of 1, and does not where one of them lies outside."
)


def extrapolate(threads, throughput, cpus: int, seed: int = 1) -> dict[str, Fit]:
    """By law, usl and amdahl: what it foretells of the counts above half of `cpus`, from those up to there.

    threads, throughput: one of each per trial, the latter in any unit. Parameters, by count: measured over foretold, of
    medians over trials and the interval of both (the law's by bootstrap over trials). details: `used` counts, and
    `foretold`, a row per count: threads, estimate, low and high in the unit of the throughput.
    The law explains them when every ratio lies within 10 % of 1, does not when one lies outside, and is undecided in
    between. Nothing is foretold (model None) from fewer than 6 counts, where the law does not even describe these, or
    where none was measured above.
    LabError as `fit_scaling`, and when there is no CPU, or lengths differ.
    """
    threads, throughput = np.asarray(threads, dtype=np.float64), np.asarray(throughput, dtype=np.float64)
    if cpus < 1 or threads.shape != throughput.shape or threads.ndim != 1 or not threads.size:
        raise LabError("extrapolation: every trial needs its threads and throughput, and the host at least one CPU")
    if not (np.isfinite(throughput) & (throughput > 0)).all():
        raise LabError("extrapolation: throughput must be positive and finite; remove the trials that measured nothing")
    used, asked = threads <= cpus / 2, (threads > cpus / 2) & (threads <= cpus)
    if why := _missing(threads[used], threads[asked], cpus):
        return {law: _nothing(law, why, threads[used]) for law in LAWS}
    return {
        law: _foretold(law, threads[used], throughput[used], threads[asked], throughput[asked], seed) for law in LAWS
    }


def _missing(used: np.ndarray, asked: np.ndarray, cpus: int) -> str:
    """What a prediction lacks, in a clause; empty where it lacks nothing."""
    half, counts = cpus // 2, len(np.unique(used))
    if half < MIN_DISTINCT:
        return f"half of {counted(cpus, 'CPU')} has no room for the {MIN_DISTINCT} thread counts that a law needs"
    if counts < MIN_DISTINCT:
        lacking = MIN_DISTINCT - counts
        return f"{counted(lacking, 'more thread count')} from 1 to {half} {'is' if lacking == 1 else 'are'} needed"
    return "" if len(asked) else f"nothing was measured with {half + 1} to {cpus} threads"


def _foretold(law: str, used, used_x, asked, asked_x, seed: int) -> Fit:
    fitted = fit_scaling(used, used_x, law, seed)
    if fitted.model is None:
        return _nothing(law, "it does not describe the counts used", used, f" {fitted.sentence}")
    unit = float(np.median(used_x))
    table = Table.of(used, used_x / unit)
    theta, drawn = (solve(table, sums, law, "relative") for sums in (table.sums(), table.resampled(seed, RESAMPLES)))
    counts, sizes = np.unique(asked, return_counts=True)
    trials = int(min(table.size.min(), sizes.min()))
    ratios, curve = {}, {}
    for count in counts.astype(int).tolist():
        (at,), resampled = (usl(count, *quantities(one)[:3]) * unit for one in (theta, drawn))
        curve[count] = from_resamples(at, resampled) if trials >= FEWEST else Estimate(float(at))
        ratios[count] = _ratio(Estimate(*median_interval(asked_x[asked == count])[:3]), curve[count])
    sentence, short = _told(law, ratios, trials, int(used.max()))
    details = {
        "rows": len(used) + len(asked),
        "used": np.unique(used).astype(int).tolist(),
        "foretold": [{"threads": count, **one.to_dict()} for count, one in curve.items()],
    }
    parameters = {f"with {counted(count, 'thread')}": one for count, one in ratios.items()}
    how = "of medians and bootstrap over trials" if trials >= FEWEST else "none"
    more = to_decide([*ratios.values()], *REGION, trials)
    return Fit(law, parameters, how, trials >= FEWEST, sentence, details, KIND, short, more)


def _ratio(came: Estimate, told: Estimate) -> Estimate:
    """Measured over foretold, which the intervals of both move."""
    ratio = came.estimate / told.estimate
    return combined_factor(
        ratio,
        (came.low / told.estimate, came.high / told.estimate),
        (came.estimate / told.high, came.estimate / told.low),
    )


def _told(law: str, ratios: dict[int, Estimate], trials: int, half: int) -> tuple[str, str]:
    """The sentence, and what of it a table of such fits does not say already."""
    name, most = f"{NAMES[law]}, fitted up to {counted(half, 'thread')},", counted(max(ratios), "thread")
    if trials < FEWEST:
        short = f"too few trials ({trials}) for an interval"
        return f"{short[0].upper()}{short[1:]}: what {NAMES[law]} foretells cannot be judged here.", short
    where = {count: one.against(*REGION) for count, one in ratios.items()}
    off = [count for count, verdict in where.items() if verdict == "outside"]
    if off:
        worst = max(off, key=lambda count: abs(np.log(ratios[count].estimate)))
        one, at = ratios[worst], counted(worst, "thread")
        said = one.words()
        return (
            f"{name} does not explain it: with {at} came {said} times what it foretold.",
            f"does not explain it at {at}",
        )
    if set(where.values()) == {"inside"}:
        return f"{name} foretells the throughput up to {most} within {percent(TOLERANCE)}.", "explains it"
    return (
        f"{name} is undecided up to {most}: no interval lies off by more than {percent(TOLERANCE)}, but not every one "
        "is that narrow.",
        "undecided",
    )


def _nothing(law: str, why: str, used: np.ndarray, more: str = "") -> Fit:
    sentence = f"{NAMES[law]} foretells nothing here: {why}.{more}"
    details = {"rows": len(used), "used": np.unique(used).astype(int).tolist(), "foretold": []}
    return Fit(None, {}, "none", False, sentence, details, KIND, f"nothing foretold: {why}")
