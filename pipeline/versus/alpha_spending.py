"""Alpha spending: when a run of programs is judged, and how much error each look may make, all together 5 % over all
rows.

Looks are at an eighth and at a quarter of the minutes' blocks, at the end, and at the end of all that is asked for
later. Their shares of the error add up to one however often somebody asks for more (Lan and DeMets 1983), and each look
shares its own out among its rows (Bonferroni). The early ones have little of it: they end runs whose answer is plain;
most is kept for the end of the minutes, which decides the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from scipy.special import ndtri

from pipeline.models.median_interval import LEVEL
from pipeline.models.signed_rank import pairs_needed

ERROR = 0.05
EARLY = (1 / 8, 1 / 8)  # of the error, at these looks
END = 1 / 2
CHANCE = 0.9  # that the minutes which are foretold decide
WHEN = (1 / 8, 1 / 4)  # of the blocks that the minutes have room for


def planned(blocks: int, rows: int) -> list[int]:
    """The blocks after which the early looks of a run of so many are: none that could not decide, none at its end."""
    found = []
    for share, when in zip(EARLY, WHEN, strict=True):
        at = max(round(when * blocks), fewest(ERROR * share, rows))
        if at < blocks / 2 and at not in found:
            found.append(at)
    return found


def error_of(number: int, ended: int) -> float:
    """The error that an early look (`number` 0, 1) may make, or one at an end (-1) after `ended` other ends."""
    if number >= 0:
        return ERROR * EARLY[number]
    left = ERROR * (1 - sum(EARLY) - END)
    return ERROR * END if not ended else left / 2**ended


def fewest(error: float, rows: int) -> int:
    """The blocks without which no row can be decided at a look."""
    return pairs_needed(1 - error / max(rows, 1))


def ends(lines: Sequence[dict]) -> int:
    """How many looks there were at ends."""
    return sum(not line.get("early") for line in lines)


def further(middle: float, half: float, bound: float, now: float, then: float) -> float | None:
    """How many times the blocks so far are needed on top, until an interval (logarithms: its middle, half its width)
    that narrows with the root of the blocks lies on one side of no change or within the bound with the chance CHANCE,
    were the middle so far the true one.

    now, then: the errors of its row at this look and at the next end. None where it lies so close to the bound that
    more blocks hardly decide.
    """
    needed = max(bound - abs(middle), abs(middle) if abs(middle) > bound else 0.0)
    if needed <= 0.05 * half:
        return None
    return max((half / needed * (_quantile(then) + float(ndtri(CHANCE))) / _quantile(now)) ** 2 - 1, 0.1)


def _quantile(error: float) -> float:
    return float(-ndtri(min(error, 1 - LEVEL) / 2))
