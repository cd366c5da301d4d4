"""The figure of a fit to an imported run's sweep: every trial, medians, the fitted curve, and the knee of a load."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pipeline.draw.figure import Figure
from pipeline.draw.response_panels import FITTED
from pipeline.ground.errors import LabError
from pipeline.models import j_curve, scaling
from pipeline.models.fit import Fit
from pipeline.own.fits import Fits, Part
from pipeline.own.fits import j_curve as j_curve_fits
from pipeline.own.fits import scaling as scaling_fits
from pipeline.session.display import Display
from pipeline.session.figures import TitledFigure
from pipeline.words.numbers import exact, quantity

PLACES = 200  # of a fitted curve
MOST_LOAD = 97.0  # percent, to which a curve is drawn: at 100 it has no end
SHARE = "share of the capacity"  # a column, in percent
BEYOND = (SHARE, j_curve.MOST_LOAD)  # what is not fitted is drawn faint


def scaling_figure(fits: Fits) -> Figure | str:
    """A rate by an axis with its laws of scaling."""
    curves = [_law(part) for part in fits.parts if part.fit.model is not None]
    label, heading = fits.lab.entry.metrics[fits.y].label, _words(fits.x)
    drawn = _titled(fits, "scaling", f"{label} by {heading.lower()}")
    how = {"axis": fits.x, "axis_label": heading, "variants": _names(fits), "cpus": None}
    how |= {"fits": pd.concat(curves).rename(columns={"x": fits.x})} if curves else {}
    name = f"{fits.y}_by_{fits.x}_fit"
    return drawn.scaling(name, fits.y, label, _tables(fits), **how)


def load_figure(fits: Fits) -> Figure | str:
    """A latency by load with the fitted J and its knee."""
    fitted = [part for part in fits.parts if part.fit.model is not None]
    metric, of = (fits.lab.entry.metrics[fits.y], _capacity(fits))
    drawn = _titled(fits, "jcurve", f"{metric.label} by load")
    how = {"x_label": f"Load, share{of}", "faint": BEYOND, "names": {"variant": _names(fits)}}
    if fitted:
        how["lines"] = pd.concat([_bend(part) for part in fitted]).rename(columns={"x": SHARE})
        knees = [{**_place(part), SHARE: 100 * part.fit.parameters["knee"].estimate} for part in fitted]
        how["knees"] = pd.DataFrame(knees)
    return drawn.response(f"{fits.y}_by_load_fit", fits.y, metric.label, _tables(fits), x=SHARE, **how)


def again(run: str, told: Mapping[str, Any]) -> None:
    """Draw the figure of a fit of a run as its provenance tells it; LabError where that is none."""
    try:
        fit, draw = {"scaling": (scaling_fits, scaling_figure), "jcurve": (j_curve_fits, load_figure)}[told["model_of"]]
        draw(fit(run, **told["with"]))
    except (KeyError, TypeError, ValueError, ArithmeticError):
        raise LabError("it names a fit that cannot be made") from None


def _titled(fits: Fits, model_of: str, title: str) -> TitledFigure:
    """The figure to be, which says how its fit is made again: no page has it."""
    told = {"model_of": model_of, "with": {"x": fits.x, "y": fits.y, **fits.how}}
    return replace(Display(fits.lab).figure(f"{title}{_of(fits)}", _caption(fits.parts)), origin={"fit": told})


def _tables(fits: Fits) -> list[pd.DataFrame]:
    """Metrics and estimates of what was fitted: the variant is the name of the part, SHARE its x."""
    metrics, estimates = fits.lab.chosen(metric=fits.y)
    keys = ["variant", "runtime", *fits.lab.entry.axes]
    rows, medians = [], []
    for part in fits.parts:
        mine = metrics.merge(part.rows["x"].rename(SHARE), left_on="trial", right_index=True)
        where = mine.groupby(keys, dropna=False, observed=True)[SHARE].median().reset_index()
        rows.append(mine.assign(variant=part.name))
        medians.append(estimates.merge(where, on=keys).assign(variant=part.name))
    return [pd.concat(each, ignore_index=True) for each in (rows, medians)]


def _law(part: Part) -> pd.DataFrame:
    """The curve of a law of scaling over the values that were measured."""
    at = np.geomspace(max(part.rows["x"].min(), 1), part.rows["x"].max(), PLACES)
    lam, sigma, kappa = (part.fit.parameters[name].estimate for name in ("lambda", "sigma", "kappa"))
    told = {"model": scaling.NAMES[part.fit.model], "x": at, "estimate": scaling.usl(at, lam, sigma, kappa)}
    return pd.DataFrame({**_place(part), **told, "low": math.nan, "high": math.nan})


def _bend(part: Part) -> pd.DataFrame:
    """The curve of a J over the loads that were measured."""
    at = np.linspace(part.rows["x"].min(), min(part.rows["x"].max(), MOST_LOAD), PLACES)
    fixed, slope = (part.fit.parameters[name].estimate for name in ("L0", "q"))
    told = {"model": f"{FITTED} J", "x": at, "estimate": j_curve.j_curve(at, fixed, slope), "measured": True}
    return pd.DataFrame({**_place(part), **told})


def _place(part: Part) -> dict[str, str]:
    return {"variant": part.name, "runtime": str(part.rows["runtime"].iloc[0])}


def _names(fits: Fits) -> dict[str, str]:
    return {part.name: part.name for part in fits.parts}


def _caption(parts: Sequence[Part]) -> str:
    """What was fitted, in sentences."""
    several = len(parts) > 1
    return " ".join(f"{part.name}: {_sentence(part.fit)}" if several else _sentence(part.fit) for part in parts)


def _sentence(fit: Fit) -> str:
    return fit.sentence if fit.sentence.endswith(".") else f"{fit.sentence}."


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _capacity(fits: Fits) -> str:
    if fits.capacity is None:
        return " of the capacity"
    metric = fits.lab.entry.metrics.get(fits.x)
    return f" of a capacity of {quantity(fits.capacity, metric.unit) if metric else exact(fits.capacity)}"


def _of(fits: Fits) -> str:
    title = fits.lab.bundle.info["own"]["title"]
    return f": {title}" if title else ""
