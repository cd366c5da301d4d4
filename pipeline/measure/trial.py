"""One trial: one configuration, once, in a fresh operating-system process."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pipeline import paths
from pipeline.bundle.journal import MEASURED
from pipeline.catalogue import placement
from pipeline.catalogue.entry import Variant
from pipeline.errors import Unavailable
from pipeline.host import cpus, runtimes
from pipeline.host.runtimes import Runtime
from pipeline.measure import control_group, noise, scratch
from pipeline.plan.plan import Configuration

STATUS = {0: MEASURED, 2: "bad_argument", 3: "unsupported", 4: "check_failed", 5: "no_resources"}
TIMEOUT_S = 300
# What a trial's process inherits. Everything else (JAVA_TOOL_OPTIONS, LD_PRELOAD, MALLOC_*) could change the result.
KEPT_ENVIRONMENT = ("PATH", "HOME", "TMPDIR")
LOG_FLAGS = {
    "jit": "-Xlog:jit+compilation=debug:file={}:timenanos:filecount=0",
    "compilation": "-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile={}",
    # Of the methods that the variant's own flags name (CompileCommand=print).
    "code": "-XX:+UnlockDiagnosticVMOptions -XX:+LogVMOutput -XX:-DisplayVMOutput -XX:LogFile={}",
}


def environment() -> dict[str, str]:
    """The whole environment of a trial's process, and of a referee's in `lab bench`."""
    return {key: os.environ[key] for key in KEPT_ENVIRONMENT if key in os.environ} | {"LC_ALL": "C.UTF-8"}


def _from_root(path: Path) -> str:
    """The path as the trial sees it: trials run in the project's root, so that no path of the machine is archived."""
    return str(path.relative_to(paths.ROOT)) if path.is_relative_to(paths.ROOT) else str(path)


def command(
    configuration: Configuration, variant: Variant, runtime: Runtime, out: Path, folder: Path | None
) -> list[str]:
    """The command line of a trial that writes `out` (the histogram log) and, beside it, the logs it asks for; its own
    files lie in `folder`."""
    arguments = [configuration.experiment, "--variant", variant.runs]
    for name, value in configuration.parameters.items():
        if name != placement.AXIS and value is not None:
            arguments += [f"--{name}", str(value)]
    if configuration.cpus:
        arguments += ["--cpus", ",".join(map(str, configuration.cpus))]
    if folder is not None:
        arguments += ["--dir", _from_root(folder)]
    arguments += ["--out", _from_root(out)]
    if variant.harness == "c":
        return [_from_root(paths.c_harness()), *arguments]
    if variant.harness == "fio":
        return [sys.executable, _from_root(paths.fio_harness()), *arguments]
    logs = [LOG_FLAGS[log].format(_from_root(out.with_suffix(f".{log}.log"))) for log in variant.logs]
    flags = [*runtimes.COMMON_FLAGS, *configuration.flags, *shlex.split(" ".join(logs))]
    native = f"-Dlab.native={_from_root(paths.native_library())}"
    return [runtime.java(), *flags, native, "-jar", _from_root(paths.java_harness()), *arguments]


@contextlib.contextmanager
def _killed_after(process: subprocess.Popen, seconds: float) -> Iterator[threading.Event]:
    """Kill the process when it outlives `seconds`; the event tells that it happened."""
    expired = threading.Event()

    def kill() -> None:
        expired.set()
        process.kill()

    timer = threading.Timer(seconds, kill)
    timer.daemon = True  # an interrupt at the wrong moment must not leave the program waiting for it
    try:
        timer.start()
        yield expired
    finally:
        timer.cancel()


def _wait(process: subprocess.Popen) -> tuple[int, resource.struct_rusage]:
    """Exit status and what the process and its children used; an interrupt ends the process first."""
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        with contextlib.suppress(ChildProcessError):
            os.wait4(process.pid, 0)
        process.returncode = -signal.SIGKILL
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage


def _reason(stderr: str, exit_status: int, expired: bool) -> str:
    if expired:
        return f"no end after {TIMEOUT_S} s"
    lines = [line for line in stderr.splitlines() if line.strip() and "warning:" not in line]
    return lines[-1].strip()[:300] if lines else f"exit status {exit_status}"


class Trials:
    """Runs trials of one experiment into `raw` (its raw folder), with a probe of the host between them."""

    def __init__(self, raw: Path) -> None:
        self.raw = raw
        raw.mkdir(parents=True, exist_ok=True)
        scratch.remove_left()
        self._last_probe: noise.Probe | None = None

    def _probe(self, cpus: list[int]) -> noise.Probe:
        return noise.probe(cpus, self.raw)

    def run(self, configuration: Configuration, variant: Variant, runtime: Runtime, name: str) -> dict:
        """Run one trial and return its journal line without `block`, `order` and `attempt`. Raises on interrupt only
        after the process has ended and its files are removed."""
        out = self.raw / f"{name}.hlog"
        line = {
            "trial": name,
            "experiment": configuration.experiment,
            "variant": configuration.variant,
            "runtime": configuration.runtime,
            "harness": variant.harness,
            "axes": dict(configuration.axes),
            "command": [],
            "started": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        try:
            with (
                scratch.folder(configuration.dir, scratch.need(configuration.parameters)) as folder,
                control_group.limited(variant.memory_mb) as prefix,
            ):
                argv = command(configuration, variant, runtime, out, folder)
                line["command"] = [f"{{{runtime.name}}}", *argv[1:]]
                if variant.harness == "java" and (why := runtimes.refusal(runtime.java(), configuration.flags)):
                    raise Unavailable(why)
                return line | self._measured(configuration, [*prefix, *argv], out)
        except Unavailable as error:
            return line | {"status": "unsupported", "exit": 3, "reason": str(error), "wall_s": 0.0, "files": {}}

    def _measured(self, configuration: Configuration, argv: list[str], out: Path) -> dict:
        probed = cpus.usable()[: max(1, min(2, configuration.threads))]
        last = self._last_probe
        fresh = last is not None and time.monotonic() - last.ended < noise.PROBE_IS_FRESH_S
        before = last if fresh else self._probe(probed)
        stdout, stderr = out.with_suffix(".out"), out.with_suffix(".err")
        try:
            start = noise.counters()
            with stdout.open("wb") as o, stderr.open("wb") as e:
                process = subprocess.Popen(
                    argv, stdout=o, stderr=e, stdin=subprocess.DEVNULL, env=environment(), cwd=paths.ROOT
                )
                with _killed_after(process, TIMEOUT_S) as expired:
                    exit_status, usage = _wait(process)
            end = noise.counters()
            after = self._last_probe = self._probe(probed)
            told = stdout.read_text(encoding="utf-8", errors="replace").splitlines()
            complaint = stderr.read_text(encoding="utf-8", errors="replace")
        finally:
            stdout.unlink(missing_ok=True)
            stderr.unlink(missing_ok=True)
        status = "timeout" if expired.is_set() else STATUS.get(exit_status, "crashed")
        reason = "" if status == MEASURED else _reason(complaint, exit_status, expired.is_set())
        if status == MEASURED:
            status, reason = self._keep_json(out, told)
        wall_s = round(end.monotonic - start.monotonic, 4)
        return {
            "status": status,
            "exit": exit_status,
            "reason": reason,
            "wall_s": wall_s,
            "noise": noise.facts(before, after, start, end, usage),
            "files": self._sums(out),
        }

    @staticmethod
    def _keep_json(out: Path, told: list[str]) -> tuple[str, str]:
        """Write the harness's JSON object beside the log; a trial without one did not keep the contract."""
        try:
            text = told[-1]
            json.loads(text)
        except (IndexError, ValueError):
            return "crashed", "the harness printed no JSON object"
        with out.with_suffix(".json").open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        return MEASURED, ""

    def _sums(self, out: Path) -> dict[str, str]:
        """Checksums of all files of the trial, relative to the bundle's folder."""
        bundle = self.raw.parent.parent
        files = sorted(p for p in self.raw.glob(f"{out.stem}.*") if not p.name.endswith(".part"))
        return {str(p.relative_to(bundle)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
