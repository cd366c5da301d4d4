"""The Java harness in the kernel of a notebook, to play with: nothing of it is a measurement, and nothing is kept.

    Live(EXPERIMENT, VARIANT, threads=2)

Trials of a few milliseconds run one after another in one JVM, whose compiled code, profiles and heap survive from one
to the next. While they run the machine's measuring lock is held, so that no run is disturbed.
"""

from __future__ import annotations

import atexit
import json
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pipeline.bundle import lock
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr import log
from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import merge

ITERATIONS = 20
AGAIN_S = 1.0  # between two tries to get the lock
LEAST_S = 0.25  # between two pictures
KEPT = 400  # iterations of which the cost is shown
OTHER_JDK = "One JVM per kernel: for another JDK set JAVA_HOME and restart the kernel."


@dataclass
class Curve:
    """What a variant has done since the start: the cost of its latest iterations (ns per operation, beginning with the
    `first`), and all of its samples."""

    label: str
    costs: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))
    iterations: int = 0
    merged: Counts | None = None

    def add(self, told: dict[str, Any], logged: log.Log, costs: str = "*", values: str = "*") -> None:
        """The result of a trial. costs, values: patterns of the series whose operations and samples count."""
        rows = told["iterations"]
        counting = [at for at, one in enumerate(rows["series"]) if fnmatchcase(one, costs)]
        for number in sorted({rows["iteration"][at] for at in counting}):
            of = [at for at in counting if rows["iteration"][at] == number]
            rate = sum(rows["operations"][at] / max(rows["elapsed_ns"][at], 1) for at in of)
            if rate > 0:
                self.costs.append(1 / rate)
                self.iterations += 1
        counts = [record.counts for record in logged.records if record.counts.total and fnmatchcase(record.tag, values)]
        known = [] if self.merged is None else [self.merged]
        self.merged = merge([*known, *counts]) if known or counts else None


def series(entry: Experiment, *kinds: str) -> str:
    """The pattern of the series that the entry's first metric of these kinds is of."""
    return next((one.series for one in entry.metrics.values() if one.kind in kinds and one.series), "*")


def variants(entry: Experiment) -> dict[str, str]:
    """The variants that can run in the kernel: of the Java harness, alone in their trial. name -> label"""
    return {
        name: one.label
        for name, one in entry.variants.items()
        if one.harness == "java" and not one.beside and not one.dir and not entry.needs_disk
    }


def arguments(
    entry: Experiment, variant: str, threads: int, iteration_ms: int, out: Path, **parameters: Any
) -> list[str]:
    """The harness's arguments for one trial of a variant; LabError for one that cannot run in the kernel."""
    if variant not in (known := variants(entry)):
        raise LabError(f"{entry.name}: {variant!r} does not run in a kernel; use one of: {', '.join(known) or 'none'}")
    if not 1 <= threads <= 64:
        raise LabError(f"{threads} threads: give 1 to 64")
    declared = entry.variants[variant]
    lengths = {"warmup": 0, "iterations": ITERATIONS, "iteration-ms": iteration_ms}
    given = entry.parameters | entry.profiles["smoke"].parameters | declared.parameters | parameters | lengths
    by_threads = {} if entry.threads_by else {"threads": threads}
    words = [entry.name, "--variant", declared.runs]
    for name, value in (given | by_threads).items():
        words += [f"--{name}", str(value)]
    return [*words, "--out", str(out)]


class Harness:
    """The Java harness, in this process; it is started with the first trial, once for all."""

    def __init__(self) -> None:
        import jpype.config  # it is loaded where it is used: nothing else needs it

        self._jpype = jpype
        if not paths.java_harness().exists():
            raise LabError("the Java harness is not built; run: make harness", 5)
        if not jpype.isJVMStarted():
            # The thread that starts it counts as one of the JVM's own: its end must not be waited for.
            jpype.config.destroy_jvm = False
            jpype.startJVM(
                f"-Dlab.native={paths.native_library()}",
                classpath=[str(paths.java_harness())],
                convertStrings=False,
                interrupt=False,
            )
            # A JVM that is not destroyed keeps the thread that gives references back to Python; while Python ends, that
            # thread's wait for the interpreter's lock aborts the process ("FATAL: exception not rethrown").
            atexit.register(jpype.JClass("org.jpype.ref.JPypeReferenceQueue").getInstance().stop)
        self._main, self._registry = jpype.JClass("lab.Main"), jpype.JClass("lab.experiments.Registry")

    @property
    def version(self) -> str:
        """Of the JVM."""
        return str(self._jpype.JClass("java.lang.System").getProperty("java.version"))

    def trial(self, words: list[str]) -> tuple[dict[str, Any], log.Log]:
        """Run one trial: its JSON object and its histogram log; LabError with what the harness says."""
        stream, text = (self._jpype.JClass(f"java.io.{name}") for name in ("ByteArrayOutputStream", "PrintStream"))
        out, err = stream(), stream()
        given = self._jpype.JArray(self._jpype.JString)(words)
        status = self._main.run(given, self._registry.EXPERIMENTS, text(out), text(err))
        if status:
            raise LabError(
                str(err).strip().splitlines()[-1] if str(err).strip() else f"the harness ended with {status}"
            )
        return json.loads(str(out).splitlines()[-1]), log.read_log(Path(words[-1]))


class Loop:
    """Trials one after another in a thread, under the measuring lock, until it is told to stop.

    tell(sentence): what it does or why it waits; drawn(curve): there is something new, at most every LEAST_S.
    """

    def __init__(self, experiment: str, tell: Callable[[str], None], drawn: Callable[[Curve], None]) -> None:
        self.entry, self._tell, self._drawn = catalogue.experiment(experiment), tell, drawn
        self._thread: threading.Thread | None = None
        self._ends = threading.Event()

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self, variant: str, threads: int, iteration_ms: int, **parameters: Any) -> None:
        """Begin; LabError for what cannot run, or while the last trial has not returned."""
        if self.running:
            raise LabError("the trial before has not returned; restart the kernel if it never does")
        words = arguments(self.entry, variant, threads, iteration_ms, Path("live.hlog"), **parameters)[:-1]
        curve = Curve(f"{self.entry.variants[variant].label}, {threads} thread{'s' if threads > 1 else ''}")
        self._ends.clear()
        self._thread = threading.Thread(target=self._run, args=(words, curve), daemon=True)
        self._thread.start()

    def stop(self, patience_s: float = 15) -> bool:
        """End after the trial in progress; whether it has ended within the patience."""
        self._ends.set()
        if self._thread is not None:
            self._thread.join(patience_s)
        return not self.running

    def _run(self, words: list[str], curve: Curve) -> None:
        try:
            while not self._ends.is_set():
                try:
                    with lock.alone("live"), tempfile.TemporaryDirectory() as folder:
                        self._trials([*words, str(Path(folder) / "live.hlog")], curve)
                except LabError as error:
                    if error.status != 5 or "measuring on this machine" not in str(error):
                        raise
                    self._tell(f"{str(error).split(';')[0]}; live waits")
                    self._ends.wait(AGAIN_S)
            self._tell("Stopped.")
        except LabError as error:
            self._tell(f"Stopped: {error}")
        except Exception as error:  # a thread's fault is seen by nobody otherwise
            self._tell(f"Stopped: {type(error).__name__}: {error}")

    def _trials(self, words: list[str], curve: Curve) -> None:
        harness = Harness()
        costs, values = series(self.entry, "cost", "rate"), series(self.entry, "percentile")
        self._tell(f"Running on Java {harness.version}. {OTHER_JDK}")
        drawn = 0.0
        while not self._ends.is_set():
            curve.add(*harness.trial(words), costs, values)
            if time.monotonic() - drawn >= LEAST_S:
                drawn = time.monotonic()
                self._drawn(curve)
        self._drawn(curve)
