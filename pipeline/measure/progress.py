"""Live progress of measuring: the journal is followed from outside, once a second.

Measuring may happen in a notebook's kernel, whose output appears only when a cell has ended. The journal grows by
one line per trial, so reading the new bytes of that file says all, and costs the machine under measurement
less than a millisecond each second.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pipeline.bundle import journal
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.profile import Profile
from pipeline.ground.errors import LabError
from pipeline.measure import noise
from pipeline.words.numbers import counted

EVERY_S = 1.0
LOG_EVERY_S = 10.0


def clock(seconds: float) -> str:
    """Seconds as `m:ss` or `h:mm:ss`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Counted:
    """What the journal says about one experiment so far; `sizes` are those of the run's profile."""

    def __init__(self, sizes: Profile) -> None:
        self.sizes = sizes
        self.configurations = self.unsupported = self.done = self.repeats = self.block = self.noisy = 0
        self.nothing = False
        self.spent_s = 0.0
        self.finished = False

    def take(self, line: dict) -> None:
        """Count one journal line of the experiment."""
        self.configurations = line.get("configurations", self.configurations)
        self.nothing = line.get("configurations", 1) == 0
        self.finished = self.finished or line.get("event") == "finished"
        if "trial" not in line or line.get("sitting"):
            return
        self.spent_s += line.get("took_s", 0.0)
        self.block = max(self.block, line["block"])
        if line["status"] == "unsupported":
            self.unsupported += 1
        elif line["attempt"] == 0:
            self.done += 1
            self.noisy += bool(noise.judge(line.get("noise")))
        else:
            self.repeats += 1

    @property
    def _per_block(self) -> int:
        return max(self.configurations - self.unsupported, 0)

    @property
    def planned(self) -> int:
        """Trials of the blocks that are planned; 0 while the plan is unknown, what was done once it has finished."""
        if self.finished:
            return self.done
        return self._per_block * self.planned_blocks

    @property
    def planned_blocks(self) -> int:
        """Blocks that are planned, more when more are begun."""
        return max(self.block, self.sizes.min_blocks)

    @property
    def blocks(self) -> float:
        """Blocks measured, in parts of one too."""
        return self.done / self._per_block if self._per_block else 0.0

    def left_s(self) -> float | None:
        """Seconds still: the planned trials at the pace so far, at most what is left of the budget; the blocks that
        are measured even when the budget is spent come first. None before the first trial."""
        if self.finished or self.nothing:
            return 0.0
        if not (self.done and self.planned):
            return None
        pace = self.spent_s / self.done
        sure = self._per_block * self.planned_blocks
        within_budget = min((self.planned - self.done) * pace, self.sizes.budget_s - self.spent_s)
        return max(within_budget, (sure - self.done) * pace, 0.0)


class Follower:
    """What the journal says about the experiments of a run so far. `sizes`: of the profile, by experiment."""

    def __init__(self, file: Path, sizes: dict[str, Profile]) -> None:
        self.file = file
        self.counted = {name: Counted(one) for name, one in sizes.items()}
        self.current = ""
        self.sitting: dict = {}  # the line of the one that is not over
        self._blocks: set[tuple[str, int]] = set()  # of the sitting: experiment, block
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
                self._take(*journal.parse(text.rstrip(b"\n") + b"\n", self.file.parent.name))
        return bool(complete)

    def _take(self, line: dict) -> None:
        if line.get("event") in ("sitting", "sat"):
            self.sitting = line if line["event"] == "sitting" else {}
            self._blocks = set()
        if line.get("sitting"):
            self._blocks.add((line["experiment"], line["block"]))
        name = line.get("experiment")
        if name in self.counted:
            self.counted[name].take(line)
            if "trial" in line:
                self.current = name

    @property
    def round(self) -> int:
        """The round of the sitting: the most part-blocks that any experiment has."""
        names = [name for name, _ in self._blocks]
        return max((names.count(name) for name in set(names)), default=1)

    def _sum(self, what: str) -> int:
        return sum(getattr(one, what) for one in self.counted.values())

    def left_s(self) -> float:
        """Seconds still; an experiment without a trial yet takes its budget."""
        left = [(one.left_s(), one.sizes.budget_s) for one in self.counted.values()]
        return sum(budget if known is None else known for known, budget in left)

    @property
    def share(self) -> float:
        """The part of the whole time that is over, 0 to 1."""
        spent = self._sum("spent_s")
        return spent / max(spent + self.left_s(), 1e-9)

    @property
    def finished(self) -> bool:
        return not self.sitting and all(one.finished for one in self.counted.values())

    def sentence(self, elapsed_s: float, settled: str = "") -> str:
        """One line for people; settled: what is known by now, in words."""
        elapsed = f"{clock(elapsed_s)} elapsed"
        if self.finished:
            return f"{self._sum('done')} trials measured, {elapsed}"
        if not self.current:
            return f"starting, {elapsed}"
        if self.sitting:
            rounds, verdicts = self.sitting["rounds"], self.sitting["verdicts"]
            left = 60 * self.sitting["minutes"] / rounds * (rounds - self.round + 1)
            told = f"round {self.round} of {rounds} for {counted(len(verdicts), 'open verdict')}"
            return f"sitting {self.sitting['number'] - 1}: {told}, {elapsed}, about {clock(left)} left"
        now, planned = self.counted[self.current], max(self._sum("planned"), self._sum("done"))
        turn = "noisy trials again" if now.repeats else f"block {now.block} of {now.planned_blocks}"
        trials = f"{100 * self.share:.0f} %: {self._sum('done')} of about {planned} trials ({self._sum('noisy')} noisy)"
        told = [trials, f"{self.current} {turn}", settled, elapsed, f"about {clock(self.left_s())} left"]
        return ", ".join(filter(None, told))


@contextlib.contextmanager
def following(
    entries: Sequence[Experiment], profile: str, bundle: Path, show: Callable[[Follower, float], None], every_s: float
) -> Iterator[None]:
    """Follow a run while the block runs: every so many seconds `show` is given what its journal says so far, and the
    seconds since the block began."""
    follower = Follower(bundle / journal.FILE, {entry.name: entry.profiles[profile] for entry in entries})
    started, stop = time.monotonic(), threading.Event()

    def watch() -> None:
        while not stop.wait(every_s):
            follower.read()
            show(follower, time.monotonic() - started)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()


def in_lines(
    entries: Sequence[Experiment],
    profile: str,
    bundle: Path,
    say: Callable[[str], None] = print,
    settled: Callable[[], str] = lambda: "",
) -> contextlib.AbstractContextManager[None]:
    """Say a line about the run now and then while the block runs; `settled` is asked for words about what is known by
    now. `pipeline.session.live_progress` draws the same on a terminal."""
    return following(
        entries, profile, bundle, lambda seen, elapsed_s: say(seen.sentence(elapsed_s, settled())), LOG_EVERY_S
    )
