"""A table to read: every cell is words, and a number's cell says on demand where the number comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass
class Table:
    """Columns and rows of words. `titles[row][column]` (empty: none) is what a cell says of its number's source;
    `commands` print the table's numbers again."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    titles: Sequence[Sequence[str]] = ()
    commands: Sequence[str] = ()
    numeric: Sequence[bool] = ()  # by column: numbers stand on the right; none is, where this is empty
    note: str = ""

    def _repr_html_(self) -> str:
        kinds = self.numeric or [False] * len(self.columns)
        css = [' class="number"' if kind else "" for kind in kinds]
        head = "".join(f"<th{one}>{escape(column)}</th>" for column, one in zip(self.columns, css, strict=True))
        body = "".join(f"<tr>{''.join(self._cells(at, css))}</tr>" for at in range(len(self.rows)))
        table = f'<table class="dataframe"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return table + note + commands(self.commands)

    def _cells(self, at: int, css: Sequence[str]) -> list[str]:
        told = self.titles[at] if self.titles else [""] * len(self.columns)
        titles = [f' title="{escape(title, quote=True)}"' if title else "" for title in told]
        return [
            f"<td{kind}{title}>{escape(text)}</td>"
            for text, kind, title in zip(self.rows[at], css, titles, strict=True)
        ]


def commands(lines: Sequence[str]) -> str:
    """The commands that print numbers again, folded."""
    if not lines:
        return ""
    items = "".join(f"<li><code>{escape(line)}</code></li>" for line in dict.fromkeys(lines))
    return f'<details class="lab-rests"><summary>print these numbers</summary><ul>{items}</ul></details>'
