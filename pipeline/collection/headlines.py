"""Headlines by host: the estimates that a catalogue entry calls headlines, of every host next to each other."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.catalogue.entry import Experiment, parameter_of
from pipeline.words.numbers import places

PLACE = ["metric", "variant", "axes"]  # a configuration of an experiment, whatever runs it
FEWEST, MOST = 2, 6  # panels of a figure
ROWS = 48  # hosts of all panels of a figure


@dataclass(frozen=True)
class Place:
    """A configuration and metric: what a panel shows of every host."""

    metric: str
    variant: str
    axes: str

    def title(self, entry: Experiment) -> str:
        """`synchronized, threads 2`: a heading of few words, without axes that have the experiment's usual value."""
        variant = entry.variants[self.variant].label if self.variant in entry.variants else self.variant
        axes = json.loads(self.axes)
        axes = {axis: one for axis, one in axes.items() if entry.parameters.get(parameter_of(axis)) != one}
        return ", ".join(part for part in (variant, places(axes)) if part)


def spread(rows: pd.DataFrame) -> pd.DataFrame:
    """Per configuration: `hosts` that have it, and `factor`, the greatest of a runtime's ratios of one host to another,
    taken between the ends of their intervals that lie closest; widest first, as many hosts as there are before fewer.
    """
    found = []
    for place, part in rows.groupby(PLACE, sort=True):
        factors = [1.0]
        for _, own in part.groupby("runtime", sort=True):
            low, high = own["low"].fillna(own["estimate"]), own["high"].fillna(own["estimate"])
            if len(own) > 1 and (low > 0).all():
                factors.append(float(low.max() / high.min()))
        found.append({**dict(zip(PLACE, place, strict=True)), "hosts": part["host"].nunique(), "factor": max(factors)})
    frame = pd.DataFrame(found, columns=[*PLACE, "hosts", "factor"])
    return frame.sort_values(["hosts", "factor"], ascending=False, kind="stable", ignore_index=True)


def shown(rows: pd.DataFrame, hosts: int) -> list[Place]:
    """The configurations that differ most between hosts: as many as leave each host a legible row."""
    most = int(np.clip(ROWS // max(hosts, 1), FEWEST, MOST))
    return [Place(row.metric, row.variant, row.axes) for row in spread(rows)[:most].itertuples()]


def of(rows: pd.DataFrame, place: Place) -> pd.DataFrame:
    """The rows of one configuration."""
    same = (rows["metric"] == place.metric) & (rows["variant"] == place.variant) & (rows["axes"] == place.axes)
    return rows[same]
