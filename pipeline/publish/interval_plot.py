"""An effect as a small picture beside its words: its interval, and shaded the region in which the claim holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

from pipeline.words.numbers import interval, quantity

WIDTH, HEIGHT, MARGIN, MIDDLE = 220, 36, 10, 12
SPAN = 20.0  # positive numbers that span a greater factor, and all ratios, are drawn by their logarithms
DECIMALS = 1
APART = 44  # of two numbers below the axis

Region = Mapping[str, float]  # low, high, above, below, as `pipeline.catalogue.claims.Region`


def interval_plot(effect: Mapping[str, float], unit: str, rule: Sequence[Region], words: str) -> str:
    """SVG of an effect (`effect`, `low`, `high`, `level`) beside its rule; empty where there is nothing to draw.

    words: the rule in words, for those who cannot see it.
    """
    estimate, low, high = effect["effect"], effect["low"], effect["high"]
    if unit == "yes/no" or any(value is None or math.isnan(value) for value in (estimate, low, high)):
        return ""
    bounds = [value for region in rule for value in region.values()]
    place = _scale([estimate, low, high, *bounds], unit)
    if place is None:
        return ""
    shaded = "".join(_shaded(region, place) for region in rule)
    left, middle, right = place(low), place(estimate), place(high)
    caps = "".join(f"M{_at(end)} {MIDDLE - 4}v8" for end in (left, right))
    bar = (
        f'<path class="interval" d="M{_at(left)} {MIDDLE}H{_at(right)}{caps}"/>'
        f'<circle class="estimate" cx="{_at(middle)}" cy="{MIDDLE}" r="3.5"/>'
    )
    label = f"{interval(estimate, low, high, unit, effect['level'])}; the claim holds where it is {words}"
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    marked = [*bounds, 1.0] if unit == "ratio" else bounds
    return (
        f'<svg class="lab-plot" role="img" aria-label="{escape(label, quote=True)}" {size} '
        f'viewBox="0 0 {WIDTH} {HEIGHT}"><title>{escape(label)}</title>{shaded}'
        f'<path class="axis" d="M0 24H{WIDTH}"/>{bar}{_ticks(marked, place, unit)}</svg>'
    )


def _scale(values: Sequence[float], unit: str) -> Callable[[float], float] | None:
    """Value -> x; None without a finite number. What is infinite, or 0 on a logarithmic axis, lies at the edge."""
    finite = [value for value in values if math.isfinite(value)] + ([1.0] if unit == "ratio" else [])
    if not finite:
        return None
    positive = [value for value in finite if value > 0]
    log = unit == "ratio" or (min(finite) > 0 and max(finite) > SPAN * min(finite))
    if log:
        ends = [math.log(min(positive)), math.log(max(positive))]
    else:
        ends = [min(finite), max(finite)]
    room = (ends[1] - ends[0] or abs(ends[0]) or 1.0) * 0.15
    first, last = ends[0] - room, ends[1] + room

    def place(value: float) -> float:
        if log:
            value = math.log(value) if value > 0 else -math.inf
        share = (min(max(value, first), last) - first) / (last - first)
        return MARGIN + share * (WIDTH - 2 * MARGIN)

    return place


def _shaded(region: Region, place: Callable[[float], float]) -> str:
    lows = [region[key] for key in ("low", "above") if key in region]
    highs = [region[key] for key in ("high", "below") if key in region]
    left, right = (place(lows[0]) if lows else 0.0), (place(highs[0]) if highs else float(WIDTH))
    if right - left < 3:  # exactly one value
        left, right = left - 1.5, left + 1.5
    return f'<rect class="rule" x="{_at(left)}" y="0" width="{_at(right - left)}" height="24"/>'


def _ticks(bounds: Sequence[float], place: Callable[[float], float], unit: str) -> str:
    """The bounds of the rule below the axis, in their order; of those too near to each other the first."""
    said, taken = "", []
    for value in dict.fromkeys(bounds):
        x = place(value)
        if any(abs(x - other) < APART for other in taken):
            continue
        anchor = "start" if x < 30 else "end" if x > WIDTH - 40 else "middle"
        text = f'<text x="{_at(x)}" y="35" text-anchor="{anchor}">{escape(quantity(value, unit))}</text>'
        said += f'<path class="axis" d="M{_at(x)} 24v3"/>{text}'
        taken.append(x)
    return said


def _at(x: float) -> str:
    return str(round(x, DECIMALS))
