"""y = a + b x: time per block against its size (a the call's overhead, 1 / b the bandwidth), or any slope.

Least squares of relative errors by default, ((y - yhat) / y)^2: times over decades of size scatter by a factor, and
absolute errors would let the largest size decide alone.

Interval: bootstrap over trials (Davison and Hinkley 1997, section 6.2). Where every x has 2 or more trials, within each
x, because the design fixes it, with deviations from the mean widened by sqrt(m / (m - 1)); otherwise trials as pairs.
"""

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.bootstrap import MIN_TRIALS, RESAMPLES, percentile_interval
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.words.numbers import counted


def fit_line(x, y, seed: int = 1, errors: str = "relative", level: float = 0.95) -> Fit:
    """Fit of one (x, y) per trial; parameters a (unit of y) and b (unit of y per unit of x).

    errors: "relative" or "absolute". Not identified, with nan parameters, below 3 trials, with a single x, or with two
    of which one has a single trial: every line goes through that one, and its scatter is not known; nor where errors
    are relative to a y that is not positive. Not identified either, its parameters told, where trials scatter so much,
    or their x lie so close together, that they say nothing of how y divides into a and b x. LabError when a value is
    not finite.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise LabError("a line needs one finite x and one finite y per trial; remove incomplete trials")
    details = {"errors": errors, "rows": len(x)}
    if why := _none(x, y, errors):
        unknown = {"a": Estimate(float("nan")), "b": Estimate(float("nan"))}
        return Fit(None, unknown, "none", False, f"{why}.", details)
    weight = 1 / y**2 if errors == "relative" else np.ones_like(y)
    a, b = _solve(x[None], y[None], weight[None])
    resampled_x, resampled_y = _resample(x, y, seed)
    weight = 1 / resampled_y**2 if errors == "relative" else np.ones_like(resampled_y)
    low_high = [percentile_interval(one, level) for one in _solve(resampled_x, resampled_y, weight)]
    parameters = {
        name: Estimate(float(value[0]), *bounds) for name, value, bounds in zip("ab", (a, b), low_high, strict=True)
    }
    words = ", ".join(f"{name} = {p.words()}" for name, p in parameters.items())
    sentence = f"y = a + b x with {words}, from {len(x)} trials."
    kind = Kind(f"Each row is a line y = a + b x, by least squares of {errors} errors.")
    short = f"from {counted(len(x), 'trial')}"
    identified = not _undivided(parameters["a"], parameters["b"])
    if not identified:
        short = "a and b are not identified: their intervals are wider than themselves"
        both = " and ".join(f"{name} = {p.words()}" for name, p in parameters.items())
        sentence = f"The line cannot be identified here: the intervals of {both} are wider than themselves."
    return Fit("line", parameters, "bootstrap over trials", identified, sentence, details, kind, short)


def _undivided(*both: Estimate) -> bool:
    """Whether the trials leave open how y divides into a and b x: the interval of each is wider than itself. Of one
    alone it may be: of sizes that cost nothing b is 0, and known."""
    return all(one.high - one.low > abs(one.estimate) for one in both)


def _none(x: np.ndarray, y: np.ndarray, errors: str) -> str:
    """Why no line is told of these trials; empty where one is."""
    if len(x) < MIN_TRIALS:
        return f"Too few trials ({len(x)}) for a line"
    _, each = np.unique(x, return_counts=True)
    if len(each) == 1:
        return "All trials lie at one value: no line"
    if len(each) == 2 and each.min() == 1:
        return "Of two values one has a single trial: no line"
    return "A value is 0, to which no error is relative: no line" if errors == "relative" and (y <= 0).any() else ""


def fit_band(x, y, at, seed: int = 1, level: float = 0.95) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(estimate, low, high) of the line of `fit_line` (relative errors) at each of `at`, resampled as its parameters.

    The inputs must be those of an identified fit.
    """
    x, y, at = (np.asarray(values, dtype=np.float64) for values in (x, y, at))
    a, b = _solve(x[None], y[None], 1 / y[None] ** 2)
    resampled_x, resampled_y = _resample(x, y, seed)
    many_a, many_b = _solve(resampled_x, resampled_y, 1 / resampled_y**2)
    bands = [percentile_interval(many_a + many_b * one, level) for one in at]
    low, high = np.array(bands).T
    return a[0] + b[0] * at, low, high


def _solve(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted least squares of each row; nan for a resample that drew one x only."""
    total = weight.sum(axis=1)
    mean_x, mean_y = (weight * x).sum(axis=1) / total, (weight * y).sum(axis=1) / total
    dx = x - mean_x[:, None]
    spread = (weight * dx**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        b = np.where(np.ptp(x, axis=1) > 0, (weight * dx * (y - mean_y[:, None])).sum(axis=1) / spread, np.nan)
    return mean_y - b * mean_x, b


def _resample(x: np.ndarray, y: np.ndarray, seed) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    _, group, size = np.unique(x, return_inverse=True, return_counts=True)
    if size.min() < 2:
        picks = rng.integers(0, len(x), size=(RESAMPLES, len(x)))
        return x[picks], y[picks]
    columns = []
    for i, m in enumerate(size):
        values = y[group == i]
        # As factors where possible: a widened deviation then never turns a time negative.
        positive = values.min() > 0
        values = np.log(values) if positive else values
        drawn = rng.choice(values.mean() + (values - values.mean()) * np.sqrt(m / (m - 1)), size=(RESAMPLES, m))
        columns.append(np.exp(drawn) if positive else drawn)
    return np.broadcast_to(np.sort(x), (RESAMPLES, len(x))), np.concatenate(columns, axis=1)
