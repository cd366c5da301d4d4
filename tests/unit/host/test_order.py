"""The order in which threads take CPUs, near first, and the words for CPUs at a distance."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from made_up_machines import affinities
from recorded_machines import EVERY

from pipeline.host import order, sysfs
from pipeline.host.topology import Place, Topology

Recorded = Callable[[str], Path]
OUTER = ("package", "node", "die", "cache", "cluster", "l2")


def core(place: Place) -> object:
    """What tells its core from others; a CPU of which it is unknown is one."""
    return ("alone", place.cpu) if place.core is None else place.core


def kind(place: Place) -> int:
    return place.kind or 0


def gathered(groups: Iterable[object]) -> bool:
    """Whether those that are equal stand next to each other."""
    runs = [one for one, _ in itertools.groupby(groups)]
    return len(runs) == len(set(runs))


def check(topology: Topology) -> None:
    """All that the order promises, of any machine."""
    taken = [topology.at[cpu] for cpu in order.near_first(topology)]
    assert sorted(taken, key=lambda place: place.cpu) == list(topology.places), "every CPU once"
    assert [kind(place) for place in taken] == sorted(kind(place) for place in taken), "slower kinds last"
    for _, group in itertools.groupby(taken, kind):
        places = list(group)
        cores = [core(place) for place in places]
        firsts = places[: len(set(cores))]
        assert len({core(place) for place in firsts}) == len(firsts), "no core twice while there is another"
        nth: dict[object, list[int]] = {}
        for at, place in enumerate(places):
            nth.setdefault(core(place), []).append(at)
        for one, other in itertools.pairwise(nth.values()):
            both = zip(one, other, strict=False)
            assert all(at < after for at, after in both), "second threads in the order of the first"
        for fact in OUTER:
            assert gathered(getattr(place, fact) for place in firsts), f"one {fact} after another"
    first, second = taken[0], taken[1] if len(taken) > 1 else None
    alike = [place for place in taken if kind(place) == kind(first)]
    pairs = [(a, b) for a, b in itertools.combinations(alike, 2) if core(a) != core(b)]
    if pairs:
        assert core(first) != core(second) and kind(first) == kind(second)
    if any(a.cache is not None and a.cache == b.cache for a, b in pairs):
        assert first.cache is not None and first.cache == second.cache, "two threads share a cache where two cores do"


def check_words(topology: Topology) -> None:
    """What siblings, near, far and kinds say, of any machine."""
    at, taken = topology.at, order.near_first(topology)
    pairs = list(itertools.combinations(topology.places, 2))
    siblings, near, far, kinds = (word(topology) for word in (order.siblings, order.near, order.far, order.kinds))
    assert order.cores(topology) == len({core(place) for place in topology.places})
    assert bool(siblings) == any(a.core is not None and a.core == b.core for a, b in pairs)
    assert not siblings or order.distance(topology, siblings) == order.CORE
    apart = [(a, b) for a, b in pairs if core(a) != core(b)]
    assert bool(near) == any(a.cache is not None and a.cache == b.cache for a, b in apart)
    assert not near or (
        order.distance(topology, near) == order.CACHE and len({core(at[one]) for one in near}) == len(near)
    )
    alike = [order.distance(topology, (taken[0], one)) for one in taken if at[one].kind == at[taken[0]].kind]
    beyond = [name for name in alike if name in (order.CACHES, order.NODES, order.PACKAGES)]
    assert bool(far) == bool(beyond)
    if far:
        assert far[0] == taken[0] and order.distance(topology, far) == max(beyond, key=order.DISTANCES.index)
    assert bool(kinds) == (len({kind(place) for place in topology.places}) > 1)
    assert not kinds or kind(at[kinds[0]]) < kind(at[kinds[1]])


@pytest.mark.parametrize("name", EVERY)
def test_the_order_of_a_recorded_machine(recorded: Recorded, name: str):
    topology = sysfs.read(recorded(name))
    for some in (topology, topology.of([*topology.at][::3]), topology.of([*topology.at][1:])):
        check(some)
        check_words(some)


@given(affinities())
@example(Topology((Place(0, core=0), Place(1, core=0), Place(2)), {}))
@example(Topology((Place(0, core=0, kind=1), Place(1, core=1, kind=0), Place(2, core=1, kind=0)), {}))
def test_the_order_of_any_machine_and_any_of_its_cpus(topology: Topology):
    check(topology)
    check_words(topology)


def test_without_cpus_there_is_no_order_and_no_word():
    assert order.near_first(Topology((), {})) == () and order.distance(Topology((), {}), []) == ""


TAKEN = {
    "16em64t-4s2c2t": ([0, 4, 1, 5, 2, 6, 3, 7], [8, 12, 9, 13, 10, 14, 11, 15]),
    "20em64t-hybrid-1p6c2t+2ca4co1t": ([0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11], [*range(12, 20)]),
    "64fake-4n2s2ca2c2t": ([0, 2, 1, 3], [8, 10, 9, 11]),
    "8em64t-2s2ca2c": ([0, 4, 2, 6, 1, 5, 3, 7],),
    "nvidia-dgx-gb10": ([*range(5, 10)], [*range(15, 20)], [*range(5)], [*range(10, 15)]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", TAKEN)
def test_the_order_by_hand(recorded: Recorded, name: str):
    by_hand = [cpu for run in TAKEN[name] for cpu in run]
    assert list(order.near_first(sysfs.read(recorded(name))))[: len(by_hand)] == by_hand


WORDS = {
    "16em64t-4s2c2t": ((0, 8), (0, 4), (0, 1), ()),
    "20em64t-hybrid-1p6c2t+2ca4co1t": ((0, 1), (0, 2, 4, 6, 8, 10), (), (0, 12)),
    "nvidia-dgx-gb10": ((), (5, 6, 7, 8, 9), (5, 15), (5, 0)),
    "8em64t-2s2ca2c": ((), (0, 4), (0, 1), ()),
    "20s390-2g6s4c": ((), (), (), ()),
}


@pytest.mark.parametrize("name", WORDS)
def test_the_words_by_hand(recorded: Recorded, name: str):
    topology = sysfs.read(recorded(name))
    assert tuple(word(topology) for word in (order.siblings, order.near, order.far, order.kinds)) == WORDS[name]


def test_far_is_the_farthest_of_several_by_the_kernels_distances():
    places = tuple(Place(cpu, core=cpu, cache=cpu, package=cpu, node=cpu) for cpu in range(4))
    distances = {(0, 0): 10, (0, 1): 16, (0, 2): 22, (0, 3): 22}
    assert order.far(Topology(places, distances)) == (0, 2) and order.far(Topology(places, {})) == (0, 1)


@pytest.mark.parametrize(
    ("cpus", "name"),
    [
        ([0], order.ALONE),
        ([0, 1], order.CORE),
        ([0, 2], order.CACHE),
        ([0, 1, 2], order.CACHE),
        ([0, 3], order.CACHES),
        ([0, 2, 4], order.NODES),
        ([0, 5], order.PACKAGES),
        ([0, 9], order.UNTOLD),
    ],
)
def test_the_widest_distance_has_the_name(cpus: Sequence[int], name: str):
    rows = [(0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (2, 2, 0, 0, 0), (3, 3, 3, 0, 0), (4, 4, 4, 1, 0), (5, 5, 5, 2, 5)]
    places = [
        Place(cpu, core=core, cache=cache, node=node, package=package) for cpu, core, cache, node, package in rows
    ]
    assert order.distance(Topology(tuple(places), {}), cpus) == name


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("16em64t-4s2c2t", [(3, "next package"), (9, "hardware threads")]),
        ("20em64t-hybrid-1p6c2t+2ca4co1t", [(7, "hardware threads"), (13, "slower cores")]),
        ("8em64t-2s2ca2c", [(3, "next cache"), (5, "next package")]),
        ("nvidia-dgx-gb10", [(6, "next cache"), (11, "slower cores")]),
        ("128arm-2pa2n8cluster4co", [(33, "next node"), (65, "next package")]),
        ("2arm-2c", []),
    ],
)
def test_where_along_the_order_something_new_begins(recorded: Recorded, name: str, steps: list):
    assert order.steps(sysfs.read(recorded(name))) == steps


def test_one_of_each_distance_and_kind_near_ones_first(recorded: Recorded):
    topology = sysfs.read(recorded("16em64t-4s2c2t"))
    assert order.one_of_each(topology, 0, range(1, 16)) == [8, 4, 1]
    hybrid = sysfs.read(recorded("20em64t-hybrid-1p6c2t+2ca4co1t"))
    assert order.one_of_each(hybrid, 0, range(1, 20)) == [1, 2, 12]
