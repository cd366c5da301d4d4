"""The progress of measuring on a console: a bar that moves on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pipeline.catalogue.entry import Experiment
from pipeline.measure import progress
from pipeline.measure.progress import Follower


@contextlib.contextmanager
def following(
    entries: Sequence[Experiment], profile: str, bundle: Path, console: Console, settled: Callable[[], str] = lambda: ""
) -> Iterator[None]:
    """Show the progress of a run on `console` while the block runs; `settled` is asked for words about what is known by
    now."""
    if not console.is_terminal:

        def say(words: str) -> None:
            console.print(words, soft_wrap=True, highlight=False)

        with progress.in_lines(entries, profile, bundle, say, settled):
            yield
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(seen: Follower, elapsed_s: float) -> None:
            live.update(_bar(seen, elapsed_s, settled()), refresh=True)

        with progress.following(entries, profile, bundle, show, progress.EVERY_S):
            yield


def _bar(follower: Follower, elapsed_s: float, settled: str, width: int = 24) -> Text:
    full = int((1.0 if follower.finished else follower.share) * width)
    return Text.assemble(
        ("━" * full, "green"), ("━" * (width - full), "bright_black"), "  ", follower.sentence(elapsed_s, settled)
    )
