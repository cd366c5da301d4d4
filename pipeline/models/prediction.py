"""Whether a model explains what was measured: predicted over measured, one ratio per trial.

A model explains a latency when the whole interval of the ratio lies in 0.8 to 1.25, does not when it lies outside, and
is undecided in between. A positive control, a server whose service is known, must come out within 0.9 to 1.1: where it
does not, the instrument or the host is not fit to judge a model.

Second moments are ruled by stolen time (one gap of 4 ms weighs as much as 6 billion events of 50 ns), so a prediction
is made iteration by iteration, where the same gaps are in both; a trial's ratio is the median over its iterations
(`pipeline.analyse.response`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.words.numbers import interval, number

EXPLAINS = (0.8, 1.25)
CONTROL = (0.9, 1.1)


def where_steady(model: Callable, rate, service, *others) -> np.ndarray:
    """`model` of every iteration, from its own rate, service time and further moments (`pipeline.models.queueing`).

    nan where the load of the iteration was 1 or more, so that there is no steady state to predict, or one of the values
    is nan: count them beside the ratio of the others.
    """
    columns = np.broadcast_arrays(
        *(np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in (rate, service, *others))
    )
    steady = ~np.isnan(columns).any(axis=0) & (columns[0] * columns[1] < 1)
    predicted = np.full(steady.shape, np.nan)
    if steady.any():
        predicted[steady] = model(*(one[steady] for one in columns))
    return predicted


def prediction(ratios, model: str = "The model", within: tuple[float, float] = EXPLAINS) -> Fit:
    """Judges predicted / measured, one ratio per trial: its median with interval against the region `within`.

    Parameter: ratio. Not identified below 3 trials. LabError when a ratio is not positive and finite.
    """
    ratios = np.atleast_1d(np.asarray(ratios, dtype=np.float64))
    _positive(ratios)
    trials = len(ratios)
    found = Estimate(*median_interval(ratios)[:3]) if trials else Estimate(math.nan)
    details = {"rows": trials, "within": list(within)}
    region = f"{number(within[0])} to {number(within[1])}"
    kind = Kind(
        f"{model} explains what was measured where the whole interval of predicted over measured lies within {region}, "
        "and does not where all of it lies outside.",
        {"ratio": ("predicted / measured", "1")},
    )
    if trials < FEWEST:
        sentence = f"Too few trials ({trials}) for an interval: {model} cannot be judged here."
        short = f"too few trials ({trials}) for an interval"
        return Fit("prediction", {"ratio": found}, "none", False, sentence, details, kind, short)
    details["verdict"] = verdict = {"inside": "explains it", "outside": "does not explain it", "across": "undecided"}[
        found.against(*within)
    ]
    said = f"predicted over measured {interval(found.estimate, found.low, found.high)}, within {region}"
    sentence = {
        "explains it": f"{model} explains it: {said}.",
        "does not explain it": f"{model} does not explain it: {said.replace('within', 'outside')}.",
        "undecided": f"{model}: undecided, {said.replace('within', 'not wholly in or out of')}.",
    }[verdict]
    return Fit("prediction", {"ratio": found}, "of medians over trials", True, sentence, details, kind, verdict)


def _positive(*columns) -> None:
    for values in columns:
        values = np.asarray(values, dtype=np.float64)
        if not np.isfinite(values).all() or (values <= 0).any():
            raise LabError("prediction: values must be positive and finite in every trial; remove incomplete trials")
