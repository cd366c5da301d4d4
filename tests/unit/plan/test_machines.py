"""What is planned on the 42 recorded machines and on hosts of 8 to 192 CPUs: every word, every experiment, how long."""

from __future__ import annotations

from functools import cache

import pytest
import recorded_machines

from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.placement import AXIS, ELSEWHERE, NEAR, PLACEMENTS
from pipeline.ground import paths
from pipeline.host import cpus, order, sysfs
from pipeline.host.runtimes import Runtime
from pipeline.measure import duration
from pipeline.plan import placement, plan

pytestmark = pytest.mark.thorough

AVAILABLE = {name: Runtime(name, "1", "x") for name in ("jdk17", "jdk25", "c", "fio")}
QUICK_MINUTES = 60  # with trials that start as slowly as those of the archived run
GROWTH = 1.3  # trials on 192 CPUs over those on 8
# Two CPUs and 256, four threads of a core, cores of two kinds, nodes without CPUs; the others in make prove.
OFTEN = ("2pa-pcidomain32bits", "4fake-4gr1nu1pu", "8em64t-2s2ca2c", "16amd64-8n2c", "32intel64-2p8co2t+8ve")
OFTEN += ("256ppc-8n8s4t", "nvidiagpunumanodes")


@cache
def trial_s():
    return duration.seconds(Bundle.open(paths.REFERENCE).journal())


def plans(profile: str) -> list[plan.Plan]:
    return [plan.make(entry, profile, AVAILABLE) for entry in catalogue.load().values()]


@pytest.fixture
def machine(recorded, monkeypatch):
    """Makes this process one on a recorded machine, with all of its CPUs."""

    def on(name: str):
        root = recorded(name)
        online = sysfs.online(root)
        monkeypatch.setattr(sysfs, "ROOT", root)
        monkeypatch.setattr(cpus, "usable", lambda: online)
        return cpus.places()

    return on


@pytest.mark.parametrize("name", recorded_machines.EVERY)
def test_every_word_means_what_it_says_or_is_left_out_with_a_reason(machine, name):
    topology = machine(name)
    several = order.cores(topology) > 1
    first, second = placement.cpus_of("spread", 2)
    assert not several or topology.at[first].core is None or topology.at[first].core != topology.at[second].core
    for word in placement.expand([*PLACEMENTS, "pairs<=60"]):
        taken = placement.cpus_of(word, 2)
        assert set(taken) <= set(topology.at)
        wanted = {"siblings": {order.CORE}, NEAR: {order.CACHE}, "far": {order.CACHES, order.NODES, order.PACKAGES}}
        assert word not in wanted or placement.distance(taken) in wanted[word]
    absent = {word for word in (NEAR, *ELSEWHERE) if word not in placement.expand([word])}
    told = " ".join(placement.left_out([NEAR, *ELSEWHERE]))
    assert {word for word in (NEAR, *ELSEWHERE) if f"{word} (" in told} == absent


@pytest.mark.parametrize(
    "name", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.prove) for name in recorded_machines.NAMES]
)
def test_every_experiment_is_planned_in_every_profile_and_quick_ends_in_time(machine, name):
    topology = machine(name)
    for profile in ("smoke", "quick", "full"):
        made = plans(profile)
        assert all(one.configurations for one in made)
        for one in (one for each in made for one in each.configurations):
            taken = [cpu for part in one.parts for cpu in part.cpus]
            assert set(taken) <= set(topology.at)
            if one.threads == 2 and one.axes.get(AXIS) not in ELSEWHERE and len(taken) == 2:
                shared = placement.distance(taken) == order.CORE
                assert not shared or order.cores(topology) == 1 or "," in str(one.axes.get(AXIS))
        if profile == "quick":
            assert duration.minutes(made, trial_s()) <= QUICK_MINUTES


@pytest.mark.parametrize("profile", ["smoke", "quick", "full"])
def test_many_cpus_are_hardly_more_trials_than_eight(profile, monkeypatch, tmp_path):
    monkeypatch.setattr(sysfs, "ROOT", tmp_path)
    counts = {}
    for many in (8, 192):
        monkeypatch.setattr(cpus, "usable", lambda many=many: list(range(many)))
        made = plans(profile)
        counts[many] = sum(len(one.configurations) for one in made)
        assert profile != "quick" or duration.minutes(made, trial_s()) <= QUICK_MINUTES
    assert counts[192] <= GROWTH * counts[8]


def test_sixteen_cpus_are_swept_as_the_archived_run_of_sixteen_was(monkeypatch, tmp_path):
    monkeypatch.setattr(sysfs, "ROOT", tmp_path)
    monkeypatch.setattr(cpus, "usable", lambda: list(range(16)))
    found = plan.configurations(catalogue.experiment("lock_scaling"), "quick", AVAILABLE)
    for lock in ("monitor", "reentrant_lock", "pthread_mutex", "spin_ttas", "mcs"):
        threads = {one.axes["threads"] for one in found if one.variant == lock}
        assert {1, 2, 3, 4, 6, 8, 12, 16} <= threads
