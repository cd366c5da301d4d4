"""Our side of a comparison: trials run and read exactly as a run's are, only outside a run's plan."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline import catalogue, ingest, runtimes
from pipeline.analyse import metrics
from pipeline.analyse.steady import steady
from pipeline.bench.interleave import Missing
from pipeline.bundle import Bundle
from pipeline.catalogue import Scalar
from pipeline.errors import LabError
from pipeline.plan import Configuration
from pipeline.tables import Tables
from pipeline.trial import Trials


class Ours:
    """Trials of one experiment, in a folder that is emptied first and looks like a bundle to ingest."""

    def __init__(self, folder: Path, experiment: str, io_folder: Path | None = None) -> None:
        entries = catalogue.load()
        if experiment not in entries:
            raise Missing(f"the catalogue has no {experiment}")
        self.entry = entries[experiment]
        self.available = runtimes.all_runtimes()
        shutil.rmtree(folder, ignore_errors=True)
        self.bundle = Bundle(folder, {"name": folder.name})
        self.trials = Trials(folder / "raw" / experiment, io_folder)
        self._count = 0

    def runtimes(self, variant: str) -> list[str]:
        """Runtimes of this host that the variant asks for; Missing when the catalogue lacks the variant."""
        if variant not in self.entry.variants:
            raise Missing(f"the catalogue has no variant {variant} of {self.entry.name}")
        return runtimes.runtimes_of(self.entry.variants[variant], self.available)

    def flags(self, variant: str, runtime: str, extra: Sequence[str] = ()) -> list[str]:
        """JVM flags of a trial beyond the common ones; the other side of a comparison gets the same."""
        return [*runtimes.flags_of(self.entry.variants[variant], runtime), *extra]

    def trial(
        self, variant: str, runtime: str, parameters: Mapping[str, Scalar], flags: Sequence[str] = ()
    ) -> tuple[dict, Tables]:
        """Run one trial of `variant` with the entry's, the variant's and these parameters and JVM flags.

        Returns its journal line and its tables without histograms. Missing when the harness does not support it;
        LabError when it failed.
        """
        declared = self.entry.variants[variant]
        changed = declared.model_copy(update={"flags": {runtime: self.flags(variant, runtime, flags)}, "logs": []})
        fixed = self.entry.parameters | declared.parameters | dict(parameters)
        axes = {axis: fixed.get(axis.replace("_", "-")) for axis in self.entry.axes}
        configuration = Configuration(self.entry.name, variant, runtime, axes, fixed)
        self._count += 1
        name = f"{variant}-{runtime}-{self._count:05d}"
        line = self.trials.run(configuration, changed, self.available[runtime], name)
        if line["status"] == "unsupported" or (line["status"] == "bad_argument" and "unknown" in line["reason"]):
            raise Missing(f"{variant} on {runtime}: {line['reason']}")
        if line["status"] != "measured":
            raise LabError(f"bench: {variant} on {runtime}: {line['status']}: {line['reason']}", 4)
        line |= {"block": 0, "order": 0, "attempt": 0}
        return line, ingest.read(self.bundle, self.entry, [line], histograms=False)

    def metric(self, tables: Tables, name: str) -> float:
        """The catalogue's metric `name` of a trial's tables."""
        values = metrics.compute(self.entry, tables, [name])["value"]
        if len(values) != 1:
            raise LabError(f"bench: {self.entry.name} yields no metric {name}", 4)
        return float(values.iloc[0])


def costs(tables: Tables, series: str = "*", phase: str = metrics.MEASURED) -> pd.DataFrame:
    """Per iteration of one trial: operations, span_ns and cost (ns per operation) of the rows that match both globs."""
    rows = tables.iterations
    rows = rows[metrics.globbed(rows["phase"], phase) & metrics.globbed(rows["series"], series)]
    return metrics.per_iteration(rows.assign(end_ns=rows["start_ns"] + rows["elapsed_ns"]))


def estimate(values: Sequence[float], estimator: str) -> float:
    """The catalogue's estimator over the steady part of one process's iterations: both sides are summarised by it.

    `values` are costs in the order of the iterations; the result has their unit.
    """
    values = np.asarray(values, dtype=float)
    return float(np.quantile(values[steady(values).start :], metrics.QUANTILES[estimator]))
