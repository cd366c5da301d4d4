"""The states that the CPUs of a run were in while it measured: a strip along its time, and a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from html import escape

import numpy as np

from pipeline.bundle import journal
from pipeline.measure import states
from pipeline.measure.states import Groups
from pipeline.words.numbers import quantity
from pipeline.words.said import listed

WIDTH, ROW, GAP = 700, 10, 3  # of the picture, in pixels: a strip for each kind of state
BINS = 350  # of a strip, each of the state that lasted longest in it
SELDOM = 0.01
SHADES = 4  # classes of the style sheet, the state that is meant first
ENDING = "Numbers are of one of these states, never of a mixture."


def strip(lines: Sequence[dict]) -> str:
    """The figure of the first page; empty where what the trials read is alike, but for less than SELDOM of the time."""
    found = states.of(lines)
    if not found.several:
        return ""
    told = [one for one in journal.trials(lines) if one.get("readings")]
    began = np.array([datetime.fromisoformat(one["started"]).timestamp() for one in told])
    took = np.array([one["wall_s"] for one in told])
    read = [one["readings"] for one in told]
    way, core = found.of_medians(read).T
    words = np.array([one.get("word_ns", states.NONE)[1] for one in read])
    filled = np.array([found.way.name(rank).startswith(states.CORE) for rank in way])  # by the two workers themselves
    said, rows = [], []
    if found.way.limits and _share(way, 0, took) <= 1 - SELDOM:
        said.append(f"Two of them were {listed(_ways(found.way, way, took, words), 'and')}")
        rows.append(way)
    if found.core.limits and _share(core, 0, took) <= 1 - SELDOM:
        others = np.where(filled, states.UNTOLD, core)
        shared = 1 - _share(others, 0, took)
        said.append(f"Somebody else worked on a core of ours for {_square(1)}{100 * shared:.0f} % of the time")
        rows.append(others)
    if not rows:
        return ""
    sentence = f"This machine is shared: its CPUs were moved while the run measured. {'. '.join(said)}. {ENDING}"
    return _drawn([_binned(row, began - began.min(), took) for row in rows], sentence)


def _share(ranks: np.ndarray, rank: int, took: np.ndarray) -> float:
    """Of the time of the trials that tell a rank, that of those with this one."""
    return float(took[ranks == rank].sum() / max(took[ranks != states.UNTOLD].sum(), 1e-9))


def _ways(groups: Groups, ranks: np.ndarray, took: np.ndarray, values: np.ndarray) -> list[str]:
    """What is said of each group of at least half of SELDOM of the time, the one that is meant first."""
    said = {states.CORE: "on one core", states.FAR: "far apart", states.NEAR: "near each other"}
    said |= {states.NEARER: "nearer than otherwise"}
    parts = []
    known = sorted({int(one) for one in ranks} - {states.UNTOLD})
    for rank in (one for one in known if _share(ranks, one, took) >= SELDOM / 2):
        name, way = groups.name(rank), quantity(float(np.median(values[ranks == rank])), "ns")
        share = f"{100 * _share(ranks, rank, took):.0f} % of the time"
        parts.append(f"{_square(rank)}{said.get(name, name)} for {share} ({way} from one to the other)")
    return parts


def _square(rank: int) -> str:
    """The colour of a rank in the strip, before its words."""
    return f'<i class="state{min(rank, SHADES - 1)}"></i>'


def _binned(ranks: np.ndarray, began: np.ndarray, took: np.ndarray) -> list[int]:
    """The rank that lasted longest in each of BINS parts of the time; states.UNTOLD where nothing was read."""
    length = max(float((began + took).max()), 1e-9)
    lasted = np.zeros((BINS, ranks.max() + 2))
    for rank, start, end in zip(ranks, began, began + took, strict=True):
        for at in range(int(BINS * start / length), min(int(BINS * end / length) + 1, BINS)):
            inside = min(end, (at + 1) * length / BINS) - max(start, at * length / BINS)
            lasted[at, rank + 1] += max(inside, 0.0)
    lasted[:, 0] = 0
    return [int(one.argmax()) - 1 if one.any() else states.UNTOLD for one in lasted]


def _drawn(rows: Sequence[Sequence[int]], sentence: str) -> str:
    height, wide = len(rows) * (ROW + GAP), WIDTH / BINS
    marks = []
    for number, row in enumerate(rows):
        ends = [0, *(np.flatnonzero(np.diff(row)) + 1), len(row)]
        for first, last in zip(ends, ends[1:], strict=False):
            if row[first] != states.UNTOLD:
                css, x, width = f"state{min(row[first], SHADES - 1)}", first * wide, (last - first) * wide
                marks.append(
                    f'<rect class="{css}" x="{x:g}" y="{number * (ROW + GAP)}" width="{width:g}" height="{ROW}"/>'
                )
    words = escape(re.sub("<[^>]+>", "", sentence), quote=True)
    svg = (
        f'<svg role="img" aria-label="{words}" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">'
        f"<title>{words}</title>{''.join(marks)}</svg>"
    )
    return f'<figure class="lab-states">{svg}<figcaption>{sentence}</figcaption></figure>'
