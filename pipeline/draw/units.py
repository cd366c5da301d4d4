"""Axes with units: SI prefixes at ticks or in the label, logarithmic axes where the data span decades."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from pipeline.words.numbers import PREFIXES, SYMBOLS, exponent, is_time

LOG_DECADES = 1.3
SMALL = 1e-3  # of a unit without prefixes, less is told in powers of ten
TICK_INCHES = 0.55  # room that a tick label needs beside the next one


def spans_decades(values: Iterable[float]) -> bool:
    """Whether positive values span more than 1.3 decades, a factor of 20: a linear axis would hide the small."""
    finite = _finite(values)
    return bool(len(finite) and finite.min() > 0 and finite.max() / finite.min() > 10**LOG_DECADES)


def scale(
    axis: Axis, values: Iterable[float], unit: str, label: str, *, log: bool | None = None, inches: float = 7.0
) -> None:
    """Give an axis its scale, ticks and label for values in `unit`; `log=None` decides by the data's span.

    On a logarithmic axis a value of 0 has no place: where there is one the axis is linear, whatever `log` says.
    A linear axis starts at zero and carries the prefix in its label, a logarithmic one at its ticks. `inches`, the
    length of the axis, limits the number of ticks.
    """
    finite = _finite(values)
    if log is None:
        log = spans_decades(finite)
    log = log and len(finite) > 0 and finite.min() > 0
    side = axis.axis_name
    if log:
        getattr(axis.axes, f"set_{side}scale")("log")
        room = inches / TICK_INCHES
        axis.set_major_locator(LogLocator(subs=_mantissas(finite, room), numticks=max(int(room), 3)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: tick(value, unit)))
        axis.set_label_text(label if is_time(unit) else _with(label, SYMBOLS.get(unit, (1, unit))[1]))
        return
    top = float(np.abs(finite).max()) if len(finite) else 1.0
    power = exponent(top, unit)
    if power == 0 and 0 < top < SMALL:
        power = 3 * math.floor(math.log10(top) / 3)
    factor, symbol = SYMBOLS.get(unit, (1.0, unit))
    axis.set_major_locator(MaxNLocator(nbins=max(min(int(inches / TICK_INCHES), 6), 2), steps=(1, 2, 2.5, 5, 10)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * factor / 10**power:.6g}".replace("-", "−")))
    axis.set_label_text(_with(label, _name(power, unit, symbol)))
    if len(finite) and finite.min() >= 0:
        getattr(axis.axes, f"set_{side}lim")(0, 1.06 * (top or 1.0))


def _mantissas(finite: np.ndarray, room: float) -> tuple[int, ...]:
    """Of the ticks of a logarithmic axis, as many as there is room for; a single tick would tell no scale."""
    low, high = math.log10(finite.min()), math.log10(finite.max())
    for mantissas in ((1, 2, 5), (1, 3)):
        if len(mantissas) * (high - low + 0.3) <= min(room, 8):
            return mantissas
    return (1,) if math.floor(high) > math.ceil(low) else (1, 3)


LONG = 10_000  # a whole number of so many digits takes the room of two ticks
COUNT_INCHES = 0.2  # room that a whole number below 17 needs beside the next one


def powers(values: Iterable[float]) -> bool:
    """Whether an axis of whole numbers such as threads is logarithmic: none is 0, and there are more than 16."""
    return min(values) > 0 and max(values) > 16


def counts(axis: Axis, values: Iterable[float], label: str, inches: float = 7.0) -> bool:
    """An axis of whole numbers such as threads, a tick at each, or at every other one; True when logarithmic.

    Beyond 16 the ticks are at powers of two, beyond eight of those at every other one, or at every fourth where the
    numbers are long.
    """
    distinct = sorted({int(value) for value in values})
    log = powers(distinct)
    if log:
        getattr(axis.axes, f"set_{axis.axis_name}scale")("log", base=2)
        every = range(int(math.log2(distinct[0])), math.ceil(math.log2(distinct[-1])) + 1)
        step = 1 if len(every) <= 8 else 2 if distinct[-1] < LONG else 4
        axis.set_major_locator(FixedLocator([2**power for power in every[::step]]))
    else:
        step = 1 if (distinct[-1] - distinct[0]) * COUNT_INCHES < inches else 2
        axis.set_major_locator(FixedLocator(range(distinct[0], distinct[-1] + 1, step)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axis.set_label_text(label)
    return log


DIGIT_INCHES, APART_INCHES = 0.075, 0.045  # of a tick's label, and what it needs beside the next one


def around(values: Iterable[float]) -> tuple[float, float]:
    """The ends of an axis to base 2 with room for marks at the least and the greatest value."""
    low, high = min(values), max(values)
    margin = 2 ** (0.3 + 0.02 * math.log2(high / low))
    return low / margin, high * margin


def measured(axis: Axis, values: Iterable[float], label: str, ends: tuple[float, float], inches: float = 7.0) -> None:
    """An axis to base 2 between its ends, with a tick at each whole number that was measured.

    Where labels would touch, some ticks have none: those at the ends have theirs first, then the powers of four, the
    other powers of two, numbers half-way between two of these, and the rest.
    """
    places = sorted({int(value) for value in values})
    labelled = _that_fit(places, inches / math.log2(ends[1] / ends[0]))
    side = axis.axis_name
    getattr(axis.axes, f"set_{side}scale")("log", base=2)
    getattr(axis.axes, f"set_{side}lim")(*ends)
    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: str(round(value)) if round(value) in labelled else ""))
    axis.set_label_text(label)


def _that_fit(places: list[int], octave: float) -> set[int]:
    """Of the ticks of an axis to base 2 those with a label; `octave`: inches from a number to its double."""

    def plain(number: int) -> tuple[int, int]:
        odd = number // (number & -number)
        rank = (number.bit_length() + 1) % 2 if odd == 1 else odd  # powers of four, of two, 3 · 2ⁿ, 5 · 2ⁿ ...
        return (-1 if number in (places[0], places[-1]) else rank, number)

    found: set[int] = set()
    for one in sorted(places, key=plain):
        wide = [(DIGIT_INCHES * (len(str(one)) + len(str(other))) / 2 + APART_INCHES, other) for other in found]
        if all(octave * abs(math.log2(one / other)) >= room for room, other in wide):
            found.add(one)
    return found


def sizes(axis: Axis, values: Iterable[float], label: str, inches: float = 7.0) -> None:
    """A logarithmic axis of sizes in bytes with binary prefixes, ticks at powers of two."""
    finite = _finite(values)
    low, high = math.floor(math.log2(finite.min())), math.ceil(math.log2(finite.max()))
    step = max(1, math.ceil((high - low) * TICK_INCHES * 1.2 / inches))
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log", base=2)
    axis.set_major_locator(FixedLocator([2.0**power for power in range(low, high + 1, step)]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: binary(value)))
    axis.set_label_text(label)


def binary(value: float) -> str:
    """512 -> 512 B, 4096 -> 4 KiB."""
    for name in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:g} {name}"
        value /= 1024
    return f"{value:g} GiB"


def tick(value: float, unit: str) -> str:
    """A tick of a logarithmic axis: of a time with its unit (`100 ns`), of anything else the prefix alone (`10 M`)."""
    power, small = exponent(value, unit), unit not in SYMBOLS and 0 < value < SMALL
    if small:
        power = math.floor(math.log10(value))
    factor, symbol = SYMBOLS.get(unit, (1.0, ""))
    digits = f"{value * factor / 10**power:,.6g}"
    if small:
        return f"{digits}·{_ten_to(power)}".removeprefix("1·")
    return f"{digits} {PREFIXES[power]}{symbol if is_time(unit) else ''}".rstrip()


def _ten_to(power: int) -> str:
    """-6 -> 10⁻⁶."""
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _name(power: int, unit: str, symbol: str) -> str:
    if power < 0 and unit not in SYMBOLS:
        return _ten_to(power) + (f" {unit}" if unit != "1" else "")
    if unit == "1":
        return PREFIXES[power]
    return PREFIXES[power] + (symbol if unit in SYMBOLS else f" {unit}" if power else unit)


def _with(label: str, unit: str) -> str:
    return f"{label} ({unit.strip()})" if unit.strip() else label


def _finite(values: Iterable[float]) -> np.ndarray:
    array = np.asarray(list(values), dtype=float)
    return array[np.isfinite(array)]
