"""The two sides of a comparison: `RUN[:RUNTIME][,RUN[:RUNTIME]]...`, and which way of comparing they allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pipeline.catalogue.selectors import runtime_label
from pipeline.ground.errors import LabError

Way = Literal["paired", "repeated", "single"]
FORM = "RUN[:RUNTIME][,RUN[:RUNTIME]]..."


@dataclass(frozen=True)
class Side:
    """The runs of one side, and the runtime that is compared; None: every runtime, with that of the same name."""

    runs: tuple[str, ...]
    runtime: str | None = None

    def words(self) -> str:
        runs = ",".join(self.runs)
        return f"{runs}, {runtime_label(self.runtime)}" if self.runtime else runs


@dataclass(frozen=True)
class Sides:
    """Both sides. `way`: `paired` within one run, `repeated` runs per side, or a `single` run on each."""

    before: Side
    after: Side

    @property
    def way(self) -> Way:
        if self.before.runs == self.after.runs and len(self.before.runs) == 1:
            return "paired"
        return "repeated" if len(self.before.runs) > 1 else "single"

    @property
    def title(self) -> str:
        """`JDK 25 compared with JDK 17`, `after compared with before`"""
        if self.way == "paired":
            return " compared with ".join(runtime_label(str(side.runtime)) for side in (self.after, self.before))
        return " compared with ".join(side.words() for side in (self.after, self.before))

    @property
    def both(self) -> tuple[Side, Side]:
        return self.before, self.after

    @property
    def names(self) -> tuple[str, str]:
        """What the sides are called: their runtimes, where these are compared with each other, else their runs."""
        return self.runtimes or (self.before.words(), self.after.words())

    @property
    def runtimes(self) -> tuple[str, str] | None:
        """The runtimes that are compared with each other; None where each is compared with itself."""
        if self.before.runtime is None or self.after.runtime is None:
            return None
        return self.before.runtime, self.after.runtime


def parse(before: str, after: str) -> Sides:
    """The sides as they were written; LabError when they cannot be compared, with what to write."""
    sides = Sides(_side(before), _side(after))
    named = [side.runtime for side in (sides.before, sides.after)]
    if (named[0] is None) != (named[1] is None):
        raise LabError(
            f"{before} and {after}: name a runtime on both sides or on neither; "
            "--where runtime=NAME keeps one of all runtimes"
        )
    if sides.before == sides.after:
        raise LabError(f"both sides are {before}; give two runs, or two runtimes of one: RUN:jdk17 RUN:jdk25")
    common = set(sides.before.runs) & set(sides.after.runs)
    if common and named[0] == named[1]:
        raise LabError(f"run {min(common)} is on both sides; a run cannot be compared with itself")
    counts = sorted(len(side.runs) for side in (sides.before, sides.after))
    if counts[0] == 1 and counts[1] > 1:
        alone = min((before, after), key=lambda side: side.count(","))
        raise LabError(f"{alone} is one run, the other side has {counts[1]}; give one on each side or several on each")
    return sides


def _side(text: str) -> Side:
    runs, runtimes = [], []
    for part in text.split(","):
        run, colon, runtime = part.strip().partition(":")
        if not run or (colon and not runtime):
            raise LabError(f"{text!r} is no side of a comparison; a side is {FORM}")
        if run in runs:
            raise LabError(f"{text}: run {run} is named twice; it counts once")
        runs.append(run)
        runtimes.append(runtime or None)
    if len(set(runtimes)) > 1:
        told = ", ".join(dict.fromkeys(runtime or "none" for runtime in runtimes))
        raise LabError(f"{text}: a side has one runtime, here it has: {told}")
    return Side(tuple(runs), runtimes[0])
