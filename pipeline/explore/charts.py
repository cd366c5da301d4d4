"""Tables to Vega-Lite 5 as plain dicts: what JupyterLab draws by itself, without a network and in its own theme.

A chart is a pure function of its tables. It names no address but its schema, holds all of its data, and its colours
follow the background it is shown on.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pipeline.draw.percentile import NINES
from pipeline.draw.style import DARK, LIGHT, Look
from pipeline.draw.units import spans_decades
from pipeline.explore.selection import Curve
from pipeline.ground.errors import LabError
from pipeline.words.numbers import is_time

Spec = dict[str, Any]
MIME = "application/vnd.vegalite.v5+json"
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
EMBED = {"renderer": "svg", "actions": {"export": True, "source": False, "compiled": False, "editor": False}}
WIDTH, HEIGHT = 500, 330
# One list of colours for light and one for dark: which it is, the background of the drawing tells.
ON_DARK = "luminance(background) < 0.5"
SEVERAL = 2.5  # decades
# Where a page must scroll, a wheel that zooms is in the way: as on a map, with Ctrl, or two fingers.
ZOOM = "wheel![event.ctrlKey || event.metaKey]"
DASHES = ([], [6, 3], [1.5, 2], [8, 2, 2, 2], [4, 2, 1, 2, 1, 2])
# A time in ns as it is said elsewhere: `12 ns`, `3.5 µs`.
TIME = (
    "{0} >= 1e9 ? format({0} / 1e9, '.{1}~r') + ' s' : {0} >= 1e6 ? format({0} / 1e6, '.{1}~r') + ' ms' : "
    "{0} >= 1e3 ? format({0} / 1e3, '.{1}~r') + ' µs' : format({0}, '.{1}~r') + ' ns'"
)
DIGIT = "round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))"
DECADE = "abs(log(datum.value) / LN10 - round(log(datum.value) / LN10)) < 1e-6"
NINE = "datum.value < 0.1 ? '0' : datum.value < 0.5 ? '50' : format(100 - pow(10, 2 - datum.value), '.8~r')"


@dataclass(frozen=True)
class Line:
    """What has one look and one entry in the legend and is of no trials, which a `Curve` is of."""

    label: str
    number: int
    dash: int


def display_data(spec: Spec) -> dict[str, Any]:
    """A chart as a notebook's output; where Vega-Lite is not known its description is read."""
    return {
        "output_type": "display_data",
        "data": {MIME: spec, "text/plain": spec["description"]},
        "metadata": {MIME: {"embed_options": EMBED}},
    }


def spec(description: str, parts: Spec) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": description[:250],
        "config": {
            "font": "system-ui, sans-serif",
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "gridColor": GRID},
            "legend": {"labelFontSize": 11, "labelLimit": 380, "symbolStrokeWidth": 2},
            "view": {"stroke": None},
        },
        **parts,
    }


def ink(light: str, dark: str) -> dict[str, str]:
    return {"expr": f"{ON_DARK} ? '{dark}' : '{light}'"}


TEXT, MUTED = (ink(getattr(LIGHT, name), getattr(DARK, name)) for name in ("text", "muted"))
SHADE, GRID = ink("#b9bec6", "#6b7078"), ink("#dcdee1", "#505459")


def rows(table: pd.DataFrame) -> dict[str, Any]:
    """A table as the data of a layer; what is no finite number is null."""
    plain = table.astype(object).where(table.notna() & ~table.isin([np.inf, -np.inf]), None)
    return {"values": [{name: _plain(value) for name, value in row.items()} for row in plain.to_dict("records")]}


def looks(curves: Sequence[Curve | Line], width: int = WIDTH) -> Spec:
    """The channels colour and dash of the field `curve`, with one legend of both."""
    labels = [curve.label for curve in curves]
    colours = [ink(*(Look(curve.number).colour(theme) for theme in (LIGHT, DARK))) for curve in curves]
    dashes = [DASHES[curve.dash % len(DASHES)] for curve in curves]
    longest = max(map(len, labels), default=0)
    legend = {
        "orient": "bottom",
        "columns": max(1, min(3, int(width / (6.5 * longest + 40)))),
        "title": None,
        "symbolType": "stroke",
        "symbolSize": 300,
        "symbolOpacity": 1,
        "offset": 8,
    }
    return {
        "color": {
            "field": "curve",
            "type": "nominal",
            "scale": {"domain": labels, "range": colours},
            "legend": legend if len(labels) > 1 else None,
        },
        "strokeDash": {
            "field": "curve",
            "type": "nominal",
            "scale": {"domain": labels, "range": dashes},
            "legend": legend if len(labels) > 1 else None,
        },
    }


def colour(curves: Sequence[Curve | Line]) -> Spec:
    """The channel colour alone, of marks that have no line."""
    return looks(curves)["color"]


def interactions(channels: Iterable[str]) -> list[Spec]:
    """Drag moves, Ctrl and wheel (or two fingers) zoom, double click resets; a click in the legend shows one curve
    (Shift: more).

    A drag cannot choose a stretch to be zoomed into: Vega-Lite's brush would lie over the marks, which then say nothing
    when they are pointed at. And what is seen stays in the browser: JupyterLab's renderer tells the kernel of no
    signal. So the range is also a control and a part of the state (`ranged`).
    """
    return [window(channels), {"name": "picked", "select": {"type": "point", "fields": ["curve"]}, "bind": "legend"}]


def window(channels: Iterable[str]) -> Spec:
    """The parameter by which a chart is moved and zoomed."""
    select = {"type": "interval", "encodings": list(channels), "zoom": ZOOM, "clear": "dblclick"}
    return {"name": "window", "select": select, "bind": "scales"}


def ranged(channel: Spec, ends: tuple[float, float] | None) -> Spec:
    """A quantitative channel that begins and ends where a state says, which is what a double click comes back to.
    LabError for a logarithmic one that would begin at 0."""
    if ends is None:
        return channel
    scale = channel["scale"]
    if scale.get("type") == "log" and ends[0] <= 0:
        raise LabError(f"range {ends[0]:g}, {ends[1]:g}: the axis is logarithmic and begins above 0")
    plain = {name: value for name, value in scale.items() if name not in ("padding", "zero")}
    return channel | {
        "scale": plain | {"domain": list(ends), "nice": False} | ({} if "type" in scale else {"zero": False})
    }


def faded(full: float = 1.0, rest: float = 0.08) -> Spec:
    """The channel opacity: what the legend did not pick is faint."""
    return {"condition": {"param": "picked", "value": full}, "value": rest}


def value_axis(field: str, values: Iterable[float], unit: str, label: str, **how: Any) -> Spec:
    """The channel of a value in a unit; logarithmic where its values span decades, unless `log` says."""
    log, zero = how.pop("log", None), how.pop("zero", False)
    log = spans_decades(values) if log is None else log
    scale = {"type": "log", "nice": False, "padding": 8} if log else {"zero": zero, "padding": 0 if zero else 8}
    title = label if is_time(unit) or unit in ("", "1", "ratio") else f"{label} ({unit})"
    axis = {"title": title, "labelExpr": tick(unit), "grid": True, "tickCount": 6, "labelOverlap": "greedy"}
    if log:  # lines at powers of ten, and words at 1, 2 and 5 where there is room for them
        axis |= {"gridOpacity": {"condition": {"test": DECADE, "value": 1}, "value": 0.35}}
        digits = [1] if _decades(values) > SEVERAL else [1, 2, 5]
        axis |= {"labelExpr": f"indexof({digits}, {DIGIT}) < 0 ? '' : {tick(unit)}"}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis, **how}


def _decades(values: Iterable[float]) -> float:
    positive = [value for value in values if value > 0]
    return float(np.log10(max(positive) / min(positive))) if positive else 0.0


def tick(unit: str) -> str:
    """The expression of a tick's label."""
    if is_time(unit):
        return TIME.format("datum.value", 6)
    return "abs(datum.value) >= 1e4 ? format(datum.value, '.5~s') : format(datum.value, '.6~r')"


def nines_axis(most: float, title: str = "Percentile") -> Spec:
    """The channel of `nines`, -log10(1 - p): every further nine has the same room."""
    places = [round(-float(np.log10(1 - percent / 100)), 9) for percent in NINES]
    return {
        "field": "nines",
        "type": "quantitative",
        "scale": {"domain": [0, max(most, 1.0)], "nice": False},
        "axis": {"title": title, "values": places, "labelExpr": NINE, "grid": True, "labelOverlap": "greedy"},
    }


def tooltip(**fields: str) -> list[Spec]:
    """Title -> field, of what a mark says when it is pointed at."""
    return [{"field": name, "type": "nominal", "title": title} for title, name in fields.items()]


def title(text: str, width: int) -> Spec:
    """A title that is a sentence, on as many lines as it takes."""
    lines = textwrap.wrap(text, int(width / 5.9))
    return {"text": lines, "anchor": "start", "fontSize": 12, "fontWeight": "normal", "offset": 8, "color": TEXT}


def sized(parts: Spec, width: int, height: int = HEIGHT) -> Spec:
    return {"width": width, "height": height} | parts


def _plain(value: Any) -> Any:
    """A NumPy scalar as Python's; numbers with as many digits as a drawing can tell."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.9g}")
    return value if value is None or isinstance(value, Mapping) else str(value)
