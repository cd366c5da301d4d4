"""How late operations are that fall due at a fixed pace, predicted from the pauses of who handles them.

An operation is due every tau and takes S, so that rho = S / tau of the time is used. One that falls due u after a pause
of length P began waits until the pause is over and those due before it are done: it starts P - (1 - rho) u late, until
at u = P / (1 - rho) the backlog is gone. So of all operations due in a time T the share

    F(x) = sum over the pauses of max(0, P - x) / ((1 - rho) T)

starts later than x. A pause makes P / ((1 - rho) tau) operations late, not one; what waits for the slow operation
instead of the clock sees one. It holds for pauses longer than tau of which each backlog is gone before the next begins;
where pauses follow closely, the tail is longer than this.

Times in any one unit; LabError when one is negative or not finite, or the load is not in 0 <= rho < 1.
"""

from __future__ import annotations

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.fit import Fit
from pipeline.models.prediction import prediction
from pipeline.words.numbers import counted, exact, number

SHARE = 1e-3  # of the operations: at the lateness that so many exceed the prediction is judged
FEWEST = 30  # pauses of a trial: on one or two of them the lateness of 1 in SHARE would rest alone
FACTOR = 1.5  # to either side: the log says when and how long, not which backlogs met


def later(than, pauses, watched: float, load: float) -> np.ndarray:
    """F(x), the share of the operations that start later than each x of `than` for these pauses in a time `watched`."""
    return np.minimum(_unbounded(_times("lateness", than), *_checked(pauses, watched, load)), 1.0)


def lateness(share, pauses, watched: float, load: float) -> np.ndarray:
    """The inverse of F: what each of these shares of the operations is later than; 0 where fewer have to wait."""
    pauses, watched, load = _checked(pauses, watched, load)
    knots = np.unique(np.append(pauses, 0.0))  # between these F is a line
    return np.interp(share, _unbounded(knots, pauses, watched, load)[::-1], knots[::-1])


def explained(predicted, measured, pauses) -> Fit:
    """Whether the pauses explain the lateness that SHARE of the operations exceed: predicted and measured and the
    number of pauses, one value per trial, against a factor of FACTOR (`pipeline.models.prediction`); not judged where
    most trials have fewer pauses than FEWEST."""
    ratios = np.asarray(predicted, dtype=np.float64) / np.asarray(measured, dtype=np.float64)
    typical = int(np.median(pauses)) if len(ratios) else 0
    if typical < FEWEST:
        told = f"{counted(typical, 'pause')} a trial, fewer than {FEWEST}"
        sentence = f"{told}: the log of pauses cannot be judged by the lateness of 1 in {exact(1 / SHARE)}."
        return Fit("prediction", {}, "none", False, sentence, {"rows": len(ratios)}, short=told)
    return prediction(ratios, "The log of pauses", (1 / FACTOR, FACTOR))


def _unbounded(than: np.ndarray, pauses: np.ndarray, watched: float, load: float) -> np.ndarray:
    """F(x) before it is cut at 1: with pauses that long and close no operation would be in time."""
    ordered = np.sort(pauses)
    sums = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)  # of the pauses from each on
    first = np.searchsorted(ordered, than, side="right")
    return (sums[first] - (len(ordered) - first) * than) / ((1 - load) * watched)


def _checked(pauses, watched: float, load: float) -> tuple[np.ndarray, float, float]:
    if not (np.isfinite(watched) and watched > 0):
        raise LabError(f"pauses: watched for {number(watched)}; give the time in which they were counted")
    if not 0 <= load < 1:
        raise LabError(f"pauses: the load {number(load)} is not in 0 to 1; a backlog would never be gone")
    return _times("pauses", pauses), float(watched), float(load)


def _times(name: str, values) -> np.ndarray:
    values = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if not np.isfinite(values).all() or (values < 0).any():
        raise LabError(f"pauses: {name} must be finite and not negative")
    return values
