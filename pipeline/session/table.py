"""A table to read: every cell is words, and a number's cell says on demand where the number comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape


@dataclass
class Table:
    """Columns and rows of words. `titles[row][column]` (empty: none) is what a cell says of its number's source;
    `commands` print the table's numbers again."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    titles: Sequence[Sequence[str]] = ()
    commands: Sequence[str] = ()
    note: str = field(default="")

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        body = "".join(f"<tr>{''.join(self._cells(at))}</tr>" for at in range(len(self.rows)))
        table = f'<table class="dataframe"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return table + note + commands(self.commands)

    def _cells(self, at: int) -> list[str]:
        titles = self.titles[at] if self.titles else [""] * len(self.columns)
        return [
            f'<td title="{escape(title, quote=True)}">{escape(text)}</td>' if title else f"<td>{escape(text)}</td>"
            for text, title in zip(self.rows[at], titles, strict=True)
        ]


def commands(lines: Sequence[str]) -> str:
    """The commands that print numbers again, folded."""
    if not lines:
        return ""
    items = "".join(f"<li><code>{escape(line)}</code></li>" for line in dict.fromkeys(lines))
    return f'<details class="lab-rests"><summary>print these numbers</summary><ul>{items}</ul></details>'
