"""Iterations of a trial in another state of its CPUs than the trial: they become of a phase of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.bundle.readings import Gaps
from pipeline.measure.states import States

PHASE, MOVED = "measured", "moved"
SLEEPS = "context_switches_voluntary"


def set_apart(objects: Sequence[dict], read: Gaps | None, found: States) -> dict[str, int]:
    """The state of a trial, by the JSON objects of its parts and what was read in it, as ranks by name. Rows of its
    measured iterations in another state become of the phase MOVED."""
    iterations = np.array(sorted({number for one in objects for number, phase in _rows(one) if phase == PHASE}), int)
    slept = sum(
        value
        for one in objects
        for name, value in zip(one["measures"]["name"], one["measures"]["value"], strict=True)
        if name == SLEEPS
    )
    # A program that nobody pinned thread by thread sleeps when it likes.
    sleeping = slept >= max(len(iterations), 1) or (read is not None and not all(one["pinning"] for one in objects))
    state, other = found.of_trial(read, iterations, sleeping)
    gone = set(iterations[other].tolist())
    for one in objects if gone else ():
        one["iterations"]["phase"] = [
            MOVED if phase == PHASE and number in gone else phase for number, phase in _rows(one)
        ]
    return state


def _rows(told: dict) -> Iterator[tuple[int, str]]:
    """Iteration and phase of each row."""
    return zip(told["iterations"]["iteration"], told["iterations"]["phase"], strict=True)
