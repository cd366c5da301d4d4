"""Whether a hostile file did harm where it was imported: what is on screen, in the folders, and on the pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from damage import MARK

STATUS = (0, 2, 4)  # done, a request that cannot be met, damaged data
PAGES = {".html", ".svg"}
TEXT = {*PAGES, ".csv", ".json", ".md", ".txt"}
COMMANDS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LINKS = ("href", "src", "action", "xlink:href")


def faults(status: int, out: str, err: str, folder: Path, given: Path) -> Iterator[str]:
    """What a `lab import` of the file `given` left that it should not have. folder: all that it may write to, its runs
    and what it builds; what lies elsewhere in it, or is called by a word out of the file, is a fault."""
    if status not in STATUS:
        yield f"ended with status {status}"
    if "Traceback" in err:
        yield f"printed a traceback: {err.strip().splitlines()[-1][:200]!r}"
    if status and len(err.strip().splitlines()) != 1:
        yield f"printed {len(err.strip().splitlines())} lines of an error"
    for line in (out + err).splitlines():
        if not line.isprintable():
            yield f"printed {line[:120]!r}"
    for file in sorted(folder.rglob("*")):
        parts = file.relative_to(folder).parts
        if file == given or file == given.parent:
            continue
        if parts[0] not in ("runs", "build"):
            yield f"wrote {'/'.join(parts)!r}"
        if MARK in file.name:
            yield f"wrote a file called {file.name[:80]!r}"
        if parts[0] == "build" and file.suffix in TEXT and file.is_file():
            yield from (f"{file.name}: {fault}" for fault in in_text(file.read_text(encoding="utf-8"), file.suffix))


def in_text(text: str, suffix: str) -> Iterator[str]:
    """What a page or another text holds that would move a terminal, or act in a browser."""
    if found := COMMANDS.search(text):
        yield f"holds {text[max(found.start() - 40, 0) : found.end() + 40]!r}"
    if suffix in PAGES:
        page = _Page()
        page.feed(text)
        page.close()
        yield from page.faults


class _Page(HTMLParser):
    """Finds words out of a file that have become markup: elements, attributes, scripts, links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = tag
        if MARK in tag:
            self.faults.append(f"element {tag[:80]!r}")
        for name, value in attrs:
            acts = name.startswith("on") or (name in LINKS and ":" in (value or "").split(MARK)[0])
            if MARK in name or (MARK in (value or "") and acts):
                self.faults.append(f"attribute {name[:40]!r} of {tag!r}: {(value or '')[:80]!r}")

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open in ("script", "style") and MARK in data:
            self.faults.append(f"{self._open} {data[max(data.index(MARK) - 40, 0) :][:80]!r}")
