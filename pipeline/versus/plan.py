"""The plan of programs: every command in each block, the first one twice, and the file that says what they are."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.catalogue.entry import COMMAND, Experiment
from pipeline.catalogue.profile import Profile
from pipeline.catalogue.selectors import Scalar
from pipeline.ground import durable
from pipeline.host.runtimes import Runtime
from pipeline.plan.overrides import Overrides
from pipeline.plan.parts import Part
from pipeline.plan.plan import Configuration, Plan, key_of
from pipeline.versus.arguments import Arguments

COMMANDS = "commands.json"  # beside the journal; how programs are started is in no line of it
PROGRAM = "program"  # the variant that is an execution as a whole
PROFILE = "quick"
PADDING = 4096  # bytes: a page, so that a stack begins anywhere in one (Mytkowicz and others 2009)
FEWEST, MOST = 1, 100_000  # blocks
STARTING_S = 60.0  # of the harness and of what follows an execution, at most


@dataclass(frozen=True)
class Interleaved(Plan):
    """A plan whose blocks hold the sides of one place of the axes side by side, in random order, padded alike.

    minutes: for which it measures. builds: of each command, which blocks take in turn.
    """

    minutes: float = 5.0
    builds: int = 1

    @property
    def sizes(self) -> Profile:
        sweeps = self.entry.profiles[self.profile].sweeps
        return Profile(min_blocks=FEWEST, max_blocks=MOST, budget_s=60 * self.minutes, sweeps=sweeps)

    def blocks(self, seed: int) -> Iterator[tuple[int, list[Configuration]]]:
        places: dict[str, list[Configuration]] = {}
        for one in self.configurations:
            places.setdefault(json.dumps(one.axes, sort_keys=True), []).append(one)
        for number in itertools.count(1):
            chance = random.Random(f"{seed}/{self.entry.name}/{number}")
            each = list(places.values())
            chance.shuffle(each)
            of_block = {"padding": chance.randrange(PADDING), "build": (number - 1) % self.builds}
            yield number, [_with(one, of_block) for some in each for one in chance.sample(some, len(some))]


def make(
    asked: Arguments,
    entry: Experiment,
    available: Mapping[str, Runtime],
    executions: Mapping[str, int],
    file: Path,
    minutes: float,
) -> Interleaved:
    """The plan of what is asked. executions: in a trial, by the key of `place`; file: COMMANDS of the run."""
    found = []
    for values in itertools.product(*asked.sweep.values()):
        axes = dict(zip(asked.sweep, values, strict=True))
        for side in asked.sides:
            parameters = {"commands": str(file), "side": side, "executions": executions[place(axes)], **axes}
            found.append(configuration(asked, entry.name, side, axes, parameters))
    told = asked.told()
    overrides = Overrides(parameters={"commands": json.dumps(told, sort_keys=True)})
    first = frozenset(one.key for one in found)
    return Interleaved(entry, PROFILE, overrides, available, found, [], first, minutes, asked.builds)


def configuration(
    asked: Arguments, experiment: str, side: str, axes: Mapping[str, Scalar], parameters: Mapping[str, Scalar]
) -> Configuration:
    """A side at a place of the axes."""
    limit = STARTING_S + 2 * asked.timeout_s * int(parameters["executions"])
    part = Part("", COMMAND, experiment, PROGRAM, parameters, 1, (), cpus=asked.cpus, timeout_s=limit)
    return Configuration(experiment, PROGRAM, side, axes, (part,), key_of(PROGRAM, side, axes))


def place(axes: Mapping[str, Scalar]) -> str:
    """A place of the axes as a key."""
    return json.dumps(dict(axes), sort_keys=True)


def write(asked: Arguments, file: Path) -> None:
    """Write what the harness is to start (`pipeline/measure/command`)."""
    sides = {
        name: {
            "argv": words,
            "dirs": [str(one) for one in asked.places(name)],
            "prepare": asked.prepare or None,
            "out": asked.written[name],
        }
        for name, words in asked.sides.items()
    }
    told = {
        "shell": asked.shell,
        "timeout_s": asked.timeout_s,
        "axes": list(asked.sweep),
        "value": asked.value or None,
        "expect": asked.expect or None,
        "sides": sides,
    }
    durable.write(file, json.dumps(told, indent=1) + "\n")


def _with(one: Configuration, parameters: Mapping[str, Scalar]) -> Configuration:
    part = one.parts[0]
    return replace(one, parts=(replace(part, parameters={**part.parameters, **parameters}),))
