"""How fast raw files become tables, and in how much memory: a run of a million histograms beside one of fewer.

The raw files are those of one trial of a kernel that the harness has just measured, linked under as many names as make
the number of histograms. What is timed is all CPU time of a fresh process that ingests the run (starting Python
included), so a rate is one core's; its peak memory is the most that was resident (VmHWM).
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pipeline.bench import interleave, kernel_trials
from pipeline.bench.comparisons import declared
from pipeline.bench.interleave import OURS, REFEREE, Missing, Result, Step
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.document import Strict
from pipeline.catalogue.selectors import Scalar
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import fingerprint
from pipeline.host.runtimes import Runtime
from pipeline.ingest import ingest, tables
from pipeline.ingest.buckets import Buckets

GOAL_NS = 1e9 / 20_000  # of a core's time for a histogram
GOAL_BYTES = 500e6
GROWTH = 1.2  # of the peak, from the smaller run to the larger
CHILD = "import sys; from pipeline.bench import scale; scale.tell(*sys.argv[1:])"


class Kernel(Strict):
    """A variant on a runtime with parameters, whose raw files are multiplied."""

    name: str
    experiment: str
    variant: str
    runtime: str
    parameters: dict[str, Scalar] = {}


@dataclass(frozen=True)
class Sizes:
    """Rounds, and histograms of the smaller and the larger run."""

    rounds: int = 3
    few: int = 100_000
    many: int = 1_000_000


def run(
    result: Result, work: Path, step: Step, sizes: Sizes = Sizes(), kernels: Sequence[Kernel] | None = None
) -> None:
    """Ingest runs of both sizes made of every kernel, or of these, in turns; fills `result`."""
    for kernel in declared(result.part, Kernel) if kernels is None else kernels:
        with result.leaving_out(kernel.name):
            _compare(result, kernel, work / kernel.name, step, sizes)


def _compare(result: Result, kernel: Kernel, work: Path, step: Step, sizes: Sizes) -> None:
    side = kernel_trials.Ours(work / "measured", kernel.experiment)
    if kernel.runtime not in side.runtimes(kernel.variant):
        raise Missing(f"there is no {kernel.runtime}")
    line, found = side.trial(kernel.variant, kernel.runtime, kernel.parameters)
    histograms = {}
    for name, wanted in {OURS: sizes.many, REFEREE: sizes.few}.items():
        trials = math.ceil(wanted / len(found.iterations))
        repeated(side.bundle, line, trials, work / "runs" / name, side.available)
        histograms[name] = trials * len(found.iterations)
    costs = []

    def ingested(name: str) -> Callable[[int], float]:
        def one(number: int) -> float:
            step(f"{kernel.name}, {histograms[name]:,} histograms", number, sizes.rounds)
            told = ingest_apart(work, name, kernel.experiment)
            result.raw.append({"name": kernel.name, "round": number, "histograms": histograms[name], **told})
            if name == OURS:
                costs.append((number, 1e9 * told["cpu_s"] / histograms[name]))
            return told["peak_bytes"]

        return one

    peaks = interleave.rounds({name: ingested(name) for name in histograms}, sizes.rounds, kernel.name)
    many, few = (f"{histograms[name]:,}" for name in (OURS, REFEREE))
    goal = {"limits": (0, 1), "note": "referee: the goal, 20,000 histograms a second and core in 500 MB"}
    time_of_one = _against(pd.DataFrame(costs, columns=["round", "value"]), GOAL_NS)
    most = _against(peaks[peaks["side"] == OURS], GOAL_BYTES)
    result.comparisons += [
        interleave.compare(f"{kernel.name}, {many} histograms: time of one", time_of_one, "ns", **goal),
        interleave.compare(f"{kernel.name}, {many} histograms: peak memory", most, "bytes", **goal),
        interleave.compare(f"{kernel.name}, peak memory of {many} over {few}", peaks, "bytes", limits=(0, GROWTH)),
    ]


def _against(table: pd.DataFrame, goal: float) -> pd.DataFrame:
    """The values of one side beside a goal that is the same in every round."""
    return pd.concat([table.assign(side=OURS), table.assign(side=REFEREE, value=goal)])


def repeated(source: Bundle, line: dict, trials: int, folder: Path, available: dict[str, Runtime]) -> None:
    """A bundle in `folder` of so many trials that are all the one of `line`, its raw files linked."""
    bundle = Bundle.create(folder, "quick", 0, available, fingerprint.take(paths.io()))
    (folder / "raw" / line["experiment"]).mkdir(parents=True)
    with (folder / journal.FILE).open("w", encoding="utf-8") as out:
        for number in range(trials):
            name, files = f"{line['trial']}-{number:06d}", {}
            for file, sha256 in line["files"].items():
                linked = file.replace(line["trial"], name)
                os.link(source.folder / file, bundle.folder / linked)
                files[linked] = sha256
            out.write(json.dumps(line | {"trial": name, "order": number, "files": files}) + "\n")


def ingest_apart(work: Path, run: str, experiment: str) -> dict[str, float]:
    """What a process of its own tells of ingesting `work`/runs/`run`: `cpu_s`, `wall_s`, `peak_bytes`, and `rows` of
    the table of buckets."""
    env = os.environ | {"LAB_RUNS": str(work / "runs"), "LAB_BUILD": str(work / "build")}
    argv = [sys.executable, "-c", CHILD, run, experiment]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=paths.ROOT, env=env)
    shutil.rmtree(work / "build", ignore_errors=True)
    if ran.returncode:
        raise LabError(f"bench: ingest of {run} failed: {(ran.stderr.strip().splitlines() or ['?'])[-1]}", 4)
    return json.loads(ran.stdout)


def tell(run: str, experiment: str) -> None:
    """Ingest, and print as JSON what `ingest_apart` reads."""
    started = time.monotonic()
    folder = ingest.written(Bundle.open(run), catalogue.experiment(experiment), fresh=True)
    told = {"cpu_s": time.process_time(), "wall_s": time.monotonic() - started}
    peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    told |= {"peak_bytes": 1024 * int(peak[1]), "rows": Buckets(tables.file(folder, "buckets")).rows}
    print(json.dumps(told))
