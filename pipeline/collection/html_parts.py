"""Parts of a collection's pages: a table, a figure with its files, and the page around them; all open from disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

from pipeline.draw.figure import Figure

STYLE = Path(__file__).with_name("page.css")


def figure(shown: Figure, folder: Path, over: Callable[[str], str] = lambda svg: "") -> str:
    """A figure in the theme of the system, with links to its files. over: what lies over the picture, of its SVG."""
    shown.save(folder)
    strips = over((folder / f"{shown.name}.svg").read_text(encoding="utf-8"))
    words = json.loads((folder / f"{shown.name}.json").read_text(encoding="utf-8"))
    picture = (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="figures/{shown.name}-dark.svg">'
        f'<img src="figures/{shown.name}.svg" alt="{escape(words["alt"], quote=True)}"></picture>'
    )
    links = " · ".join(f'<a href="figures/{shown.name}.{kind}">{kind.upper()}</a>' for kind in ("svg", "csv"))
    picture = f'<div class="rows">{picture}{strips}</div>' if strips else picture
    return f"<figure>{picture}<figcaption>{escape(words['caption'])} <span>{links}</span></figcaption></figure>"


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    data: Sequence[dict[str, str]] = (),
    classes: dict[int, str] | None = None,
    shaded: Sequence[bool] = (),
) -> str:
    """`head` is text, cells are HTML; `data`: attributes of each row, `classes`: of each column."""
    own = {at: f' class="{name}"' for at, name in (classes or {}).items()}
    top = "".join(f'<th scope="col"{own.get(at, "")}>{escape(name)}</th>' for at, name in enumerate(head))
    lines = []
    for at_row, row in enumerate(rows):
        told = (
            "".join(f' data-{key}="{escape(value, quote=True)}"' for key, value in data[at_row].items()) if data else ""
        )
        cells = "".join(f"<td{_class(own, at, shaded, at_row)}>{cell}</td>" for at, cell in enumerate(row))
        lines.append(f"<tr{told}>{cells}</tr>\n")
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{"".join(lines)}</tbody></table></div>'


def _class(own: dict[int, str], at: int, shaded: Sequence[bool], row: int) -> str:
    if shaded and shaded[row]:
        return f' class="turns {own[at][8:-1]}"' if at in own else ' class="turns"'
    return own.get(at, "")


def page(title: str, body: Iterable[str]) -> str:
    head = f"<title>{escape(title)}</title><style>{STYLE.read_text(encoding='utf-8')}</style>"
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    inside = "\n".join(part for part in body if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{meta}{head}</head>\n<body><main>\n{inside}\n</main></body></html>\n'
    )
