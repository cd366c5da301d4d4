"""Arguments of a run of programs: `NAME=COMMAND` words and options, checked before anything is started."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.ground.errors import LabError
from pipeline.host import runtimes

NAMED = re.compile(r"(\w[\w.-]{0,39})=(.*)", re.DOTALL)
HOLE = re.compile(r"\{(\w+)\}")
OUT = "out"  # `{out}` stands for a file that the program writes
AGAIN = "-again"  # ends the name under which the first command runs a second time
MOST_COMMANDS, MOST_VALUES = 20, 50
RESERVED = ("variant", "commands", "side", "executions", "padding", "cpus", "native", "trial", "runtime", "block")
RESERVED += ("value",)
NOT_TOLD = ("more_is_better", "unit", "title")  # what changes no execution


@dataclass(frozen=True)
class Arguments:
    """commands: name -> words, or one word where a shell takes it; the first is what all others are compared with.

    sweep: axis -> values. value: expression for a number on standard output. metrics: those that get a verdict, empty:
    the default. margin: per cent that count as the same. cpus: those that programs are pinned to. control: whether the
    first runs twice. env: names of variables that were set for all; their values are in this process only.
    """

    commands: dict[str, list[str]]
    folder: str
    sweep: dict[str, list[int | str]]
    shell: bool = False
    value: str = ""
    more_is_better: bool = False
    expect: str = ""
    prepare: str = ""
    metrics: tuple[str, ...] = ()
    margin: float = 5.0
    timeout_s: float = 60.0
    cpus: tuple[int, ...] = ()
    control: bool = True
    env: tuple[str, ...] = ()
    unit: str = ""
    title: str = ""
    folders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of commands that were built, each build's

    @property
    def first(self) -> str:
        return next(iter(self.commands))

    @property
    def sides(self) -> dict[str, list[str]]:
        """What runs in a block: every command, and the first once more right after it."""
        again = {self.first + AGAIN: self.commands[self.first]} if self.control else {}
        return {self.first: self.commands[self.first]} | again | self.commands

    def places(self, side: str) -> list[Path]:
        """The folders that a side is run in, that of each of its builds."""
        return [Path(one) for one in self.folders.get(side.removesuffix(AGAIN), (self.folder,))]

    @property
    def builds(self) -> int:
        """How many builds there are of each command."""
        return max(map(len, self.folders.values()), default=1)

    @property
    def written(self) -> dict[str, bool]:
        """Whether a side writes a file of its own."""
        return {name: any(f"{{{OUT}}}" in word for word in words) for name, words in self.sides.items()}

    def told(self) -> dict[str, Any]:
        """What makes it this measurement and no other, as JSON: a run is continued by the same alone."""
        named = {name: shlex.join(words) if not self.shell else words[0] for name, words in self.commands.items()}
        rest = {name: value for name, value in vars(self).items() if name not in NOT_TOLD}
        return json.loads(json.dumps(rest | {"commands": named, "folders": dict(self.folders)}))


def commands(words: Sequence[str], shell: bool, folder: Path) -> dict[str, list[str]]:
    """The commands of `NAME=COMMAND` words; LabError for one that is none, twice there, or names no program."""
    found: dict[str, list[str]] = {}
    for word in words:
        told = NAMED.fullmatch(word)
        if not told or not told[2].strip():
            raise LabError(f"{word[:80]!r} is not NAME=COMMAND, as old='./old --bench'")
        name, command = told[1], _filled(told[1], told[2].strip())
        if name in found or name.endswith(AGAIN):
            raise LabError(f"{name}: the name is taken; give each command one of its own")
        try:
            found[name] = [command] if shell else shlex.split(command)
        except ValueError as error:
            raise LabError(f"{name}: {command[:80]!r} cannot be split as a shell would: {error}") from None
    if len(found) < 2:
        raise LabError("give two commands, as old='./old --bench' new='./new --bench'")
    if len(found) > MOST_COMMANDS:
        raise LabError(f"{len(found)} commands; at most {MOST_COMMANDS} are compared at once")
    for name, command in found.items() if not shell else ():
        program(name, command, folder)
    return found


def cpus(text: str) -> tuple[int, ...]:
    """CPUs of `0,1`; LabError for one that this process may not use."""
    words, usable = [one.strip() for one in text.split(",") if one.strip()], sorted(os.sched_getaffinity(0))
    if any(not one.isdigit() or int(one) not in usable for one in words):
        raise LabError(f"--cpus {text!r}: use some of {', '.join(map(str, usable))}")
    return tuple(int(one) for one in words)


def program(name: str, words: Sequence[str], folder: Path) -> Path:
    """The file of a command's program; LabError where there is none."""
    place = folder / words[0]
    if "/" in words[0]:
        if place.is_file() and os.access(place, os.X_OK):
            return place
        what = "is not executable (chmod +x)" if place.is_file() else "no such program"
    elif found := shutil.which(words[0]):
        return Path(found)
    else:
        what = "no such program"
    how = f"commands are run from {folder} without a shell (--shell for pipes and variables)"
    raise LabError(f"{name}: {words[0]}: {what}; {how}")


def sweep(words: Sequence[str], every: dict[str, list[str]]) -> dict[str, list[int | str]]:
    """Axes of `NAME=VALUE,VALUE` words; LabError for one that no command has a place for, or without values."""
    found: dict[str, list[int | str]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        each = list(dict.fromkeys(one.strip() for one in values.split(",") if one.strip()))
        if not re.fullmatch(r"[a-z]\w{0,29}", name) or not equals or not each or len(each) > MOST_VALUES:
            raise LabError(f"--sweep {word[:60]!r} is not NAME=VALUE,VALUE, as threads=1,2,4")
        if name in RESERVED or name == OUT or name in found:
            raise LabError(f"--sweep {word[:60]}: the name {name!r} is taken; choose another")
        if not any(f"{{{name}}}" in one for command in every.values() for one in command):
            raise LabError(f"--sweep {word[:60]}: no command has {{{name}}}")
        numbers = all(re.fullmatch(r"-?\d{1,15}", one) for one in each)
        found[name] = [int(one) for one in each] if numbers else each
    return found


def _filled(name: str, command: str) -> str:
    """A command with `{jdk25}` filled in: the java of a JDK of this host."""

    def of(hole: re.Match) -> str:
        if not re.fullmatch(r"jdk\d+(-\d+)?", hole[1]):
            return hole[0]
        known = runtimes.jdks()
        if hole[1] not in known:
            raise LabError(f"{name}: no {hole[1]} on this host; there are: {', '.join(known) or 'none'}", 5)
        return shlex.quote(known[hole[1]].java())

    return HOLE.sub(of, command)


@contextmanager
def around(setup: str, cleanup: str, folder: Path) -> Iterator[None]:
    """What is run before the first execution and after the last; LabError (status 4) where it fails."""
    for what, command in (("--setup", setup), ("--cleanup", cleanup)):
        if command and subprocess.run(["/bin/sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL).returncode:
            raise LabError(f"{what} {command[:80]!r} failed; what it printed stands above", 4)
        if what == "--setup":
            yield


def environment(words: Sequence[str]) -> tuple[str, ...]:
    """Set NAME=VALUE words in this process, whose environment programs inherit; their names alone are kept."""
    names = []
    for word in words:
        name, equals, value = word.partition("=")
        if not re.fullmatch(r"[A-Za-z_]\w*", name) or not equals:
            raise LabError(f"--env: {name[:40]!r} is not NAME=VALUE")
        os.environ[name] = value
        names.append(name)
    return tuple(sorted(names))


def randomised() -> bool:
    """Whether this host places programs at random, so that no address decides alone."""
    try:
        return Path("/proc/sys/kernel/randomize_va_space").read_text().strip() != "0"
    except OSError:
        return sys.platform == "linux"
