"""Runs a built harness for the tests of single experiments (`NAME_test.py BUILD_FOLDER`); counts what did not hold.

LAB_RUNNER: what runs its programs where they are another processor's (`qemu-aarch64`); OBJDUMP: what reads their code.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_trial import counts

build = Path(sys.argv[1])
RUNNER = os.environ.get("LAB_RUNNER", "").split()
OBJDUMP = os.environ.get("OBJDUMP") or "objdump"
# Seconds: far longer than a busy host keeps anything from happening. A test that passes never comes near it.
PATIENCE = 600
cpus = sorted(os.sched_getaffinity(0))
# Threads that spin while they share a CPU yield: slower, but they have to come to the same end.
placements = [[], ["--cpus", cpus[0]], ["--cpus", ",".join(map(str, cpus[:2]))]]
# Of the program that is measured, where a test says nothing of places: two threads that spin for each other while the
# kernel has them on one CPU take its slices in turn, and all CPU time of a busy host.
apart = placements[2]
failures = []
checks = 0


def check(passed, what):
    global checks
    checks += 1
    if not passed:
        failures.append(what)
        print(f"{Path(sys.argv[0]).name}: {what}", file=sys.stderr)


def end():
    """Says how many checks were made and ends the test."""
    print(f"{Path(sys.argv[0]).name}: {checks} checks, {len(failures)} failed")
    sys.exit(bool(failures))


def measured(trial, name):
    """The values of a measure, in order."""
    table = trial["measures"]
    return [value for known, value in zip(table["name"], table["value"], strict=True) if known == name]


class Lab:
    """One program; every trial writes its log into a folder of its own."""

    def __init__(self, program):
        self.program = str(program)
        self.command = [*RUNNER, self.program]

    def listed(self, experiment):
        """The entry of an experiment in --list."""
        found = subprocess.run([*self.command, "--list"], capture_output=True, text=True, check=True)
        return {e["name"]: e for e in json.loads(found.stdout)["experiments"]}[experiment]

    def attempt(self, arguments, process):
        """Runs a trial once: how it ended, the names of what it left behind, and its JSON or None."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "a.hlog")
            command = [*self.command, *map(str, arguments), "--out", str(out)]
            done = subprocess.run(command, capture_output=True, text=True, **process)
            left = sorted(p.name for p in Path(folder).iterdir())
            if done.returncode not in (0, 4) or not done.stdout or left != ["a.hlog"]:
                return done, left, None
            trial = json.loads(done.stdout.splitlines()[-1])
            lines = out.read_text().splitlines()[3:]
            trial["tags"] = [line.split(",")[0].removeprefix("Tag=") for line in lines]
            found = [counts(line.split(",")[4]) for line in lines]
            trial["counts"] = [sum(each) for each in found]
            # Buckets of three digits: 2,048 of a nanosecond, then 1,024 to every power of two: the first beyond 2 ms.
            trial["late"] = [sum(each[12194:]) for each in found]
            return done, left, trial

    def run(self, status, *arguments, cause="", told=None, patient=False, until=None, **process):
        """Runs a trial that has to end with `status` and a one-line cause holding `cause`.

        `told`: whether it has to leave log and JSON; by its status where that is not given.
        `patient`: it is tried again until it ends so, where that needs threads to meet, which a busy machine may keep
        them from; `until`: and until that is true of its JSON. Both for PATIENCE at most.
        `process` goes to subprocess.run. Returns its JSON (None without one), with `counts`: the
        sum of each log line's histogram, and `late`: how many of its values exceed 2 ms.
        """
        begun = time.monotonic()
        while True:
            done, left, trial = self.attempt(arguments, process)
            ended = done.returncode == status and cause in done.stderr
            if (ended and trial and until(trial)) if until else (ended or not patient):
                break
            if time.monotonic() - begun > PATIENCE:
                check(False, f"not once within {PATIENCE} s: {' '.join(map(str, arguments))}")
                break
        shown = " ".join(map(str, arguments))
        check(done.returncode == status, f"status {done.returncode} not {status}: {shown}: {done.stderr[:2000]}")
        lines = done.stderr.splitlines()
        check(len(lines) == (status != 0) and cause in done.stderr, f"cause is not '{cause}': {shown}: {lines}")
        told = status in (0, 4) if told is None else told
        check(left == (["a.hlog"] if told else []), f"left behind: {left}: {shown}")
        check(bool(trial) == told, f"standard output: {done.stdout[:2000]}: {shown}")
        if trial:
            check(trial["tags"] == trial["iterations"]["series"], f"rows and log lines differ: {shown}")
        return trial


# As it is measured, under the sanitizers, and with the faults that its checks have to notice.
plain, sanitized, broken = (Lab(build / f"lab-harness{kind}") for kind in ("", "-sanitized", "-broken"))
# Whose code the programs are, which need not be this host's: the field e_machine of an ELF header.
machine = {62: "x86_64", 183: "aarch64"}.get(int.from_bytes(Path(plain.program).read_bytes()[18:20], "little"))


def code(symbol):
    """Instructions of a function of the program that is measured."""
    command = [OBJDUMP, "-d", "--no-show-raw-insn", f"--disassemble={symbol}", plain.program]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\s+[0-9a-f]+:\s+(\S.*?)\s*$", text, re.MULTILINE)
    check(found, f"no code of {symbol}")
    return found
