"""The short table of a figure in each syntax; cells are escaped here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tabulate import tabulate

from pipeline.kit import escapes

Rows = Sequence[Sequence[str]]


def pipe(columns: Sequence[str], rows: Rows, say: Callable[[str], str] = escapes.markdown) -> str:
    """A pipe table; `say` escapes a cell."""
    cells = [[say(cell) for cell in row] for row in rows]
    return tabulate(cells, [say(head) for head in columns], tablefmt="pipe", disable_numparse=True)


def html(columns: Sequence[str], rows: Rows) -> str:
    """A plain table: no class, no style, so that every platform takes it."""
    head = "".join(f"<th>{escapes.html(one)}</th>" for one in columns)
    body = "\n".join(f"<tr>{''.join(f'<td>{escapes.html(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def directive(columns: Sequence[str], rows: Rows) -> str:
    """A list-table of MyST."""
    lines = [":::{list-table}", "---", "header-rows: 1", "---"]
    for row in (columns, *rows):
        cells = [escapes.markdown(cell) for cell in row]
        lines += [f"{'* - ' if number == 0 else '  - '}{cell}".rstrip() for number, cell in enumerate(cells)]
    return "\n".join([*lines, ":::"])


def listed(columns: Sequence[str], rows: Rows) -> str:
    """Where there are no tables: a line per row, in plain text."""
    return "\n".join(
        f"- {', '.join(escapes.plain(cell) for cell in row[:-1])}: {escapes.plain(row[-1])}" for row in rows
    )
