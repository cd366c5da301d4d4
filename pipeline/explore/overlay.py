"""An overlay of two runs: what the statistics of `pipeline.compare` say of what is shown, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pipeline.compare import verdicts
from pipeline.compare.comparison import Comparison
from pipeline.explore.state import State
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted, places

MOST = 4  # sentences; the others are counted


class Overlaid:
    """The comparison of two runs of one experiment, each metric computed when it is first asked for."""

    def __init__(self, before: str, after: str, experiment: str) -> None:
        self.before, self.after, self.experiment = before, after, experiment
        self._found: dict[str, Comparison] = {}

    def sentences(self, state: State, by: str = "") -> list[str]:
        """What changed in the metric of what a state shows, changes first; why nothing can be said where it cannot."""
        try:
            found = self._comparison(state.metric)
            mine = [row for row in found.table.to_dict("records") if _shown(row, state, by)]
        except LabError as error:
            return [f"Not compared: {error}."]
        if not mine:
            return ["Not compared: the two runs have no configuration of this choice in common."]
        told = [f"{_name(row)}: {verdicts.sentence(row, found.margin)}." for row in mine[:MOST]]
        rest = pd.Series([row["verdict"] for row in mine[MOST:]], dtype=object).value_counts(sort=False)
        others = ", ".join(f"{count} {verdict}" for verdict, count in rest.items())
        return [*told, *([f"{counted(len(mine) - MOST, 'other')}: {others}."] if others else [])]

    def _comparison(self, metric: str) -> Comparison:
        if metric not in self._found:
            self._found[metric] = Comparison(self.before, self.after, self.experiment, metrics=[metric])
        return self._found[metric]


def _shown(row: Mapping[str, Any], state: State, by: str) -> bool:
    """Whether a row is of a configuration that the state shows."""
    runtimes = {row["runtime_before"], row["runtime_after"]}
    places = {axis: value for axis, value in state.axes.items() if axis != by}
    return (
        row["variant"] in state.variants
        and runtimes <= set(state.runtimes)
        and all(row["axes"].get(axis) == value for axis, value in places.items())
    )


def _name(row: Mapping[str, Any]) -> str:
    return ", ".join(filter(None, [row["label"], places(row["axes"]), row["runtime"]]))
