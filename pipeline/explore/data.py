"""What each view draws, as tables. Percentiles are those of `pipeline.hdr`, estimates those of `pipeline.analyse`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from pipeline.analyse import bins
from pipeline.analyse.estimates import elsewhere, select
from pipeline.analyse.limits import limits
from pipeline.draw.percentile import NINES, drawn_percents
from pipeline.explore.selection import Curve, Opened, curves
from pipeline.explore.state import State
from pipeline.hdr import percentiles
from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import merge
from pipeline.words.numbers import counted, place, quantity


@dataclass
class Shown:
    """What a view draws: its curves, its tables by name, and sentences about what is not seen."""

    curves: list[Curve]
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def labels(self) -> list[str]:
        return [curve.label for curve in self.curves]


def estimates(opened: Sequence[Opened], state: State) -> Shown:
    """Tables points (curve, x, estimate, low, high, said) and trials (curve, x, value, doubt, trial, said)."""
    by = state.by or "variant"
    found, notes = curves(opened, state, by)
    points, trials = [], []
    for curve in found:
        lab = curve.opened.lab
        where = {"metric": state.metric} | curve.key
        where |= {"variant": list(state.variants)} if by == "variant" else {}
        points.append(_placed(select(lab.estimates, where), curve, by))
        rows = select(lab.metrics, where)
        away = elsewhere(rows, ["variant", "runtime", *lab.entry.axes, "metric"])
        chosen = rows["trial"].isin(curve.trials["trial"])
        trials.append(_placed(rows.assign(away=away)[chosen], curve, by))
    unit = opened[0].lab.entry.metrics[state.metric].unit if state.metric else ""
    points, trials = (pd.concat(rows, ignore_index=True) if rows else pd.DataFrame() for rows in (points, trials))
    if len(points):
        points = points.assign(
            said=[
                f"{quantity(row.estimate, unit)}, interval {quantity(row.low, unit)} to {quantity(row.high, unit)}, "
                f"{counted(row.trials, 'trial')}"
                for row in points.itertuples()
            ]
        )
        points = points[["curve", "x", "estimate", "low", "high", "said"]]
    if len(trials):
        doubts = {"noisy": trials["noisy"], "unsteady": ~trials["steady"].astype(bool), "another state": trials["away"]}
        doubt = [
            ", ".join(word for word, one in zip(doubts, of, strict=True) if one)
            for of in zip(*doubts.values(), strict=True)
        ]
        trials = trials.assign(doubt=doubt, said=[quantity(value, unit) for value in trials["value"]])
        trials = trials[["curve", "x", "value", "doubt", "trial", "said"]]
    return Shown(found, {"points": points, "trials": trials}, notes)


def _placed(rows: pd.DataFrame, curve: Curve, by: str) -> pd.DataFrame:
    """Rows with the curve they belong to and their place along x: a number, or what is written there."""
    names = curve.opened.lab.labels()
    if by == "variant":
        x = rows["variant"].map(names)
    elif pd.api.types.is_numeric_dtype(rows[by]):
        rows = rows[rows[by].notna()]
        x = rows[by]
    else:
        x = rows[by].map(place, na_action="ignore").fillna("not set")
    return rows.assign(curve=curve.label, x=x)


def distributions(opened: Sequence[Opened], state: State) -> tuple[Shown, dict[str, list[Counts]]]:
    """The curves that have histograms, and by their label each trial's, in the unit of `factor`."""
    found, notes = curves(opened, state)
    held = {curve.label: curve.histograms(state) for curve in found}
    if empty := [label for label, counts in held.items() if not counts]:
        notes.append(f"No samples of {state.series} in phase {state.phase}: {', '.join(empty)}.")
    present = [curve for curve in found if held[curve.label]]
    return Shown(present, {}, notes), {curve.label: held[curve.label] for curve in present}


def factor(curve: Curve, state: State) -> float:
    """What turns nanoseconds into the unit of a state."""
    return 1.0 if state.unit == "ns" else 1 / curve.cycle_ns


def histogram(opened: Sequence[Opened], state: State) -> Shown:
    """Table bins: curve, low, high, height (share of all samples, 0..1, or samples), count, said.

    Bins have one width on a logarithmic axis: a BINS-th of it, or that of the buckets where the samples begin, if those
    are wider. A bin without samples after one with is a row of height 0, so that a line through the rows steps down.
    """
    shown, held = distributions(opened, state)
    merged = {label: merge(counts) for label, counts in held.items()}
    if not merged:
        return shown
    step = bins.width(merged)
    parts = []
    for curve in shown.curves:
        rows, scale = bins.bins(merged[curve.label], step), factor(curve, state)
        height = rows["count"] / rows["count"].sum() if state.height == "share" else rows["count"].astype(float)
        rows = rows.assign(curve=curve.label, low=rows["low"] * scale, high=rows["high"] * scale, height=height)
        rows["said"] = [
            f"{quantity(low, state.unit)} to {quantity(high, state.unit)}"
            for low, high in zip(rows["low"], rows["high"], strict=True)
        ]
        parts.append(rows)
    shown.tables["bins"] = pd.concat(parts, ignore_index=True)
    shown.notes.append(f"Each bin is {100 * (10**step - 1):.2g} % of its value wide.")
    return shown


def percentile_curves(opened: Sequence[Opened], state: State) -> Shown:
    """Tables curves (curve, nines, percentile, value, tail, said), wanted (the limits: percentile, value, nines, text)
    and nines (curve, samples, p50 ..., greatest; NaN with fewer than ten samples beyond)."""
    shown, held = distributions(opened, state)
    asked, parts, table = limits(state.limits), [], []
    for curve in shown.curves:
        merged, scale = merge(held[curve.label]), factor(curve, state)
        percents = drawn_percents(merged.total)
        values = np.array(percentiles.percentiles(merged, percents), float) * scale
        rows = pd.DataFrame({"percentile": percents, "value": np.where(values > 0, values, np.nan)})
        rows = rows.assign(
            curve=curve.label,
            nines=-np.log10(1 - percents / 100),
            tail=[not percentiles.supported(merged.total, percent) for percent in percents],
            said=[quantity(value, state.unit) for value in values],
        )
        parts.append(rows)
        known = [percent for percent in NINES[1:] if percentiles.supported(merged.total, percent)]
        own = dict(zip(known, (np.array(percentiles.percentiles(merged, known)) * scale).tolist(), strict=True))
        kept = [percentiles.percentile(merged, percent) <= most for percent, most in asked]
        table.append(
            {"curve": curve.label, "samples": merged.total, "trials": len(held[curve.label])}
            | {f"p{percent:.7g}": own.get(percent, np.nan) for percent in NINES[1:]}
            | {"greatest": percentiles.maximum(merged) * scale, "kept": kept}
        )
    shown.tables["curves"] = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    shown.tables["nines"] = pd.DataFrame(table)
    if asked and state.unit == "ns":
        rows = pd.DataFrame(asked, columns=["percentile", "value"])
        text = [f"p{percent:.7g} ≤ {quantity(value, 'ns')}" for percent, value in asked]
        shown.tables["wanted"] = rows.assign(nines=-np.log10(1 - rows["percentile"] / 100), text=text)
    return shown


def trials(opened: Sequence[Opened], state: State) -> pd.DataFrame:
    """Every trial of the choice, measured or not, with the metric's value: run, curve's columns, status, noise."""
    parts = []
    for one in opened:
        rows = one.lab.tables.trials
        where = {"variant": list(state.variants), "runtime": list(state.runtimes)} | dict(state.axes)
        rows = select(rows, where)
        metrics = one.lab.metrics
        values = metrics[metrics["metric"] == state.metric].set_index("trial")[["value", "steady"]]
        parts.append(rows.join(values, on="trial").assign(run=one.run))
    return pd.concat(parts, ignore_index=True).sort_values(["run", "variant", "runtime", "block"], kind="stable")


def with_cycles(state: State, found: Sequence[Curve]) -> State:
    """The state in nanoseconds where some trial has no calibrated cycle."""
    known = all(curve.cycle_ns > 0 for curve in found)
    return state if known else replace(state, unit="ns")
