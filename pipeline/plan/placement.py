"""Placement: the words of the axis `placement` and the CPUs of this process that they stand for.

`spread`, `single` and `free` pin the workers as `cpus_of` says, `0,1` names the CPUs. On one CPU no workers are
`spread`: what would be measured is `single` under another name. `pairs` stands for every
ordered pair of CPUs, one value each. Their number grows with the square of the CPUs, so `pairs<=60` takes all of them
only where they are no more than 60, and otherwise a part that still shows every kind of distance: the first CPU with
every other one, both ways; where even these are too many, with others at even steps, the CPUs of the same core and the
next one always among them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from pipeline.catalogue.placement import PAIRS, PLACEMENTS, SPREAD
from pipeline.ground.errors import LabError
from pipeline.host import cpus as host

SHARED = "On this host's only CPU the threads of a trial take turns, also where this page gives each a CPU of its own."


def expand(words: Iterable[str]) -> tuple[str, ...]:
    """The words that mean something here, `pairs` replaced by pairs of CPUs (`0,1`, `1,0`, ...)."""
    words = [word for word in words if len(host.usable()) > 1 or not _apart(word)]
    return tuple(
        itertools.chain.from_iterable(
            [f"{first},{second}" for first, second in _pairs(word)] if PAIRS.fullmatch(word) else [word]
            for word in words
        )
    )


def _apart(word: str) -> bool:
    """Whether a word puts workers on CPUs of their own, whichever these are."""
    return word == SPREAD or bool(PAIRS.fullmatch(word))


def left_out(words: Iterable[str]) -> list[str]:
    """A sentence for the words that mean nothing on one CPU, and one for every `pairs<=N` that does not take all."""
    cpus = host.usable()
    if len(cpus) < 2:
        named = ", ".join(word for word in dict.fromkeys(words) if _apart(word))
        what = f"threads on CPUs of their own (placement {named})"
        return [f"Not measured: {what}, which needs 2 CPUs; this process may use 1."] if named else []
    every, others = len(cpus) * (len(cpus) - 1), len(cpus) - 1
    sentences = []
    for word in dict.fromkeys(words):
        if PAIRS.fullmatch(word) and (taken := len(_pairs(word))) < every:
            part = "each" if taken == 2 * others else taken // 2
            sentences.append(
                f"Of the {every:,} ordered pairs of CPUs, placement {word} takes {taken}: "
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
    first, *others = cpus
    partners = _partners(others, host.siblings(first), limit // 2)
    return [pair for other in partners for pair in ((first, other), (other, first))]


def _partners(others: list[int], siblings: list[int], most: int) -> list[int]:
    """At most `most` of the others: the siblings, the next one, the rest at even steps.

    The steps go back from the last, the other end of the machine.
    """
    if len(others) <= most:
        return others
    near = dict.fromkeys([*(cpu for cpu in others if cpu in siblings), others[0]])
    kept = list(near)[:most]
    rest = [cpu for cpu in others if cpu not in near]
    room = most - len(kept)
    return sorted([*kept, *(rest[-1 - step * len(rest) // room] for step in range(room))])


def cpus_of(word: str, threads: int) -> list[int]:
    """The CPUs that `threads` workers are pinned to; empty when they are left free.

    `spread` puts worker i on the i-th CPU of this process, `single` all of them on the first, `free` pins none; `a,b`
    names CPUs. LabError for any other word, or a CPU that this process may not use.
    """
    allowed = host.usable()
    if word == "free":
        return []
    if word == "single":
        return allowed[:1]
    if word == SPREAD:
        return allowed[:threads]
    try:
        wanted = [int(part) for part in word.split(",")]
    except ValueError:
        raise LabError(f"placement {word!r} is not one of {', '.join(PLACEMENTS)} or a list as 0,1") from None
    if missing := [cpu for cpu in wanted if cpu not in allowed]:
        raise LabError(f"placement {word!r}: CPU {missing[0]} is not available; this process may use {allowed}")
    return wanted


def shared_out(pool: Sequence[int], threads: Sequence[int]) -> list[tuple[int, ...]]:
    """The CPUs of each of several parts with so many threads: counted through all of them, thread i gets the i-th CPU
    of the pool, which begins anew where there are more threads. A single part gets the whole pool."""
    if len(threads) == 1 or not pool:
        return [tuple(pool) for _ in threads]
    starts = itertools.accumulate(threads, initial=0)
    each = (
        (pool[(first + i) % len(pool)] for i in range(count)) for first, count in zip(starts, threads, strict=False)
    )
    return [tuple(dict.fromkeys(cpus)) for cpus in each]
