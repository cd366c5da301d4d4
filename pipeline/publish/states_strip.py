"""The states that the CPUs of a run were in while it measured: a strip along its time, and a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from html import escape

import numpy as np

from pipeline.analyse.state_labels import apart
from pipeline.analyse.time_in_state import TimeInState, time_in_state
from pipeline.measure.states import NONE, UNTOLD
from pipeline.words.comparisons import listed
from pipeline.words.numbers import quantity

WIDTH, ROW, GAP = 700, 10, 3  # of the picture, in pixels: a strip for each kind of state
BINS = 350  # of a strip, each of the state that lasted longest in it
SELDOM = 0.01
SHADES = 4  # classes of the style sheet, the state that is meant first
ENDING = "Numbers are of one of these states, never of a mixture."


def strip(lines: Sequence[dict]) -> str:
    """The figure of the first page; empty where what the trials read is alike, but for less than SELDOM of the time."""
    run = time_in_state(lines)
    said, rows = [], []
    for groups, ranks, words in ((run.found.way, run.way, _ways), (run.found.core, run.core, _core)):
        if groups.limits and (ranks != UNTOLD).any() and run.share(ranks, 0) <= 1 - SELDOM:
            said.append(words(run))
            rows.append(ranks)
    if not rows:
        return ""
    began = np.array([datetime.fromisoformat(one["started"]).timestamp() for one in run.lines])
    sentence = f"This machine is shared: its CPUs were moved while the run measured. {'. '.join(said)}. {ENDING}"
    return _drawn([_binned(row, began - began.min(), run.took) for row in rows], sentence)


def _core(run: TimeInState) -> str:
    shared = 1 - run.share(run.core, 0)
    return f"Somebody else worked on a core of ours for {_square(1)}{100 * shared:.0f} % of the time"


def _ways(run: TimeInState) -> str:
    """What is said of each group of at least half of SELDOM of the time, the one that is meant first."""
    values = np.array([one["readings"].get("word_ns", NONE)[1] for one in run.lines])
    parts = []
    for rank in sorted({int(one) for one in run.way} - {UNTOLD}):
        if (share := run.share(run.way, rank)) >= SELDOM / 2:
            lie, way = apart(run.found.way.name(rank)), quantity(float(np.median(values[run.way == rank])), "ns")
            told = f"{lie} for {100 * share:.0f} % of the time ({way} from one to the other)"
            parts.append(f"{_square(rank)}{told}")
    return f"Two of them were {listed(parts, 'and')}"


def _square(rank: int) -> str:
    """The colour of a rank in the strip, before its words."""
    return f'<i class="state{min(rank, SHADES - 1)}"></i>'


def _binned(ranks: np.ndarray, began: np.ndarray, took: np.ndarray) -> list[int]:
    """The rank that lasted longest in each of BINS parts of the time; UNTOLD where nothing was read."""
    length = max(float((began + took).max()), 1e-9)
    lasted = np.zeros((BINS, ranks.max() + 2))
    for rank, start, end in zip(ranks, began, began + took, strict=True):
        for at in range(int(BINS * start / length), min(int(BINS * end / length) + 1, BINS)):
            inside = min(end, (at + 1) * length / BINS) - max(start, at * length / BINS)
            lasted[at, rank + 1] += max(inside, 0.0)
    lasted[:, 0] = 0
    return [int(one.argmax()) - 1 if one.any() else UNTOLD for one in lasted]


def _drawn(rows: Sequence[Sequence[int]], sentence: str) -> str:
    height, wide = len(rows) * (ROW + GAP), WIDTH / BINS
    marks = []
    for number, row in enumerate(rows):
        ends = [0, *(np.flatnonzero(np.diff(row)) + 1), len(row)]
        for first, last in zip(ends, ends[1:], strict=False):
            if row[first] != UNTOLD:
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
