"""What a profile of an entry says: how much is measured, and of what at which values of the axes."""

from __future__ import annotations

from pipeline.catalogue import placement
from pipeline.catalogue.declared import Declared, declared, told
from pipeline.catalogue.selectors import Scalar

PROFILES = ("smoke", "quick", "full")


@declared
class Sweep(Declared):
    """Variants times the values of every axis they are swept over; `parameters` hold in this sweep only.

    With fewer CPUs than `needs_cpus` the sweep is left out, and the plan says so.
    """

    variants: list[str]
    axes: dict[str, list[Scalar]] = told(default={})
    parameters: dict[str, Scalar] = told(default={})
    needs_cpus: int = told(default=1, ge=1)

    def __post_init__(self) -> None:
        for word in self.axes.get(placement.AXIS, []):
            if not placement.known(word):
                raise ValueError(f"placement {word!r} is not {placement.ACCEPTED}")


@declared
class Profile(Declared):
    """Sizes of one profile. `budget_s` is the wall time this experiment may measure for."""

    min_blocks: int = told(ge=1)
    max_blocks: int = told(ge=1)
    budget_s: float = told(gt=0)
    parameters: dict[str, Scalar] = told(default={})
    sweeps: list[Sweep]

    def __post_init__(self) -> None:
        if self.min_blocks > self.max_blocks:
            raise ValueError(f"min_blocks {self.min_blocks} is more than max_blocks {self.max_blocks}")
