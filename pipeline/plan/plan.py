"""plan: configurations times blocks, each block in a seeded random order, so that drift of the host hits all alike."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from pipeline.catalogue import thread_counts
from pipeline.catalogue.entry import Experiment, parameter_of
from pipeline.catalogue.placement import AXIS
from pipeline.catalogue.profile import PROFILES, Profile, Sweep
from pipeline.catalogue.selectors import Scalar, absolute
from pipeline.ground.errors import LabError
from pipeline.host import cpus, order
from pipeline.host.runtimes import Runtime
from pipeline.plan import parts, placement
from pipeline.plan.overrides import Overrides
from pipeline.plan.parts import Part


@dataclass(frozen=True)
class Configuration:
    """A variant with every axis fixed, on one runtime.

    parts: its processes, the main one first. key: tells it from the others of its experiment.
    """

    experiment: str
    variant: str
    runtime: str
    axes: Mapping[str, Scalar | None] = field(hash=False)
    parts: tuple[Part, ...] = field(hash=False)
    key: str

    @property
    def main(self) -> Part:
        return self.parts[0]

    @property
    def parameters(self) -> Mapping[str, Scalar]:
        """The main part's, axes included."""
        return self.main.parameters

    @property
    def threads(self) -> int:
        """Of all parts together."""
        return sum(part.threads for part in self.parts)


@dataclass(frozen=True)
class Plan:
    """What is measured of one experiment here: handed to `measure` as it is."""

    entry: Experiment
    profile: str
    overrides: Overrides
    available: Mapping[str, Runtime]
    configurations: list[Configuration]
    left_out: list[str]
    first: frozenset[str]  # keys: of the first block these are measured before the others

    @property
    def sizes(self) -> Profile:
        return self.entry.profiles[self.profile]

    def blocks(self, seed: int) -> Iterator[tuple[int, list[Configuration]]]:
        """(number, all configurations in the order of that block), without end: permutations fixed by run seed,
        experiment and number, so that drift of the host hits all configurations alike; of the first block two, those
        of `first` before the others."""
        for number in itertools.count(1):
            shuffled = list(self.configurations)
            random.Random(f"{seed}/{self.entry.name}/{number}").shuffle(shuffled)
            if number == 1:
                shuffled.sort(key=lambda one: one.key not in self.first)
            yield number, shuffled


def make(entry: Experiment, profile: str, available: Mapping[str, Runtime], overrides: Overrides | None = None) -> Plan:
    """The plan of an experiment on this host's runtimes. LabError as `configurations`."""
    overrides = overrides or Overrides()
    found = configurations(entry, profile, available, overrides)
    crowded = placement.crowded(max((one.threads for one in found), default=0))
    told = [*cpus.limited(), *left_out(entry, profile, overrides), *crowded]
    return Plan(entry, profile, overrides, available, found, told, _first(entry, profile, available, overrides, found))


def _first(
    entry: Experiment,
    profile: str,
    available: Mapping[str, Runtime],
    overrides: Overrides,
    found: Sequence[Configuration],
) -> frozenset[str]:
    """The keys of what a first look at the experiment is of: the configurations of the smallest profile, or of the same
    variant and runtime the next to each; all where that profile has nothing of these."""
    try:
        look = configurations(entry, PROFILES[0], available, overrides) if profile != PROFILES[0] else []
    except LabError:  # it has none of the variants that were asked for
        look = []
    kinds: dict[tuple[str, str], list[Configuration]] = {}
    for one in found:
        kinds.setdefault((one.variant, one.runtime), []).append(one)
    near = [(one, kinds.get((one.variant, one.runtime), [])) for one in look]
    keys = {min(same, key=partial(_differences, one)).key for one, same in near if same}
    return frozenset(keys or (one.key for one in found))


def _differences(one: Configuration, other: Configuration) -> int:
    """How many of its axes another configuration has otherwise."""
    return sum(value != other.axes.get(axis) for axis, value in one.axes.items())


def each(
    entries: Iterable[Experiment], profile: str, available: Mapping[str, Runtime], where: Sequence[str] = ()
) -> tuple[list[Plan], dict[str, LabError]]:
    """The plans of those that can be measured on this host, all of each or what `where` leaves of it, and why the
    others cannot, by name."""
    plans, failed = [], {}
    for entry in entries:
        try:
            plans.append(make(entry, profile, available, Overrides.of(entry, where)))
        except LabError as error:
            failed[entry.name] = error
    return plans, failed


def key_of(variant: str, runtime: str, axes: Mapping[str, Scalar | None]) -> str:
    """What tells a configuration from the others of its experiment; trials are called by it."""
    return "-".join([variant, runtime, *(f"{axis}={value}" for axis, value in axes.items() if value is not None)])


def configuration(
    entry: Experiment, variant: str, runtime: str, axes: Mapping[str, Scalar | None], parameters: Mapping[str, Scalar]
) -> Configuration:
    """A configuration of an entry, with its key and its parts; LabError as of `parts.of`."""
    made = parts.of(entry, variant, runtime, parameters)
    return Configuration(entry.name, variant, runtime, axes, made, key_of(variant, runtime, axes))


def profile_of(entry: Experiment, profile: str) -> Profile:
    """The sizes of a profile; LabError lists the known ones."""
    if profile not in PROFILES:
        raise LabError(f"unknown profile {profile!r}; use one of: {', '.join(PROFILES)}")
    return entry.profiles[profile]


def _absolute(values: list[Scalar]) -> tuple[Scalar, ...]:
    """The values of an axis for this host, each once."""
    many = len(cpus.usable())
    several = thread_counts.expand(values, many, order.cores(cpus.places()))
    return tuple(dict.fromkeys(absolute(value, many) for value in several))


def configurations(
    entry: Experiment, profile: str, available: Mapping[str, Runtime], overrides: Overrides | None = None
) -> list[Configuration]:
    """Every configuration of a profile, in the catalogue's order, without duplicates.

    A sweep's value of an axis may be relative to this host's CPUs (`cpus`, `2*cpus`, `to_cpus`; words of `placement`).
    Empty where the host leaves nothing of it, and `left_out` says why. Raises LabError for an unknown profile, variant,
    runtime or axis, a value of the wrong type, or variants that have none of the runtimes.
    """
    overrides = overrides or Overrides()
    sizes = profile_of(entry, profile)
    overrides.check(entry, available)
    swept = list(_chosen(entry, sizes, available, overrides))
    if not swept:
        raise LabError(f"{entry.name}: nothing to measure with these variants and runtimes")
    found: dict[str, Configuration] = {}
    for sweep, name, runtime in swept:
        if _needs_more(sweep):
            continue
        axes = {axis: overrides.axes.get(axis, _absolute(values)) for axis, values in sweep.axes.items()}
        if AXIS in axes:
            axes[AXIS] = placement.expand(axes[AXIS])
        fixed = entry.parameters | sizes.parameters | entry.variants[name].parameters
        fixed |= sweep.parameters | dict(overrides.parameters)
        for values in itertools.product(*axes.values()):
            own = dict(zip(axes, values))
            parameters = fixed | {parameter_of(axis): value for axis, value in own.items()}
            all_axes = {axis: parameters.get(parameter_of(axis)) for axis in entry.axes}
            if "threads" in all_axes and all_axes["threads"] is None:
                all_axes["threads"] = 1
            one = configuration(entry, name, runtime, all_axes, parameters)
            found.setdefault(one.key, one)
    return list(found.values())


def _chosen(
    entry: Experiment, sizes: Profile, available: Mapping[str, Runtime], overrides: Overrides
) -> Iterator[tuple[Sweep, str, str]]:
    """Every sweep with each of its variants and each of that one's runtimes, as far as the overrides leave them."""
    for sweep in sizes.sweeps:
        for name in sweep.variants:
            if not overrides.variants or name in overrides.variants:
                for runtime in entry.variants[name].runs_on(available):
                    if not overrides.runtimes or runtime in overrides.runtimes:
                        yield sweep, name, runtime


def left_out(entry: Experiment, profile: str, overrides: Overrides | None = None) -> list[str]:
    """What of the profile the plan does not measure on this host, in sentences; empty when it does all: sweeps that
    need more CPUs, and placements.

    Raises LabError for an unknown profile.
    """
    overrides = overrides or Overrides()
    wanted = set(overrides.variants or entry.variants)
    sweeps = [sweep for sweep in profile_of(entry, profile).sweeps if wanted & set(sweep.variants)]
    needing = [_needing(entry, sweep, wanted) for sweep in sweeps if _needs_more(sweep)]
    words = (overrides.axes.get(AXIS, one.axes[AXIS]) for one in sweeps if AXIS in one.axes and not _needs_more(one))
    return [*dict.fromkeys(needing), *placement.left_out(itertools.chain.from_iterable(words))]


def _needs_more(sweep: Sweep) -> bool:
    return sweep.needs_cpus > len(cpus.usable())


def _needing(entry: Experiment, sweep: Sweep, wanted: set[str]) -> str:
    labels = dict.fromkeys(entry.variants[name].label for name in sweep.variants if name in wanted)
    needs = f"Not measured where it needs {sweep.needs_cpus} CPUs (this process may use {len(cpus.usable())})"
    return f"{needs}: {'; '.join(labels)}."
