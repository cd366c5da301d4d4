"""Live progress of measuring: the journal is followed from outside, once a second.

Measuring may happen in a notebook's kernel, whose output appears only when a cell has ended. The journal grows by
one line per trial, so reading the new bytes of that file says all, and costs the machine under measurement
less than a millisecond each second.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pipeline.bundle import journal
from pipeline.catalogue.entry import Experiment
from pipeline.errors import LabError
from pipeline.measure import noise
from pipeline.measure.sweep import FEWEST_BLOCKS

EVERY_S = 1.0
LOG_EVERY_S = 10.0


def clock(seconds: float) -> str:
    """Seconds as `m:ss` or `h:mm:ss`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Follower:
    """What the journal says about one experiment so far. `budget_s` and `min_blocks` are the profile's."""

    def __init__(self, file: Path, experiment: str, min_blocks: int, budget_s: float) -> None:
        self.file, self.experiment = file, experiment
        self.min_blocks, self.budget_s = min_blocks, budget_s
        self.configurations = self.unsupported = self.done = self.block = self.noisy = 0
        self.spent_s = 0.0
        self.finished = False
        self._offset = 0

    def read(self) -> bool:
        """Take in the lines that were appended since the last call; whether there were any."""
        try:
            with self.file.open("rb") as file:
                file.seek(self._offset)
                complete, end, _cut = file.read().rpartition(b"\n")
        except FileNotFoundError:
            return False
        self._offset += len(complete + end)
        for text in complete.splitlines(keepends=True):
            with contextlib.suppress(LabError):  # a damaged line is told by who measures
                self._take(*journal.parse(text.rstrip(b"\n") + b"\n", self.experiment))
        return bool(complete)

    def _take(self, line: dict) -> None:
        if line.get("experiment") != self.experiment:
            return
        self.configurations = line.get("configurations", self.configurations)
        self.finished = self.finished or line.get("event") == "finished"
        if "trial" not in line:
            return
        self.spent_s += line.get("took_s", 0.0)
        self.block = max(self.block, line["block"])
        if line["status"] == "unsupported":
            self.unsupported += 1
        elif line["attempt"] == 0:
            self.done += 1
        self.noisy += bool(noise.judge(line.get("noise")))

    @property
    def planned(self) -> int:
        """Trials of the blocks that are planned; 0 while the plan is unknown."""
        return self._per_block * max(self.block, self.min_blocks)

    @property
    def _per_block(self) -> int:
        return max(self.configurations - self.unsupported, 0)

    def left_s(self) -> float | None:
        """Seconds still: the planned trials at the pace so far, at most what is left of the budget; the blocks that
        are measured even when the budget is spent come first."""
        if not (self.done and self.planned):
            return None
        pace = self.spent_s / self.done
        sure = self._per_block * max(self.block, min(FEWEST_BLOCKS, self.min_blocks))
        within_budget = min((self.planned - self.done) * pace, self.budget_s - self.spent_s)
        return max(within_budget, (sure - self.done) * pace, 0.0)

    def sentence(self, elapsed_s: float) -> str:
        """One line for people."""
        if self.finished:
            return f"{self.experiment}: {self.done} trials measured; fitting and drawing, {clock(elapsed_s)} elapsed"
        if not self.block:
            return f"{self.experiment}: starting, {clock(elapsed_s)} elapsed"
        left = self.left_s()
        left_words = "" if left is None else f", about {clock(left)} left"
        return (
            f"{self.experiment}: block {self.block} of at least {self.min_blocks}, {self.done} of {self.planned} trials"
            f" ({self.noisy} noisy), {clock(elapsed_s)} elapsed{left_words}"
        )


def _bar(follower: Follower, elapsed_s: float, width: int = 24) -> Text:
    share = 1.0 if follower.finished else min(follower.done / max(follower.planned, 1), 1.0)
    full = int(share * width)
    return Text.assemble(
        ("━" * full, "green"), ("━" * (width - full), "bright_black"), "  ", follower.sentence(elapsed_s)
    )


@contextlib.contextmanager
def following(entry: Experiment, profile: str, bundle: Path, console: Console) -> Iterator[None]:
    """Show the progress of `entry` on `console` while the block runs: live on a terminal, else a line now and then."""
    sizes = entry.profiles[profile]
    follower = Follower(bundle / journal.FILE, entry.name, sizes.min_blocks, sizes.budget_s)
    started, stop = time.monotonic(), threading.Event()
    live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None

    def watch() -> None:
        told = started
        while not stop.wait(EVERY_S):
            follower.read()
            now = time.monotonic()
            if live:
                live.update(_bar(follower, now - started), refresh=True)
            elif now - told >= LOG_EVERY_S:
                told = now
                console.print(follower.sentence(now - started), soft_wrap=True, highlight=False)

    watcher = threading.Thread(target=watch, daemon=True)
    with live or contextlib.nullcontext():
        watcher.start()
        try:
            yield
        finally:
            stop.set()
            watcher.join()
