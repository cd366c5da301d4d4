"""docs/gallery.md: the headline figure of every experiment, that of its answer, of the archived run that tells most.

That is the run of the host with the most CPUs, of those that hold the experiment: what happens between CPUs is seen
where there are many.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.host import fingerprint
from pipeline.publish import cards, notebooks
from pipeline.publish.page import Page
from pipeline.session.captions import NOISY, NOISY_OR_ELSEWHERE, TRIALS

PAGE = "gallery.md"
FOLDER = "gallery"
MARKS = TRIALS.replace(NOISY, NOISY_OR_ELSEWHERE)  # said once, for all
Pages = Mapping[str, Sequence[Page]]  # archived run -> its pages


def chosen(drawn: Pages) -> list[tuple[str, Page]]:
    """Of every experiment that has a figure, in the catalogue's order, the run of which it is shown, and its page."""
    cpus = {run: Bundle.open(run).info["host"]["cpu"]["cpus"] for run in drawn}
    found: dict[str, tuple[str, Page]] = {}
    for run in sorted(drawn, key=lambda run: -cpus[run]):
        for page in drawn[run]:
            if page.figures:
                found.setdefault(page.entry.name, (run, page))
    return sorted(found.values(), key=lambda one: one[1].entry.number)


def file(page: Page) -> Path:
    """Where the gallery keeps the headline figure of a page."""
    return paths.docs() / FOLDER / f"{cards.headline(page)}.svg"


def text(drawn: Pages) -> str:
    """The gallery as Markdown, a section per experiment that has a figure."""
    parts = [
        "# Gallery\n",
        "The headline figure of every experiment, drawn from an archived run: of those that hold it the one with the "
        f"most CPUs. {MARKS} `lab verify --accept` writes this page, `lab verify` compares it.\n",
    ]
    for run, page in chosen(drawn):
        words = json.loads((paths.figures(run) / f"{cards.headline(page)}.json").read_text(encoding="utf-8"))
        parts += [
            f"## [{page.entry.title}](../notebooks/{notebooks.source(page.entry).name})\n",
            f"{page.entry.question}\n",
            f"![{words['title']}]({FOLDER}/{file(page).name})\n",
            f"{_own(words['caption'])} *{_measured(run)}*\n",
        ]
    return "\n".join(parts)


def _own(caption: str) -> str:
    """A caption without what is said of all figures."""
    return " ".join(caption.replace(TRIALS, "").replace(MARKS, "").split())


def _measured(run: str) -> str:
    """On which host, when and as which run."""
    info = Bundle.open(run).info
    return f"{fingerprint.sentence(info['host'])}, {info['created'][:10]}: `make figures RUN={run}`."
