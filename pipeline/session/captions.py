"""What the marks of a figure are, in the sentences that its caption ends with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pipeline.catalogue.selectors import runtime_label
from pipeline.draw.steps import Step, told, within
from pipeline.words.numbers import ENOUGH, LEVEL, percent

# What the marks of a kind are: a caption ends with it, and says itself only what is particular to its figure.
NOISY, NOISY_OR_ELSEWHERE = "(hollow: noisy)", "(hollow: noisy; crosses: in another state than counts)"
TRIALS = f"Points are trials {NOISY}, bars {percent(LEVEL)} intervals over trials."
TOGETHER = (
    "All trials' samples together; band: least and greatest of the single trials, bars: the median of their own "
    f"percentiles with its {percent(LEVEL)} interval."
)
LINE = f"Points are trials, lines the fitted a + b {{x}} with the {percent(LEVEL)} band."
PAIRED = (
    f"Ratios are paired by block, bars {percent(LEVEL)} intervals; n: the blocks behind a ratio, without noisy and "
    f"unsettled ones where {ENOUGH} others are left."
)
COURSE = "Points are the iterations of one trial, that with the median {median}, bars its detected levels."
CELLS = "Medians over trials."
WINDOWS = "Each point is of all values of a stretch of time, of all sessions together; none has fewer than ten beyond."
BINNED = "Each bin is {} wide; all sessions together."
BARS = "Each bar is made of medians."
CLOUD = f"Small marks are trials {NOISY}, large ones the medians of configurations."


def curves(
    points: pd.DataFrame, axis: str, *, cpus: int | None, axis_label: str, steps: Sequence[Step], **how: Any
) -> str:
    """What the marks of a scaling curve are."""
    what = axis_label.lower()
    joined = "" if how.get("fits") is not None else " Lines join medians."
    begin = told(within(steps, points[axis]), what)
    begin = f" Thin lines: {begin}." if begin else ""
    beyond = cpus is not None and points[axis].max() > cpus
    return TRIALS + joined + begin + (f" Shaded: more {what} than CPUs." if beyond else "")


def lines(points: pd.DataFrame, curve: pd.DataFrame, x_unit: str, names: Mapping[str, str]) -> str:
    """What the marks of fitted lines are, and of which variant and runtime the points have none."""
    measured, fitted = (dict.fromkeys(zip(one["variant"], one["runtime"], strict=True)) for one in (points, curve))
    told = "; ".join(f"{names[one]}, {runtime_label(on)}" for one, on in measured if (one, on) not in fitted)
    lacking = f" Without a line, for its trials do not tell one: {told}." if told else ""
    return LINE.format(x="size" if x_unit == "bytes" else "x") + lacking


def without_place(ratios: pd.DataFrame) -> str:
    """The sentence about ratios that are not drawn, each with its panel where there are several; empty without one."""
    panels = ratios["panel"] if "panel" in ratios else [""] * len(ratios)
    told = "; ".join(": ".join(filter(None, both)) for both in zip(panels, ratios["label"], strict=True))
    return f" Not drawn, for a side is 0: {told}." if told else ""


def shortfall(numbers: pd.DataFrame | None) -> str:
    """The sentence of a caption that speaks of 95 % where some intervals have less, or there is none; empty where all
    have it."""
    if numbers is not None and "level" in numbers and len(numbers) and numbers["level"].isna().all():
        return "There are too few trials for an interval."
    least = LEVEL if numbers is None or "level" not in numbers else numbers["level"].min()
    told = f"With fewer than {ENOUGH} trials an interval has less: here down to {percent(least)}."
    return told if least < LEVEL else ""
