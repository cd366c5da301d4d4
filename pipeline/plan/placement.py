"""Placement: the words of the axis `placement` and the CPUs of this process that they stand for.

Threads take CPUs in one order, near first (`pipeline.host.order`): `spread` is the first N of it, a core each as long
as there are cores, and its first two share a last-level cache wherever two cores do. `siblings` (hardware threads of
one core), `near`, `far` (as far apart as cores are here) and `kinds` (a core of each of two kinds) mean something only
where the host has such; `single` is one CPU, `free` pins none, `0,1` names CPUs. On one CPU no workers are `spread`:
what would be measured is `single` under another name.

`pairs` stands for every ordered pair of CPUs, one value each. Their number grows with the square of the CPUs, so
`pairs<=60` takes all of them only where they are no more than 60, and otherwise a part that still shows every kind of
distance: the first CPU with others, both ways; where even these are too many, with one at each distance and each kind
of core, and with others at even steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

from pipeline.catalogue.placement import FREE, NEAR, PAIRS, PLACEMENTS, SINGLE, SPREAD
from pipeline.ground.errors import LabError
from pipeline.host import cpus as host
from pipeline.host import order
from pipeline.host.topology import Topology

SHARED = "On this host's only CPU the threads of a trial take turns, also where this page gives each a CPU of its own."
FOUND: dict[str, Callable[[Topology], tuple[int, ...]]] = {
    "siblings": order.siblings,
    NEAR: order.near,
    "far": order.far,
    "kinds": order.kinds,
}
ABSENT = {
    "siblings": "no core has two hardware threads, as far as the kernel tells",
    NEAR: "no two cores share a last-level cache",
    "far": "all cores share one last-level cache",
    "kinds": "all cores are of one kind, as far as the kernel tells",
}
NOT_TOLD = "the kernel does not tell which caches the cores share"


def expand(words: Iterable[str]) -> tuple[str, ...]:
    """The words that mean something here, `pairs` replaced by pairs of CPUs (`0,1`, `1,0`, ...)."""
    words = list(words)
    return tuple(
        itertools.chain.from_iterable(
            [f"{first},{second}" for first, second in _pairs(word)] if PAIRS.fullmatch(word) else [word]
            for word in words
            if not _needs_two(word) and not _absent(word, words)
        )
    )


def _needs_two(word: str) -> bool:
    """Whether a word puts workers on CPUs of their own, whichever these are, and there is but one."""
    return len(host.usable()) < 2 and (word == SPREAD or word in FOUND or bool(PAIRS.fullmatch(word)))


def _absent(word: str, words: Sequence[str]) -> str:
    """Why a word means nothing on this host of several CPUs; empty where it does."""
    if word not in FOUND:
        return ""
    if not (found := FOUND[word](host.places())):
        return _lacking(word)
    same = set(found[:2]) == set(host.near_first()[:2])
    # `near` is what `spread` is of two threads; asked for alone it is kept.
    return "spread has the same two CPUs" if same and (word != NEAR or SPREAD in words) else ""


def _lacking(word: str) -> str:
    """Why the host has no such CPUs."""
    untold = word in (NEAR, "far") and order.distance(host.places(), host.usable()) == order.UNTOLD
    return NOT_TOLD if untold else ABSENT[word]


def left_out(words: Iterable[str]) -> list[str]:
    """A sentence for the words that mean nothing here, and one for every `pairs<=N` that does not take all."""
    cpus, words = host.near_first(), list(dict.fromkeys(words))
    if any(map(_needs_two, words)):
        return ["Not measured: threads on CPUs of their own, which needs 2 CPUs; this process may use 1."]
    absent = [f"{word} ({why})" for word in words if (why := _absent(word, words))]
    sentences = [f"Not measured, two threads elsewhere: {', '.join(absent)}."] if absent else []
    every, others = len(cpus) * (len(cpus) - 1), len(cpus) - 1
    for word in words:
        if PAIRS.fullmatch(word) and (taken := len(_pairs(word))) < every:
            part = "each" if taken == 2 * others else taken // 2
            sentences.append(
                f"Of the {every:,} ordered pairs of CPUs {taken} are taken: "
                f"CPU {cpus[0]} with {part} of the {others} others, both ways."
            )
    return sentences


def crowded(threads: int) -> list[str]:
    """SHARED where the threads of a trial, so many at most, share the only CPU: pages speak of several."""
    return [SHARED] if threads > 1 and len(host.usable()) == 1 else []


def _pairs(word: str) -> list[tuple[int, int]]:
    cpus = host.usable()
    every = list(itertools.permutations(cpus, 2))
    limit = int(PAIRS.fullmatch(word)[1] or len(every))
    if len(every) <= limit:
        return every
    first, *others = host.near_first()
    partners = _partners(sorted(others), order.one_of_each(host.places(), first, others), limit // 2)
    return [pair for other in partners for pair in ((first, other), (other, first))]


def _partners(others: list[int], wanted: list[int], most: int) -> list[int]:
    """At most `most` of the others: those wanted, the rest at even steps.

    The steps go back from the last, the other end of the machine.
    """
    if len(others) <= most:
        return others
    kept = wanted[:most]
    rest = [cpu for cpu in others if cpu not in wanted]
    room = most - len(kept)
    return sorted([*kept, *(rest[-1 - step * len(rest) // room] for step in range(room))])


def cpus_of(word: str, threads: int) -> list[int]:
    """The CPUs that `threads` workers are pinned to; empty when they are left free.

    `spread` puts worker i on the i-th CPU of the order, `single` all of them on the first, `free` pins none; `a,b`
    names CPUs. LabError for any other word, one that means nothing here, or a CPU that this process may not use.
    """
    if word == FREE:
        return []
    if word == SINGLE:
        return list(host.near_first()[:1])
    if word == SPREAD:
        return list(host.near_first()[:threads])
    if word in FOUND:
        if found := FOUND[word](host.places()):
            return list(found[:threads])
        raise LabError(f"placement {word!r}: {_lacking(word)}; use spread")
    allowed = host.usable()
    try:
        wanted = [int(part) for part in word.split(",")]
    except ValueError:
        raise LabError(f"placement {word!r} is not one of {', '.join(PLACEMENTS)} or a list as 0,1") from None
    if missing := [cpu for cpu in wanted if cpu not in allowed]:
        raise LabError(f"placement {word!r}: CPU {missing[0]} is not available; this process may use {allowed}")
    return wanted


def distance(cpus: Iterable[int]) -> str:
    """How far apart the CPUs of a trial are (`pipeline.host.order.DISTANCES`); FREE where it is pinned to none."""
    return order.distance(host.places(), cpus) or FREE


def memory(cpus: Sequence[int]) -> dict[str, int]:
    """`node`: the NUMA node of the first worker, who touches first what workers share; nothing where there is but one
    node, or nobody is pinned."""
    places = host.places()
    several = len(places.groups("node")) > 1 and cpus and places.at[cpus[0]].node is not None
    return {"node": places.at[cpus[0]].node} if several else {}


def shared_out(pool: Sequence[int], threads: Sequence[int]) -> list[tuple[int, ...]]:
    """The CPUs of each of several parts with so many threads: counted through all of them, thread i gets the i-th CPU
    of the pool, which begins anew where there are more threads. A single part gets the whole pool."""
    if len(threads) == 1 or not pool:
        return [tuple(pool) for _ in threads]
    starts = itertools.accumulate(threads, initial=0)
    each = ((pool[(first + i) % len(pool)] for i in range(count)) for first, count in zip(starts, threads))
    return [tuple(dict.fromkeys(cpus)) for cpus in each]
