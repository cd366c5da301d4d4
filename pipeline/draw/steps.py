"""Where along a number of threads something new begins on a host: thin lines, each with its word above the panel."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from pipeline.draw.style import Theme

Step = tuple[int, str]  # the number of threads from which on it is used, and its word
LABEL = "step"  # of the lines, for who looks for them
TEXT_SIZE, ROW_INCHES = 7, 0.12
LETTER_INCHES = 0.056  # a letter of a word, on average
GAP_INCHES = 0.04  # between a line and its word, and between words
ALIGNED = ("left", "right", "center")  # a word to the right of its line, to its left, over it where neither has room
ON = " →"  # behind a word to the left of its line: what begins lies on the other side
MARGIN_INCHES = 0.08  # by which words may stand out of the panel, on either side: half of what lies between two panels
MOST = 5  # lines whose words are arranged; of more each word has a row of its own


@dataclass(frozen=True)
class Word:
    """Where a word stands above a panel, in inches from the panel's left edge, and in which row, 0 the lowest."""

    left: float
    right: float
    align: str
    row: int = 0

    @property
    def anchor(self) -> float:
        """The place that `align` speaks of."""
        return {"left": self.left, "right": self.right, "center": (self.left + self.right) / 2}[self.align]

    def reaches(self, at: float) -> bool:
        return self.left - GAP_INCHES < at < self.right + GAP_INCHES

    def touches(self, other: Word) -> bool:
        return self.left < other.right + GAP_INCHES and other.left < self.right + GAP_INCHES


def within(steps: Iterable[Step], measured: Iterable[float]) -> list[Step]:
    """Those whose line lies between the least and the greatest number that was measured, in their order."""
    found = list(measured)
    return [step for step in sorted(steps) if found and min(found) < step[0] <= max(found)]


def between(number: int, log: bool) -> float:
    """Where the line of what begins at a number is drawn: on the axis half-way from the number before to it."""
    return math.sqrt((number - 1) * number) if log else number - 0.5


def told(steps: Sequence[Step], what: str) -> str:
    """`the next cache is used from 17 threads on, hardware threads from 33`; empty without steps."""
    parts = []
    for number, word in steps:
        name = f"the {word}" if word.startswith("next ") else word
        verb = "are" if word.endswith("s") else "is"
        parts.append(f"{name} from {number}" if parts else f"{name} {verb} used from {number} {what} on")
    return ", ".join(parts)


def arranged(lines: Sequence[float], words: Sequence[str], width: float) -> list[Word]:
    """Where the words of lines stand above a panel of that width, all in inches.

    No word touches another. Of the ways to place them the one with the fewest words across the line that leads to
    another, then with the fewest over their own, then with the fewest rows, then with the most to the right.
    """
    best: tuple[tuple[int, ...], list[Word]] | None = None
    sides = ALIGNED if len(lines) <= MOST else ("center",)
    for aligned in itertools.product(sides, repeat=len(lines)):
        placed = [_word(at, word, width, how) for at, word, how in zip(lines, words, aligned, strict=True)]
        if all(placed):
            found = _in_rows(lines, placed)
            rows = max((one.row for one in found), default=0)
            cost = (crossed(lines, found), aligned.count("center"), rows, aligned.count("right"))
            best = min(best or (cost, found), (cost, found), key=lambda each: each[0])
    return best[1] if best else []


def crossed(lines: Sequence[float], words: Sequence[Word]) -> int:
    """How many words lie across the line that leads to another."""
    return sum(
        other.row > word.row and word.reaches(at) for word in words for at, other in zip(lines, words, strict=True)
    )


def _word(at: float, word: str, width: float, align: str, row: int = 0) -> Word | None:
    """A word at its line; None where it has no room on that side."""
    wide = LETTER_INCHES * len(word + ON if align == "right" else word)
    if align == "center":
        left = max(-MARGIN_INCHES, min(at - wide / 2, width + MARGIN_INCHES - wide))
    else:
        left = at + GAP_INCHES if align == "left" else at - GAP_INCHES - wide
    fits = -MARGIN_INCHES <= left <= width + MARGIN_INCHES - wide
    return Word(left, left + wide, align, row) if align == "center" or fits else None


def _in_rows(lines: Sequence[float], words: Sequence[Word]) -> list[Word]:
    """Each in the lowest row that is free, and above the words of those lines that it lies across."""
    every = range(len(lines))
    below = [{other for other in every if other != one and words[one].reaches(lines[other])} for one in every]
    found: dict[int, Word] = {}
    while len(found) < len(lines):
        waiting = [one for one in every if one not in found]
        ready = [one for one in waiting if below[one] <= found.keys()] or waiting  # two may lie across each other's
        one = ready[-1]
        taken = {other.row for other in found.values() if words[one].touches(other)}
        least = max((found[other].row + 1 for other in below[one] & found.keys()), default=0)
        row = next(row for row in itertools.count(least) if row not in taken)
        found[one] = replace(words[one], row=row)
    return [found[one] for one in every]


@dataclass(frozen=True)
class Strip:
    """The steps of a figure whose panels have one axis with these ends, about `width` inches apart."""

    steps: Sequence[Step]
    ends: tuple[float, float]
    log: bool
    width: float

    @cached_property
    def lines(self) -> list[float]:
        """Where the lines are, in inches from the left edge of a panel."""
        low, high = map(self._scaled, self.ends)
        return [(self._scaled(between(number, self.log)) - low) / (high - low) * self.width for number, _ in self.steps]

    @cached_property
    def words(self) -> list[Word]:
        return arranged(self.lines, [word for _, word in self.steps], self.width)

    @property
    def height(self) -> float:
        """What the words need above a panel, in inches."""
        return ROW_INCHES * (1 + max(word.row for word in self.words)) if self.steps else 0.0

    def draw(self, ax: Axes, theme: Theme) -> None:
        """Lines through a panel and up to their words."""
        across, inches = ax.get_xaxis_transform(), ax.figure.dpi_scale_trans
        for (number, text), at, word in zip(self.steps, self.lines, self.words, strict=True):
            place = between(number, self.log)
            top = ROW_INCHES * (word.row + (0 if word.align == "center" else 0.85))
            for transform in (across, across + ScaledTranslation(0, top, inches)):
                look = {"color": theme.muted, "linewidth": 0.7, "zorder": 1.5, "label": LABEL}
                ax.plot([place, place], [0, 1], transform=transform, clip_on=False, **look)
            beside = ScaledTranslation(word.anchor - at, ROW_INCHES * word.row + 0.02, inches)
            look = {"fontsize": TEXT_SIZE, "color": theme.muted, "ha": word.align, "va": "bottom"}
            ax.text(place, 1, text + ON if word.align == "right" else text, transform=across + beside, **look)

    def _scaled(self, value: float) -> float:
        return math.log2(value) if self.log else value
