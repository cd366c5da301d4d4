"""Tables in HTML: our own, and those that pandas writes, with text columns on the left; pandas aligns whole tables,
never columns."""

from __future__ import annotations

import re

TABLE = re.compile(r"<table.*?</table>", re.S)
ROW = re.compile(r"<tr.*?</tr>", re.S)
CELL = re.compile(r"<(t[hd])([^>]*)>(.*?)</\1>", re.S)
NUMERIC = re.compile(r"[-+\u2212]?[\d.,]+([eE][-+]?\d+)?( ?(%|x|\u00d7))?|[-+]?inf|NaN|None|")

LONG = 40  # characters: such a cell gets a width at which it can be read


def table(header: list[str], rows: list[list[str]], css: str = "") -> str:
    """An HTML table that scrolls sideways where it does not fit; header and cells are HTML."""
    head = "".join(f'<th scope="col">{name}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    head = f"<thead><tr>{head}</tr></thead>" if header else ""
    return f'<div class="lab-scroll"><table class="lab-table {css}">{head}<tbody>\n{body}</tbody></table></div>'


def align(html: str) -> str:
    """Mark the cells of text columns with the class `text`. A table whose rows differ in length is left as it is."""
    return TABLE.sub(lambda match: _align(match[0]), html)


def _align(table: str) -> str:
    rows = [CELL.findall(row) for row in ROW.findall(table)]
    body = [row for row in rows if any(tag == "td" for tag, _, _ in row)]
    if not body or len({len(row) for row in rows}) != 1 or "colspan" in table or "rowspan" in table:
        return table
    columns = zip(*([content.strip() for _, _, content in row] for row in body), strict=True)
    is_text = [not all(NUMERIC.fullmatch(content) for content in column) for column in columns]

    def mark(row: re.Match) -> str:
        flags = iter(is_text)
        return CELL.sub(lambda cell: _cell(cell, next(flags)), row[0])

    return ROW.sub(mark, table)


def _cell(cell: re.Match, is_text: bool) -> str:
    tag, attributes, content = cell.groups()
    if not is_text or "class=" in attributes:
        return cell[0]
    css = "text long" if len(content) > LONG else "text"
    return f'<{tag}{attributes} class="{css}">{content}</{tag}>'
