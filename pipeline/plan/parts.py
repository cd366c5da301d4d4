"""The parts of a trial: what each of its processes runs, with which JVM flags, on which CPUs.

Part 0 is the main one, the variant's own; a trial of one process has no other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.catalogue import placeholders
from pipeline.catalogue.entry import Experiment, parameter_of
from pipeline.catalogue.parts import LENGTHS, Beside
from pipeline.catalogue.placement import AXIS, SPREAD
from pipeline.catalogue.selectors import Scalar, flags_on
from pipeline.ground.errors import LabError
from pipeline.host import cpus
from pipeline.plan import placement

# An iteration of threads that share CPUs: at least so long in all, and for each of the threads on one CPU, and so many.
SHARED_MS, SHARED_MS_EACH, SHARED_ITERATIONS, SHARED_WARMUP = 40, 10, 8, 2

# So what the harness calls between two iterations is compiled there and not during the next, and what is compiled in an
# iteration is what that one called: the harness makes such an iteration again.
IN_CALLER = "-XX:-BackgroundCompilation"


@dataclass(frozen=True)
class Part:
    """A process under the harness contract. The main part has no name.

    parameters: the harness's. threads: how many it will run. flags: of its JVM, placeholders filled. logs: that it
    writes. dir: where files of its own lie, `memory` or `disk`; None when it has none. free: whether it is pinned to
    nothing whatever the others are; cpus: those its threads are pinned to, none when they are left free.
    timeout_s: after which it is killed; None: as `pipeline.measure.processes` has it.
    """

    name: str
    harness: str
    experiment: str
    runs: str
    parameters: Mapping[str, Scalar]
    threads: int
    flags: tuple[str, ...]
    logs: tuple[str, ...] = ()
    dir: str | None = None
    free: bool = False
    cpus: tuple[int, ...] = ()
    timeout_s: float | None = None


def of(entry: Experiment, variant: str, runtime: str, parameters: Mapping[str, Scalar]) -> tuple[Part, ...]:
    """The parts of a configuration, the main one first. LabError for CPUs that this process may not use, threads that
    are no number, or a flag's placeholder without a value."""
    declared = entry.variants[variant]
    main = Part(
        name="",
        harness=declared.harness,
        experiment=entry.name,
        runs=declared.runs,
        parameters=parameters,
        threads=_threads(entry.name, entry.threads_by, parameters),
        flags=_jvm(entry, declared.harness, declared.flags, runtime, parameters),
        logs=tuple(declared.logs),
        dir=declared.dir or ("disk" if entry.needs_disk else None),
    )
    others = [_beside(entry, main, name, one, declared.flags, runtime) for name, one in declared.beside.items()]
    return _placed([main, *others])


def _beside(
    entry: Experiment, main: Part, name: str, declared: Beside, flags: Mapping[str, Sequence[str]], runtime: str
) -> Part:
    alike = declared.experiment in (None, entry.name)
    given = main.parameters if alike else {one: main.parameters[one] for one in LENGTHS if one in main.parameters}
    given = {**given, **declared.parameters}
    own = {} if declared.harness != "java" else flags if declared.flags is None else declared.flags
    return Part(
        name=name,
        harness=declared.harness,
        experiment=declared.experiment or entry.name,
        runs=declared.runs,
        parameters=given,
        threads=_threads(entry.name, entry.threads_by if alike else {}, given),
        flags=_jvm(entry, declared.harness, own, runtime, {**main.parameters, **declared.parameters}),
        dir=main.dir if alike else None,
        free=declared.placement == "free",
    )


def _jvm(
    entry: Experiment, harness: str, flags: Mapping[str, Sequence[str]], runtime: str, parameters: Mapping[str, Scalar]
) -> tuple[str, ...]:
    """The flags of a part's JVM: where it compiles, then the variant's own, which may say otherwise."""
    common = (IN_CALLER,) if harness == "java" and entry.compiles == "caller" else ()
    return (*common, *(placeholders.filled(flag, parameters) for flag in flags_on(flags, runtime)))


def _threads(
    experiment: str, threads_by: Mapping[str, str | Mapping[str, int]], parameters: Mapping[str, Scalar]
) -> int:
    """How many threads the harness will run: the parameter `threads`, or the sum of what `threads_by` tells."""
    total = 0
    for name, how in (threads_by or {"threads": "count"}).items():
        value = parameters.get(parameter_of(name), 1)
        if how != "count" and str(value) not in how:
            known = ", ".join(how)
            raise LabError(f"{experiment}: how many threads {name} {value!r} has is not known; use one of: {known}")
        count = value if how == "count" else how[str(value)]
        if not isinstance(count, int) or isinstance(count, bool):
            raise LabError(f"{experiment}: {name} {value!r} is not a whole number of threads; correct the parameter")
        total += count
    return total


def _placed(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts on their CPUs, with iterations of one length."""
    main = parts[0].parameters
    placed = [part for part in parts if not part.free]
    threads = [part.threads for part in placed]
    pool = placement.cpus_of(str(main.get(AXIS) or SPREAD), sum(threads))
    handed = dict(zip((part.name for part in placed), placement.shared_out(pool, threads)))
    lengths = _lengths(main, sum(threads), len(set(pool)) or len(cpus.usable()))
    return tuple(
        replace(part, cpus=handed.get(part.name, ()), parameters={**part.parameters, **lengths}) for part in parts
    )


def _lengths(parameters: Mapping[str, Scalar], threads: int, usable: int) -> Mapping[str, Scalar]:
    """The lengths in place of the parameters' that threads which outnumber their CPUs need to be at work together.

    The last of them gets a CPU once every other one on it has used up its slice (3 to 10 ms). Iterations become longer
    and fewer, so that the trial takes about as long. An experiment whose iterations are not a time keeps its own.
    """
    if threads <= usable or not all(isinstance(parameters.get(name), int) for name in LENGTHS):
        return {}
    warmup, iterations, given = (parameters[name] for name in LENGTHS)
    length = max(given, SHARED_MS, SHARED_MS_EACH * math.ceil(threads / usable))
    if length == given:
        return {}
    return {
        "iteration-ms": length,
        "iterations": max(SHARED_ITERATIONS, math.ceil(iterations * given / length)),
        "warmup": max(min(warmup, SHARED_WARMUP), math.ceil(warmup * given / length)),
    }
