"""Time in state: how long the CPUs of a run were in which (`pipeline.measure.states`), trial by trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.measure import states
from pipeline.measure.states import CORE, RANKS, UNTOLD, States


@dataclass(frozen=True)
class TimeInState:
    """The trials of a run that tell, in its order: their lines, and the ranks of each by its medians (arrays). Of two
    workers on one core none is told for the core, which they fill themselves."""

    found: States
    lines: list[Mapping]
    way: np.ndarray
    core: np.ndarray

    @cached_property
    def took(self) -> np.ndarray:
        """Seconds of each trial."""
        return np.array([one["wall_s"] for one in self.lines])

    def share(self, ranks: np.ndarray, rank: int) -> float:
        """Of the time of the trials that tell a rank, that of those with this one."""
        return float(self.took[ranks == rank].sum() / max(self.took[ranks != UNTOLD].sum(), 1e-9))

    def shares(self) -> dict[str, dict[str, float]]:
        """The share of each group of ways and of cores, by name; without those that are alike in the whole run."""
        several = zip(RANKS, (self.found.way, self.found.core), (self.way, self.core), strict=True)
        return {
            name: {groups.name(rank): self.share(own, rank) for rank in sorted(groups.ranks)}
            for name, groups, own in several
            if groups.limits
        }


def time_in_state(lines: Iterable[Mapping]) -> TimeInState:
    """The states of a run, trial by trial, by the lines of its journal."""
    every = list(lines)
    found, told = states.of(every), [one for one in every if one.get("readings")]
    way, core = np.array(found.of_medians([one["readings"] for one in told]), int).reshape(-1, len(RANKS)).T
    filled = np.array([found.way.name(rank).startswith(CORE) for rank in way], bool)
    return TimeInState(found, told, way, np.where(filled, UNTOLD, core))
