"""How a number is said: on pages, in figures, tables and sentences there is no other place that rounds one.

Three significant digits, thousands grouped, no exponent. A unit that has a symbol takes prefixes (`1.85 µs`,
`1.2 GB/s`); beside any other, millions and billions are abbreviated (`278 M ops/s`, `6,712 cycles`). Axes have
notations of their own, for there a prefix is shared by all ticks (`pipeline.draw.units`).
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

LEVEL = 0.95  # of an interval that says none
NO_NUMBER = UNKNOWN, UNBOUNDED = "–", "unbounded"
ROUNDS_UP = 0.9995  # of a bound: three digits of what lies above are the bound's
PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
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
    return np.format_float_positional(value, trim="-") if isinstance(value, float) else str(value)


def counted(count: int, noun: str) -> str:
    """`1 thread`, `2 threads`, `1,024 threads`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def quantity(value: float | None, unit: str) -> str:
    """A value in a unit of our tables: `18.5 M ops/s`, `240 ns`, `1.2 GB/s`, `12 cycles`, `yes`; what is missing or
    has no bound has no unit either."""
    return " ".join(part for part in _parts(value, unit) if part)


def interval(
    estimate: float | None, low: float | None, high: float | None, unit: str = "1", level: float = LEVEL
) -> str:
    """`1.85 [1.8, 1.9] µs`, `1.1 ms [900 µs, 1.2 ms]` where units differ; the estimate alone without an interval.

    A level below 95 % stands in the brackets: `1.85 [1.8, 1.9; 87.5 %] µs`.
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high) or (unit == "yes/no" and low == high):
        return quantity(estimate, unit)
    (said, of), (least, of_least), (most, of_most) = (_parts(value, unit) for value in (estimate, low, high))
    units = {one for digits, one in ((said, of), (least, of_least), (most, of_most)) if digits not in NO_NUMBER}
    if len(units) <= 1:
        return f"{said} [{least}, {most}{shortfall(level)}] {''.join(units)}".rstrip()
    return f"{quantity(estimate, unit)} [{quantity(low, unit)}, {quantity(high, unit)}{shortfall(level)}]"


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


def _parts(value: float | None, unit: str) -> tuple[str, str]:
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
    if unit in SYMBOLS:
        power, (factor, symbol) = exponent(value, unit), SYMBOLS[unit]
        return _digits(value * factor / 10**power), f"{PREFIXES[power]}{symbol}"
    for least, letter in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= least * ROUNDS_UP:
            return _digits(value / least), f"{letter} {name}".rstrip()
    return _digits(value), name


def _digits(value: float) -> str:
    if abs(value) >= 1000 * ROUNDS_UP:
        return f"{value:,.0f}"
    return np.format_float_positional(float(f"{value:.3g}"), trim="-")
