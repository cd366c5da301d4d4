"""What is printed when programs were measured, and whether that is a failure."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from rich.console import Console

from pipeline.bundle.bundle import Bundle
from pipeline.publish import single
from pipeline.versus import says, versus


def told(run: str, page: bool, form: str, console: Console) -> str:
    """The text, Markdown or JSON of a run; with its page, unless that is not wanted."""
    made: Path | None = single.build(run, console) if page else None
    found = says.Told(run)
    if form == "json":
        return says.as_json(found) + "\n"
    if form == "md":
        return says.markdown(found)
    lines = [*found.printed(), f"run {run}" + (f", page {made}" if made else "")]
    return "\n".join(lines) + "\n"


def fails(run: str, words: Collection[str]) -> bool:
    """Whether any row has one of these verdicts."""
    own = Bundle.open(run).info["own"]
    return any(one.counts.get(word) for one in versus.compared(run, own) for word in words)
