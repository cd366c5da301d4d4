"""A page that opens from disk, light and dark as the system is: its tables, its figures with their files, its frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from pipeline.draw.figure import Figure


def figure(shown: Figure | str, folder: Path, over: Callable[[str], str] = lambda svg: "") -> str:
    """A figure in the theme of the system, with links to its files; of a sentence in its place a paragraph. folder:
    `figures` next to the page; over: what lies over the picture, of its SVG."""
    if isinstance(shown, str):
        return f"<p>{escape(shown)}</p>"
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
    data: Sequence[Mapping[str, str]] = (),
    classes: Mapping[int, str] | None = None,
    shaded: Sequence[bool] = (),
) -> str:
    """`head` is text, cells are HTML; `data`: attributes of each row, `classes`: of each column, `shaded`: rows."""
    own = classes or {}
    top = "".join(f'<th scope="col"{_class(own.get(at))}>{escape(name)}</th>' for at, name in enumerate(head))
    lines = []
    for number, row in enumerate(rows):
        turns = "turns" if shaded and shaded[number] else ""
        cells = "".join(f"<td{_class(turns, own.get(at))}>{cell}</td>" for at, cell in enumerate(row))
        lines.append(f"<tr{attributes(data[number]) if data else ''}>{cells}</tr>\n")
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{"".join(lines)}</tbody></table></div>'


def attributes(data: Mapping[str, str]) -> str:
    """` data-host="a"`, of an element that a script looks at."""
    return "".join(f' data-{key}="{escape(value, quote=True)}"' for key, value in data.items())


def badges(items: Iterable[tuple[int, str, str]]) -> str:
    """A list of counts, each with its words and its class (empty: none)."""
    each = "".join(f"<li{_class(name)}><b>{count:,}</b> {escape(words)}</li>" for count, words, name in items)
    return f'<ul class="badges">{each}</ul>'


def page(title: str, body: Iterable[str], style: Path) -> str:
    """A whole page; what is empty of `body` is left out. style: the file of its style sheet."""
    head = f"<title>{escape(title)}</title><style>{style.read_text(encoding='utf-8')}</style>"
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    inside = "\n".join(part for part in body if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{meta}{head}</head>\n<body><main>\n{inside}\n</main></body></html>\n'
    )


def _class(*names: str | None) -> str:
    told = " ".join(name for name in names if name)
    return f' class="{told}"' if told else ""
