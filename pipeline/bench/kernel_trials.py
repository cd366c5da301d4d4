"""Trials of our kernels, our side of a comparison: run and read exactly as a run's are, only outside a run's plan."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.analyse import metrics, window
from pipeline.analyse.rates import QUANTILES
from pipeline.analyse.steady import steady
from pipeline.analyse.trials import PHASE, globbed
from pipeline.bench.interleave import Missing
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.journal import MEASURED
from pipeline.catalogue import catalogue
from pipeline.catalogue.document import Strict
from pipeline.catalogue.entry import parameter_of
from pipeline.catalogue.placement import AXIS
from pipeline.catalogue.selectors import Scalar
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import cpus, runtimes
from pipeline.ingest import read
from pipeline.ingest.tables import Tables
from pipeline.measure import scratch
from pipeline.measure.trial import Trials
from pipeline.plan import placement, plan
from pipeline.plan.overrides import Overrides


class Kernel(Strict):
    """What a study measures again and again: a variant on a runtime with parameters, and a metric of the catalogue."""

    name: str
    experiment: str
    variant: str
    runtime: str
    metric: str
    parameters: dict[str, Scalar] = {}

    @property
    def cpus(self) -> list[int]:
        """The CPUs that its threads are pinned to; none where they may run anywhere."""
        threads = int(self.parameters.get("threads", 1))
        return placement.cpus_of(str(self.parameters.get(AXIS, "spread")), threads)


def repeated(
    work: Path, kernel: Kernel, sizes: Mapping[str, Scalar], missing: float | None = None
) -> Callable[[], tuple[dict, float]]:
    """A function that runs one trial of the kernel, tried once already: its journal line and the metric's value.

    `sizes` are parameters that the kernel's own replace, `missing` the value of a trial that yields none (LabError
    without it). Missing when it cannot be measured here.
    """
    side = Ours(work / kernel.name.replace("/", "-"), kernel.experiment)
    if side.entry.needs_disk:
        scratch.check_resources(paths.io(), scratch.need(kernel.parameters))
    if kernel.runtime not in side.runtimes(kernel.variant):
        raise Missing(f"there is no {kernel.runtime}")
    if len(cpus.usable()) < int(kernel.parameters.get("threads", 1)):
        raise Missing("needs more CPUs than there are")

    def one() -> tuple[dict, float]:
        line, tables = side.trial(kernel.variant, kernel.runtime, {**sizes, **kernel.parameters})
        return line, side.metric(tables, kernel.metric, missing)

    one()
    return one


class Ours:
    """Trials of one experiment, in a folder that is emptied first and looks like a bundle to ingest."""

    def __init__(self, folder: Path, experiment: str) -> None:
        """Missing when the catalogue lacks the experiment."""
        entries = catalogue.load()
        if experiment not in entries:
            raise Missing(f"the catalogue has no {experiment}")
        self.entry = entries[experiment]
        self.available = runtimes.all_runtimes()
        shutil.rmtree(folder, ignore_errors=True)
        self.bundle = Bundle(folder, {"name": folder.name})
        self.trials = Trials(folder / "raw" / experiment)
        self._count = 0

    def runtimes(self, variant: str) -> list[str]:
        """Runtimes of this host that the variant asks for; Missing when the catalogue lacks the variant."""
        if variant not in self.entry.variants:
            raise Missing(f"the catalogue has no variant {variant} of {self.entry.name}")
        return self.entry.variants[variant].runs_on(self.available)

    def flags(self, variant: str, runtime: str) -> list[str]:
        """JVM flags of the variant beyond the common ones; the other side of a comparison gets the same."""
        return self.entry.variants[variant].flags_on(runtime)

    def planned(self, variant: str, runtime: str, axes: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        """The parameters of the first configuration of a quick run with these values; Missing when it has none."""
        chosen = Overrides(variants=(variant,), runtimes=(runtime,))
        for one in plan.configurations(self.entry, "quick", self.available, chosen):
            if all(one.axes[axis] == value for axis, value in axes.items()):
                return one.parameters
        raise Missing(f"a quick run measures no {variant} of {self.entry.name} on {runtime} with {dict(axes)}")

    def trial(
        self, variant: str, runtime: str, parameters: Mapping[str, Scalar], flags: Sequence[str] = ()
    ) -> tuple[dict, Tables]:
        """Run one trial of `variant` with the entry's and the variant's parameters, replaced by these, and with these
        JVM flags beside the variant's own.

        Returns its journal line and its tables without histograms. Missing when the harness says that it cannot run
        it; LabError when it failed.
        """
        declared = self.entry.variants[variant]
        declared = replace(declared, flags={**declared.flags, "jdk": [*declared.flags.get("jdk", []), *flags]})
        fixed = self.entry.parameters | declared.parameters | dict(parameters)
        axes = {axis: fixed.get(parameter_of(axis)) for axis in self.entry.axes}
        entry = replace(self.entry, variants={variant: declared})
        configuration = plan.configuration(entry, variant, runtime, axes, fixed)
        self._count += 1
        name = f"{variant}-{runtime}-{self._count:05d}"
        line = self.trials.run(configuration, declared, self.available[runtime], name)
        if line["status"] in ("unsupported", "bad_argument", "no_resources"):
            raise Missing(f"{variant} on {runtime}: {line['reason']}")
        if line["status"] != MEASURED:
            raise LabError(f"bench: {variant} on {runtime}: {line['status']}: {line['reason']}", 4)
        line |= {"block": 0, "order": 0, "attempt": 0}
        return line, read.read(self.bundle, self.entry, [line], histograms=False)

    def metric(self, tables: Tables, name: str, missing: float | None = None) -> float:
        """The catalogue's metric `name` of a trial's tables, or `missing` where they yield none and it is given."""
        values = metrics.compute(self.entry, tables, [name])["value"]
        if not len(values) and missing is not None:
            return missing
        if len(values) != 1:
            raise LabError(f"bench: {self.entry.name} yields no metric {name}", 4)
        return float(values.iloc[0])


def selected(tables: Tables, series: str = "*", phase: str = PHASE) -> pd.DataFrame:
    """The rows of iterations that match both globs."""
    rows = tables.iterations
    return rows[globbed(rows["phase"], phase) & globbed(rows["series"], series)]


def costs(tables: Tables, series: str) -> list[float]:
    """Nanoseconds per operation of each measured iteration whose threads ran together, as the catalogue's metrics take
    them: 1 / sum of the threads' rates. Missing when in most of them they did not.
    """
    rows = selected(tables, series)
    rows, each = window.together(rows.assign(end_ns=rows["start_ns"] + rows["elapsed_ns"]))
    if rows.empty:
        raise Missing("our threads did not run together in most iterations of a trial; try on a quieter host")
    return list(each["cost"])


def estimate(values: Sequence[float], estimator: str) -> float:
    """The catalogue's estimator over the steady part of one process's iterations: both sides are summarised by it.

    `values` are costs in the order of the iterations; the result has their unit.
    """
    values = np.asarray(values, dtype=float)
    return float(np.quantile(values[steady(values).start :], QUANTILES[estimator]))
