"""A table to read: every cell is words, and a number's cell says on demand where the number comes from.

What all rows say is said once, above the table, and rows that differ in nothing but their keys are one row.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

# JupyterLab puts every cell of every table on the right.
IN_JUPYTERLAB = "<style>.jp-RenderedHTMLCommon table.dataframe :is(td,th):not(.number){text-align:left}</style>"


@dataclass
class Table:
    """Columns and rows of words. `titles[row][column]` (empty: none) is what a cell says of its number's source;
    `commands` print the table's numbers again. `keys`: how many columns, from the first, say what a row is about, where
    rows that say the same are to be one."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    titles: Sequence[Sequence[str]] = ()
    commands: Sequence[str] = ()
    numeric: Sequence[bool] = ()  # by column: numbers stand on the right; none is, where this is empty
    note: str = ""
    keys: int = 0
    css: str = ""

    def __post_init__(self) -> None:
        widths = {len(row) for row in (*self.rows, *self.titles, *([self.numeric] if self.numeric else []))}
        if widths - {len(self.columns)} or (self.titles and len(self.titles) != len(self.rows)):
            raise ValueError(f"a table of {len(self.columns)} columns has rows of {sorted(widths)} cells")

    def _repr_html_(self) -> str:
        shown = self._merged()
        said = shown._same()
        columns = [at for at in range(len(shown.columns)) if at not in said]
        told = "; ".join(text if text.endswith(".") else f"{shown.columns[at]}: {text}" for at, text in said.items())
        above = f'<p class="lab-same">In every row {escape(told)}</p>' if told else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return IN_JUPYTERLAB + above + shown._table(columns) + note + commands(self.commands)

    def _table(self, columns: Sequence[int]) -> str:
        kinds = self.numeric or [False] * len(self.columns)
        css = [' class="number"' if kind else "" for kind in kinds]
        head = "".join(f"<th{css[at]}>{escape(self.columns[at])}</th>" for at in columns)
        body = "".join(
            f"<tr>{''.join(self._cell(row, at, css[at]) for at in columns)}</tr>" for row in range(len(self.rows))
        )
        classes = f"dataframe {self.css}".rstrip()
        return f'<table class="{classes}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'

    def _cell(self, row: int, at: int, css: str) -> str:
        title = self.titles[row][at] if self.titles else ""
        told = f' title="{escape(title, quote=True)}"' if title else ""
        return f"<td{css}{told}>{escape(self.rows[row][at])}</td>"

    def _same(self) -> dict[int, str]:
        """Column -> what it says in every one of several rows; never numbers, nor all columns of the table."""
        if len(self.rows) < 2 or not self.keys:
            return {}
        every = range(self.keys, len(self.columns))
        return {at: self.rows[0][at] for at in every if len({row[at] for row in self.rows}) == 1 and self.rows[0][at]}

    def _merged(self) -> Table:
        """With one row for those that say the same: each key lists its values where these are all combinations of them,
        otherwise the first lists the combinations."""
        groups: dict[tuple, list[int]] = {}
        for at, row in enumerate(self.rows):
            groups.setdefault(tuple(row[self.keys :]) if self.keys else (at,), []).append(at)
        if len(groups) == len(self.rows):
            return self
        rows, titles = [], []
        for said, members in groups.items():
            if len(members) == 1:
                rows.append(self.rows[members[0]])
                titles.append(self.titles[members[0]] if self.titles else [""] * len(self.columns))
                continue
            keys = [tuple(self.rows[at][: self.keys]) for at in members]
            rows.append([*_listed(keys), *said])
            titles.append([""] * len(self.columns))
        return replace(self, rows=rows, titles=titles)


def _listed(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """Several rows' keys as one row's."""
    values = [list(dict.fromkeys(column)) for column in zip(*keys, strict=True)]
    if sorted(itertools.product(*values)) == sorted(keys):
        return [", ".join(column) for column in values]
    return ["; ".join(" ".join(key) for key in keys), *("" for _ in values[1:])]


def commands(lines: Sequence[str]) -> str:
    """The commands that print numbers again, folded."""
    if not lines:
        return ""
    items = "".join(f"<li><code>{escape(line)}</code></li>" for line in dict.fromkeys(lines))
    return f'<details class="lab-rests"><summary>print these numbers</summary><ul>{items}</ul></details>'
