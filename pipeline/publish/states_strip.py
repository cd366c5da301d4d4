"""The states that the CPUs of a run were in while it measured: a strip along its time, and a sentence."""

from __future__ import annotations

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
SHADES = 4  # classes of the style sheet, the state that is meant first
UNKNOWN = -1


def strip(lines: Sequence[dict]) -> str:
    """The figure of the first page; empty where all that the trials read is alike."""
    found = states.of(lines)
    if not found.several:
        return ""
    told = [one for one in journal.trials(lines) if one.get("readings")]
    began = np.array([datetime.fromisoformat(one["started"]).timestamp() for one in told])
    took = np.array([one["wall_s"] for one in told])
    words, rows = [], []
    for groups, fact, said in ((found.way, "word_ns", _ways), (found.core, "width", _cores)):
        if groups.limits:
            values = np.array([one["readings"].get(fact, [np.nan] * 3)[1] for one in told])
            ranks = groups.of(values)
            words.append(said(groups, _shares(groups, ranks, took), values, ranks))
            rows.append(_binned(ranks, began - began.min(), took))
    sentence = f"While this run measured, {'; '.join(words)}. Numbers are of one state, not of a mixture."
    return _drawn(rows, sentence)


def _shares(groups: Groups, ranks: np.ndarray, took: np.ndarray) -> dict[int, float]:
    """Rank -> share of the time of the trials that tell one."""
    known = took[ranks != states.UNTOLD].sum()
    return {rank: float(took[ranks == rank].sum() / known) for rank in sorted(groups.ranks)}


def _ways(groups: Groups, shares: dict[int, float], values: np.ndarray, ranks: np.ndarray) -> str:
    parts = []
    for rank, share in shares.items():
        name = {states.CORE: "on one core", states.FAR: "far apart"}.get(groups.name(rank), groups.name(rank))
        way = quantity(float(np.median(values[ranks == rank])), "ns") if (ranks == rank).any() else "-"
        parts.append(f"{name} for {100 * share:.0f} % of the time ({way} from one to the other)")
    return f"two CPUs were {listed(parts, 'and')}"


def _cores(groups: Groups, shares: dict[int, float], values: np.ndarray, ranks: np.ndarray) -> str:
    return f"somebody else worked on a core of ours for {100 * (1 - shares[0]):.0f} % of the time"


def _binned(ranks: np.ndarray, began: np.ndarray, took: np.ndarray) -> list[int]:
    """The rank that lasted longest in each of BINS parts of the time; UNKNOWN where nothing was read."""
    length = max(float((began + took).max()), 1e-9)
    lasted = np.zeros((BINS, ranks.max() + 2))
    for rank, start, end in zip(ranks, began, began + took, strict=True):
        for at in range(int(BINS * start / length), min(int(BINS * end / length) + 1, BINS)):
            inside = min(end, (at + 1) * length / BINS) - max(start, at * length / BINS)
            lasted[at, rank + 1] += max(inside, 0.0)
    lasted[:, 0] = 0
    return [int(one.argmax()) - 1 if one.any() else UNKNOWN for one in lasted]


def _drawn(rows: Sequence[Sequence[int]], sentence: str) -> str:
    height, wide = len(rows) * (ROW + GAP), WIDTH / BINS
    marks = []
    for number, row in enumerate(rows):
        ends = [0, *(np.flatnonzero(np.diff(row)) + 1), len(row)]
        for first, last in zip(ends, ends[1:], strict=False):
            if row[first] != UNKNOWN:
                css, x, width = f"state{min(row[first], SHADES - 1)}", first * wide, (last - first) * wide
                marks.append(
                    f'<rect class="{css}" x="{x:g}" y="{number * (ROW + GAP)}" width="{width:g}" height="{ROW}"/>'
                )
    words = escape(sentence, quote=True)
    svg = (
        f'<svg role="img" aria-label="{words}" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">'
        f"<title>{words}</title>{''.join(marks)}</svg>"
    )
    return f'<figure class="lab-states">{svg}<figcaption>{escape(sentence)}</figcaption></figure>'
