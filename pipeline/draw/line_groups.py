"""Groups of lines: configurations of one line that differ in an axis which is neither drawn nor the x axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import pandas as pd

from pipeline.draw import style
from pipeline.ground.errors import LabError
from pipeline.words.numbers import place, quantity


@dataclass(frozen=True)
class LineGroups:
    """`axes`: those that take several values within a line, and how a value of each is written (`{} threads`,
    `{ns} outside` of a time).

    Where there is one, what would be a line is a panel, and each value is a line in it.
    """

    axes: Mapping[str, str]

    @classmethod
    def of(cls, rows: pd.DataFrame, lines: list[str], words: Mapping[str, str]) -> LineGroups:
        """Of the axes that have words those that tell the rows of one line from each other."""
        known = [axis for axis in words if axis in rows]
        several = rows.groupby(lines, observed=True)[known].nunique(dropna=False).max() if known else {}
        return cls({axis: words[axis] for axis in known if several[axis] > 1})

    def drawn(self, frame: pd.DataFrame, panel: str, series: str, figure: str) -> pd.DataFrame:
        """The frame with the columns panel and series as they are drawn; LabError where its rows do not say of which
        line they are."""
        if not self.axes:
            return frame.rename(columns={panel: "panel", series: "series"})
        if missing := [axis for axis in self.axes if axis not in frame]:
            raise LabError(f"figure {figure}: its lines differ in {missing[0]}; give every table of it that column")
        panels = [f"{one}, {other}" for one, other in zip(frame[panel], frame[series], strict=True)]
        return frame.assign(panel=panels, series=[self._named(values) for values in self._values(frame)])

    def labels(self, rows: pd.DataFrame) -> dict[str, str]:
        """The lines in the order of their values, those without a value first, with their labels."""
        values = sorted(set(self._values(rows)), key=lambda each: [(pd.notna(one), _sortable(one)) for one in each])
        return {name: name for name in map(self._named, values)}

    def headings(
        self, rows: pd.DataFrame, panel: str, series: str, panels: Mapping[str, str], lines: Mapping[str, str]
    ) -> dict[str, str]:
        """Panel -> what to write over it; `panels` and `lines`: the labels of what would be panels and lines."""
        over, each = style.headings(rows[panel], panels), style.headings(rows[series], lines)
        present = set(zip(rows[panel], rows[series], strict=True))
        return {f"{a}, {b}": f"{over[a]}, {each[b]}" for a in over for b in each if (a, b) in present}

    def _values(self, frame: pd.DataFrame) -> Iterable[tuple]:
        return ((*values,) for values in zip(*(frame[axis] for axis in self.axes), strict=True))

    def _named(self, values: Iterable[Any]) -> str:
        """`2 threads, work exponential`; `no work` where a configuration does not have that axis."""
        return ", ".join(
            f"no {axis.replace('_', ' ')}" if pd.isna(one) else words.format(place(one), ns=_time(one))
            for (axis, words), one in zip(self.axes.items(), values, strict=True)
        )


def _time(value: Any) -> str:
    """A number of nanoseconds as a reader says it."""
    return quantity(float(value), "ns") if isinstance(value, Real) else str(value)


def _sortable(value: Any) -> Any:
    return "" if pd.isna(value) else value
