"""What is told of several, of both JDKs say, in one phrase; how each of them is said is in `pipeline.words.said`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pipeline.words.numbers import about
from pipeline.words.said import NEAR, SAME, SILENT, Amount, Comparison, Name, Told, how_much, listed


def together(told: Mapping[str, Told], where: bool = True) -> str:
    """What is told of several, in one phrase of two digits: `9.8 to 10 times slower on both JDKs`, `12 % slower on
    JDK 17 and neither slower nor faster (7 % would have shown) on JDK 25`. Of a wide interval it is `at least` that
    end of it which is nearer to none. Where all say the same, `where` off leaves out of whom it is told.
    """
    groups = _groups(told)
    if len(groups) == 1 and not where:
        return _phrase(list(told.values()))
    return listed([f"{_phrase(list(group.values()))} {whose(group, told)}" for group in groups], "and")


def whose(group: Iterable[str], told: Iterable[str]) -> str:
    """`on both JDKs`, `on JDK 17`, `in C and on both JDKs`: those of a group, of all who are told of."""
    jdks, others = ([name for name in group if name.startswith("JDK ") == jdk] for jdk in (True, False))
    of = sum(name.startswith("JDK ") for name in told)
    parts = [f"in {name}" for name in others]
    if jdks:
        every = "both JDKs" if of == 2 else f"all {of} JDKs"
        parts.append(f"on {every if 1 < of == len(jdks) else listed(jdks, 'and')}")
    return listed(parts, "and")


def uniform(told: Mapping[str, Told]) -> bool:
    """Whether all say the same, so that one phrase tells it."""
    return len(_groups(told)) == 1


def _groups(told: Mapping[str, Told]) -> list[dict[str, Told]]:
    """Those together that one phrase tells."""
    amounts = [one for one in told.values() if isinstance(one, Amount)]
    groups: dict[object, dict[str, Told]] = {}
    for who, one in told.items():
        key = Amount if isinstance(one, Amount) and _close(amounts) else _alike(one)
        groups.setdefault(key, {})[who] = one
    return list(groups.values())


def _alike(one: Told) -> object:
    if isinstance(one, Comparison):
        return (one.way, one.side, math.isnan(one.estimate))
    return about(one.estimate, one.unit) if isinstance(one, Amount) else one.head()


def _close(amounts: Sequence[Amount]) -> bool:
    """Whether a range tells them: all within a factor of NEAR."""
    values = [one.estimate for one in amounts]
    return len({one.unit for one in amounts}) == 1 and 0 < min(values) and max(values) < NEAR * min(values)


def _phrase(told: Sequence[Told]) -> str:
    first = told[0]
    if isinstance(first, Amount):
        return _range(told)
    if isinstance(first, Name):
        return first.head()
    if math.isnan(first.estimate):
        return f"of {SILENT}"
    return how_much(told) if first.side else _no_difference(told)


def _range(told: Sequence[Amount]) -> str:
    """`71 to 79 ns`."""
    ordered = sorted(told, key=lambda one: one.estimate)
    least, most = (about(one.estimate, one.unit).partition(" ") for one in (ordered[0], ordered[-1]))
    if least == most:
        return "".join(most)
    return f"{least[0] if least[2] == most[2] else ''.join(least)} to {''.join(most)}"


def _no_difference(told: Sequence[Comparison]) -> str:
    if all(one.low == one.high for one in told):
        return SAME
    widest = max(told, key=lambda one: one.farthest)
    bound = widest.excluded(about)
    said = f"({bound} would have shown)" if bound else "as far as this shows"
    return f"neither {widest.way.more} nor {widest.way.less} {said}"
