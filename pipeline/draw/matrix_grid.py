"""The cells of a matrix: in rows and columns, which of them are missing, and where groups of them begin."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from pipeline.draw import style
from pipeline.draw.style import Theme

Groups = Mapping[str, Mapping[Any, Hashable]]  # word -> row or column -> its group, the widest groups first
STAR_FROM = 17  # rows and columns; of fewer also a matrix of the pairs of one of them is drawn whole
WIDTHS = (1.5, 0.7)  # of lines between groups, the widest groups first; all others as the last


@dataclass(frozen=True)
class Grid:
    """values: by row and column, NaN where there is none; rows, columns: what they are, and their labels in order.

    same: whether rows and columns are the same things, so that the diagonal is empty. of_one: whether the rows are
    the two ways between one thing and the columns (`star`).
    """

    values: np.ndarray
    rows: dict[Any, str]
    columns: dict[Any, str]
    same: bool
    of_one: bool = False

    @classmethod
    def of(cls, data: pd.DataFrame, names: Mapping[str, str] | Iterable[str] | None) -> Grid:
        rows, columns = (_order(data[side], names) for side in ("row", "column"))
        table = data.pivot(index="row", columns="column", values="value").reindex(list(rows), columns=list(columns))
        return cls(table.to_numpy(float), rows, columns, list(rows) == list(columns))

    @classmethod
    def star(
        cls, data: pd.DataFrame, names: Mapping[str, str] | Iterable[str] | None, ways: tuple[str, str]
    ) -> Grid | None:
        """Two rows, the pairs of one thing with all others both ways, where there are no other pairs and the things are
        many: in a matrix of all pairs they would be its edges. ways: what a row and a column are called."""
        one_of = {one: (data["row"] == one) | (data["column"] == one) for one in {*data["row"]} & {*data["column"]}}
        hubs = [one for one, pairs in one_of.items() if pairs.all()]
        every = {*data["row"], *data["column"]}
        if len(hubs) != 1 or len(every) < STAR_FROM or (data["row"] == data["column"]).any():
            return None
        labels = _order(pd.concat([data["row"], data["column"]]), names)
        others = {one: text for one, text in labels.items() if one != hubs[0]}
        sides = (("row", "column"), ("column", "row"))
        values = [data[data[here] == hubs[0]].set_index(there)["value"].reindex(list(others)) for here, there in sides]
        rows = {way: f"{way} {labels[hubs[0]]}" for way in ways}
        return cls(np.stack(values).astype(float), rows, others, same=False, of_one=True)

    @property
    def missing(self) -> np.ndarray:
        """Which cells have no value and could have one."""
        return ~np.isfinite(self.values) & ~(np.eye(len(self.values), dtype=bool) if self.same else False)

    @property
    def possible(self) -> int:
        """How many cells a whole matrix of all that was measured would have."""
        things = 1 + len(self.columns)
        return things * (things - 1) if self.of_one else int(np.isfinite(self.values).sum() + self.missing.sum())

    def hatch(self, ax: Axes, theme: Theme) -> list[Patch]:
        """Hatch the missing cells; returns the legend's entry for them, if there are any."""
        missing = self.missing
        if not missing.any():
            return []
        look = {"facecolor": "none", "edgecolor": (theme.muted, 0.5), "hatch": "/////", "linewidth": 0}
        # One path for all: a hatch starts anew in every patch, and would not run on from cell to cell.
        corners = [np.array([(j, i), (j + 1, i), (j + 1, i + 1), (j, i + 1), (j, i)]) for i, j in np.argwhere(missing)]
        ax.add_patch(PathPatch(Path.make_compound_path(*map(Path, corners)), zorder=0.9, **look))
        possible = np.isfinite(self.values).sum() + missing.sum()
        return [Patch(label=f"not measured ({missing.sum():,} of {possible:,})", **look)]

    def part(self, ax: Axes, groups: Groups, theme: Theme) -> list[Line2D]:
        """Lines between rows and columns of different groups, thick between the widest; their entries of the legend."""
        keys = []
        for number, (word, lines) in enumerate(self.borders(groups).items()):
            look = {"color": theme.text, "linewidth": WIDTHS[min(number, len(WIDTHS) - 1)]}
            for draw, places in zip((ax.axhline, ax.axvline), lines, strict=True):
                for at in places:  # on the ground of its own, for cells may be as dark as the line
                    draw(at, color=theme.background, linewidth=look["linewidth"] + 1.5, zorder=2)
                    draw(at, zorder=2.1, label=word, **look)
            keys.append(Line2D([], [], label=word, **look))
        return keys

    def borders(self, groups: Groups) -> dict[str, tuple[list[int], list[int]]]:
        """Word -> before which rows and columns another of its groups begins; without words of groups that most
        neighbours are not in, as where CPUs are numbered package by package in turn."""
        found: dict[str, tuple[list[int], list[int]]] = {}
        taken: tuple[set[int], set[int]] = (set(), set())
        for word, of in groups.items():
            lines = tuple(_changes(list(side), of) for side in (self.rows, self.columns))
            if all(2 * len(at) <= len(side) for at, side in zip(lines, (self.rows, self.columns), strict=True)):
                new = tuple([at for at in each if at not in known] for each, known in zip(lines, taken, strict=True))
                for each, known in zip(new, taken, strict=True):
                    known.update(each)
                if any(new):
                    found[word] = new
        return found


def _changes(side: Sequence[Any], groups: Mapping[Any, Hashable]) -> list[int]:
    """Before which members of a side another group begins; where one has no group there is no telling."""
    of = [groups.get(one) for one in side]
    return [at for at in range(1, len(of)) if None not in of[at - 1 : at + 1] and of[at] != of[at - 1]]


def _order(found: pd.Series, names: Mapping[str, str] | Iterable[str] | None) -> dict[Any, str]:
    if pd.api.types.is_numeric_dtype(found):
        return {one: f"{one:g}" for one in sorted(found.unique())}
    known = style.labels(names, found)
    return {one: text for one, text in known.items() if one in set(found)}
