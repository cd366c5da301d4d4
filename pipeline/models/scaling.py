"""Throughput against thread count: linear, Amdahl or the Universal Scalability Law (USL).

X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)): lambda is the throughput of one thread, 0 <= sigma <= 1 the
contention and kappa >= 0 the coherency (Gunther 2007); Amdahl is kappa = 0, linear sigma = kappa = 0.

Fitted by least squares of relative errors, because the trials of one host scatter by a factor (least_squares.py).
errors="absolute" gives the numbers of R's usl package: for its SPEC SDM91 table sigma = 0.0277 against 0.0134 here, as
it lets the curve miss the one-user point by 28 %, which is a small absolute error.

The law is chosen by AICc = -2 log L + 2 k + 2 k (k + 1) / (n - k - 1), where -2 log L = n log(RSS / n), plus
2 sum log Xhat when errors are relative; n trials, k parameters with the error variance (Burnham and Anderson 2002,
sections 2.4 and 7.3). Laws less than 2 apart are said to be equally good.
Intervals, 95 %: bootstrap over trials when every thread count has 3 or more, else Student's t (scaling_intervals.py).
"""

import math
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.ground.errors import LabError
from pipeline.models.bootstrap import MIN_TRIALS, RESAMPLES
from pipeline.models.csv_file import read_columns
from pipeline.models.family import outside
from pipeline.models.fit import Estimate, Fit, Kind, finite
from pipeline.models.least_squares import FREE, Table, solve
from pipeline.models.scaling_intervals import from_resamples, quantities, student
from pipeline.words.numbers import number

MIN_DISTINCT = 6
MAX_THREADS = 1_000_000
MAX_THROUGHPUT = 1e200  # sums and the ends of intervals stay finite
ERRORS = ("relative", "absolute")
RMS_FLOOR = 1e-9  # exact data: the residuals are rounding errors and must not choose the law
NAMES = {"linear": "Linear scaling", "amdahl": "Amdahl's law", "usl": "The Universal Scalability Law"}
KIND = Kind("X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)); Amdahl's law has no kappa, a line neither.")
SAME = 2.0


def fit_scaling_csv(path, model: str = "auto", seed: int = 1, errors: str = "absolute") -> dict:
    """`fit_scaling` of the columns `threads` and `throughput` of a CSV file, as JSON-ready values; a column `block`, a
    number that trials of one round share, is used where there is one, others are ignored.

    Absolute errors unless told otherwise, as R's usl: nothing is known of how a stranger's table scatters, and where it
    scatters by a constant, relative errors double sigma and cover it in 72 to 81 % instead of 95.
    LabError names file, line and value of whatever cannot be used.
    """
    rows = read_columns(Path(path), ["threads", "throughput"], optional=("block",))
    for line, row in rows:
        threads, throughput = row["threads"], row["throughput"]
        if threads != int(threads) or not 1 <= threads <= MAX_THREADS:
            raise LabError(
                f"{path}:{line}: threads {threads:g} is not a whole number from 1 to {MAX_THREADS}; correct it"
            )
        if throughput <= 0:
            raise LabError(f"{path}:{line}: throughput {throughput:g} is not positive; correct it or remove the line")
    table = pd.DataFrame(row for _, row in rows)
    try:
        return fit_scaling(table["threads"], table["throughput"], model, seed, errors, table.get("block")).to_dict()
    except LabError as error:
        raise LabError(f"{path}: {error}") from None


def fit_scaling(threads, throughput, model: str = "auto", seed: int = 1, errors: str = "relative", blocks=None) -> Fit:
    """Fit of one row per trial; throughput in any unit, lambda and the peak have the same.

    blocks: by trial, which round of the host's drift it ran in; each round's common factor is taken out first.

    model: "auto" or a law to use whatever AICc says. errors: "relative" or "absolute".
    The result names no law (model None, parameters nan) when there are fewer than 6 distinct thread counts or the table
    is outside the family. LabError: unknown model or errors, fewer than two thread counts, a throughput that is not
    positive or above 1e200, throughput over more than 12 decades.
    """
    if model not in ("auto", *FREE):
        raise LabError(f"model {model!r} is unknown; choose auto, {', '.join(FREE)}")
    if errors not in ERRORS:
        raise LabError(f"errors {errors!r} is unknown; choose {' or '.join(ERRORS)}")
    threads, throughput = np.asarray(threads, dtype=np.float64), np.asarray(throughput, dtype=np.float64)
    if len(np.unique(threads)) < 2:
        raise LabError("too few values: at least 2 distinct thread counts are needed, and 6 to identify a law")
    if not (np.isfinite(throughput).all() and throughput.min() > 0 and threads.min() >= 1):
        raise LabError("threads must be 1 or more and throughput positive; remove the trials that measured nothing")
    if throughput.max() > MAX_THROUGHPUT:
        raise LabError(f"throughput {throughput.max():g} is above {MAX_THROUGHPUT:g}; give it in a larger unit")
    if throughput.max() > 1e12 * throughput.min():
        raise LabError("throughput spans more than 12 decades; give all rows in one unit")
    if blocks is not None:
        throughput = without_blocks(threads, throughput, np.asarray(blocks))
    unit = float(np.median(throughput))
    table = Table.of(threads, throughput / unit)
    sums = table.sums()
    thetas = {name: solve(table, sums, name, errors)[0] for name in FREE}
    scores = {name: aicc(table, theta, errors, FREE[name] + 1) for name, theta in thetas.items()}
    details = {
        "errors": errors,
        "aicc": {name: finite(score) for name, score in scores.items()},
        "peak": None,
        "distinct_threads": len(table.threads),
        "rows": len(threads),
    }
    chosen = min(scores, key=scores.get) if model == "auto" else model
    judged = "usl" if model == "auto" else model
    why = outside(table, thetas[judged], judged)
    parts = []
    if why:
        family = "linear, Amdahl and USL" if model == "auto" else NAMES[model]
        parts.append(f"{why[0].upper()}{why[1:]}: outside {family}, so no curve is fitted.")
    if len(table.threads) < MIN_DISTINCT:
        found = f"Only {len(table.threads)} distinct thread counts ({MIN_DISTINCT} are needed)"
        parts.append(f"{found}: lambda, sigma and kappa cannot be identified here.")
    if parts:
        unknown = {name: Estimate(math.nan) for name in ("lambda", "sigma", "kappa")}
        return Fit(None, unknown, "none", False, " ".join(parts), details)
    return _described(chosen, table, thetas[chosen], scores, unit, seed, model == "auto", details)


def without_blocks(threads: np.ndarray, throughput: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Throughput divided by its block's factor, the geometric mean of which is 1.

    A host that drifts scales all thread counts of a block alike, and only their ratios say anything of sigma and kappa.
    Least squares of log X = thread count + block, so that a block may lack some counts.
    """
    group, round_ = (np.unique(one, return_inverse=True)[1] for one in (threads, blocks))
    design = np.hstack([np.eye(group.max() + 1)[group], np.eye(round_.max() + 1)[round_]])
    effects = np.linalg.lstsq(design, np.log(throughput), rcond=None)[0][group.max() + 1 :][round_]
    return throughput / np.exp(effects - effects.mean())


def minus_two_log_likelihood(table: Table, theta: np.ndarray, errors: str) -> float:
    """Of normal errors with constant standard deviation, or with one proportional to Xhat; constants left out."""
    residuals, fitted = table.residuals(theta, errors), table.fitted(theta)
    if errors == "relative":
        floor, jacobian = RMS_FLOOR, 2 * np.log(fitted).sum()
    else:
        floor, jacobian = RMS_FLOOR * fitted.mean(), 0.0
    return float(len(residuals) * np.log(max(np.mean(residuals**2), floor**2)) + jacobian)


def aicc(table: Table, theta: np.ndarray, errors: str, k: int) -> float:
    """Akaike's criterion with the small-sample correction; nan when n - k - 1 < 1."""
    n = len(table.x)
    if n - k - 1 < 1:
        return math.nan
    return minus_two_log_likelihood(table, theta, errors) + 2 * k + 2 * k * (k + 1) / (n - k - 1)


def usl(threads, lam: float, sigma: float, kappa: float):
    """X(N), for drawing the curve."""
    threads = np.asarray(threads, dtype=np.float64)
    return lam * threads / (1 + sigma * (threads - 1) + kappa * threads * (threads - 1))


def _described(chosen, table, theta, scores, unit, seed, by_aicc, details) -> Fit:
    errors = details["errors"]
    repeated = table.size.min() >= MIN_TRIALS
    if repeated:
        resampled = solve(table, table.resampled(seed, RESAMPLES), chosen, errors)
        estimates = [from_resamples(*pair) for pair in zip(quantities(theta), quantities(resampled), strict=True)]
    else:
        estimates = student(table, theta, FREE[chosen], errors)
    lam, sigma, kappa, peak, top = estimates
    parameters = {"lambda": _times(lam, unit)}
    for name, one, position in (("sigma", sigma, 1), ("kappa", kappa, 2)):
        parameters[name] = one if position < FREE[chosen] else Estimate(0.0)
    notes = [
        f"{name} is at its bound {number(one.estimate)}, its interval is one-sided"
        for name, one in list(parameters.items())[1 : FREE[chosen]]
        if not repeated and one.estimate in (one.low, one.high)
    ]
    details["rms_error"] = float(np.sqrt(np.mean(table.residuals(theta, "relative") ** 2)))
    if math.isfinite(peak.estimate):
        top = _times(top, unit)
        details["peak"] = {
            **{"threads": peak.estimate, "threads_low": finite(peak.low), "threads_high": finite(peak.high)},
            **{"throughput": top.estimate, "throughput_low": finite(top.low), "throughput_high": finite(top.high)},
        }
        beyond = ", beyond the measured thread counts" if peak.estimate > table.threads[-1] else ""
        notes.append(f"throughput peaks at N = {peak.words()} with {top.words()}{beyond}")
    hidden = _hidden(table, chosen, errors)
    details["kappa_hidden"] = finite(hidden)
    if math.isfinite(hidden):
        notes.append(f"kappa below {number(hidden)} cannot be seen here")
    near = [NAMES[name] for name, score in scores.items() if name != chosen and score - scores[chosen] < SAME]
    if by_aicc and near:
        notes.append(f"{' and '.join(near).replace('The', 'the')} describes it as well (AICc within {SAME:g})")
    reason = "has the lowest AICc" if by_aicc else f"was asked for (AICc prefers {min(scores, key=scores.get)})"
    values = ", ".join(f"{name} = {one.words()}" for name, one in list(parameters.items())[: FREE[chosen]])
    told = "".join(f"; {note}" for note in notes)
    sentence = f"{NAMES[chosen]} {reason}: {values}{told}."
    interval = "bootstrap over trials" if repeated else "student-t"
    return Fit(chosen, parameters, interval, True, sentence, details, KIND, f"{NAMES[chosen]} {reason}{told}")


def _hidden(table: Table, chosen: str, errors: str) -> float:
    """The kappa below which a curve that bends is not told from one that does not: the upper end of kappa's interval
    where that of the universal scalability law reaches 0, nan where kappa is seen.

    Of the law with kappa whatever was chosen, for a law without it says nothing about how small it is.
    """
    theta = solve(table, table.sums(), "usl", errors)[0]
    if len(table.x) <= FREE["usl"]:
        return math.nan
    kappa = student(table, theta, FREE["usl"], errors)[2]
    return kappa.high if kappa.low <= 0 else math.nan


def _times(one: Estimate, unit: float) -> Estimate:
    return Estimate(one.estimate * unit, one.low * unit, one.high * unit)
