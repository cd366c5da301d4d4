"""One trial: one configuration, once, in fresh operating-system processes, most often one."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shlex
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from pipeline.bundle import readings
from pipeline.bundle.journal import MEASURED
from pipeline.catalogue.entry import COMMAND, Variant
from pipeline.catalogue.placement import AXIS
from pipeline.ground import paths
from pipeline.ground.errors import Unavailable
from pipeline.host import cpus, runtimes
from pipeline.host.runtimes import Runtime
from pipeline.measure import class_data, control_group, facts, probe, processes, scratch, tracing
from pipeline.measure.environment import environment
from pipeline.measure.probe import Probe
from pipeline.measure.processes import Ended, Start
from pipeline.plan import placement
from pipeline.plan.parts import Part
from pipeline.plan.plan import Configuration

LOG_FLAGS = {
    "jit": "-Xlog:jit+compilation=debug:file={}:timenanos:filecount=0",
    "compilation": "-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile={}",
    # Of the methods that the variant's own flags name (CompileCommand=print).
    "code": "-XX:+UnlockDiagnosticVMOptions -XX:+LogVMOutput -XX:-DisplayVMOutput -XX:LogFile={}",
    # Asynchronous, for the lines of a pause are printed inside it, and a write may wait for the disk.
    # ZGC tells its pauses among the phases of a cycle.
    "gc": "-Xlog:async -Xlog:safepoint,gc,gc+phases:file={}:timenanos,tags:filecount=0",
}


def _log(log: Path, kind: str) -> str:
    """The log of another kind beside a histogram log."""
    return paths.from_root(log.with_suffix(f".{kind}.log"))


def tracer(part: Part, log: Path) -> list[str]:
    """The command that traces a part, where its variant asks for that."""
    calls = tracing.traced(part.logs)
    return tracing.command(calls, _log(log, calls[0])) if calls else []


def command(part: Part, runtime: Runtime, log: Path, folder: Path | None, meeting: Sequence[str]) -> list[str]:
    """The command line of a part that writes `log` (the histogram log) and, beside it, the logs it asks for; files of
    its own lie in `folder`, and `meeting` are the arguments by which it finds the other parts."""
    arguments = [part.experiment, "--variant", part.runs]
    for name, value in part.parameters.items():
        if name != AXIS and value is not None:
            arguments += [f"--{name}", str(value)]
    if part.cpus:
        arguments += ["--cpus", ",".join(map(str, part.cpus))]
    if part.cpus and part.harness == COMMAND:
        arguments += ["--native", paths.from_root(paths.native_library())]
    if part.dir:
        arguments += ["--dir", paths.from_root(folder)]
    arguments += [*meeting, "--out", paths.from_root(log)]
    if part.harness == "c":
        return [paths.from_root(paths.c_harness()), *arguments]
    if part.harness == "fio":
        return [sys.executable, paths.from_root(paths.fio_harness()), *arguments]
    if part.harness == COMMAND:  # without what the user's environment says to Python, and without its packages
        return [sys.executable, "-E", "-s", "-S", paths.from_root(paths.command_harness()), *arguments]
    logs = [LOG_FLAGS[kind].format(_log(log, kind)) for kind in part.logs if kind in LOG_FLAGS]
    flags = [*runtimes.COMMON_FLAGS, *class_data.flags(runtime, part.flags), *part.flags, *shlex.split(" ".join(logs))]
    native = f"-Dlab.native={paths.from_root(paths.native_library())}"
    return [runtime.java(), *flags, native, "-jar", paths.from_root(paths.java_harness()), *arguments]


class Trials:
    """Runs trials of one experiment into `raw` (its raw folder), with a probe of the host between them."""

    def __init__(self, raw: Path) -> None:
        self.raw = raw
        raw.mkdir(parents=True, exist_ok=True)
        scratch.remove_left()
        self._last_probes: dict[tuple[int, ...], Probe] = {}  # by the CPUs probed

    def _probe(self, cpus: tuple[int, ...]) -> Probe:
        self._last_probes[cpus] = probe.run(cpus, self.raw)
        return self._last_probes[cpus]

    def run(self, configuration: Configuration, variant: Variant, runtime: Runtime, name: str) -> dict:
        """Run one trial and return its journal line without `block`, `order` and `attempt`. Raises on interrupt only
        after its processes have ended."""
        for left in self.raw.glob(f"{glob.escape(name)}.*"):  # by an attempt that was cut short
            left.unlink()
        line = {
            "trial": name,
            "experiment": configuration.experiment,
            "variant": configuration.variant,
            "runtime": configuration.runtime,
            "harness": variant.harness,
            "axes": dict(configuration.axes),
            "cpus": (pinned := facts.pinned(configuration.parts)),
            "distance": placement.distance(pinned),
            **placement.memory(configuration.main.cpus),
            "command": [],
            "started": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        }
        try:
            for part in configuration.parts:
                if part.harness == "java" and (why := class_data.refusal(runtime, part.flags)):
                    raise Unavailable(processes.named(part.name, why))
                if tracing.traced(part.logs) and (why := tracing.refusal()):
                    raise Unavailable(processes.named(part.name, why))
            with (
                scratch.folder(configuration.main.dir, scratch.need(configuration.parameters)) as folder,
                control_group.limited(variant.memory_mb) as prefix,
            ):
                return line | self._measured(configuration, runtime, name, folder, prefix)
        except Unavailable as error:
            return line | {"status": "unsupported", "exit": 3, "reason": str(error), "wall_s": 0.0, "files": {}}

    def _measured(
        self, configuration: Configuration, runtime: Runtime, name: str, folder: Path | None, prefix: list[str]
    ) -> dict:
        pinned = facts.pinned(configuration.parts)
        probed = tuple(pinned or cpus.usable())[: max(1, min(2, configuration.threads))]
        last = self._last_probes.get(probed)
        fresh = last is not None and time.monotonic() - last.ended < probe.FRESH_S
        before = last if fresh else self._probe(probed)
        with processes.meeting(len(configuration.parts)) as page:
            starts = self._starts(configuration, runtime, name, folder, page)
            try:
                start = facts.counters()
                ended = processes.run(starts, prefix, environment(configuration.main.harness), page)
                end = facts.counters()
                after = self._probe(probed)
            finally:
                processes.forget(starts)
        status, reason = processes.outcome(ended)
        read = None
        seen = facts.of_trial(before, after, start, end, [one.usage for one in ended], pinned)
        if status == MEASURED:
            status, reason, told = _keep_json(ended)
            seen |= facts.waiting(told, facts.throttled_s(start, end))
            read = readings.gaps(told)
        return _told(runtime, configuration.parts, ended) | {
            "status": status,
            "reason": reason,
            "wall_s": round(end.monotonic - start.monotonic, 4),
            "noise": seen,
            **({"readings": read.summary()} if read else {}),
            "files": self._sums(name),
        }

    def _starts(
        self, configuration: Configuration, runtime: Runtime, name: str, folder: Path | None, page: int | None
    ) -> list[Start]:
        starts, count = [], len(configuration.parts)
        for number, part in enumerate(configuration.parts):
            meeting = [] if page is None else ["--meet", f"/proc/self/fd/{page}", "--part", f"{number}/{count}"]
            log = self.raw / f"{f'{name}.{part.name}' if part.name else name}.hlog"
            argv = command(part, runtime, log, folder, meeting)
            starts.append(Start(part.name, argv, log, tracer(part, log), part.timeout_s, part.harness == COMMAND))
        return starts

    def _sums(self, name: str) -> dict[str, str]:
        """Checksums of all files of the trial, relative to the bundle's folder."""
        bundle = self.raw.parent.parent
        files = sorted(p for p in self.raw.glob(f"{glob.escape(name)}.*") if not p.name.endswith(".part"))
        return {str(p.relative_to(bundle)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def _told(runtime: Runtime, parts: Sequence[Part], ended: Sequence[Ended]) -> dict:
    """What the journal tells of the processes: the main part's command and exit, and under `parts` the others'."""
    told = {}
    for part, one in zip(parts, ended):
        program = runtime.name if part.harness == "java" else part.harness
        told[part.name] = {"command": [*one.start.under, f"{{{program}}}", *one.start.argv[1:]], "exit": one.exit}
    main = told.pop("")
    return main | ({"parts": told} if told else {})


def _keep_json(ended: Sequence[Ended]) -> tuple[str, str, list[dict]]:
    """Write every part's JSON object beside its log; a trial without one did not keep the contract. Status, reason and
    the objects."""
    objects = []
    for one in ended:
        try:
            text = one.told[-1]
            objects.append(dict(json.loads(text)))
        except (IndexError, ValueError, TypeError):
            return "crashed", processes.named(one.start.name, "the harness printed no JSON object"), []
        with one.start.log.with_suffix(".json").open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
    return MEASURED, "", objects
