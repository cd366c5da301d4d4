"""Overrides: what of a profile somebody has measured in place of all of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.placement import ACCEPTED, AXIS, known
from pipeline.catalogue.selectors import Scalar, assignments
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime


@dataclass(frozen=True)
class Overrides:
    """What a notebook's or a command's parameters change: variants kept, values of axes, harness parameters."""

    variants: tuple[str, ...] = ()
    runtimes: tuple[str, ...] = ()
    axes: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    parameters: Mapping[str, Scalar] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Experiment, where: Iterable[str]) -> Overrides:
        """Of `NAME=VALUE[,VALUE]` words, NAME variant, runtime or an axis; a name that comes again adds its values.

        LabError for other words and names; what values there may be is for `check` to say.
        """
        chosen: dict[str, dict[Scalar, None]] = {}
        for name, text in assignments(where, ["variant", "runtime", *entry.axes]):
            whole = name == AXIS and known(text)  # CPUs: 0,1
            for value in [text] if whole else text.split(","):
                number = entry.axes.get(name) == "int" and value.isascii() and value.isdigit()
                chosen.setdefault(name, {})[int(value) if number else value] = None
        axes = {name: tuple(values) for name, values in chosen.items() if name in entry.axes}
        return cls(tuple(chosen.get("variant", ())), tuple(chosen.get("runtime", ())), axes)

    def to_dict(self) -> dict:
        return {
            "variants": list(self.variants),
            "runtimes": list(self.runtimes),
            "axes": {name: list(values) for name, values in self.axes.items()},
            "parameters": dict(self.parameters),
        }

    def check(self, entry: Experiment, available: Mapping[str, Runtime]) -> None:
        """LabError for a variant, runtime, axis or value of one that the experiment does not have."""

        def among(what: str, names: Iterable[str], accepted: Iterable[str]) -> None:
            for name in names:
                if name not in accepted:
                    raise LabError(f"{entry.name}: unknown {what} {name!r}; use one of: {', '.join(accepted)}")

        among("variant", self.variants, entry.variants)
        among("runtime", self.runtimes, available)
        among("axis", self.axes, entry.axes)
        for axis, values in self.axes.items():
            wanted = int if entry.axes[axis] == "int" else str
            if not values:
                raise LabError(f"{entry.name}: axis {axis} has no value; give at least one")
            for value in values:
                if not isinstance(value, wanted) or isinstance(value, bool):
                    raise LabError(f"{entry.name}: axis {axis}: {value!r} is not of type {entry.axes[axis]}")
                if axis == AXIS and not known(value):
                    raise LabError(f"{entry.name}: axis {axis}: {value!r} is not {ACCEPTED}")
