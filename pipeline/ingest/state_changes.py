"""Changes of state: iterations of a trial in another state of its CPUs than the trial, which become of a phase of their
own.

An iteration is of the state that the gaps on both of its sides tell. Of a trial those count that are of the state of
most; where these are fewer than half of them it is MOVED, and enters nothing. Workers that sleep may wake elsewhere,
whatever the gaps tell: all iterations of such a trial count, and its state is that of MOSTLY of the gaps, or not told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pipeline.bundle.readings import Gaps
from pipeline.measure import states
from pipeline.measure.states import RANKS, UNTOLD, States

PHASE, MOVED = "measured", "moved"
SLEEPS = "context_switches_voluntary"
HALF = 0.5
MOSTLY = 0.8  # of the gaps of workers that sleep


def set_apart(objects: Sequence[dict], read: Gaps | None, found: States) -> dict[str, int]:
    """The state of a trial, by the JSON objects of its parts and what was read in it, as ranks by name. Rows of its
    measured iterations in another state become of the phase MOVED."""
    iterations = sorted({number for one in objects for number, phase in _rows(one) if phase == PHASE})
    slept = sum(
        value
        for one in objects
        for name, value in zip(one["measures"]["name"], one["measures"]["value"], strict=True)
        if name == SLEEPS
    )
    # A program that nobody pinned thread by thread sleeps when it likes.
    sleeping = slept >= max(len(iterations), 1) or (read is not None and not all(one["pinning"] for one in objects))
    state, gone = of_trial(found, read, iterations, sleeping)
    for one in objects if gone else ():
        one["iterations"]["phase"] = [
            MOVED if phase == PHASE and number in gone else phase for number, phase in _rows(one)
        ]
    return state


def of_trial(
    found: States, read: Gaps | None, iterations: Sequence[int], sleeping: bool
) -> tuple[dict[str, int], set[int]]:
    """The ranks of a trial with these measured iterations, by name, and those of the iterations that are of another
    state than it."""
    if read is None or len(read.iteration) < 2 or not len(iterations) or not found.several:
        return dict.fromkeys(RANKS, UNTOLD), set()
    each = found.of_gaps(read) if sleeping else of_iterations(found, read, iterations)
    state, share = _most(each)
    if sleeping:
        return dict(zip(RANKS, state if share >= MOSTLY else [UNTOLD] * len(RANKS), strict=True)), set()
    if share < HALF or states.MOVED in state:
        return dict.fromkeys(RANKS, states.MOVED), set()
    gone = {number for number, one in zip(iterations, each, strict=True) if one != state}
    return dict(zip(RANKS, state, strict=True)), gone


def of_iterations(found: States, read: Gaps, iterations: Sequence[int]) -> list[tuple[int, ...]]:
    """The ranks of iterations, by the gaps on both of their sides; MOVED where these differ, or one is not there."""
    ranks = dict(zip(read.iteration, found.of_gaps(read), strict=True))
    neither = (states.MOVED,) * len(RANKS)
    sides = ((ranks.get(one), ranks.get(one + 1)) for one in iterations)
    return [neither if before is None or before != after else before for before, after in sides]


def _most(ranks: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], float]:
    """The most frequent of some states, and its share."""
    counts = Counter(ranks)
    most = min(counts, key=lambda one: (-counts[one], one))
    return most, counts[most] / len(ranks)


def _rows(told: dict) -> Iterator[tuple[int, str]]:
    """Iteration and phase of each row."""
    return zip(told["iterations"]["iteration"], told["iterations"]["phase"], strict=True)
