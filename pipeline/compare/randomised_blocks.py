"""Randomised blocks: both sides of a run of a user's programs ran in every block in random order, and are judged at few
looks (ADR 0028).

A verdict rests on the blocks of the last look, on the error that this look may make, and on a control: the first
command ran twice in every block, and where it differs from itself nothing is decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from pipeline.analyse import blocks
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.compare import verdicts
from pipeline.compare.measured import Configuration, Run
from pipeline.compare.methods import Change
from pipeline.compare.sides import Sides
from pipeline.models.median_interval import MedianInterval
from pipeline.models.signed_rank import pairs_needed, signed_rank_interval
from pipeline.words.numbers import counted

NAN = float("nan")
FEWEST_BUILDS = 3  # that tell how much a build decides
QUIET = 0.5  # of the pairs, without noisy trials: where so many are, the others do not count


@dataclass(frozen=True)
class RandomisedBlocks:
    """The last look at a run: its blocks, the level of each row, the name of the control (empty: none), and how many
    builds of each command the blocks took in turn."""

    blocks: int
    level: float
    control: str
    builds: int = 1

    def change(self, mine: Configuration, log: bool) -> tuple[Change, str, tuple[int, int], str]:
        """As `rows` makes one: the change, by which method, pairs on either side, and what speaks against a verdict."""
        pairs = paired(mine.before[0], mine.after[0])
        pairs = pairs[pairs.index <= self.blocks]
        if quiet := int((~pairs["noisy"]).sum()):
            pairs = pairs[~pairs["noisy"]] if quiet >= QUIET * len(pairs) else pairs
        count = len(pairs)
        if not count:
            return Change(NAN, NAN, NAN, NAN), "paired", (0, 0), "the commands share no block"
        values = pairs[["before", "after"]].to_numpy(float)
        values = np.log(values) if log else values
        found = signed_rank_interval(values[:, 1] - values[:, 0], self.level)
        if self.builds >= FEWEST_BUILDS and np.isfinite(found.low):
            found = self._over_builds(values[:, 1] - values[:, 0], pairs.index.to_numpy(), found)
        if not np.isfinite(found.low):
            needed = pairs_needed(self.level)
            doubts = f"{counted(count, 'block')}; a verdict needs {needed}"
            return Change(found.estimate, NAN, NAN, NAN), "paired", (count, count), doubts
        return Change(*found), "paired", (count, count), ""

    def itself(self, sides: Sides, runs: Sequence[Sequence[Run]]) -> tuple[str, str] | None:
        """The sides of the control's own comparison; None where there is none, or it is the one that is asked for."""
        if not self.control or self.control in (sides.runtimes or ()):
            return None
        run, first = sides.before.runs[0], runs[0][0].bundle.info["own"]["groups"][0]
        return f"{run}:{first}", f"{run}:{self.control}"

    def _over_builds(self, differences: np.ndarray, number: np.ndarray, found: MedianInterval) -> MedianInterval:
        """The interval over blocks, widened to that over builds (Student's t of their medians) where that is wider: a
        build is drawn once, however many blocks it is measured in (Kalibera and Jones 2013)."""
        builds = (number - 1) % self.builds
        medians = np.array([np.median(differences[builds == one]) for one in np.unique(builds)])
        if len(medians) < FEWEST_BUILDS:
            return found
        half = stdtrit(len(medians) - 1, (1 + self.level) / 2) * medians.std(ddof=1) / np.sqrt(len(medians))
        middle = float(medians.mean())
        return found._replace(low=min(found.low, middle - half), high=max(found.high, middle + half))


def of(runs: Sequence[Sequence[Run]], way: str) -> RandomisedBlocks | None:
    """How a comparison within one run of programs is judged; None for any other. Before its first look nothing is."""
    bundle: Bundle = runs[0][0].bundle
    own = bundle.info.get("own", {})
    if way != "paired" or "versus" not in own:
        return None
    lines = [line for name in runs[0][0].experiments for line in journal.looks(runs[0][0].lines, name)]
    if not lines:
        return RandomisedBlocks(0, 1.0, own["control"], own["versus"]["builds"])
    return RandomisedBlocks(
        lines[-1]["blocks"], 1 - lines[-1]["error"] / lines[-1]["among"], own["control"], own["versus"]["builds"]
    )


def paired(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """By block: before, after, and whether a trial of either was noisy. A block that lacks a side is none."""
    sides = [blocks.by_block(rows) for rows in (before, after)]
    values = {name: one["value"] for name, one in zip(("before", "after"), sides, strict=True)}
    noisy = pd.concat([one["noisy"] for one in sides], axis=1, join="inner").any(axis=1)
    return pd.DataFrame(values).dropna().assign(noisy=noisy)


def apart(place: str, row: Mapping[str, Any]) -> str:
    """That a program differs from itself, and by how much."""
    return f"the same program differs from itself here: {place}, {verdicts.numbers(row)}"
