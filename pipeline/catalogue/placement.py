"""The words of the axis `placement`: where workers run. `pipeline.plan.placement` knows the CPUs behind them."""

from __future__ import annotations

import re

AXIS = "placement"
SPREAD, SINGLE, FREE = "spread", "single", "free"
# Two threads elsewhere than the first two cores: `spread` is near wherever a host has such cores, and a selection that
# names no placement is without these (`pipeline.analyse.estimates.select`).
NEAR, ELSEWHERE = "near", ("siblings", "far", "kinds")
PLACEMENTS = (SPREAD, SINGLE, FREE, NEAR, *ELSEWHERE)
PAIRS = re.compile(r"pairs(?:<=([2-9]|[1-9]\d+))?")
CPUS = re.compile(r"\d+(?:,\d+)*")
ACCEPTED = f"{', '.join(PLACEMENTS)}, pairs, pairs<=N with N of 2 or more, or CPUs as 0,1"


def known(word: object) -> bool:
    """Whether a value of the axis is one of ACCEPTED; whether this process may use the CPUs it names is not asked."""
    return isinstance(word, str) and bool(word in PLACEMENTS or PAIRS.fullmatch(word) or CPUS.fullmatch(word))
