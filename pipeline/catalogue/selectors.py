"""Words of an entry that stand for something of a host: runtimes (`jdk>=22`) and numbers of CPUs (`2*cpus`). Those that
stand for several values are of `pipeline.catalogue.thread_counts`. And the words by which a command line chooses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Union

from pipeline.ground.errors import LabError

Scalar = Union[int, float, str, bool]
NATIVE = ("c", "fio")  # harnesses that are a runtime of their own
RELATIVE = re.compile(r"^(?:([1-9]\d*)\*)?cpus(?:/([1-9]\d*))?(?:<=([1-9]\d*))?$")
SELECTOR = re.compile(r"^(c|fio|jdk|jdk(>=|<)?\d+)$")
SELECTORS = "c, fio, jdk, jdk17, jdk>=22 or jdk<18"


def matches(selector: str, runtime: str) -> bool:
    """Whether a runtime (`c`, `fio`, `jdk17`, `jdk25-2`) satisfies a selector (these, `jdk`, `jdk>=22`, `jdk<18`)."""
    if selector in NATIVE or runtime in NATIVE:
        return selector == runtime
    if selector == "jdk":
        return True
    feature = int(re.match(r"jdk(\d+)", runtime)[1])
    operator, number = re.match(r"jdk(>=|<)?(\d+)", selector).groups()
    number = int(number)
    return {None: feature == number, ">=": feature >= number, "<": feature < number}[operator]


def words(selector: str) -> str:
    """A selector as it is said: `JDK`, `JDK below 18`, `JDK from 22 on`; anything else as it is."""
    told = re.fullmatch(r"jdk(?:(>=|<)(\d+))?", selector)
    if not told:
        return selector
    return "JDK" if not told[1] else f"JDK below {told[2]}" if told[1] == "<" else f"JDK from {told[2]} on"


def runtime_label(runtime: str) -> str:
    """`jdk17` -> JDK 17, `jdk25-2` -> JDK 25 (2), `c` -> C, a selector -> its words; anything else as it is."""
    if runtime == "c":
        return "C"
    if match := re.fullmatch(r"jdk(\d+)(?:-(\d+))?", runtime):
        return f"JDK {match[1]}" + (f" ({match[2]})" if match[2] else "")
    return words(runtime)


def flags_on(flags: Mapping[str, Sequence[str]], runtime: str) -> list[str]:
    """Those of the flags, by selector, that a runtime gets."""
    return [flag for selector, every in flags.items() if matches(selector, runtime) for flag in every]


def absolute(value: Scalar, cpus: int | None) -> Scalar:
    """A value of an axis, where `cpus`, `<n>*cpus` and `cpus/<n>` stand for (a multiple or part of) a host's number of
    CPUs, 1 at least; `cpus/2<=16`: and 16 at most.

    LabError when the value is relative and `cpus` is not known.
    """
    if not isinstance(value, str) or not (relative := RELATIVE.match(value)):
        return value
    if cpus is None:
        raise LabError(f"the value {value!r} is relative to the CPUs of a host, and none is given")
    wanted = max(int(relative[1] or 1) * cpus // int(relative[2] or 1), 1)
    return min(wanted, int(relative[3] or wanted))


def assignments(words: Iterable[str], known: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(name, text) of `NAME=VALUE[,VALUE]` words; LabError for one of another form, or with another name."""
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or name not in known:
            raise LabError(f"{word!r} is not NAME=VALUE with NAME one of: {', '.join(known)}")
        yield name, text
