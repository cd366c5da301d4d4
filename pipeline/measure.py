"""measure: run the plan's trials one at a time, alone on the machine, resumable at any moment.

The journal is the only state: a trial counts when its line is in it. Blocks follow one another until every headline
interval is narrow enough or the experiment's budget is spent; then noisy trials are repeated within a budget of
their own, and a `finished` line says what ended the run.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipeline import catalogue, ingest, paths, plan, runtimes
from pipeline.analyse import estimates, metrics
from pipeline.bundle import Bundle, alone
from pipeline.catalogue import Experiment
from pipeline.errors import INTERRUPTED, LabError
from pipeline.plan import Configuration, Overrides
from pipeline.trial import Trials, check_resources

TARGET_HALF_WIDTH = 0.05
FEWEST_BLOCKS = 3
REPEAT_SHARE = 0.1


@dataclass(frozen=True)
class Progress:
    """Where a sweep stands: trials done, trials planned (of the blocks sure to run), seconds spent and budgeted."""

    experiment: str
    block: int
    blocks: int
    done: int
    planned: int
    spent_s: float
    budget_s: float
    last: str

    def left_s(self) -> float:
        """Seconds still to go: the surely planned trials at the pace so far, at most the budget's rest."""
        pace = self.spent_s / max(self.done, 1)
        return max(0.0, pace * (self.planned - self.done))


def io_folder() -> Path:
    """Where IO trials put their files: LAB_IO_DIR, else build/io."""
    return Path(os.environ.get("LAB_IO_DIR", paths.build() / "io"))


def _mine(journal: list[dict], experiment: str) -> list[dict]:
    return [line for line in journal if line["experiment"] == experiment]


def finished(journal: list[dict], experiment: str) -> dict | None:
    """The `finished` line of an experiment: why measuring ended and after how many blocks; None while it has not."""
    return next((line for line in _mine(journal, experiment) if line.get("event") == "finished"), None)


def planned(journal: list[dict], experiment: str) -> dict | None:
    """The `planned` line of an experiment: overrides, number of configurations, what was left out; None before it."""
    return next((line for line in _mine(journal, experiment) if line.get("event") == "planned"), None)


class Sweep:
    """The measuring of one experiment into one bundle."""

    def __init__(self, bundle: Bundle, entry: Experiment, profile: str, overrides: Overrides, seed: int) -> None:
        self.bundle, self.entry, self.seed = bundle, entry, seed
        self.sizes = plan.profile_of(entry, profile)
        self.available = runtimes.all_runtimes()
        self.configurations = plan.configurations(entry, profile, self.available, overrides)
        self.left_out = plan.left_out(entry, profile, overrides)
        self.journal = _mine(bundle.journal(), entry.name)
        self._check_overrides(overrides)
        folder = io_folder() if entry.needs_disk else None
        if folder is not None:
            sizes = [int(c.parameters.get("file-size", 0)) for c in self.configurations]
            check_resources(folder, int(1.1 * max(sizes)))
        self.trials = Trials(bundle.folder / "raw" / entry.name, folder)
        self.spent = sum(line.get("took_s", 0.0) for line in self.journal)

    def _check_overrides(self, overrides: Overrides) -> None:
        """A run holds one plan per experiment: other parameters under the same name would mix two questions."""
        before = planned(self.journal, self.entry.name)
        if before is None:
            line = {"event": "planned", "experiment": self.entry.name, "overrides": overrides.to_dict(),
                    "configurations": len(self.configurations), "left_out": self.left_out}  # fmt: skip
            self.bundle.append(line)
            self.journal.append(line)
        elif before["overrides"] != overrides.to_dict():
            raise LabError(
                f"run {self.bundle.name!r} has {self.entry.name} with other parameters "
                f"({before['overrides']}); choose another RUN=<name>"
            )

    def _key(self, line: dict) -> str:
        axes = (f"{axis}={value}" for axis, value in line["axes"].items() if value is not None)
        return "-".join([line["variant"], line["runtime"], *axes])

    def run(self, report: Callable[[Progress], None]) -> str:
        """Measure until the stop rule ends it; returns what ended it: `precision`, `budget` or `blocks`."""
        done = {line["trial"] for line in self.journal if "trial" in line}
        unsupported = {self._key(line) for line in self.journal if line.get("status") == "unsupported"}
        block = 0
        while True:
            block += 1
            for order, configuration in enumerate(plan.block(self.configurations, block, self.seed)):
                name = f"{configuration.key}-b{block:02d}"
                if name in done or configuration.key in unsupported:
                    continue
                line = self._trial(configuration, name, block, order, 0)
                done.add(name)
                if line["status"] == "unsupported":
                    unsupported.add(configuration.key)
                report(self._progress(block, len(unsupported), name))
            if ended := self._ended(block):
                break
        self._repeat_noisy(done, block, report)
        self.bundle.append({"event": "finished", "experiment": self.entry.name, "ended_by": ended, "blocks": block,
                            "spent_s": round(self.spent, 1)})  # fmt: skip
        return ended

    def _trial(self, configuration: Configuration, name: str, block: int, order: int, attempt: int) -> dict:
        started = time.monotonic()
        variant = self.entry.variants[configuration.variant]
        line = self.trials.run(configuration, variant, self.available[configuration.runtime], name)
        if line["status"] == "bad_argument":
            raise LabError(f"{self.entry.name}: {name}: {line['reason']}; correct the parameter")
        took = time.monotonic() - started
        line |= {"block": block, "order": order, "attempt": attempt, "took_s": round(took, 4)}
        self.bundle.append(line)
        self.journal.append(line)
        self.spent += took
        return line

    def _progress(self, block: int, unsupported: int, last: str) -> Progress:
        per_block = len(self.configurations) - unsupported
        done = sum(1 for line in self.journal if line.get("status") not in (None, "unsupported"))
        planned = per_block * max(block, self.sizes.min_blocks)
        return Progress(self.entry.name, block, self.sizes.min_blocks, done, planned, self.spent,
                        self.sizes.budget_s, last)  # fmt: skip

    def _ended(self, block: int) -> str:
        """The stop rule: the target precision after `min_blocks`, the budget after FEWEST_BLOCKS, or `max_blocks`."""
        if block >= self.sizes.max_blocks:
            return "blocks"
        fewest = min(FEWEST_BLOCKS, self.sizes.min_blocks)
        one_more = self.spent / block
        if block >= fewest and self.spent + one_more > self.sizes.budget_s * (1 - REPEAT_SHARE):
            return "budget"
        if block >= self.sizes.min_blocks and self._widest() <= TARGET_HALF_WIDTH:
            return "precision"
        return ""

    def _widest(self) -> float:
        tables = ingest.read(self.bundle, self.entry, self.journal, histograms=False)
        widths = estimates.headline_widths(self.entry, metrics.compute(self.entry, tables))
        return float(widths["half_width"].max()) if len(widths) else 1.0

    def _repeat_noisy(self, done: set[str], block: int, report: Callable[[Progress], None]) -> None:
        """Repeat noisy trials once, in random order, while a tenth of the budget lasts. The first attempts are kept."""
        by_key = {configuration.key: configuration for configuration in self.configurations}
        noisy = [line for line in self.journal if line.get("noise", {}).get("noisy") and line["attempt"] == 0]
        random.Random(f"{self.seed}/{self.entry.name}/repeats").shuffle(noisy)
        limit = sum(line["took_s"] for line in self.journal if line.get("attempt") == 1)
        for line in noisy:
            name = f"{line['trial']}-r1"
            if name in done:
                continue
            if limit + line["took_s"] > REPEAT_SHARE * self.sizes.budget_s:
                break
            limit += self._trial(by_key[self._key(line)], name, line["block"], line["order"], 1)["took_s"]
            report(self._progress(block, 0, name))


def measure(
    run: str,
    experiment: str,
    profile: str = "quick",
    overrides: Overrides | None = None,
    seed: int = 20110914,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Bundle:
    """Measure one experiment into the run's bundle, or load it when it is complete.

    `seed` shuffles the blocks of a new run and is recorded; an existing run keeps its own.
    Raises LabError: unknown names, another host's bundle, a second run at the same time (status 5), interrupt
    (status 130; the next call continues).
    """
    entry = catalogue.experiment(experiment)
    plan.profile_of(entry, profile)
    if run == "reference":
        return Bundle.open(run)
    existing = Bundle.open(run) if (paths.bundle(run) / "run.json").exists() else None
    if existing is not None and existing.info["profile"] == profile and finished(existing.journal(), experiment):
        Sweep(existing, entry, profile, overrides or Overrides(), existing.info["seed"])
        return existing
    try:
        with alone(run):
            folder = io_folder() if io_folder().is_dir() else paths.ROOT
            bundle = Bundle.create_or_resume(run, profile, seed, runtimes.all_runtimes(), folder)
            Sweep(bundle, entry, profile, overrides or Overrides(), bundle.info["seed"]).run(report)
    except KeyboardInterrupt:
        raise LabError("interrupted; the same command continues where it stopped", INTERRUPTED) from None
    return bundle
