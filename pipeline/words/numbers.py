"""How a number is said: on pages, in figures, tables and sentences there is no other place that rounds one.

Three significant digits, thousands grouped, no exponent. A unit that has a symbol takes prefixes (`1.85 µs`,
`1.2 GB/s`); of any other, millions and billions are abbreviated (`278 M ops/s`, `6,712 cycles`). An interval has the
prefix of its estimate, and the cells of a table that one reads together have one prefix (`scale`). Axes have notations
of their own, for there a prefix is shared by all ticks (`pipeline.draw.units`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

LEVEL = 0.95  # of an interval that says none
ENOUGH = 6  # values whose median has an interval of that level (`pipeline.models.median_interval`)
NO_NUMBER = UNKNOWN, UNBOUNDED = "–", "unbounded"
ROUNDS_UP = 0.9995  # of a bound: three digits of what lies above are the bound's
PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
ABBREVIATIONS = {0: "", 6: "M", 9: "G"}  # of a unit that has no symbol
LEAST, MOST = 1e-3, 1e7  # what is said in a prefix that is not its own lies between these
# unit of a table -> (factor to the symbol's base, symbol)
SYMBOLS = {
    "ns": (1e-9, "s"),
    "us": (1e-6, "s"),
    "ms": (1e-3, "s"),
    "s": (1.0, "s"),
    "bytes/s": (1.0, "B/s"),
    "bytes": (1.0, "B"),
}
NO_UNIT = ("", "1", "ratio", "yes/no")  # units of a table that are not said


def number(value: float | None) -> str:
    """A number without unit: 0.457, 12.5, 6,712, 278 M; a missing one is a dash."""
    return " ".join(part for part in _parts(value, "1") if part)


def ratio(value: float) -> str:
    """Three digits, or as many as tell the ratio from 1: "1" would contradict an interval that excludes 1."""
    if math.isfinite(value) and float(f"{value:.3g}") == 1 != value:
        return next((told for digits in range(4, 7) if float(told := f"{value:.{digits}g}") != 1), "1")
    return number(value)


def about(value: float, unit: str = "1") -> str:
    """A value in two digits, for a sentence that is read aloud: 3.1, 12, 1,200, 34 ns."""
    return quantity(float(f"{value:.2g}") if value is not None and math.isfinite(value) else value, unit)


def exact(value: float) -> str:
    """A threshold as it was fixed, not rounded: 1.004, 10,000, 0.00001."""
    return f"{Decimal(str(value)):,f}".removesuffix(".0")


def place(value: object) -> str:
    """A value that names a place (2 threads, a placement) as it was asked for, not rounded: 2 for 2.0."""
    return _positional(value) if isinstance(value, float) else str(value)


def places(axes: Mapping[str, object]) -> str:
    """`threads 2, outside 300`"""
    return ", ".join(f"{name.replace('_', ' ')} {place(value)}" for name, value in axes.items())


def counted(count: int, noun: str) -> str:
    """`1 thread`, `2 threads`, `1,024 threads`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def quantity(value: float | None, unit: str, power: int | None = None) -> str:
    """A value in a unit of our tables: `18.5 M ops/s`, `240 ns`, `1.2 GB/s`, `12 cycles`, `yes`; what is missing or
    has no bound has no unit either. power: the power of ten to say it in (`scale`); None: its own."""
    return " ".join(part for part in _parts(value, unit, power) if part)


def interval(
    estimate: float | None,
    low: float | None,
    high: float | None,
    unit: str = "1",
    level: float = LEVEL,
    power: int | None = None,
) -> str:
    """`1.85 [1.8, 1.9] µs`, all in the prefix of the estimate or of `power`; `1.1 ms [2 ns, 1.2 s]` where that would
    take too many digits; the estimate alone without an interval.

    A level below 95 % stands in the brackets: `1.85 [1.8, 1.9; 87.5 %] µs`.
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high) or (unit == "yes/no" and low == high):
        return quantity(estimate, unit, power)
    numbers = (estimate, low, high)
    sizes = _sizes(numbers)
    if power is None and sizes:
        own = _power(estimate if _sizes([estimate]) else sizes[-1], unit)
        power = own if _fits(sizes, unit, own) else None
    (said, of), (least, of_least), (most, of_most) = (_parts(value, unit, power) for value in numbers)
    units = {one for digits, one in ((said, of), (least, of_least), (most, of_most)) if digits not in NO_NUMBER}
    if len(units) <= 1:
        return f"{said} [{least}, {most}{shortfall(level)}] {''.join(units)}".rstrip()
    return f"{said} {of} [{least} {of_least}, {most} {of_most}{shortfall(level)}]"


def estimated(row: Mapping[str, Any], power: int | None = None) -> str:
    """`interval` of a row of a table, which has the columns estimate, low, high, unit and level."""
    return interval(row["estimate"], row["low"], row["high"], row["unit"], row["level"], power)


def scale(values: Iterable[float | None], unit: str) -> int | None:
    """The power of ten in which all values are said where one reads them together: that of the middle one, or else of
    the greatest, or a lower one that leaves the least three digits; None where they are too far apart for any."""
    sizes = _sizes(values)
    if not sizes:
        return None
    middle = _power(sizes[len(sizes) // 2], unit)
    powers = (middle, *range(_power(sizes[-1], unit), _power(sizes[0], unit) - 1, -3))
    return next((power for power in powers if _fits(sizes, unit, power)), None)


def shortfall(level: float) -> str:
    """What the brackets of an interval add when its level (1 = 100 %) is below 95 %: `; 93.75 %`."""
    return f"; {percent(level)}" if level < LEVEL - 1e-9 else ""


def percent(level: float) -> str:
    """A level (1 = 100 %) with the digits that few trials need: 95 %, 87.5 %, 93.75 %."""
    return f"{100 * level:.4g} %"


def short(value: float, unit: str, most: float) -> str:
    """A value for a cell of a table whose greatest is `most`: in that one's prefix, without the unit."""
    factor, _ = SYMBOLS.get(unit, (1.0, ""))
    return _digits(value * factor / 10 ** exponent(most, unit))


def is_time(unit: str) -> bool:
    return SYMBOLS.get(unit, (1, ""))[1] == "s"


def exponent(value: float, unit: str) -> int:
    """The power of ten, of those in PREFIXES, in which a value is said."""
    factor, symbol = SYMBOLS.get(unit, (1.0, ""))
    # A time is never said in a smaller unit than its table's: 0.4 ns, not 400 ps.
    least = round(math.log10(factor)) if is_time(unit) else -12
    if not value or not math.isfinite(value):
        return least if is_time(unit) else 0
    if not symbol and abs(value) < 1e4:
        return 0  # a quarter of a cycle and 5,000 invocations are said as they are
    # What three digits round up to the next power is said in it: 999.96 ns is 1 µs.
    power = 3 * math.floor(math.log10(abs(value * factor) / ROUNDS_UP) / 3)
    return min(max(power, least), 12)


def _sizes(values: Iterable[float | None]) -> list[float]:
    """How far from zero the values are that have a size, the least first."""
    return sorted(abs(one) for one in values if one is not None and math.isfinite(one) and one)


def _power(value: float, unit: str) -> int:
    """The power of ten in which a value is said alone; the abbreviations are M and G."""
    if unit in SYMBOLS:
        return exponent(value, unit)
    return next((power for power in (9, 6) if abs(value) >= 10**power * ROUNDS_UP), 0)


def _fits(sizes: Sequence[float], unit: str, power: int) -> bool:
    """Whether sizes, the least first, can be said in a power of ten with few digits; one that is not used fits none."""
    if unit not in SYMBOLS and power not in ABBREVIATIONS:
        return False
    digits = SYMBOLS.get(unit, (1.0, ""))[0] / 10**power
    own = _power(sizes[0], unit) == power, _power(sizes[-1], unit) == power
    return (own[0] or sizes[0] * digits >= LEAST) and (own[1] or sizes[-1] * digits < MOST)


def _parts(value: float | None, unit: str, power: int | None = None) -> tuple[str, str]:
    """Digits, and what stands behind them: prefix or abbreviation, and unit."""
    name = "" if unit in NO_UNIT else unit
    if value is None or math.isnan(value):
        return UNKNOWN, ""
    if math.isinf(value):
        return UNBOUNDED, ""
    if unit == "yes/no" and value in (0, 1):
        return "yes" if value else "no", ""
    if unit == "ratio" and float(f"{value:.3g}") == 1:
        return ratio(value), ""
    power = _power(value, unit) if power is None else power
    factor, symbol = SYMBOLS.get(unit, (1.0, ""))
    behind = f"{PREFIXES[power]}{symbol}" if symbol else f"{ABBREVIATIONS[power]} {name}".strip()
    return _digits(value * factor / 10**power), behind


def _digits(value: float) -> str:
    if abs(value) >= 1000 * ROUNDS_UP:
        return f"{value:,.0f}"
    return _positional(float(f"{value:.3g}"))


def _positional(value: float) -> str:
    """The fewest digits that tell a number, without exponent: what numpy has a function for, which takes a fifth of a
    second to load and would be all that `lab --help` loads it for."""
    if not math.isfinite(value):
        return str(float(value))
    digits = f"{Decimal(repr(float(value))):f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
