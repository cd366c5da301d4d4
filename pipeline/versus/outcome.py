"""The outcome of a run of programs: what is printed when it has ended, and whether that is a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from pipeline.bundle.bundle import Bundle
from pipeline.compare import verdicts
from pipeline.compare.comparison import Comparison
from pipeline.publish import single_page
from pipeline.versus import report, versus


def told(run: str, page: bool, form: str, console: Console) -> str:
    """The text, Markdown or JSON of a run; with its page, unless that is not wanted."""
    made: Path | None = single_page.build(run, console) if page else None
    found = report.Report(run)
    if form == "json":
        return report.as_json(found) + "\n"
    if form == "md":
        return report.markdown(found)
    lines = [*found.printed(), f"run {run}" + (f", page {made}" if made else "")]
    return "\n".join(lines) + "\n"


def fails(run: str, what: str) -> bool:
    """Whether any row is worse (`slower`), changed (`different`) or `undecided`."""
    return any(_is(row, one, what) for one in versus.compared(run, Bundle.open(run).info["own"]) for row in _rows(one))


def _rows(found: Comparison) -> list[dict[str, Any]]:
    return found.table.to_dict("records")


def _is(row: dict[str, Any], found: Comparison, what: str) -> bool:
    verdict = row["verdict"]
    if what == "undecided":
        return verdict == verdicts.UNDECIDED
    if what == "different":
        return verdict in verdicts.CHANGED
    better = found.entries[0].metrics[row["metric"]].better
    worse = {"lower": verdicts.HIGHER, "higher": verdicts.LOWER}.get(better)
    return verdict in (verdicts.SLOWER, worse)
