"""What a profile of an entry says: how much is measured, and of what at which values of the axes."""

from __future__ import annotations

from pydantic import Field, model_validator

from pipeline.catalogue import placement
from pipeline.catalogue.document import Strict
from pipeline.catalogue.selectors import Scalar

PROFILES = ("smoke", "quick", "full")


class Sweep(Strict):
    """Variants times the values of every axis they are swept over; `parameters` hold in this sweep only.

    With fewer CPUs than `needs_cpus` the sweep is left out, and the plan says so.
    """

    variants: list[str]
    axes: dict[str, list[Scalar]] = {}
    parameters: dict[str, Scalar] = {}
    needs_cpus: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def placements(self) -> Sweep:
        for word in self.axes.get(placement.AXIS, []):
            if not placement.known(word):
                raise ValueError(f"placement {word!r} is not {placement.ACCEPTED}")
        return self


class Profile(Strict):
    """Sizes of one profile. `budget_s` is the wall time this experiment may measure for."""

    min_blocks: int = Field(ge=1)
    max_blocks: int = Field(ge=1)
    budget_s: float = Field(gt=0)
    parameters: dict[str, Scalar] = {}
    sweeps: list[Sweep]

    @model_validator(mode="after")
    def blocks(self) -> Profile:
        if self.min_blocks > self.max_blocks:
            raise ValueError(f"min_blocks {self.min_blocks} is more than max_blocks {self.max_blocks}")
        return self
