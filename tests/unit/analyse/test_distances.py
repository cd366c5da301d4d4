"""Distances: levels of pairs and groups of CPUs, by what was measured, next to what the kernel tells of them."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from cpus_apart import FAR, NEAR, PACKAGES, THREADS, halves, machine, of, sockets, star
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse import distances
from pipeline.analyse.distances import AS_TOLD, CROSSES, NOT_TOLD, by_cpus, compared, measured
from pipeline.host.topology import Place, Topology

# --- what is measured -------------------------------------------------------------------------------------------------


def test_a_placement_that_names_two_cpus_is_a_pair_of_them():
    frame = pd.DataFrame(
        {"placement": ["0,1", "spread", "12,3", "0-1", "1,2,3"], "estimate": [1.0, 2.0, 3.0, 4.0, 5.0]}
    )
    found = by_cpus(frame)
    assert found[["ping", "pong", "estimate"]].to_numpy().tolist() == [[0, 1, 1.0], [12, 3, 3.0]]
    assert by_cpus(frame[:0]).empty and {"ping", "pong"} <= set(by_cpus(frame[:0]))


def test_two_halves_of_a_host():
    near, far = of(halves).levels
    assert near.groups == (tuple(range(8)), tuple(range(8, 16))) and far.groups == (tuple(range(16)),)
    assert (len(near.pairs), near.middle, len(far.pairs), far.middle) == (56, NEAR, 64, FAR)
    assert all(halves(*pair) == NEAR for pair in near.pairs)


def test_three_levels_are_three_partitions():
    threads, near, far = of(sockets).levels
    assert threads.groups == tuple((cpu, cpu + 8) for cpu in range(8))
    assert near.groups == ((0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
    assert [len(one.pairs) for one in (threads, near, far)] == [8, 48, 64] and far.middle == FAR


def test_a_pair_is_as_far_apart_as_its_slower_direction():
    """A hypervisor that had two CPUs on one core in most trials of a direction makes no group of them."""
    found = of(lambda a, b: 28.0 if (a, b) == (3, 12) else 165.0)
    (level,) = found.levels
    assert found.values[3, 12] == 165.0 and (level.least, level.middle, level.most) == (28.0, 165.0, 165.0)
    assert len(of(lambda a, b: 28.0 if {a, b} == {3, 12} else 165.0).levels) == 2


@pytest.mark.parametrize("wrong", [{(3, 12): NEAR}, {(3, 5): FAR}, {(3, 12): 80.0}, {(3, 12): 9.0, (2, 13): NEAR}])
def test_pairs_measured_wrong_join_no_groups_and_part_none(wrong):
    found = of(lambda a, b: wrong.get((min(a, b), max(a, b)), halves(a, b)))
    assert found.levels[-2].groups == (tuple(range(8)), tuple(range(8, 16)))
    assert found.levels[-2].middle == NEAR and found.levels[-1].middle == FAR


def test_a_pair_that_is_far_by_mistake_makes_no_level():
    (level,) = of(lambda a, b: 3 * NEAR if {a, b} == {3, 12} else NEAR).levels
    assert level.groups == (tuple(range(16)),) and level.most == 3 * NEAR and level.middle == NEAR


def test_pairs_that_make_no_groups_of_cpus_are_levels_all_the_same():
    """A line of CPUs: each is near to its neighbours alone."""
    near, far = of(lambda a, b: NEAR if abs(a - b) == 1 else FAR).levels
    assert near.groups == () and len(near.pairs) == 15 and far.groups == (tuple(range(16)),)


def test_pairs_of_one_cpu_are_a_star_around_it():
    found = of(sockets, pairs=star(range(16)))
    assert found.centre == 0 and [one.groups for one in found.levels] == [
        ((0, 8),),
        ((0, 1, 2, 3, 8, 9, 10, 11),),
        (tuple(range(16)),),
    ]
    assert [len(one.pairs) for one in found.levels] == [1, 6, 8]
    assert of(sockets, pairs=star(range(16), first=5)).centre == 5
    assert of(sockets).centre is None


def test_some_missing_pairs_make_no_star():
    every = [pair for at, pair in enumerate(itertools.permutations(range(16), 2)) if at % 7]
    found = of(halves, pairs=every)
    assert found.centre is None and found.levels[0].groups == (tuple(range(8)), tuple(range(8, 16)))


def test_too_few_pairs_tell_no_levels():
    assert of(halves, pairs=[]) == distances.Measured({}, (), None)
    two = of(halves, pairs=[(0, 1), (1, 9)])
    assert not two.enough and len(two.levels) == 1 and len(two.levels[0].pairs) == 2
    assert of(halves, pairs=[(0, 1), (1, 9), (2, 3)]).enough


def test_what_may_be_hardware_threads():
    """In a few ns, whatever else there is; or two by two in less than half of what others take."""
    assert of(lambda a, b: 14.9, cpus=(0, 1)).few_ns and not of(lambda a, b: 15.0, cpus=(0, 1)).few_ns
    slow = of(lambda a, b: 29 if a % 2 == b % 2 else 60 + 10 * max(a, b), cpus=range(4))
    assert slow.twos and not slow.few_ns and slow.levels[0].groups == ((0, 2), (1, 3))
    assert not of(lambda a, b: 29 if a % 2 == b % 2 else 55, cpus=range(4)).twos
    assert not of(halves).twos and not of(lambda a, b: NEAR).twos
    assert of(lambda a, b: 29 if a + b == 1 else 70, cpus=range(3)).levels[0].groups == ((0, 1), (2,))


@given(st.permutations(range(12)), st.integers(2, 5), st.randoms(use_true_random=False))
def test_groups_are_found_whatever_the_numbers_of_their_cpus(order, groups, random):
    of_cpu = {cpu: at % groups for at, cpu in enumerate(order)}
    found = of(lambda a, b: (NEAR if of_cpu[a] == of_cpu[b] else FAR) * random.uniform(0.95, 1.05), cpus=range(12))
    parts = {frozenset(group) for group in found.levels[0].groups}
    assert parts == {frozenset(cpu for cpu in order if of_cpu[cpu] == one) for one in range(groups)}
    assert sorted(itertools.chain.from_iterable(found.levels[0].groups)) == list(range(12))
    assert sum(len(level.pairs) for level in found.levels) == len(found.values) == 66


# --- and what is told -------------------------------------------------------------------------------------------------


def test_levels_that_are_as_told():
    found = compared(of(sockets), THREADS)
    assert found.names == ("one core", "one cache", "several packages")
    assert found.told == ({"one core": 8}, {"one cache": 48}, {"several packages": 64})
    assert found.gaps == [AS_TOLD, AS_TOLD] and found.as_told and not found.alike and found.factor == 1


def test_groups_that_cross_what_is_told():
    found = compared(of(halves), machine())
    assert found.gaps == [CROSSES] and not found.as_told and found.factor == pytest.approx(FAR / NEAR)
    other = compared(of(halves), machine(cache=lambda cpu: cpu % 2, package=lambda cpu: cpu % 2))
    assert other.gaps == [CROSSES] and set(other.told[0]) == {"one cache", "several packages"}


def test_far_ones_that_are_nearer_than_near_ones_cross_too():
    found = compared(of(lambda a, b: halves(a, b, FAR, NEAR)), PACKAGES)
    assert [set(level) for level in found.told] == [{"several packages"}, {"one cache"}]
    assert found.gaps == [CROSSES]


def test_distances_that_are_told_and_not_measured():
    found = compared(of(lambda a, b: NEAR), PACKAGES)
    assert found.alike == [(0, ("one cache", "several packages"))] and not found.as_told and found.gaps == []


def test_of_cpus_that_the_kernel_says_nothing_of_nothing_is_as_told():
    found = compared(of(halves), Topology((), {}))
    assert found.names == ("not told",) and found.gaps == [NOT_TOLD] and not found.as_told
    assert not compared(of(lambda a, b: NEAR), Topology((), {})).as_told


def test_where_only_cores_are_told_the_rest_is_farther():
    """Of an older run, which kept hardware threads and neither caches nor packages of a host that has several."""
    places = tuple(Place(cpu, cpu % 8) for cpu in range(16))
    both = compared(of(lambda a, b: 9 if a % 8 == b % 8 else NEAR), Topology(places, {}))
    assert both.names == ("one core", "not told") and both.gaps == [AS_TOLD] and both.as_told
    assert compared(of(sockets), Topology(places, {})).gaps == [AS_TOLD, NOT_TOLD]


def test_hardware_threads_that_no_kernel_tells():
    two = of(lambda a, b: 9.0, cpus=(0, 1))
    assert compared(two, machine(2)).hidden and not compared(two, machine(2, core=lambda cpu: 0)).hidden
    assert not compared(of(lambda a, b: 60.0, cpus=(0, 1)), machine(2)).hidden
    assert not compared(of(lambda a, b: 9.0, pairs=[]), machine(2)).hidden


# --- how sure that is -------------------------------------------------------------------------------------------------

BLOCKS, SCATTER, MOVED = (-0.06, 0.0, 0.06), 0.127, 1 / 60  # logarithms; of a guest with 16 CPUs and three blocks


def simulated(random, pairs, blocks: int, ratio, group) -> list[distances.Level]:
    """A host whose CPUs below `group` are `ratio` nearer to each other than to the others, and these to each other:
    medians over blocks of trials that scatter, and in one of 60 of which a hypervisor has both CPUs on one core."""
    logs = random.normal(0, SCATTER, (len(pairs), 2, blocks)) + random.choice(BLOCKS, blocks)
    logs[random.random(logs.shape) < MOVED] += np.log(28 / 165)
    apart = [random.normal(0, 0.03) + np.log(ratio) * ((a < group) != (b < group)) for a, b in pairs]
    values = 165 * np.exp(np.median(logs, axis=2) + np.array(apart)[:, None])
    both = [(a, b, there) for (a, b), (there, _) in zip(pairs, values, strict=True)]
    both += [(b, a, back) for (a, b), (_, back) in zip(pairs, values, strict=True)]
    return measured(pd.DataFrame(both, columns=["ping", "pong", "estimate"]))


@pytest.mark.prove
@pytest.mark.parametrize(
    ("cpus", "partners", "blocks", "hosts"),
    [(4, 0, 3, 600), (8, 0, 3, 300), (16, 0, 3, 100), (64, 0, 3, 10), (16, 15, 3, 300), (64, 30, 6, 200)],
)
def test_false_groups_are_rare_and_groups_a_factor_of_two_apart_are_found(cpus, partners, blocks, hosts):
    """partners: of a star, how many CPUs the first was measured with; 0: every pair was."""
    steps = [cpus - 1 - step * (cpus - 1) // partners for step in range(partners)] if partners else []
    pairs = [(0, cpu) for cpu in sorted(steps)] or list(itertools.combinations(range(cpus), 2))
    random, half, seen = np.random.default_rng(7), cpus // 2, {0, *itertools.chain.from_iterable(pairs)}
    groups = tuple(tuple(cpu for cpu in sorted(seen) if (cpu < half) == side) for side in (True, False))
    false = sum(len(simulated(random, pairs, blocks, 1.0, 0).levels) > 1 for _ in range(hosts))
    found = [simulated(random, pairs, blocks, 2.0, half).levels for _ in range(hosts)]
    right = sum(len(levels) == 2 and levels[0].groups == groups[: 1 if partners else 2] for levels in found)
    assert false <= 0.01 * hosts and right >= 0.99 * hosts
