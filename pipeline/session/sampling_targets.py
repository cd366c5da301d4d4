"""Targets of a sitting: verdicts and answers of a run that more measuring can change, and headlines that are wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.entry import DECIDE_MINUTES, Experiment
from pipeline.ground import parallel
from pipeline.ground.errors import LabError
from pipeline.host import cpus
from pipeline.measure.adaptive_sampling import Asked, Wanted
from pipeline.measure.sweep import TARGET_HALF_WIDTH

if TYPE_CHECKING:
    from pipeline.session.computed import Computed


@dataclass(frozen=True)
class Deciding:
    """How long a run sits, as a command asks for it: `more` minutes on purpose (None: once, by the profile), for
    `claims` (empty: all), and whether it sits until nothing is left to decide."""

    more: float | None = None
    claims: Sequence[str] = ()
    until_decided: bool = False

    def asked(self, profile: str, entries: Sequence[Experiment], console: Console) -> Asked:
        """As measuring takes it. LabError for a claim that none of the experiments tests."""
        if unknown := [name for name in self.claims if not any(name in entry.claims for entry in entries)]:
            raise LabError(f"no experiment asked for tests the claim {unknown[0]!r}; correct --claims")

        def choose(bundle: Bundle) -> Wanted:
            console.print("Looking for what is undecided ...", markup=False)
            return wanted(bundle, entries, self.claims)

        def say(words: str) -> None:
            console.print(words, soft_wrap=True, markup=False, highlight=False)

        minutes = DECIDE_MINUTES[profile] if self.more is None else self.more
        return Asked(minutes, choose, self.more is not None, self.until_decided, say)


def wanted(bundle: Bundle, entries: Sequence[Experiment], claims: Sequence[str]) -> Wanted:
    """What to measure further of these experiments, for these claims (empty: all), by what the run holds so far.

    Experiments are looked at side by side, while nothing is timed.
    """
    held = journal.experiments(bundle.journal())
    names = [entry.name for entry in entries if entry.name in held]
    look = partial(_looked_at, run=bundle.name, claims=tuple(claims))
    several = parallel.each(look, names, len(cpus.usable()), bundle.raw_bytes)
    return Wanted(*(tuple(one for each in several for one in getattr(each, of)) for of in ("open", "answers", "wide")))


def _looked_at(name: str, run: str, claims: Sequence[str]) -> Wanted:
    """`wanted` of one experiment."""
    # Loaded by a run that sits: one that is complete needs none of it.
    from pipeline.analyse import advice
    from pipeline.session.computed import Computed

    lab = Computed(name, run, measuring=False)
    asked = lab.judgements[lab.judgements["claim"].isin(claims)] if claims else lab.judgements
    answers = () if claims else advice.opened(lab.answers.assign(experiment=name), "answer")
    widest = _wide(lab)
    return Wanted(advice.opened(asked.assign(experiment=name)), answers, ((name, tuple(widest)),) if widest else ())


def _wide(lab: Computed) -> list[str]:
    """The configurations whose headline intervals are wider than the stop rule asks, the widest first."""
    from pipeline.analyse import estimates
    from pipeline.analyse.selection import keys

    widths = estimates.headline_widths(lab.entry, lab.metrics)
    rows = widths[widths["half_width"] > TARGET_HALF_WIDTH].sort_values("half_width", ascending=False, kind="stable")
    return list(dict.fromkeys(keys(rows, lab.entry)))
