"""A table to read: every cell is words, and a number's cell says on demand where the number comes from.

What all rows say is said once, above the table, and rows that differ in nothing but their keys are one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

# JupyterLab puts every cell of every table on the right.
IN_JUPYTERLAB = "<style>.jp-RenderedHTMLCommon table.dataframe :is(td,th):not(.number){text-align:left}</style>"
NONE = "–"  # in a cell without a value


@dataclass
class Table:
    """Columns and rows of words, how they are read `above` and a `note` below. `titles[row][column]` (empty: none) is
    what a cell says of its number's source; `commands` print the table's numbers again. `keys`: how many columns, from
    the first, say what a row is about, where rows that say the same are to be one; the last then says what it comes to.
    `nothing`: what is said in place of a table without a row.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    titles: Sequence[Sequence[str]] = ()
    commands: Sequence[str] = ()
    numeric: Sequence[bool] = ()  # by column: numbers stand on the right; none is, where this is empty
    note: str = ""
    above: str = ""  # how the rows are read
    keys: int = 0
    css: str = ""
    nothing: str = ""

    def __post_init__(self) -> None:
        widths = {len(row) for row in (*self.rows, *self.titles, *([self.numeric] if self.numeric else []))}
        if widths - {len(self.columns)} or (self.titles and len(self.titles) != len(self.rows)):
            raise ValueError(f"a table of {len(self.columns)} columns has rows of {sorted(widths)} cells")

    def _repr_html_(self) -> str:
        if self.nothing and not self.rows:
            return "".join(f"<p>{escape(line)}</p>" for line in (self.nothing, self.note) if line)
        shown = self._merged()
        said = shown._same()
        columns = [at for at in range(len(shown.columns)) if at not in said]
        last = len(shown.columns) - 1
        told = [text.rstrip(".") if at == last else f"{shown.columns[at]} {text}" for at, text in said.items()]
        every = f"All rows: {'; '.join(told)}." if told else ""
        above = "".join(f'<p class="lab-same">{escape(line)}</p>' for line in (self.above, every) if line)
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
        """With one row for those that say the same, in which each key lists its values; where these are not all
        combinations of them, with as few rows as it takes."""
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
            for keys in _listed([tuple(self.rows[at][: self.keys]) for at in members]):
                rows.append([*keys, *said])
                titles.append([""] * len(self.columns))
        return replace(self, rows=rows, titles=titles)


def _listed(keys: Sequence[tuple[str, ...]]) -> list[list[str]]:
    """Several rows' keys as few rows: those whose further keys are the same are one, `a; b | JDK 17, JDK 25`."""
    if not keys[0]:
        return [[]]
    further: dict[str, list[tuple[str, ...]]] = {}
    for first, *rest in keys:
        further.setdefault(first, []).append(tuple(rest))
    alike: dict[frozenset, list[str]] = {}
    for first, rests in further.items():
        alike.setdefault(frozenset(rests), []).append(first)
    return [[_joined(firsts), *rest] for firsts in alike.values() for rest in _listed(further[firsts[0]])]


def _joined(values: Sequence[str]) -> str:
    """Values in one cell; of such as have commas themselves the ends stay visible."""
    return ("; " if any("," in value for value in values) else ", ").join(values)


def commands(lines: Sequence[str]) -> str:
    """The commands that print numbers again, folded."""
    if not lines:
        return ""
    items = "".join(f"<li><code>{escape(line)}</code></li>" for line in dict.fromkeys(lines))
    return f'<details class="lab-rests"><summary>print these numbers</summary><ul>{items}</ul></details>'
