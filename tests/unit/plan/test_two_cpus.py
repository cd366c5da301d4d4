"""What follows the host adds nothing on two CPUs of one cache: the same configurations as without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.placement import ELSEWHERE
from pipeline.catalogue.profile import PROFILES, Sweep
from pipeline.catalogue.thread_counts import TO_CPUS
from pipeline.host import cpus
from pipeline.host.runtimes import Runtime
from pipeline.host.topology import Place, Topology
from pipeline.plan import plan

AVAILABLE = {name: Runtime(name, "1", "x") for name in ("jdk17", "jdk25", "c", "fio")}


def follows(value: object) -> bool:
    """Whether a value of an axis follows the host."""
    return value in ELSEWHERE or (isinstance(value, str) and TO_CPUS.fullmatch(value) is not None)


def fixed(entry: Experiment, profile: str) -> Experiment:
    """The entry without what follows the host in a profile: values, and sweeps that have no others."""

    def without(sweep: Sweep) -> Sweep:
        axes = {axis: [one for one in values if not follows(one)] for axis, values in sweep.axes.items()}
        return replace(sweep, axes=axes)

    sweeps = [one for one in map(without, entry.profiles[profile].sweeps) if all(one.axes.values())]
    sizes = replace(entry.profiles[profile], sweeps=sweeps)
    return replace(entry, profiles={**entry.profiles, profile: sizes})


@pytest.mark.thorough
@pytest.mark.parametrize("profile", PROFILES)
def test_what_follows_the_host_adds_nothing_on_two_cpus_of_one_cache(profile, monkeypatch):
    places = Topology(tuple(Place(cpu, core=cpu, cache=0, package=0) for cpu in (0, 1)), {})
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1])
    monkeypatch.setattr(cpus, "places", lambda: places)
    entries = list(catalogue.load().values())
    for entry in entries:
        found, before = (plan.configurations(one, profile, AVAILABLE) for one in (entry, fixed(entry, profile)))
        told = [{one.key: one.parts for one in several} for several in (found, before)]
        assert told[0] == told[1], entry.name
    assert any(
        follows(one)
        for entry in entries
        for sweep in entry.profiles["quick"].sweeps
        for values in sweep.axes.values()
        for one in values
    )
