"""One experiment of a run: its blocks one after the other until its stop rule ends them, then its noisy trials again.

The journal is the only state: a trial counts when its line is in it, and a sweep made anew from the journal goes on
where the last one stopped. Whose turn it is among the experiments of a run is decided in `pipeline.measure.run`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Sequence

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.profile import Profile
from pipeline.ground import paths
from pipeline.ground.errors import AGAIN, NO_RESOURCES, LabError, of_full_disk
from pipeline.measure import noise, scratch, states
from pipeline.measure.states import States
from pipeline.measure.trial import Trials
from pipeline.plan.plan import Configuration, Plan, key_of
from pipeline.words.numbers import ENOUGH

TARGET_HALF_WIDTH = 0.05
REPEAT_SHARE = 0.1

# (bundle, entry, journal lines) -> relative half-width of the widest headline interval so far; 0.05 is 5 %.
Precision = Callable[[Bundle, Experiment, list[dict]], float]


def blocks_paid(sizes: Profile, block_s: float) -> int:
    """Blocks that a profile's budget pays for at the cost of one, less a tenth for repeats; `min_blocks` at least."""
    blocks = int(sizes.budget_s * (1 - REPEAT_SHARE) / max(block_s, 1e-9))
    return min(max(blocks, sizes.min_blocks), sizes.max_blocks)


class Sweep:
    """The measuring of one plan into one bundle; `precision` tells how wide the headline intervals are.

    ended: what ended the blocks (`precision`, `budget` or `blocks`; `left_out`: the host leaves nothing of the plan),
    empty while more are to come. number: blocks that are complete. Raises LabError when the bundle holds the experiment
    with other parameters, or resources are missing.
    """

    def __init__(self, bundle: Bundle, plan: Plan, precision: Precision) -> None:
        self.bundle, self.plan, self.precision = bundle, plan, precision
        self.entry, self.sizes, self.seed = plan.entry, plan.sizes, bundle.info["seed"]
        self.lines = journal.of(bundle.journal(), self.entry.name)
        self._check_overrides()
        if needs := [scratch.need(one.parameters) for one in plan.configurations if one.main.dir == "disk"]:
            scratch.check_resources(paths.io(), max(needs))
        self.trials = Trials(bundle.folder / "raw" / self.entry.name)
        self.done = {line["trial"] for line in self._whole if "trial" in line}
        self.unsupported = {self._key(line) for line in self.lines if line.get("status") == "unsupported"}
        self.number = 0
        self._blocks = plan.blocks(self.seed)
        self._next = next(self._blocks)
        # Where a runtime or the host refuses every configuration no block has anything left: not one after the last.
        while self.done and not self._left() and self.number < self.sizes.max_blocks:
            self._advance()
        self.ended = self._ended() if self.number else "" if plan.configurations else "left_out"

    def _check_overrides(self) -> None:
        """A run holds one plan per experiment: other parameters under the same name would mix two questions."""
        before = journal.planned(self.lines, self.entry.name)
        if before is None:
            line = {
                "event": "planned",
                "experiment": self.entry.name,
                "overrides": self.plan.overrides.to_dict(),
                "configurations": len(self.plan.configurations),
                "left_out": self.plan.left_out,
            }
            self.bundle.append(line)
            self.lines.append(line)
        elif before["overrides"] != self.plan.overrides.to_dict():
            raise LabError(
                f"run {self.bundle.name!r} has {self.entry.name} with other parameters "
                f"({before['overrides']}); choose another RUN=<name>"
            )

    @property
    def _whole(self) -> list[dict]:
        """The lines of whole blocks: what sittings measured belongs to no block of the plan."""
        return journal.whole(self.lines)

    @property
    def first(self) -> list[dict]:
        """The lines of the trials of whole blocks, repeats left out."""
        return [line for line in self._whole if line.get("attempt") == 0]

    @staticmethod
    def _key(line: dict) -> str:
        return key_of(line["variant"], line["runtime"], line["axes"])

    def _name(self, configuration: Configuration) -> str:
        return _name(configuration.key, self._next[0])

    def _left(self) -> list[tuple[int, Configuration]]:
        """What is left of the next block: place in its order, and configuration."""
        return [
            (order, configuration)
            for order, configuration in enumerate(self._next[1])
            if self._name(configuration) not in self.done and configuration.key not in self.unsupported
        ]

    def _advance(self) -> None:
        self.number, self._next = self._next[0], next(self._blocks)

    def _spent(self, attempt: int) -> float:
        return sum(line.get("took_s", 0.0) for line in self._whole if line.get("attempt") == attempt)

    @property
    def begun(self) -> bool:
        """Whether an interrupt cut the next block: it is completed before anything else."""
        return any(line.get("block", 0) > self.number for line in self._whole)

    @property
    def share(self) -> float:
        """The part of its blocks that is measured, as far as its cost so far foretells their number: 0 to 1."""
        return self.number / self.affordable if self.number else 0.0

    @property
    def affordable(self) -> int:
        """Blocks that the budget pays for at their cost so far."""
        return blocks_paid(self.sizes, self._spent(0) / self.number) if self.number else self.sizes.min_blocks

    @property
    def opened(self) -> bool:
        """Whether what is first of its first block is measured, or never will be."""
        return bool(self.number or self.ended) or not any(one.key in self.plan.first for _, one in self._left())

    def open(self) -> None:
        """Measure what is first of the first block; where that is all of it, ask the stop rule."""
        self._part(self.plan.first)

    def block(self) -> None:
        """Measure the next block, or what is left of it, and ask the stop rule."""
        self._part({configuration.key for configuration in self.plan.configurations})

    def _part(self, keys: Collection[str]) -> None:
        for order, configuration in self._left():
            if configuration.key in keys and configuration.key not in self.unsupported:
                line = self._trial(configuration, self._name(configuration), self._next[0], order, 0)
                if line["status"] == "unsupported":
                    self.unsupported.add(configuration.key)
        if not self._left():
            self._advance()
            self.ended = self._ended()

    def _trial(
        self, configuration: Configuration, name: str, block: int, order: int, attempt: int, **more: int
    ) -> dict:
        started = time.monotonic()
        variant = self.entry.variants[configuration.variant]
        line = self.trials.run(configuration, variant, self.plan.available[configuration.runtime], name)
        if line["status"] == "bad_argument":
            raise LabError(f"{self.entry.name}: {name}: {line['reason']}; correct the parameter")
        if line["status"] == "no_resources" and of_full_disk(line["reason"]):  # in the journal it would count as done
            raise LabError(f"{self.entry.name}: {name}: {line['reason']}; {AGAIN}", NO_RESOURCES)
        took = time.monotonic() - started
        line |= {"block": block, "order": order, "attempt": attempt, "took_s": round(took, 4)} | more
        self.bundle.append(line)
        self.lines.append(line)
        if not more:
            self.done.add(name)
        return line

    def _ended(self) -> str:
        """The stop rule: after `min_blocks` the target precision or the budget, or `max_blocks`."""
        if self.number >= self.sizes.max_blocks:
            return "blocks"
        if self.number >= self.affordable:
            return "budget"
        # Asked after every block, though it counts only then: what it finds is told meanwhile.
        narrow = self.precision(self.bundle, self.entry, self.lines) <= TARGET_HALF_WIDTH
        return "precision" if narrow and self.number >= self.sizes.min_blocks else ""

    def noisy(self) -> list[dict]:
        """The lines of the noisy trials of whole blocks, repeats left out."""
        return noise.noisy(self._whole)

    def elsewhere(self, found: States) -> list[dict]:
        """Those of the `first` in another state than is meant, where few are in it."""
        return states.lacking(self.first, found, ENOUGH)

    def repeat(self, line: dict) -> None:
        """Measure a trial once more, unless that was done or a tenth of the budget is spent on repeats.

        The first attempt is kept.
        """
        name = f"{line['trial']}-r1"
        cost = line.get("took_s", line["wall_s"])
        if name in self.done or self._spent(1) + cost > REPEAT_SHARE * self.sizes.budget_s:
            return
        by_key = {configuration.key: configuration for configuration in self.plan.configurations}
        self._trial(by_key[self._key(line)], name, line["block"], line["order"], 1)

    def part_block(self, keys: Sequence[str], sitting: int, block: int) -> float:
        """Measure a part-block of a sitting, or what is left of it: these configurations, in an order of their own. The
        seconds that all of it took."""
        there = {line["trial"]: line for line in self.lines if line.get("sitting") == sitting}
        by_key = {configuration.key: configuration for configuration in self.plan.configurations}
        chosen = [key for key in sorted(keys) if key in by_key and key not in self.unsupported]
        random.Random(f"{self.seed}/{self.entry.name}/{block}").shuffle(chosen)
        for order, key in enumerate(chosen):
            if (name := _name(key, block)) not in there:
                there[name] = self._trial(by_key[key], name, block, order, 0, sitting=sitting)
        return sum(there[_name(key, block)]["took_s"] for key in chosen)

    def noisy_of(self, sitting: int) -> list[dict]:
        """The lines of the noisy trials of a sitting, repeats left out."""
        return noise.noisy([line for line in self.lines if line.get("sitting") == sitting])

    def elsewhere_of(self, sitting: int, found: States) -> list[dict]:
        """The lines of the trials of a sitting that were in another state than is meant, repeats left out."""
        mine = [line for line in self.lines if line.get("sitting") == sitting and line.get("attempt") == 0]
        return states.lacking(mine, found, len(mine) + 1)

    def repeat_of(self, line: dict) -> dict:
        """The line of a trial of a sitting measured once more, by now or before; the first is kept."""
        name = f"{line['trial']}-r1"
        if done := next((one for one in self.lines if one.get("trial") == name), None):
            return done
        by_key = {configuration.key: configuration for configuration in self.plan.configurations}
        block, order, sitting = line["block"], line["order"], line["sitting"]
        return self._trial(by_key[self._key(line)], name, block, order, 1, sitting=sitting)

    def finish(self) -> None:
        """Say in the journal what ended the blocks."""
        spent = self._spent(0) + self._spent(1)
        self.bundle.append(
            {
                "event": "finished",
                "experiment": self.entry.name,
                "ended_by": self.ended,
                "blocks": self.number,
                "spent_s": round(spent, 1),
            }
        )


def _name(key: str, block: int) -> str:
    """What the trial of a configuration in a block is called."""
    return f"{key}-b{block:02d}"
