"""measure: run the plan's trials one at a time, alone on the machine, resumable at any moment.

The journal is the only state: a trial counts when its line is in it. Blocks follow one another until the stop rule,
which is handed in, is content or the experiment's budget is spent; then noisy trials are repeated within a budget of
their own, and a `finished` line says what ended the run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from pipeline import paths
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.lock import alone
from pipeline.catalogue.entry import Experiment
from pipeline.errors import INTERRUPTED, LabError
from pipeline.measure import noise
from pipeline.measure.trial import Trials, check_resources
from pipeline.plan.plan import Configuration, Plan, key_of

TARGET_HALF_WIDTH = 0.05
FEWEST_BLOCKS = 3
REPEAT_SHARE = 0.1

# (bundle, entry, journal lines) -> relative half-width of the widest headline interval so far; 0.05 is 5 %.
Precision = Callable[[Bundle, Experiment, list[dict]], float]


class Sweep:
    """The measuring of one plan into one bundle; `precision` tells how wide the headline intervals are."""

    def __init__(self, bundle: Bundle, plan: Plan, precision: Precision) -> None:
        self.bundle, self.plan, self.precision = bundle, plan, precision
        self.entry, self.sizes, self.seed = plan.entry, plan.sizes, bundle.info["seed"]
        self.lines = journal.of(bundle.journal(), self.entry.name)
        self._check_overrides()
        folder = paths.io() if self.entry.needs_disk else None
        if folder is not None:
            sizes = [int(c.parameters.get("file-size", 0)) for c in plan.configurations]
            check_resources(folder, int(1.1 * max(sizes)))
        self.trials = Trials(bundle.folder / "raw" / self.entry.name, folder)
        self.spent = sum(line.get("took_s", 0.0) for line in self.lines)

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

    @staticmethod
    def _key(line: dict) -> str:
        return key_of(line["variant"], line["runtime"], line["axes"])

    def run(self) -> str:
        """Measure until the stop rule ends it; returns what ended it: `precision`, `budget` or `blocks`."""
        done = {line["trial"] for line in self.lines if "trial" in line}
        unsupported = {self._key(line) for line in self.lines if line.get("status") == "unsupported"}
        for block, configurations in self.plan.blocks(self.seed):
            for order, configuration in enumerate(configurations):
                name = f"{configuration.key}-b{block:02d}"
                if name in done or configuration.key in unsupported:
                    continue
                line = self._trial(configuration, name, block, order, 0)
                done.add(name)
                if line["status"] == "unsupported":
                    unsupported.add(configuration.key)
            if ended := self._ended(block):
                break
        self._repeat_noisy(done)
        self.bundle.append(
            {
                "event": "finished",
                "experiment": self.entry.name,
                "ended_by": ended,
                "blocks": block,
                "spent_s": round(self.spent, 1),
            }
        )
        return ended

    def _trial(self, configuration: Configuration, name: str, block: int, order: int, attempt: int) -> dict:
        started = time.monotonic()
        variant = self.entry.variants[configuration.variant]
        line = self.trials.run(configuration, variant, self.plan.available[configuration.runtime], name)
        if line["status"] == "bad_argument":
            raise LabError(f"{self.entry.name}: {name}: {line['reason']}; correct the parameter")
        took = time.monotonic() - started
        line |= {"block": block, "order": order, "attempt": attempt, "took_s": round(took, 4)}
        self.bundle.append(line)
        self.lines.append(line)
        self.spent += took
        return line

    def _ended(self, block: int) -> str:
        """The stop rule: the target precision after `min_blocks`, the budget after FEWEST_BLOCKS, or `max_blocks`."""
        if block >= self.sizes.max_blocks:
            return "blocks"
        fewest = min(FEWEST_BLOCKS, self.sizes.min_blocks)
        one_more = self.spent / block
        if block >= fewest and self.spent + one_more > self.sizes.budget_s * (1 - REPEAT_SHARE):
            return "budget"
        if block >= self.sizes.min_blocks and self.precision(self.bundle, self.entry, self.lines) <= TARGET_HALF_WIDTH:
            return "precision"
        return ""

    def _repeat_noisy(self, done: set[str]) -> None:
        """Repeat noisy trials once, in random order, while a tenth of the budget lasts. The first attempts are kept."""
        by_key = {configuration.key: configuration for configuration in self.plan.configurations}
        noisy = [line for line in self.lines if noise.judge(line.get("noise")) and line["attempt"] == 0]
        random.Random(f"{self.seed}/{self.entry.name}/repeats").shuffle(noisy)
        limit = sum(line.get("took_s", 0.0) for line in self.lines if line.get("attempt") == 1)
        for line in noisy:
            name = f"{line['trial']}-r1"
            if name in done:
                continue
            if limit + line.get("took_s", line["wall_s"]) > REPEAT_SHARE * self.sizes.budget_s:
                break
            limit += self._trial(by_key[self._key(line)], name, line["block"], line["order"], 1)["took_s"]


def measure(run: str, plan: Plan, precision: Precision, seed: int = 20110914) -> Bundle:
    """Measure a plan into the run's bundle, or load it when it is complete.

    `precision` is the stop rule's measure; `seed` shuffles the blocks of a new run and is recorded; an existing run
    keeps its own. Raises LabError: another host's bundle, another plan under the same name, a second run at the same
    time (status 5), interrupt (status 130; the next call continues).
    """
    existing = Bundle.open(run) if (paths.bundle(run) / "run.json").exists() else None
    done = existing and journal.finished(existing.journal(), plan.entry.name)
    if done and existing.info["profile"] == plan.profile:
        Sweep(existing, plan, precision)
        return existing
    try:
        with alone(run):
            bundle = Bundle.create_or_resume(run, plan.profile, seed, plan.available, paths.io())
            Sweep(bundle, plan, precision).run()
    except KeyboardInterrupt:
        raise LabError("interrupted; the same command continues where it stopped", INTERRUPTED) from None
    return bundle
