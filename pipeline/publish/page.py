"""One experiment's page of a report: which figures are on it, and what its notebook kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths
from pipeline.publish import notebooks
from pipeline.publish.notebooks import Result
from pipeline.session import results
from pipeline.session.results import Results

FIGURE_LINK = re.compile(r'href="figures/([a-z0-9_-]+)\.svg"')


@dataclass(frozen=True)
class Page:
    """One experiment's page: `figures` are the names of the figures on it, `keeps` reads what its notebook kept."""

    entry: Experiment
    result: Result
    figures: list[str] = field(default_factory=list)
    keeps: Callable[[], Results] = Results

    @cached_property
    def kept(self) -> Results:
        """Read when it is first asked for, which a report that is up to date never does."""
        return self.keeps()

    @property
    def href(self) -> str:
        return f"{self.entry.name}.html"


def of(run: str, entry: Experiment, result: Result) -> Page:
    """The page with the names of the figures its notebook shows, in order."""
    figures = paths.figures(run)
    try:
        cells = json.loads(result.notebook.read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        html = "".join("".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    except (OSError, ValueError, KeyError, AttributeError):
        html = ""  # its page tells what is wrong with it
    shown = FIGURE_LINK.findall(html)
    names = [name for name in dict.fromkeys(shown) if (figures / f"{name}.json").exists()]
    return Page(entry, result, names, partial(results.read, run, entry.name))


def of_run(run: str, fresh: list[Result]) -> list[Page]:
    """The pages of a run in the catalogue's order: of the results given, and of what was executed for it before."""
    shown = {result.experiment: result for result in fresh}
    for entry in catalogue.load().values():
        if entry.name not in shown and (earlier := notebooks.recall(entry, run)):
            shown[entry.name] = earlier
    return [of(run, entry, shown[name]) for name, entry in catalogue.load().items() if name in shown]


def raw(text: str) -> str:
    """HTML that MyST leaves alone."""
    return f"```````{{raw}} html\n{text}\n```````\n"
