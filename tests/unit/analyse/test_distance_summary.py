"""Sentences and tables about how far apart CPUs are: each of the ways a host can be, in words."""

from __future__ import annotations

import pytest
from cpus_apart import FAR, NEAR, PACKAGES, THREADS, halves, machine, of, sockets, star

from pipeline.analyse.distance_summary import sentence, table
from pipeline.analyse.distances import compared
from pipeline.host.topology import Place, Topology

ONE_CACHE = "16 cores of one cache"
AS = "as near as hardware threads of one core"


def as_told(host: str, words: str) -> str:
    return f"Measured as told, {host}: {words}."


def unlike(host: str, words: str) -> str:
    return f"The kernel tells {host}; measured, {words}."


def unsaid(what: str, why: str) -> str:
    return f"Whether {what} cannot be said: {why} to be compared with."


SAID = [
    (
        of(lambda a, b: 129 + (a + b) * 89 / 29),
        machine(),
        as_told(ONE_CACHE, "all pairs of CPUs are of one group (132 to 218 ns, no gap)"),
    ),
    (of(halves), machine(), unlike(ONE_CACHE, "CPUs 0–7 and 8–15 are two groups (48 and 131 ns)")),
    (of(halves), PACKAGES, as_told("16 cores in 2 packages", "one cache 48 ns, several packages 131 ns")),
    (
        of(sockets),
        THREADS,
        as_told("8 cores in 2 packages, 2 threads each", "one core 9 ns, one cache 48 ns, several packages 131 ns"),
    ),
    (
        of(sockets),
        machine(core=lambda cpu: cpu % 8),
        unlike(
            "8 cores of one cache, 2 threads each",
            "CPUs 0–3 with 8–11 and 4–7 with 12–15 are two groups (48 and 131 ns)",
        ),
    ),
    (
        of(sockets),
        machine(),
        unlike(
            ONE_CACHE,
            f"CPUs 0 with 8, 1 with 9, 2 with 10 and 5 more are 8 groups, {AS} (9 and 48 ns); "
            "CPUs 0–3 with 8–11 and 4–7 with 12–15 are two groups (48 and 131 ns)",
        ),
    ),
    (
        of(lambda a, b: 29 if a % 2 == b % 2 else 90, range(4)),
        machine(4),
        unlike(
            "4 cores of one cache",
            "CPUs 0 with 2 and 1 with 3 are two groups, perhaps hardware threads of one core (29 and 90 ns)",
        ),
    ),
    (
        of(lambda a, b: NEAR if max(a, b) < 3 else FAR, range(6)),
        machine(6),
        unlike("6 cores of one cache", "CPUs 0–2 are nearer to each other than to others (48 and 131 ns)"),
    ),
    (
        of(lambda a, b: NEAR if a // 3 == b // 3 and max(a, b) < 6 else FAR, range(8)),
        machine(8),
        unlike("8 cores of one cache", "CPUs 0–2 and 3–5 are two groups and 2 alone (48 and 131 ns)"),
    ),
    (
        of(lambda a, b: NEAR if abs(a - b) == 1 else FAR),
        machine(),
        unlike(ONE_CACHE, "pairs lie two ways apart that make no groups of CPUs (48 and 131 ns)"),
    ),
    (
        of(sockets, pairs=star(range(16))),
        machine(),
        unlike(ONE_CACHE, f"CPU 0 is 9 ns from CPU 8, {AS}; 48 ns from 1–3 and 9–11; 131 ns from 4–7 and 12–15"),
    ),
    (
        of(halves, pairs=star([0, *range(1, 16, 2)])),
        machine(),
        unlike(ONE_CACHE, "CPU 0 is 48 ns from CPUs 1, 3, 5 and 7; 131 ns from 9, 11, 13 and 15"),
    ),
    (
        of(lambda a, b: NEAR),
        PACKAGES,
        unlike("16 cores in 2 packages", "all pairs of CPUs are of one group (48 ns, no gap)"),
    ),
    (
        of(lambda a, b: 9 if a % 8 == b % 8 else NEAR),
        THREADS,
        unlike("8 cores in 2 packages, 2 threads each", "one cache and several packages are of one group (48 ns)"),
    ),
    (
        of(lambda a, b: 9 if (a < 8) == (b < 8) else NEAR),
        PACKAGES,
        unlike("16 cores in 2 packages", f"the nearest are {AS} (9 ns)"),
    ),
    (
        of(halves),
        Topology((), {}),
        unlike("16 CPUs, not what they share", "CPUs 0–7 and 8–15 are two groups (48 and 131 ns)"),
    ),
    (
        of(lambda a, b: NEAR),
        Topology((), {}),
        unlike("16 CPUs, not what they share", "all pairs of CPUs are of one group (48 ns, no gap)"),
    ),
    (
        of(lambda a, b: 9 if a % 8 == b % 8 else NEAR),
        Topology(tuple(Place(cpu, cpu % 8) for cpu in range(16)), {}),
        as_told("8 cores, 2 threads each", "one core 9 ns, others 48 ns"),
    ),
    (
        of(lambda a, b: 50 + a, range(2)),
        machine(2),
        unsaid("CPUs 0 and 1 lie as told (one cache)", "one pair (50 to 51 ns) has nothing"),
    ),
    (
        of(lambda a, b: 50, range(2)),
        Topology((), {}),
        unsaid("CPUs 0 and 1 lie near or far", "one pair (50 ns) has nothing"),
    ),
    (
        of(lambda a, b: 50, pairs=[(0, 1), (0, 2)]),
        machine(3),
        unsaid("CPUs 0, 1 and 2 lie as told (one cache)", "two pairs (50 ns) have too little"),
    ),
    (of(lambda a, b: 9, range(2)), machine(2), unlike("2 cores of one cache", f"CPUs 0 and 1 are 9 ns apart, {AS}")),
    (
        of(lambda a, b: 1500 if (a < 8) != (b < 8) else 700),
        machine(),
        unlike(ONE_CACHE, "CPUs 0–7 and 8–15 are two groups (0.7 and 1.5 µs)"),
    ),
    (
        of(lambda a, b: 9, range(2)),
        machine(2, core=lambda cpu: 0),
        as_told("1 core of one cache, 2 threads each", "CPUs 0 and 1 are 9 ns apart"),
    ),
    (
        of(lambda a, b: 9 if a + b == 1 else NEAR, range(4)),
        machine(4, core=lambda cpu: max(cpu, 1)),
        as_told("3 cores of one cache, up to 2 threads each", "one core 9 ns, one cache 48 ns"),
    ),
    (of(halves, pairs=[]), machine(), ""),
]


@pytest.mark.parametrize(("found", "told", "words"), SAID)
def test_how_far_apart_cpus_are_is_said(found, told, words):
    assert sentence(compared(found, told)) == words


def test_nodes_and_caches_are_named_where_they_are_more_than_what_holds_them():
    def places(**groups):
        return Topology(
            tuple(Place(cpu, cpu, **{name: cpu // size for name, size in groups.items()}) for cpu in range(16)), {}
        )

    for told, words in (
        (places(package=8, node=4, cache=2), "16 cores in 2 packages, 4 nodes and 8 caches"),
        (places(package=16, node=16, cache=4), "16 cores in 4 caches"),
        (places(package=8, node=8, cache=8), "16 cores in 2 packages"),
        (places(package=16), "16 cores"),
    ):
        assert f"tells {words}; measured" in sentence(compared(of(lambda a, b: halves(a, b, 90, 40)), told))


def test_a_row_for_each_level():
    found = table(compared(of(sockets), machine(core=lambda cpu: cpu % 8)))
    assert found["pairs of CPUs"].tolist() == [8, 48, 64] and found["one way, ns"].tolist() == [9, NEAR, FAR]
    assert found["the kernel says (pairs)"].tolist() == ["one core", "one cache", "one cache"]
    assert found["CPUs that near"].tolist() == [
        "0 with 8; 1 with 9; 2 with 10; 5 more",
        "0–3 with 8–11; 4–7 with 12–15",
        "0–15",
    ]


def test_a_row_of_pairs_of_several_names_counts_them_and_a_star_names_its_centre():
    (row,) = table(compared(of(lambda a, b: NEAR), PACKAGES)).to_dict("records")
    assert row["the kernel says (pairs)"] == "one cache (56), several packages (64)"
    assert table(compared(of(sockets, pairs=star(range(16))), machine()))["CPUs that near"].tolist() == [
        "0 with 8",
        "0 with 1–3 and 9–11",
        "0 with 4–7 and 12–15",
    ]
    assert (
        table(compared(of(lambda a, b: NEAR if abs(a - b) == 1 else FAR), machine()))["CPUs that near"][0]
        == "no groups"
    )
    empty = table(compared(of(halves, pairs=[]), machine()))
    assert empty.empty and list(empty) == list(table(compared(of(halves), machine())))
