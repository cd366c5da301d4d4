"""Sequential test: at which looks the verdicts of a run are judged, and by which intervals, so that all of them
together err in few cases.

The first look is at the whole blocks, each further one at the end of a sitting (`pipeline.measure.adaptive_sampling`).
Each may err half as often as the one before: at an end of an interval 2.5 % at the first, 1.25 % at the second, all
together less than 5 %, whatever the distribution and however often somebody asks for more (alpha spending, Lan and
DeMets 1983; repeated intervals, Jennison and Turnbull 1984). A claim of several effects shares its error out among them
(Bonferroni), so that the promise is the claim's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from pipeline.analyse.effect import Sample
from pipeline.bundle import journal
from pipeline.models.median_interval import reached

ERROR = 0.05
# Five blocks give 93.75 % where 95 % is asked for: their range is taken for it, and nothing that falls shorter.
TOLERANCE = 1.25


def level(look: int, among: int = 1) -> float:
    """The level asked of the intervals of a look (the first is 1) at a claim that counts `among` effects."""
    return 1 - ERROR / (2 ** (look - 1) * among)


def ends(lines: Iterable[dict], experiment: str) -> tuple[int, ...]:
    """The last block of each look at an experiment: of its whole blocks, and of every sitting that has ended and
    measured something of it. Empty before the first block."""
    trials, sat = journal.trials(lines := list(lines), experiment), journal.sat(lines)
    last: dict[int, int] = {}
    for line in trials:
        number = line.get("sitting") or 0
        if not number or number in sat:
            last[number] = max(last.get(number, 0), line["block"])
    return tuple(last[number] for number in sorted(last))


def sure(sample: Sample | None, low: float, high: float, asked: float) -> tuple[float, float]:
    """The ends that may decide: infinite where so few blocks cannot give the level asked for."""
    if sample is None:
        return low, high
    can = [enough(len(sample.values), asked, share) for share in sample.shares]
    return (low if can[0] else -math.inf), (high if can[1] else math.inf)


def enough(blocks: int, asked: float, share: int) -> bool:
    """Whether so many blocks can give an end of the level asked for that is corrected for `share` numbers."""
    return _error(blocks, asked, share) <= TOLERANCE * (1 - asked) / 2 + 1e-12  # five blocks are exactly enough


def _error(blocks: int, asked: float, share: int) -> float:
    """How often an end that is corrected for `share` numbers is on the wrong side of any of them, at most."""
    return share * (1 - reached(blocks, 1 - (1 - asked) / share)) / 2


def blocks_needed(sample: Sample, asked: float) -> int:
    """The blocks with which both ends may decide."""
    return math.ceil(round(math.log2(2 * max(sample.shares) / (TOLERANCE * (1 - asked))), 9))
