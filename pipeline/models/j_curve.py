"""The J of latency against load, in two numbers: W = L0 + q rho / (1 - rho).

L0 is the latency of an empty system and q what waiting adds; rho is the load as a share of the capacity. The knee, L0 /
(L0 + q), is the load at which latency has doubled. Of *means*, over the service time, q is 1 for M/M/1, 0.5 for M/D/1,
(1 + c_s^2) / 2 in general (Pollaczek and Khinchine) and, of gated batches, (a + b / 2) / b. Medians of a skewed
latency lie lower: those of M/M/1 are a J with L0 and q of 0.69 (log 2), those of M/D/1 come near one with a q of 0.34
(YARDSTICKS, fitted as below to the exact medians of `pipeline.models.waiting_times`).

Fitted are loads up to 90 %, for near 1 an error of the load is magnified by 1 / (1 - rho), by least squares of
log(measured / W): relative errors, for latencies scatter by a factor. Trials are the points, L0 and q at least 0. Where
the latency falls before it rises (a sleeper is woken for each event at low loads), the J begins at the minimum, and
the fit says so. Where a measured curve leaves the J by more than a quarter, there is no fit.

Interval: bootstrap over trials within each load, which the design fixes, or over whole blocks where they are given; of
residuals where loads have no second trial. What is drawn is widened by sqrt(m / (m - 1)) of m values (Davison and
Hinkley 1997, section 2.3.2), or else m of them would seem less spread than they are, and by Student's t over the normal
quantile, for the spread of few is itself uncertain.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

from pipeline.ground.errors import LabError
from pipeline.models.bootstrap import MIN_TRIALS, RESAMPLES, percentile_interval
from pipeline.models.csv_file import read_columns
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.models.j_points import MOST_LATENCY, TOP_LOAD, Points
from pipeline.words.numbers import LEVEL, interval

FEWEST_LOADS = 4
MOST_LOAD = 90.0  # percent: what is fitted
DIFFERENT = math.log(1.1)  # of measured and nominal loads
YARDSTICKS = {"exponential": (0.69, 0.50), "constant": (0.34, 0.72)}  # of medians: q over the service time, and knee
RULE = "W = L0 + q rho / (1 - rho); at the knee, a share of the capacity, latency has doubled. Of medians "
RULE += " and ".join(
    f"{law} service has a q of {slope:g} service times and a knee of {bend:g}"
    for law, (slope, bend) in YARDSTICKS.items()
)
RULE += "; of means these are 1 and 0.5, and 0.5 and 0.67."
GRID = np.linspace(0, 1, 51)  # knees among which the best is looked for first
GOLDEN = (math.sqrt(5) - 1) / 2


def fit_j_curve_csv(path, seed: int = 1) -> dict:
    """`fit_j_curve` of the columns `load` (percent of capacity) and `latency` of a CSV file, as JSON-ready values.

    A column `trial`: rows of one load with the same name are samples of one trial, which their median stands for. A
    column `block`: a name that trials of one round share. Others are ignored. LabError names file, line and value.
    """
    rows = read_columns(Path(path), ["load", "latency"], labels=("trial", "block"))
    for line, row in rows:
        if not 0 < row["load"] <= TOP_LOAD:
            raise LabError(
                f"{path}:{line}: load {row['load']:g} is not above 0 and up to {TOP_LOAD:g}; give percent of capacity"
            )
        if not 0 < row["latency"] <= MOST_LATENCY:
            raise LabError(f"{path}:{line}: latency {row['latency']:g} is not positive; correct it or remove the line")
    table = pd.DataFrame(row for _, row in rows)
    if "trial" in table:
        table = table.groupby([name for name in table if name != "latency"], as_index=False)["latency"].median()
    try:
        return fit_j_curve(table["load"], table["latency"], table.get("block"), seed=seed).to_dict()
    except LabError as error:
        raise LabError(f"{path}: {error}") from None


def fit_j_curve(load, latency, blocks=None, *, utilisation=None, seed: int = 1, unit: str = "1") -> Fit:
    """Fit of one load (percent of capacity) and one latency (in `unit`) per trial.

    blocks: by trial, the round of the host's drift it ran in. utilisation: by trial the measured load, rate x busy
    service time, as a share; each load's median takes the place of the nominal one, which it may contradict.
    Parameters: L0 and q in the unit of the latency, knee as a share of the capacity. Not identified, with nan
    parameters, below 4 loads and where the curve is no J; and, without an interval, below 3 blocks. LabError when a
    value is not positive and finite, a load is above 120 or all of them at most 1 (shares, not percent), or lengths
    differ.
    """
    points = Points.of(load, latency, blocks, utilisation)
    fitted = points.kept((points.load <= MOST_LOAD) & (points.rho <= MOST_LOAD / 100))
    notes = []
    if above := [f"{one:g} %" for one in points.load if one not in fitted.load]:
        notes.append(f"loads above {MOST_LOAD:g} % are not fitted ({', '.join(above)})")
    if utilisation is not None and (np.abs(np.log(100 * points.rho / points.load)) > DIFFERENT).any():
        notes.append("measured and nominal loads differ by more than 10 %: the measured ones are used")
    if lowest := fitted.minimum():
        notes.insert(0, f"latency falls up to a load of {fitted.load[lowest]:g} % and is fitted from there on")
        fitted = fitted.kept(np.arange(len(fitted.load)) >= lowest)
    details = {"loads": fitted.load.tolist(), "rows": len(fitted.logs)}
    if len(fitted.load) < FEWEST_LOADS:
        few = f"only {len(fitted.load)} loads to fit ({FEWEST_LOADS} are needed)"
        return _refused([few, *notes], "L0, q and the knee cannot be identified here", details)
    fixed, slope = (float(one[0]) for one in solve(fitted.x, fitted.size[None, :], fitted.sums[None, :]))
    curve = np.log(fixed + slope * fitted.x)
    if off := fitted.off(curve):
        return _refused(
            [off, *notes], "latency does not follow W = L0 + q rho / (1 - rho), so nothing is fitted", details
        )
    many, how = _resampled(fitted, curve, seed)
    estimates = {"L0": fixed, "q": slope, "knee": knee(fixed, slope)}
    parameters = {}
    for (name, value), sample in zip(estimates.items(), (*many, knee(*many)), strict=True):
        low, high = percentile_interval(sample, LEVEL)
        parameters[name] = Estimate(value, min(low, value), max(high, value))
    details["rms_error"] = float(np.sqrt(np.mean((fitted.logs - curve[fitted.group]) ** 2)))
    kind = Kind(RULE, {"L0": ("L0", unit), "q": ("q", unit), "knee": ("knee", "1")})
    sentence, short = _told(parameters, unit, fitted, notes)
    return Fit("j-curve", parameters, how, how != "none", sentence, details, kind, short)


def knee(fixed, slope):
    """The share of the capacity at which the latency is twice L0."""
    return fixed / (fixed + slope)


def j_curve(load, fixed: float, slope: float) -> np.ndarray:
    """W at a load in percent, below 100, for drawing the curve."""
    rho = np.asarray(load, dtype=np.float64) / 100
    return fixed + slope * rho / (1 - rho)


def solve(x: np.ndarray, size: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(L0, q), both at least 0, of least squares of log(measured) - log(L0 + q x), for each row (a resample, or the
    data) of the numbers of trials and the sums of their logarithms by load.

    With f = k + (1 - k) x and k the knee, L0 + q x is a multiple of f. The best multiple is the mean of
    log(measured) - log f, so only k is looked for: first on a grid from 0 to 1, then by golden section beside its best.
    """
    centre = sums.sum(axis=1) / size.sum(axis=1)
    sums = sums - centre[:, None] * size

    def squares(logs_of_f):
        """But for what does not depend on k."""
        mean = (size * logs_of_f).sum(axis=1) / size.sum(axis=1)
        return ((size * (logs_of_f - mean[:, None]) - 2 * sums) * (logs_of_f - mean[:, None])).sum(axis=1)

    def at(k):
        return np.log(k[:, None] + (1 - k[:, None]) * x)

    grid = at(GRID).T
    on_grid = size @ grid**2 - (size @ grid) ** 2 / size.sum(axis=1)[:, None] - 2 * sums @ grid
    best = on_grid.argmin(axis=1)
    low, high = GRID[np.maximum(best - 1, 0)], GRID[np.minimum(best + 1, len(GRID) - 1)]
    for _ in range(12):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        lower = squares(at(left)) < squares(at(right))
        low, high = np.where(lower, low, left), np.where(lower, right, high)
    k = (low + high) / 2
    for _ in range(5):  # Gauss-Newton, for a section cannot tell sums of squares that agree in half of their digits
        slope = (1 - x) / np.exp(at(k))
        slope = slope - ((size * slope).sum(axis=1) / size.sum(axis=1))[:, None]
        gain = (slope * (sums - size * at(k))).sum(axis=1) / (size * slope**2).sum(axis=1)
        k = np.clip(k + gain, low, high)
    for end in (0.0, 1.0):  # which the section only comes near
        k = np.where(squares(at(np.full_like(k, end))) <= squares(at(k)), end, k)
    scale = np.exp(centre - (size * at(k)).sum(axis=1) / size.sum(axis=1))
    return scale * k, scale * (1 - k)


def _resampled(points: Points, curve: np.ndarray, seed: int) -> tuple[tuple[np.ndarray, np.ndarray], str]:
    """((L0, q) of every resample, what was drawn); nan without an interval."""
    rng, trials, loads = np.random.default_rng(seed), len(points.logs), len(points.load)
    if points.blocks is not None:
        blocks, index = np.unique(points.blocks, return_inverse=True)
        if len(blocks) < MIN_TRIALS:
            return (np.array([np.nan]), np.array([np.nan])), "none"
        drawn = rng.multinomial(len(blocks), np.full(len(blocks), 1 / len(blocks)), RESAMPLES)
        logs = points.means[points.group] + points.deviations * _student(len(blocks) - 1)
        cells = np.zeros((2, len(blocks), loads))
        np.add.at(cells[0], (index, points.group), 1)
        np.add.at(cells[1], (index, points.group), logs)
        size, sums = drawn @ cells[0], drawn @ cells[1]
        return solve(points.x, size, sums), "bootstrap over blocks"
    centre, how = points.means, "bootstrap over trials"
    if trials - loads >= MIN_TRIALS:
        deviations = points.deviations * _student(trials - loads)
        repeated = points.size[points.group] > 1
        pools = [deviations[repeated & ((points.group == i) | (points.size[i] == 1))] for i in range(loads)]
    else:
        residuals = points.logs - curve[points.group]
        pools = [residuals * math.sqrt(trials / (trials - 2)) * _student(trials - 2)] * loads
        centre, how = curve, "bootstrap of residuals"
    sums = np.stack(
        [
            m * one + rng.choice(pool, (RESAMPLES, m)).sum(axis=1)
            for m, one, pool in zip(points.size, centre, pools, strict=True)
        ],
        axis=1,
    )
    return solve(points.x, np.broadcast_to(points.size, sums.shape), sums), how


def _student(df: int) -> float:
    tail = (1 + LEVEL) / 2
    return float(special.stdtrit(df, tail) / special.ndtri(tail))


def _refused(whys: list[str], sentence: str, details: dict) -> Fit:
    why = "; ".join(whys)
    unknown = {name: Estimate(math.nan) for name in ("L0", "q", "knee")}
    return Fit(None, unknown, "none", False, f"{why[0].upper()}{why[1:]}: {sentence}.", details)


def _told(parameters: dict[str, Estimate], unit: str, points: Points, notes: list[str]) -> tuple[str, str]:
    """The sentence, and what of it a table of such fits does not say already."""
    fixed, slope, bend = parameters.values()
    said = ", ".join(f"{name} = {one.words(unit)}" for name, one in (("L0", fixed), ("q", slope)))
    loads = f"{len(points.logs)} trials at {len(points.load)} loads from {points.load[0]:g} to {points.load[-1]:g} %"
    hundredfold = interval(*(100 * one for one in (bend.estimate, bend.low, bend.high)))
    doubled = f"latency has doubled at a load of {hundredfold} % (the knee)" if slope.estimate else "no bend is visible"
    if math.isnan(bend.low):
        notes = [*notes, f"fewer than {MIN_TRIALS} blocks have no interval"]
    sentence = "; ".join([f"W = L0 + q rho / (1 - rho) with {said}: {doubled}, from {loads}", *notes]) + "."
    bent = [] if slope.estimate else ["no bend is visible"]
    return sentence, "; ".join([*bent, f"from {loads}", *notes])
