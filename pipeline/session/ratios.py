"""Ratios of configurations by label and runtime, as figures and findings take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from pipeline.analyse import effects
from pipeline.analyse.frames import framed, joined
from pipeline.analyse.selection import Data, Missing
from pipeline.analyse.source import Source
from pipeline.catalogue.selectors import runtime_label

# One side of a ratio: a variant's name, or a selection. Pairs: label -> the sides above and below the line.
Side = str | Mapping[str, Any]
Pairs = Mapping[str, tuple[Side, Side]]
Group = tuple[str, str, Pairs, Mapping[str, Any]]  # of one panel: heading, metric, pairs, where
NUMBERS = ["estimate", "low", "high", "level", "trials", "p"]  # of an effect, those that are told


def selected(side: Side) -> dict[str, Any]:
    """A side as a selection."""
    return {"variant": side} if isinstance(side, str) else dict(side)


def prefixed(pairs: Mapping[str, tuple[str, str]], prefix: str) -> Pairs:
    """The same pairs of the variants that are called so with a prefix, as the twins in another language are."""
    return {label: (prefix + of, prefix + to) for label, (of, to) in pairs.items()}


def paired(
    data_on: Callable[[str], Data], runtimes: Iterable[str], metric: str, pairs: Pairs, where: Mapping[str, Any]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The estimates and every block's ratio (`pipeline.analyse.effects.pairs`, with the label).

    Columns of the estimates: label, NUMBERS and `rests_on`, the estimate's `Source`. A pair of which a runtime has only
    one side yields no row.
    """
    found, points = [], []
    for label, sides in pairs.items():
        chosen = [{"metric": metric} | dict(where) | selected(side) for side in sides]
        for runtime in runtimes:
            data = data_on(runtime)
            try:
                ratio = effects.ratio(data, *chosen)
            except Missing:
                continue
            scoped = tuple(data.scoped(side) for side in chosen)
            row = {"label": f"{label}, {runtime_label(runtime)}"} | {name: getattr(ratio, name) for name in NUMBERS}
            found.append(row | {"rests_on": Source("ratio", scoped, ratio.trials, ratio.blocks)})
            points.append(effects.pairs(data, *chosen).assign(label=row["label"]))
    return framed(found, ["label", *NUMBERS, "rests_on"]), joined(points, ["block", "value", "noisy", "label"])
