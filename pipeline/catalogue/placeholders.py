"""Placeholders in JVM flags: `{threshold}` stands for the parameter or axis `threshold` of the configuration.

As of axes, `_` in the name stands for the parameter's `-`: `{file_size}` is the parameter `file-size`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from pipeline.catalogue.claim_problems import Problem
from pipeline.catalogue.selectors import Scalar
from pipeline.ground.errors import LabError

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def problems(flags: Mapping[str, Sequence[str]], given: Sequence[tuple[str, Collection[str]]]) -> Iterator[Problem]:
    """Placeholders without a value. flags: by runtime selector; given: of every sweep, its profile and the names of
    the parameters and axes that have a value in it."""
    for selector, every in flags.items():
        for number, flag in enumerate(every):
            for name in map(_parameter, PLACEHOLDER.findall(flag)):
                for profile, names in given:
                    if name not in map(_parameter, names):
                        what = f"{flag}: {name!r} is no parameter or axis of its configurations in profile {profile}"
                        yield ("flags", selector, number), what


def filled(flag: str, parameters: Mapping[str, Scalar]) -> str:
    """The flag with the values of a configuration's parameters; LabError when it has none of a placeholder's name."""

    def value(found: re.Match) -> str:
        if parameters.get(_parameter(found[1])) is None:
            raise LabError(f"JVM flag {flag}: {found[0]} has no value here; give the parameter {_parameter(found[1])}")
        return str(parameters[_parameter(found[1])])

    return PLACEHOLDER.sub(value, flag)


def _parameter(name: str) -> str:
    return name.replace("_", "-")
