"""Parts of a trial: the processes that run beside a variant's own, which is the main part."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from pipeline.catalogue import placeholders
from pipeline.catalogue.claim_problems import Problem
from pipeline.catalogue.declared import Declared, declared, told
from pipeline.catalogue.placement import AXIS
from pipeline.catalogue.selectors import SELECTOR, SELECTORS, Scalar

NAME = re.compile(r"[a-z][a-z0-9_]*")
LENGTHS = ("warmup", "iterations", "iteration-ms")  # of the whole trial: its parts meet before every iteration


@declared
class Beside(Declared):
    """A process beside the main part, under the same harness contract; a Java one runs on the trial's JDK.

    `parameters` go over the main part's, of which a part that runs another experiment takes the lengths alone.
    """

    harness: Literal["java", "c"]
    runs: str = told("the harness's own variant")
    experiment: str | None = told("the harness's experiment, where it is not the entry's", default=None)
    parameters: dict[str, Scalar] = told(default={})
    flags: dict[str, list[str]] | None = told("JVM flags in place of the variant's", default=None)
    placement: Literal["next", "free"] = told(
        "next: on the CPUs after those of the parts before it; free: not pinned", default="next"
    )

    def __post_init__(self) -> None:
        if self.flags and self.harness != "java":
            raise ValueError("flags are a JVM's; a part of harness c has none")
        for selector in self.flags or ():
            if not SELECTOR.match(selector):
                raise ValueError(f"runtime selector {selector!r} is not {SELECTORS}")
        for name in LENGTHS:
            if name in self.parameters:
                raise ValueError(f"parameter {name!r} is the same for all parts of a trial; give it to the variant")
        if AXIS in self.parameters:
            raise ValueError(f"{AXIS!r} is no parameter of a part; its field {AXIS} is next or free")


def problems(harness: str, beside: Mapping[str, Beside]) -> Iterator[Problem]:
    """What is wrong with the parts beside a variant of this harness."""
    for name, part in beside.items():
        if not NAME.fullmatch(name):
            yield ("beside", name), f"part {name!r}: its name is not a word of small letters, digits and _"
        if harness == "fio":
            yield ("beside", name), "a variant of harness fio has no parts of its own"
        if part.harness == "java" and harness != "java":
            yield (
                ("beside", name),
                "a part of harness java runs on the trial's JDK, so the variant's harness is java too",
            )


def of_flags(
    flags: Mapping[str, Sequence[str]], beside: Mapping[str, Beside], given: Sequence[tuple[str, Collection[str]]]
) -> Iterator[Problem]:
    """Placeholders without a value in the flags of a variant and of its parts (`placeholders.problems`)."""
    yield from placeholders.problems(flags, given)
    for name, part in beside.items():
        known = [(profile, {*names, *part.parameters}) for profile, names in given]
        for where, what in placeholders.problems(part.flags or {}, known):
            yield ("beside", name, *where), what
