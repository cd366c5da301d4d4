"""docs/gallery.md: the headline figure of every experiment, that of its answer, from the archived run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.host import fingerprint
from pipeline.publish import cards, notebooks
from pipeline.publish.page import Page

PAGE = "gallery.md"
FOLDER = "gallery"


def file(page: Page) -> Path:
    """Where the gallery keeps the headline figure of a page."""
    return paths.docs() / FOLDER / f"{cards.headline(page)}.svg"


def text(pages: Sequence[Page]) -> str:
    """The gallery as Markdown, a section per page that has a figure."""
    info = Bundle.open(paths.REFERENCE).info
    parts = [
        "# Gallery\n",
        f"The headline figure of every experiment, drawn from the archived run: {fingerprint.sentence(info['host'])}, "
        f"{info['created'][:10]}. `lab verify --accept` writes this page, `lab verify` compares it.\n",
    ]
    for page in pages:
        if not page.figures:
            continue
        drawn = paths.figures(paths.REFERENCE) / f"{cards.headline(page)}.json"
        words = json.loads(drawn.read_text(encoding="utf-8"))
        parts += [
            f"## [{page.entry.title}](../notebooks/{notebooks.source(page.entry).name})\n",
            f"{page.entry.question}\n",
            f"![{words['title']}]({FOLDER}/{file(page).name})\n",
            f"{words['caption']}\n",
        ]
    return "\n".join(parts)
