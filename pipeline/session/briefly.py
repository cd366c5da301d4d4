"""A figure in one breath: what is shown, and of the page's answer the sentence that rests on what is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from pipeline.analyse.source import Selection, Source
from pipeline.draw.figure import BRIEF

Texts = list[str]  # a sentence whole, then ever shorter


def about(told: Iterable[tuple[Texts, list[Source]]], numbers: pd.DataFrame | None) -> list[Texts]:
    """The sentences every number of which is made of numbers that are drawn.

    numbers: the estimates (metric, variant, runtime, axes) or the ratios (`rests_on`) in a figure; None: neither.
    """
    if numbers is None or numbers.empty:
        return []
    if "rests_on" in numbers:
        drawn = [one.selections for one in numbers["rests_on"]]
        return [texts for texts, sources in told if sources and all(one.selections in drawn for one in sources)]
    rows = numbers.to_dict("records")
    return [
        texts
        for texts, sources in told
        if sources and all(_drawn(selection, rows) for source in sources for selection in source.selections)
    ]


def brief(title: str, alt: str, found: Sequence[Texts]) -> str:
    """At most BRIEF characters: the title, what is shown (the first sentence of `alt`), then of the first sentence in
    `found` as much as there is room for; of the numbers in `alt` where there is none."""
    shown, _, numbers = alt.partition(". ")
    head = " ".join(part if part[-1] in ".?!" else f"{part}." for part in (title.strip(), shown.strip()) if part)
    shorter = numbers.rstrip(".").split("; ")
    cut = [f"{'; '.join(shorter[:count])}; …" for count in range(len(shorter) - 1, 0, -1)]
    tails = [*(text for texts in found for text in texts), *([numbers, *cut] if numbers else [])]
    whole = [f"{head} {tail}" for tail in tails if len(head) + len(tail) < BRIEF]
    return next(iter(whole), head if len(head) <= BRIEF else "")


def _drawn(selection: Selection, rows: Sequence[dict]) -> bool:
    return any(all(row.get(name) == value for name, value in selection.items()) for row in rows)
