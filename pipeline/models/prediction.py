"""Whether a model explains what was measured: predicted over measured, one ratio per trial.

A model explains a latency when the whole interval of the ratio lies in 0.8 to 1.25, does not when it lies outside, and
is undecided in between. A positive control, a server whose service is known, must come out within 0.9 to 1.1: where it
does not, or none was measured, the instrument or the host is not fit to judge a model, and the verdict is withheld.

Second moments are ruled by stolen time (one gap of 4 ms weighs as much as 6 billion events of 50 ns), so a prediction
is made iteration by iteration, where the same gaps are in both; a trial's ratio is the median over its iterations
(`pipeline.analyse.response`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.models.sample_size import to_decide
from pipeline.words.numbers import number

EXPLAINS = (0.8, 1.25)
CONTROL = (0.9, 1.1)
WITHHELD = "no verdict: see the controls"


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


def prediction(
    ratios, model: str = "The model", within: tuple[float, float] = EXPLAINS, controls: Mapping[str, Fit] | None = None
) -> Fit:
    """Judges predicted / measured, one ratio per trial: its median with interval against the region `within`.

    controls: by name the positive controls, judged within CONTROL; a verdict needs one at least, and all of them to
    explain what was measured. None: what is judged is a control itself, or has no server.
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
        "and does not where all of it lies outside."
        + ("" if controls is None else f" There is no verdict {_unless_controlled()}."),
        {"ratio": ("predicted / measured", "1")},
    )
    if trials < FEWEST:
        sentence = f"Too few trials ({trials}) for an interval: {model} cannot be judged here."
        short = f"too few trials ({trials}) for an interval"
        return Fit("prediction", {"ratio": found}, "none", False, sentence, details, kind, short)
    said = f"predicted over measured {found.words()}"
    if controls is not None and (doubt := _doubt(controls)):
        details["verdict"] = WITHHELD
        sentence = f"{model}: no verdict, for {doubt}; {said}."
        return Fit("prediction", {"ratio": found}, "of medians over trials", True, sentence, details, kind, WITHHELD)
    details["verdict"] = verdict = {"inside": "explains it", "outside": "does not explain it", "across": "undecided"}[
        found.against(*within)
    ]
    sentence = {
        "explains it": f"{model} explains it: {said}, within {region}.",
        "does not explain it": f"{model} does not explain it: {said}, outside {region}.",
        "undecided": f"{model}: undecided, {said}, not wholly in or out of {region}.",
    }[verdict]
    how, more = "of medians over trials", to_decide([found], *within, trials)
    return Fit("prediction", {"ratio": found}, how, True, sentence, details, kind, verdict, more)


def _unless_controlled() -> str:
    low, high = CONTROL
    return f"unless every positive control, a server of known service, lies within {number(low)} to {number(high)}"


def _doubt(controls: Mapping[str, Fit]) -> str:
    """Why the controls say that nothing can be judged here; empty where they do not."""
    if not controls:
        return "no positive control was measured"
    failed = {name: fit for name, fit in controls.items() if fit.details.get("verdict") != "explains it"}
    told = [f"{name} at {one.words()}" for name, fit in failed.items() for one in [fit.parameters["ratio"]]]
    region = " to ".join(number(bound) for bound in CONTROL)
    return f"the positive controls are not within {region} ({'; '.join(told)})" if failed else ""


def _positive(*columns) -> None:
    for values in columns:
        values = np.asarray(values, dtype=np.float64)
        if not np.isfinite(values).all() or (values <= 0).any():
            raise LabError("prediction: values must be positive and finite in every trial; remove incomplete trials")
