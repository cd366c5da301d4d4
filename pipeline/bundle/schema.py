"""Schemas of what is read from JSON: which keys a mapping has, and of which type and in which range their values are.

A check takes a value and gives None, or the place of the first fault in it and what is wrong. Keys that a check does
not name are kept: a later version may add some.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Optional

Fault = Optional[tuple[tuple, str]]  # where (keys and positions), and what
Check = Callable[[Any], Fault]
HUGE = 1 << 63  # what no table holds


class May:
    """Of a key that may be missing."""

    def __init__(self, check: Check) -> None:
        self.check = check


def text(value: Any) -> Fault:
    return None if type(value) is str else ((), "Input should be a valid string")


def truth(value: Any) -> Fault:
    return None if type(value) is bool else ((), "Input should be a valid boolean")


def scalar(value: Any) -> Fault:
    if type(value) in (int, float):
        return _number(value)
    return None if value is None or type(value) in (str, bool) else ((), "Input should be a text, a number or null")


def anything(value: Any) -> Fault:
    return None


def _number(value: Any) -> Fault:
    if type(value) is float or (type(value) is int and -HUGE <= value < HUGE):
        return None
    return (), "Input should be a valid number"


def number(
    above: float | None = None, least: float | None = None, below: float | None = None, finite: bool = False
) -> Check:
    """A number, whole or not; without bounds and `finite` also one that is none."""
    bounded = not (above is least is below is None)

    def check(value: Any) -> Fault:
        if fault := _number(value):
            return fault
        if finite and not math.isfinite(value):
            return (), "Input should be a finite number"
        return _bounds(value, above, least, below) if bounded else None

    return check


def whole(least: float | None = None) -> Check:
    """A whole number."""

    def check(value: Any) -> Fault:
        if type(value) is not int or _number(value):
            return (), "Input should be a valid integer"
        return None if least is None else _bounds(value, None, least, None)

    return check


def _bounds(value: float, above: float | None, least: float | None, below: float | None) -> Fault:
    if above is not None and not value > above:
        return (), f"Input should be greater than {above}"
    if least is not None and not value >= least:
        return (), f"Input should be greater than or equal to {least}"
    if below is not None and not value < below:
        return (), f"Input should be less than {below}"
    return None


def one_of(*words: str) -> Check:
    *first, last = map(repr, words)
    wanted = f"Input should be {', '.join(first)} or {last}" if first else f"Input should be {last}"
    return lambda value: None if type(value) is str and value in words else ((), wanted)


def or_none(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def several(check: Check, count: int | None = None) -> Check:
    """A list, of so many where that is told."""

    def every(value: Any) -> Fault:
        if type(value) is not list:
            return (), "Input should be a valid list"
        if count is not None and len(value) != count:
            return (), f"List should have {count} items"
        for at, one in enumerate(value):
            if fault := check(one):
                return (at, *fault[0]), fault[1]
        return None

    return every


def by_name(check: Check) -> Check:
    """A mapping of any names."""

    def every(value: Any) -> Fault:
        if type(value) is not dict:
            return (), "Input should be a valid dictionary"
        for name, one in value.items():
            if fault := check(one):
                return (name, *fault[0]), fault[1]
        return None

    return every


def mapping(keys: Mapping[str, Check | May]) -> Check:
    """A mapping with these keys."""
    each = [(name, of.check, False) if isinstance(of, May) else (name, of, True) for name, of in keys.items()]

    def check(value: Any) -> Fault:
        if type(value) is not dict:
            return (), "Input should be a valid dictionary"
        for name, of, needed in each:
            if name in value:
                if fault := of(value[name]):
                    return (name, *fault[0]), fault[1]
            elif needed:
                return (name,), "Field required"
        return None

    return check
