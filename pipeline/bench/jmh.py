"""JMH as the referee of our Java kernels: the same operation, in the loop that JMH generates.

Our side is a trial as a quick run measures it: the catalogue's own parameters and sizes. So what recording costs there
is part of the comparison; JMH reads a volatile flag per operation where we read the clock twice per `sample-every`.
Both sides run in fresh JVMs with the same flags, their workers pinned to the same CPUs, and both are summarised by the
catalogue's estimator over iterations. JMH has iterations of the same number and length after a warm-up of its own.

With two threads JMH needs iterations of 100 ms: it starts them at a barrier where workers sleep, and in one of 5 ms a
woken worker is often late, so that the lock was taken by one thread alone for a good part of it, which is cheap. Ours
are as long there: a contended monitor is dearest while both threads have just begun, and of 4 ms that is a good part.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pipeline.bench import interleave, kernel_trials
from pipeline.bench.comparisons import declared
from pipeline.bench.interleave import Missing, Result, Step
from pipeline.catalogue.document import Strict
from pipeline.catalogue.selectors import Scalar
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import cpus
from pipeline.host.runtimes import COMMON_FLAGS

PROJECT = paths.ROOT / "harness" / "jmh"
JAR = PROJECT / "target" / "benchmarks.jar"
SAMPLE_EVERY = "sample-every"


class Kernel(Strict):
    """One of our variants and the JMH benchmark (class.method of lab.jmh) that does the same work.

    `axes` choose the configuration among the variant's of a quick run, beside threads. `takes` names the benchmark's
    parameters and those of ours that they are given; one that takes our SAMPLE_EVERY does so many operations per
    invocation. `workers` are JMH's threads where the benchmark starts others of its own (0: as many as ours), and
    `counter` is what the benchmark counts where that is not its invocations. `flags` are JVM flags of both sides beside
    the variant's own, `sizes` what both run in one trial, in place of a quick run's; `most` rounds at most (0: as
    Sizes). `note` says what the two do differently.
    """

    name: str
    experiment: str
    variant: str
    benchmark: str
    threads: int = 1
    workers: int = 0
    counter: str = ""
    series: str = "t*"
    estimator: str = "floor"
    axes: dict[str, Scalar] = {}
    takes: dict[str, str] = {}
    flags: list[str] = []
    sizes: dict[Literal["warmup", "iterations", "iteration-ms", "log"], int] = {}
    most: int = 0
    note: str = ""


@dataclass(frozen=True)
class Sizes:
    """Rounds per comparison, at least and (while undecided) at most, and what JMH runs in one; 0: as ours."""

    rounds: int = 7
    most: int = 21
    warmup: int = 60
    iterations: int = 0
    iteration_ms: int = 0


def build() -> Path:
    """Build harness/jmh when its sources are newer than its jar, and return the jar; Missing says what failed."""
    sources = [PROJECT / "pom.xml", *PROJECT.glob("src/**/*.java")]
    if JAR.exists() and JAR.stat().st_mtime >= max(source.stat().st_mtime for source in sources):
        return JAR
    if shutil.which("mvn") is None:
        raise Missing("JMH needs Maven to be built; install it (Debian: maven)")
    command = ["mvn", "-q", "-B", "-f", str(PROJECT / "pom.xml"), "package"]
    environment = os.environ | {"LC_ALL": "C.UTF-8"}  # Java reads no path with an umlaut otherwise
    made = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if made.returncode:
        lines = [line for line in made.stdout.splitlines() if "ERROR" in line] or [f"exit status {made.returncode}"]
        raise Missing(f"JMH could not be built: {lines[0].strip()[:200]}; run: mvn -f harness/jmh/pom.xml package")
    JAR.touch()
    return JAR


def command(
    java: str,
    jar: Path,
    kernel: Kernel,
    flags: Sequence[str],
    cpus: Sequence[int],
    sizes: Sizes,
    parameters: Mapping[str, Scalar],
    out: Path,
) -> list[str]:
    """The command line of one JMH process: one fork of one benchmark, workers on `cpus`, results as JSON in `out`.

    `parameters` are those of our side, of which the benchmark takes some.
    """
    # Relative: JMH cuts these arguments at every blank, and the project's own path may hold one.
    native = paths.native_library().relative_to(paths.ROOT)
    jvm = [*COMMON_FLAGS, *flags, f"-Dlab.native={native}", f"-Dlab.cpus={','.join(map(str, cpus))}"]
    each = f"{sizes.iteration_ms}ms"
    fixed = f"-f 1 -t {kernel.workers or kernel.threads} -bm thrpt -tu s -foe true -v SILENT -rf json"
    sized = f"-wi {sizes.warmup} -w {each} -i {sizes.iterations} -r {each}"
    arguments = [*fixed.split(), *sized.split(), "-jvmArgs", " ".join(jvm), "-rff", str(out)]
    for name, of_ours in kernel.takes.items():
        arguments += ["-p", f"{name}={parameters[of_ours]}"]
    benchmark = "lab.jmh." + kernel.benchmark
    # Our lock keeps measuring alone on the machine; JMH's own would be left behind in the temporary folder.
    return [java, "-Djmh.ignoreLock=true", "-jar", str(jar), benchmark.replace(".", r"\.") + "$", *arguments]


def scores(text: str, operations: int = 1, counter: str = "") -> list[float]:
    """Cost in ns per operation of every iteration of a JMH result (JSON, one benchmark, one fork, mode thrpt, ops/s).

    `operations` of ours make one of JMH's. The score of several threads is the sum of their rates; `counter` names one
    of the benchmark's own counts instead, which may be 0 where a thread got no CPU in an iteration: that costs inf.
    LabError (status 4) when the result is anything else.
    """
    try:
        [result] = json.loads(text)
        metric = result["secondaryMetrics"][counter] if counter else result["primaryMetric"]
        [iterations] = metric["rawData"]
        if (result["mode"], metric["scoreUnit"]) != ("thrpt", "ops/s"):
            raise ValueError(f"mode {result['mode']} in {metric['scoreUnit']}, not thrpt in ops/s")
        rates = [float(score) for score in iterations]
        if not (any(rates) if counter else all(rates)):
            raise ValueError("a rate of zero")
        return [1e9 / rate / operations if rate else math.inf for rate in rates]
    except (ValueError, KeyError, TypeError) as error:
        raise LabError(f"bench: the JMH result is not one fork of one thrpt benchmark: {error}", 4) from None


def referees_sizes(sizes: Sizes, kernel: Kernel, parameters: Mapping[str, Scalar]) -> Sizes:
    """`sizes` as JMH runs them against our side with these parameters: the kernel's own, and ours where they are 0."""
    return replace(
        sizes,
        most=kernel.most or sizes.most,
        warmup=kernel.sizes.get("warmup", sizes.warmup),
        iterations=sizes.iterations or parameters["iterations"],
        iteration_ms=sizes.iteration_ms or parameters["iteration-ms"],
    )


def run(
    result: Result, work: Path, step: Step, sizes: Sizes = Sizes(), kernels: Sequence[Kernel] | None = None
) -> None:
    """Compare every kernel, or these, on every JDK; fills `result`. Missing when JMH cannot be built."""
    jar = build()
    for kernel in declared(result.part, Kernel) if kernels is None else kernels:
        with result.leaving_out(kernel.name):
            side = kernel_trials.Ours(work, kernel.experiment)
            for runtime in side.runtimes(kernel.variant):
                _compare(result, side, kernel, runtime, jar, sizes, step)


def _compare(
    result, side: kernel_trials.Ours, kernel: Kernel, runtime: str, jar: Path, sizes: Sizes, step: Step
) -> None:
    available = cpus.usable()
    if len(available) < kernel.threads:
        raise Missing(f"needs {kernel.threads} CPUs")
    flags = [*side.flags(kernel.variant, runtime), *kernel.flags]
    threads = {"threads": kernel.threads} if "threads" in side.entry.axes else {}
    parameters = {**side.planned(kernel.variant, runtime, threads | kernel.axes), **kernel.sizes}
    sizes = referees_sizes(sizes, kernel, parameters)
    operations = parameters[SAMPLE_EVERY] if SAMPLE_EVERY in kernel.takes.values() else 1
    out = side.bundle.folder / "jmh.json"
    name = f"{kernel.name}, {runtime}"

    def keep(number: int, which: str, values: list[float], noise: dict | None) -> float:
        value = kernel_trials.estimate(values, kernel.estimator)
        result.raw.append(
            {
                "name": name,
                "round": number,
                "side": which,
                "value": value,
                "noise": noise,
                "ns_per_operation": [round(v, 4) if math.isfinite(v) else None for v in values],
            }
        )
        return value

    def run_ours(number: int) -> float:
        step(name, number, interleave.planned(number, sizes.rounds, sizes.most))
        line, tables = side.trial(kernel.variant, runtime, parameters, kernel.flags)
        return keep(number, interleave.OURS, kernel_trials.costs(tables, kernel.series), line["noise"])

    def run_jmh(number: int) -> float:
        out.unlink(missing_ok=True)
        argv = command(
            side.available[runtime].java(), jar, kernel, flags, available[: kernel.threads], sizes, parameters, out
        )
        ran = interleave.process(argv)
        if not out.exists():
            raise LabError(f"bench: JMH {kernel.benchmark} on {runtime} left no result: {ran[-300:].strip()}", 4)
        return keep(
            number, interleave.REFEREE, scores(out.read_text(encoding="utf-8"), operations, kernel.counter), None
        )

    sides = {interleave.OURS: run_ours, interleave.REFEREE: run_jmh}
    table = interleave.rounds(sides, sizes.rounds, name, sizes.most, interleave.is_decided)
    note = f"{kernel.estimator} of {parameters['iterations']} iterations of {parameters['iteration-ms']} ms"
    note += f"; {' '.join(kernel.flags)}" if kernel.flags else ""
    if SAMPLE_EVERY in parameters:
        note += f"; one operation in {parameters[SAMPLE_EVERY]} timed"
    note += f"; {kernel.note}" if kernel.note else ""
    result.comparisons.append(interleave.compare(name, table, "ns", note=note))
