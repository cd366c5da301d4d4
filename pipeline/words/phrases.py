"""What is found of several, of two JDKs say, in one phrase; how each of them is said is in
`pipeline.words.comparisons`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pipeline.words.comparisons import (
    NEAR,
    SAME,
    SAME_WITHIN,
    SILENT,
    TOO_FEW,
    Amount,
    Comparison,
    Name,
    Told,
    between,
    how_much,
    listed,
)
from pipeline.words.numbers import about

JDK = "JDK "
FAR = 2.0  # a range between factors further apart says little of either


def together(told: Mapping[str, Told], where: bool = True, than: str = "", few: str = TOO_FEW) -> str:
    """What is found of several, in one phrase of two digits: `9.8–10x slower on JDK 17 and 25`, `12 % slower on JDK 17
    and neither measurably slower nor faster (a difference of 7 % would have shown) on JDK 25`. Of a wide interval it is
    `at least` the end of it that is nearer to none. Where all say the same, `where` off leaves out on which.

    than: what follows the first comparison, and what it is compared with: `12 % slower <than one thread> on JDK 17`.
    few: what follows a comparison that has no interval.
    """
    groups = _groups(told)
    if len(groups) == 1 and not where:
        return _phrase(list(told.values()), than, few)
    each = [(_phrase(list(group.values()), "" if at else than, few), whose(group)) for at, group in enumerate(groups)]
    return listed([" ".join(one) for one in each], "and")


def whose(group: Iterable[str]) -> str:
    """`on JDK 17 and 25`, `on JDK 17 and in C`."""
    jdks, others = _apart(group)
    return listed([*([f"on {jdks}"] if jdks else []), *(f"in {name}" for name in others)], "and")


def named(group: Iterable[str]) -> str:
    """`JDK 17 and 25`, `JDK 17, 21 and 25, C`."""
    jdks, others = _apart(group)
    return ", ".join([*([jdks] if jdks else []), *others])


def _apart(group: Iterable[str]) -> tuple[str, list[str]]:
    """The JDKs in one phrase, and what is none."""
    jdks = [name.removeprefix(JDK) for name in group if name.startswith(JDK)]
    return (f"{JDK}{listed(jdks, 'and')}" if jdks else "", [name for name in group if not name.startswith(JDK)])


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
    return [part for group in groups.values() for part in _split(group)]


def _alike(one: Told) -> object:
    if isinstance(one, Comparison):
        return (one.way, one.side, one.same, math.isnan(one.estimate), math.isnan(one.low))
    return about(one.estimate, one.unit) if isinstance(one, Amount) else one.head()


def _split(group: dict[str, Told]) -> list[dict[str, Told]]:
    """Comparisons of one side apart where their range says little of each."""
    sure = [one for one in group.values() if isinstance(one, Comparison) and one.side and not one.wide]
    sizes = [max(one.estimate, 1 / one.estimate) for one in sure if one.estimate]
    if len(sizes) < len(group) or max(sizes) <= FAR * min(sizes):
        return [group]
    return [{who: one} for who, one in group.items()]


def _close(amounts: Sequence[Amount]) -> bool:
    """Whether a range tells them: all within a factor of NEAR."""
    values = [one.estimate for one in amounts]
    return len({one.unit for one in amounts}) == 1 and 0 < min(values) and max(values) < NEAR * min(values)


def _phrase(told: Sequence[Told], than: str, few: str) -> str:
    first = told[0]
    if isinstance(first, Amount):
        return _range(told)
    if isinstance(first, Name):
        return first.head()
    if math.isnan(first.estimate):
        return SILENT
    if not first.side:
        return _no_difference(told, than)
    return " ".join(part for part in (how_much(told), than, few if math.isnan(first.low) else "") if part)


def _range(told: Sequence[Amount]) -> str:
    """`71–79 ns`, `950 ns–1.1 µs`."""
    ordered = sorted(told, key=lambda one: one.estimate)
    least, most = (about(one.estimate, one.unit).partition(" ") for one in (ordered[0], ordered[-1]))
    if least == most:
        return "".join(most)
    return between(least[0] if least[2] == most[2] else "".join(least), "".join(most))


def _no_difference(told: Sequence[Comparison], than: str) -> str:
    if all(one.low == one.high for one in told):
        return f"{SAME} {than.replace('than ', 'as ', 1)}".rstrip()
    widest = max(told, key=lambda one: one.farthest)
    if widest.same:
        said = f"neither {widest.way.more} nor {widest.way.less} {than}".rstrip()
        return f"{said} by more than {round(100 * SAME_WITHIN)} %"
    said = f"neither measurably {widest.way.more} nor {widest.way.less} {than}".rstrip()
    return f"{said} ({widest.open(about)})"
