"""Thread counts that follow a host (`to_cpus`), from one to all of its CPUs.

It stands for 1, 2, 3, 4, 6, 8, 12, 16, 24, ... up to the CPUs, for the number of cores and for the CPUs themselves: as
many steps to each doubling, for what threads share (a core, a cache, a package) doubles too. `to_cpus<=8` is a part of
it, so that with the values written beside it there are at most 8: always 1, 2, 3, the cores and the CPUs, then what
fills the widest gap. `to_cpus-1` leaves a CPU for a thread that is not counted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from pipeline.catalogue.selectors import Scalar

TO_CPUS = re.compile(r"to_cpus(-1)?(?:<=([1-9]\d*))?")


def steps(cpus: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, ...: the powers of two and the half between two of them, up to a number of CPUs."""
    powers = [2**power for power in range(cpus.bit_length())]
    return sorted({step for power in powers for step in (power, power + power // 2) if step <= cpus})


def expand(values: Sequence[Scalar], cpus: int, cores: int) -> list[Scalar]:
    """Values of an axis with what `to_cpus` stands for in its place, on a host of so many CPUs and cores."""
    found: list[Scalar] = []
    for value in values:
        told = TO_CPUS.fullmatch(value) if isinstance(value, str) else None
        if told is None:
            found.append(value)
            continue
        most = max(cpus - 1, 1) if told[1] else cpus
        always = [one for one in (1, 2, 3, cores, most) if one <= most]
        written = [one for one in values if isinstance(one, int)]
        found += _filled(sorted({*written, *always}), steps(most), int(told[2]) if told[2] else None)
    return list(dict.fromkeys(found))


def _filled(kept: list[int], others: Sequence[int], most: int | None) -> list[int]:
    """The values kept, and of the others all, or so many that there are `most`: each in the middle of what is the
    widest gap, on a logarithmic scale, when its turn comes."""
    left = [one for one in others if one not in kept]
    while left and (most is None or len(kept) < most):
        taken = max(left, key=lambda one: min(abs(math.log(one / other)) for other in kept))
        left.remove(taken)
        kept.append(taken)
    return sorted(kept)
