"""The figures of a comparison: all experiments at a glance, one experiment, percentiles, and curves over an axis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse import estimates, shift
from pipeline.catalogue.entry import Experiment
from pipeline.compare import text, verdicts
from pipeline.compare.comparison import Comparison
from pipeline.draw.figure import Figure
from pipeline.draw.forest import CONTROL, forest
from pipeline.draw.scaling import scaling_curve
from pipeline.draw.shift import shift_curve
from pipeline.host import fingerprint
from pipeline.models.median_interval import median_interval
from pipeline.words.numbers import counted

LABEL = "After / before"
NAMED = 20  # rows of an experiment's forest that get a line of their own
SHIFTS, CURVES = 4, 6  # panels
FEWEST_PLACES = 3  # values of an axis that make a curve


def overview(found: Comparison) -> Figure | str:
    """A strip per experiment and metric, a point per configuration, in the colour of its verdict."""
    rows = _ratios(found.table)
    if rows.empty:
        return "Nothing of this figure was measured on both sides."
    rows = rows.assign(panel="", line=rows["experiment"] + ", " + rows["metric"])
    order = {entry.name: at for at, entry in enumerate(found.entries)}
    changed = rows["verdict"].isin(verdicts.MOVED).groupby(rows["line"]).transform("sum")
    rows = rows.iloc[np.lexsort((rows["experiment"].map(order), -changed))]
    rows = pd.concat([part for _, part in rows.groupby("line", sort=False)])
    caption = f"A point per configuration, for all experiments. {text.answer(found)}"
    drawn = forest(_named(found, rows), name="compare", label=LABEL, margin=found.margin)
    return _titled(found, drawn, "All experiments", caption)


def experiment(found: Comparison, entry: Experiment) -> Figure | str:
    """What changed in an experiment, line by line, and strips of what did not."""
    rows = _ratios(found.table[found.table["experiment"] == entry.name])
    if rows.empty:
        return "Nothing of this figure was measured on both sides."
    parts = []
    for metric, part in rows.groupby("metric", sort=False):
        parts.append(_lines(found, part).assign(panel=_panel(entry, metric)))
        steady = found.controls
        steady = steady[(steady["experiment"] == entry.name) & (steady["metric"] == metric)]
        if len(steady) and not found.unchanged:
            strip = steady.rename(columns={"ratio": "value"}).assign(verdict=CONTROL, line="cannot have changed")
            parts.append(strip.assign(panel=_panel(entry, metric), label=strip["variant"]))
    drawn = pd.concat(parts, ignore_index=True)
    changed = int(rows["verdict"].isin(verdicts.CHANGED).sum())
    caption = f"{entry.question} {counted(changed, 'configuration')} of {len(rows)} changed."
    drawn = forest(drawn, name=f"compare_{entry.name}", label=LABEL, margin=found.margin)
    return _titled(found, drawn, entry.title, caption)


def shifts(found: Comparison, entry: Experiment, rows: Iterable[dict[str, Any]]) -> Figure | str:
    """Where in the distribution it changed, for the first of an experiment's rows with histograms on both sides."""
    parts = []
    for row in rows:
        if len(parts) < SHIFTS and len(curve := _shift(found, row)):
            parts.append(curve.assign(panel=found.place(row)))
    if not parts:
        return "None of these configurations has a histogram on both sides."
    caption = f"Percentile by percentile; a value is {entry.value[:1].lower()}{entry.value[1:]}."
    drawn = shift_curve(pd.concat(parts), name=f"compare_{entry.name}_shift", label=LABEL, margin=found.margin)
    return _titled(found, drawn, f"{entry.title}, where in the distribution", caption)


def curves(found: Comparison, entry: Experiment, metric: str) -> Figure | str:
    """Both sides on one axis, a panel per variant that changed somewhere; the axis with most values in this run."""
    rows = found.table[(found.table["experiment"] == entry.name) & (found.table["metric"] == metric)]
    counts = {
        axis: len({axes[axis] for axes in rows["axes"] if axis in axes})
        for axis, kind in entry.axes.items()
        if kind == "int"
    }
    axis = max(counts, key=counts.__getitem__, default=None)
    if axis is None or counts[axis] < FEWEST_PLACES:
        return f"No axis of {entry.name} has {FEWEST_PLACES} values on both sides."
    chosen = _swept(rows, axis)
    if not chosen:
        return f"No variant of {entry.name} has {FEWEST_PLACES} values of {axis} on both sides."
    parts = [
        _side_rows(found, row, at).assign(variant=side, runtime=panel, metric=metric, **{axis: row["axes"][axis]})
        for panel, members in chosen.items()
        for row in members
        for at, side in enumerate(("before", "after"))
    ]
    points = pd.concat(parts, ignore_index=True)
    medians = _medians(points, axis, entry.metrics[metric].unit)
    sides = {"before": f"before: {found.sides.before.words()}", "after": f"after: {found.sides.after.words()}"}
    cpus = (found.cpus or None) if axis == "threads" else None
    drawn = scaling_curve(
        points,
        medians,
        name=f"compare_{entry.name}_{metric}",
        metric=metric,
        label=entry.metrics[metric].label,
        axis=axis,
        axis_label=axis.replace("_", " ").capitalize(),
        cpus=cpus,
        variants=sides,
    )
    return _titled(found, drawn, entry.title, "Points are trials (hollow: noisy), bars 95 % intervals over trials.")


def _swept(rows: pd.DataFrame, axis: str) -> dict[str, list[dict[str, Any]]]:
    """Panel -> its rows, those first that changed most: all that only differ in the axis."""
    families: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_dict("records"):
        if axis in row["axes"]:
            other = ", ".join(f"{name} {value}" for name, value in row["axes"].items() if name != axis)
            runtime = "" if row["runtime_before"] != row["runtime_after"] else row["runtime"]
            families.setdefault(", ".join(part for part in (row["label"], runtime, other) if part), []).append(row)
    wide = {panel: members for panel, members in families.items() if len(members) >= FEWEST_PLACES}
    most = sorted(wide, key=lambda panel: -max(row["beyond"] for row in wide[panel]))
    return {panel: wide[panel] for panel in most[:CURVES]}


def _side_rows(found: Comparison, row: dict[str, Any], at: int) -> pd.DataFrame:
    side = found.configuration(row)
    return pd.concat((side.before, side.after)[at], ignore_index=True)[["trial", "value", "noisy", "steady", "block"]]


def _medians(points: pd.DataFrame, axis: str, unit: str) -> pd.DataFrame:
    found = []
    for (variant, runtime, place), rows in points.groupby(["variant", "runtime", axis]):
        used = estimates.used(rows)["value"]
        numbers = dict(zip(("estimate", "low", "high"), median_interval(used)[:3], strict=True))
        found.append({"variant": variant, "runtime": runtime, axis: place, **numbers})
    return pd.DataFrame(found).assign(metric=points["metric"].iloc[0], unit=unit)


def _shift(found: Comparison, row: dict[str, Any]) -> pd.DataFrame:
    if found.imported and any(run.bundle.info["own"]["bounds"] for side in found.runs for run in side):
        return pd.DataFrame()  # tables of percentiles cannot be added up
    mine = found.configuration(row)
    metric, sides = mine.entry.metrics[mine.metric], []
    for runs, parts in zip(found.runs, (mine.before, mine.after), strict=True):
        histograms = []
        for run, rows in zip(runs, parts, strict=True):
            trials = found.trials(run, mine.entry)
            merged = trials.merged(metric)
            numbers = trials.table.index[trials.table["trial"].isin(set(rows.get("trial", ())))]
            histograms += [merged[number] for number in numbers if number in merged]
        sides.append(histograms)
    return shift.shift(*sides)


def _ratios(table: pd.DataFrame) -> pd.DataFrame:
    rows = table[(table["kind"] == "ratio") & np.isfinite(table["ratio"])]
    return rows.rename(columns={"ratio": "value", "label": "title"})


def _lines(found: Comparison, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of one metric with their lines: each change its own, the rest in strips by verdict."""
    rows = _named(found, rows)
    changed = rows["verdict"].isin(verdicts.MOVED)
    own = rows[changed].iloc[:NAMED]
    rest = rows.drop(own.index)
    own = own.assign(line=own["label"])
    if rest.empty:
        return own
    further = rest["verdict"].isin(verdicts.MOVED)
    titles = rest["verdict"].map(lambda verdict: text.heading(verdict, found.margin))
    titles = np.where(further, "further " + titles, titles)
    lone = pd.Series(titles, rest.index).groupby(titles).transform("size") == 1
    rest = rest.assign(line=np.where(lone, rest["label"], titles))
    return pd.concat([own, *(part for _, part in rest.groupby("line", sort=False))])


def _named(found: Comparison, rows: pd.DataFrame) -> pd.DataFrame:
    labels = [found.place(row) for row in rows.rename(columns={"title": "label"}).to_dict("records")]
    return rows.assign(label=labels)


def _panel(entry: Experiment, metric: str) -> str:
    return f"{entry.metrics[metric].label}: right is {verdicts.way(entry.metrics[metric]).more}"


def _titled(found: Comparison, figure: Figure, about: str, caption: str) -> Figure:
    info = found.runs[0][0].bundle.info
    dates = dict.fromkeys(run.bundle.info["created"][:10] for side in found.runs for run in side)
    runs = " and ".join(dict.fromkeys(",".join(side.runs) for side in found.sides.both))
    origin = {
        "run": runs,
        "host": fingerprint.sentence(info["host"]),
        "date": ", ".join(dates),
        "profile": "" if found.imported else info["profile"],
    }
    forced = " Sides of other parameters are compared (--any-parameters)." if found.any_parameters else ""
    return figure.titled(f"{about}: {found.sides.title}", caption + forced, origin)
