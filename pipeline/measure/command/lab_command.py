#!/usr/bin/env python3
"""A user's program behind the harness contract: each execution in a fresh process of its own, timed from outside.

Time is CLOCK_MONOTONIC from before the process is started (posix_spawn) to the return of wait4, which tells its CPU
time, peak memory, faults and switches too, those of children included that it waited for. The program is a session of
its own, has no input, and writes into pipes that are read while it runs. When it has ended its group is killed, and
what had left the group is found, for orphans become children of this process (PR_SET_CHILD_SUBREAPER).

What is executed stands in a file (`--commands`): a command line of a program may hold what nobody else should see. An
execution writes what it likes to `{out}`, beside the log; the log itself has no rows, for it is the program's own files
that may hold histograms. Only the standard library is used, and of it what starts fast (no argparse, pathlib, shutil:
half of the start): every trial starts it, in an environment that is the user's.
"""

import ctypes
import json
import os
import re
import signal
import sys
import time
from types import SimpleNamespace

if __package__:
    from pipeline.measure.command.program import MEASURES, Ended, execute, plain
    from pipeline.measure.command.reading import Reader
else:  # as the program that it is, in a Python that knows nothing of the project
    from program import MEASURES, Ended, execute, plain
    from reading import Reader

BAD_ARGUMENT, CHECK_FAILED, NO_RESOURCE = 2, 4, 5
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
SHORT_S, EMPTY = 0.1, 5  # programs as short as that are told beside what so many that do nothing take
PEAK = 1.02  # times what a program that does nothing is told to have used
PADDING = "LAB_PADDING"
OPTIONS = ("variant", "commands", "side", "out", "executions", "padding", "build", "cpus", "native")


def stop(status: int, message: str) -> None:
    print(f"lab-command: {message}", file=sys.stderr)
    sys.exit(status)


def arguments() -> SimpleNamespace:
    """EXPERIMENT --variant V --commands FILE (JSON, as pipeline.versus.plan writes it) --side NAME --out LOG, and
    --executions, --padding (bytes of a variable: no stack alignment decides alone), --build (which of the side's),
    --cpus, --native (the library that reads their state); further pairs are axes of the run. Status 2 for others."""
    words = sys.argv[1:]
    told = {"executions": "1", "padding": "0", "build": "0", "cpus": "", "native": ""}
    if len(words) % 2 == 0 or any(not name.startswith("--") for name in words[1::2]):
        stop(BAD_ARGUMENT, f"{' '.join(words)[:200]!r} is not EXPERIMENT --NAME VALUE ...")
    told |= {name[2:]: value for name, value in zip(words[1::2], words[2::2])}
    if missing := [name for name in ("variant", "commands", "side", "out") if name not in told]:
        stop(BAD_ARGUMENT, f"--{missing[0]} is missing")
    given = SimpleNamespace(experiment=words[0], **{name: told.pop(name) for name in OPTIONS})
    try:
        for name in ("executions", "padding", "build"):
            setattr(given, name, int(getattr(given, name)))
        with open(given.commands, encoding="utf-8") as file:
            given.told = json.load(file)
        given.side = given.told["sides"][given.side]
    except (OSError, ValueError, KeyError) as error:
        stop(BAD_ARGUMENT, f"--commands {given.commands}: {error!r}; is it whole?")
    given.axes = {name.replace("-", "_"): value for name, value in told.items()}
    if unknown := sorted({*given.axes} - {*given.told["axes"]}):
        stop(BAD_ARGUMENT, f"--{unknown[0]}: no such option, and no axis of this run")
    return given


def command(given, out: str) -> list[str]:
    """The command line, `{out}` and axes in their places; with a shell, one word for it."""
    values = {"out": out, **given.axes}
    words = [re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), word) for word in given.side["argv"]]
    return ["/bin/sh", "-c", words[0]] if given.told["shell"] else words


def prepare(given, environment) -> None:
    """Run what goes before each execution, untimed."""
    if given.side["prepare"]:
        ended = execute(["/bin/sh", "-c", given.side["prepare"]], environment, given.told["timeout_s"])
        if why := ended.why_not(given.told["timeout_s"]):
            stop(CHECK_FAILED, f"--prepare {why}")


def remove(out: str) -> None:
    """Remove what an execution before wrote, a folder too."""
    if os.path.isdir(out) and not os.path.islink(out):
        import shutil

        shutil.rmtree(out)
    elif os.path.lexists(out):
        os.unlink(out)


def one(given, environment, out: str) -> Ended:
    """An execution and its checks; status 4 when one fails."""
    prepare(given, environment)
    remove(out)
    argv = command(given, out)
    try:
        ended = execute(argv, environment, given.told["timeout_s"])
    except OSError as error:
        stop(CHECK_FAILED, f"{plain(argv[0])}: {error.strerror}")
    if why := ended.why_not(given.told["timeout_s"]):
        stop(CHECK_FAILED, why)
    if given.side["out"] and (os.path.islink(out) or not os.path.isfile(out) or not os.path.getsize(out)):
        stop(CHECK_FAILED, "wrote nothing to {out}; is the option right?")
    if given.told["expect"] and given.told["expect"].encode() not in ended.printed:
        stop(CHECK_FAILED, f"did not print {given.told['expect']!r} (--expect)")
    return ended


def printed_number(pattern: str, printed: bytes) -> float:
    """The number that a program printed; status 4 when there is none, or it is not a number."""
    found = re.search(pattern, printed.decode("utf-8", "replace"))
    text = found[1 if found.re.groups else 0] if found else ""
    try:
        return float(text)
    except (TypeError, ValueError):
        stop(CHECK_FAILED, f"printed nothing that --value {pattern!r} finds a number in")


def short(every: list[Ended]) -> bool:
    """Whether starting counts, by the median: one execution that had to wait for a CPU changes nothing of it."""
    return sorted(ended.elapsed_ns for ended in every)[len(every) // 2] < 1e9 * SHORT_S


def measured(every: list[Ended], numbers: list[float], empty: list[Ended]) -> list[tuple[int, str, float]]:
    """(iteration or -1, name, value) of all that is told beside the times.

    Linux counts to a program's peak what this process had when it started it: a peak that is not above that of a
    program which does nothing is not known, and is left out.
    """
    told = [(at, name, value) for at, ended in enumerate(every) for name, value in zip(MEASURES, ended.values)]
    least = max(ended.values[MEASURES.index("peak_bytes")] for ended in empty)
    told = [row for row in told if row[1] != "peak_bytes" or row[2] > PEAK * least]
    told += [(at, "value", value) for at, value in enumerate(numbers)]
    if short(every):
        told.append((-1, "empty_ns", sorted(ended.elapsed_ns for ended in empty)[EMPTY // 2]))
    left, dropped = sum(ended.left for ended in every), sum(ended.dropped for ended in every)
    return [*told, (-1, "left_behind", left), (-1, "dropped_bytes", dropped)]


def main() -> None:
    given = arguments()
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Whoever ends this process, or dies, asks it to end what it started: a program of the user must not outlive a run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(CHECK_FAILED))
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    cpus = [int(cpu) for cpu in dict.fromkeys(given.cpus.split(","))] if given.cpus else []
    if cpus:
        os.sched_setaffinity(0, cpus)
    reader = Reader(given.native, cpus)
    environment = dict(os.environ) | {PADDING: "x" * given.padding}
    log = os.path.abspath(given.out)
    out = f"{os.path.splitext(log)[0]}.written"
    try:
        os.chdir(given.side["dirs"][given.build])
    except OSError as error:
        stop(NO_RESOURCE, f"--dir {given.side['dirs'][given.build]}: {error.strerror}")
    epoch_ms, start_ns = time.time_ns() // 1_000_000, time.monotonic_ns()
    every, began, numbers = [], [], []
    for number in range(given.executions):
        reader.take(number)
        ended = one(given, environment, out)
        every.append(ended)
        began.append(time.monotonic_ns() - ended.elapsed_ns)
        if given.told["value"]:
            numbers.append(printed_number(given.told["value"], ended.printed))
        ended.printed = b""
    reader.take(given.executions)
    places = [f"{one}/true" for one in os.defpath.split(os.pathsep)]  # wherever the user's PATH leads
    nothing = next(one for one in places if os.access(one, os.X_OK))
    times = EMPTY if short(every) else 1
    empty = [execute([nothing], environment, given.told["timeout_s"]) for _ in range(times)]
    measures = measured(every, numbers, empty)
    with open(log, "w", encoding="ascii") as file:
        file.write("#[Histogram log format version 1.3]\n")
    count = given.executions
    check = {"name": "executions that ended with status 0", "expected": str(count), "actual": str(count)}
    print(
        json.dumps(
            {
                "experiment": given.experiment,
                "variant": given.variant,
                "harness": "command",
                "parameters": {"executions": count, "padding": given.padding, **given.axes},
                "runtime": {"name": "command", "version": "", "vendor": "", "flags": [], "options": {}},
                "clock": {"monotonic_ns": start_ns, "epoch_ms": epoch_ms},
                "pinning": [],
                "run_delay": None,
                "readings": reader.told(),
                "iterations": {
                    "iteration": list(range(count)),
                    "phase": ["measured"] * count,
                    "series": [""] * count,
                    "start_ns": began,
                    "elapsed_ns": [ended.elapsed_ns for ended in every],
                    "operations": [1] * count,
                },
                "measures": {
                    "iteration": [row[0] for row in measures],
                    "series": [""] * len(measures),
                    "name": [row[1] for row in measures],
                    "value": [row[2] for row in measures],
                },
                "checks": [check | {"passed": True}],
            }
        )
    )


if __name__ == "__main__":
    main()
