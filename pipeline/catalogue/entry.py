"""What a catalogue entry declares: one experiment, its variants, axes, sizes, metrics and claims."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pipeline.catalogue import placement
from pipeline.catalogue.selectors import NATIVE, RELATIVE, SELECTOR, Scalar, matches

PROFILES = ("smoke", "quick", "full")


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Variant(Strict):
    """One thing compared. `runs` is the harness's own variant; flags are JVM flags by runtime selector."""

    label: str
    harness: Literal["java", "c", "fio"]
    runs: str
    runtimes: list[str] = Field(default=["jdk"])
    flags: dict[str, list[str]] = {}
    parameters: dict[str, Scalar] = {}
    logs: list[Literal["jit", "compilation"]] = []
    memory_mb: int | None = Field(default=None, description="memory limit of the trial's process (control group)")

    @model_validator(mode="before")
    @classmethod
    def native_runs_on_itself(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("harness") in NATIVE:
            data = {"runtimes": [data["harness"]], **data}
        return data

    @model_validator(mode="after")
    def selectors(self) -> Variant:
        for selector in [*self.runtimes, *self.flags]:
            if not SELECTOR.match(selector):
                raise ValueError(f"runtime selector {selector!r} is not c, fio, jdk, jdk17, jdk>=22 or jdk<18")
        return self

    def runs_on(self, runtimes: Iterable[str]) -> list[str]:
        """Those of the runtimes that the variant asks for."""
        return [name for name in runtimes if any(matches(selector, name) for selector in self.runtimes)]

    def flags_on(self, runtime: str) -> list[str]:
        """The variant's JVM flags on a runtime."""
        return [flag for selector, flags in self.flags.items() if matches(selector, runtime) for flag in flags]


class Sweep(Strict):
    """Variants times the values of every axis they are swept over."""

    variants: list[str]
    axes: dict[str, list[Scalar]] = {}

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


class Metric(Strict):
    """One number per trial. See `pipeline.analyse.metrics` for what each kind computes."""

    kind: Literal["rate", "cost", "percentile", "mean", "measure", "measure_ratio", "events", "before_event"]
    unit: str
    label: str
    series: str = "*"
    phase: str = "measured"
    estimator: Literal["floor", "quartile", "median", "total"] = "median"
    last: int | None = Field(default=None, description="only the last n iterations of each phase and series")
    percentile: float | None = None
    name: str | None = None
    per: str | None = None
    scale: float = 1.0
    scale_by: str | None = Field(default=None, description="an axis or parameter whose value multiplies the metric")
    where: dict[str, str] = {}
    better: Literal["higher", "lower"] | None = None
    in_cycles: bool = False


class Claim(Strict):
    """A published claim of `data/published/claims.csv` as a rule; a list of effects is a conjunction.

    See `pipeline.analyse.effects` for the kinds of effect and their fields.
    """

    effects: list[dict[str, Any]]
    needs_cpus: int = 1
    runtimes: list[str] = Field(default=[], description="one verdict per runtime that matches; empty: one verdict")
    note: str = Field(default="", description="why a threshold differs from the published rule, or a known caveat")


class Headline(Strict):
    """The estimates whose intervals decide when enough blocks were measured."""

    metric: str
    where: dict[str, Any] = {}


class Source(Strict):
    file: str
    line: int


class Experiment(Strict):
    """One catalogue entry."""

    name: str
    number: int
    title: str
    question: str
    value: str = Field(description="what one histogram value is, in words")
    posts: list[Source]
    axes: dict[str, Literal["int", "str"]]
    parameters: dict[str, Scalar] = {}
    variants: dict[str, Variant]
    profiles: dict[Literal["smoke", "quick", "full"], Profile]
    metrics: dict[str, Metric]
    headlines: list[Headline]
    published: dict[str, dict[str, str]] = Field(
        default={}, description="file of data/published -> published variant name -> our variant"
    )
    claims: dict[str, Claim] = Field(default={}, description="from catalogue/claims/<experiment>.yaml")
    needs_disk: bool = False
    instrument: bool = Field(default=False, description="measures the measuring itself: every other page links to it")

    @model_validator(mode="after")
    def consistent(self) -> Experiment:
        if missing := {"smoke", "quick", "full"} - set(self.profiles):
            raise ValueError(f"profile {sorted(missing)[0]} is missing")
        for profile in self.profiles.values():
            for sweep in profile.sweeps:
                if unknown := [v for v in sweep.variants if v not in self.variants]:
                    raise ValueError(f"sweep names the unknown variant {unknown[0]!r}")
                for axis, values in sweep.axes.items():
                    if axis not in self.axes:
                        raise ValueError(f"sweep names the unknown axis {axis!r}")
                    if wrong := [value for value in values if not _of_type(value, self.axes[axis])]:
                        raise ValueError(f"axis {axis}: {wrong[0]!r} is not of type {self.axes[axis]}")
        for headline in self.headlines:
            if headline.metric not in self.metrics:
                raise ValueError(f"headline names the unknown metric {headline.metric!r}")
        return self


def _of_type(value: Scalar, kind: str) -> bool:
    """Whether a sweep's value fits its axis; `cpus` and `2*cpus` stand for integers."""
    if kind == "str":
        return isinstance(value, str)
    return type(value) is int or (isinstance(value, str) and RELATIVE.match(value) is not None)


def parameter_of(axis: str) -> str:
    """The harness's parameter that an axis sets: `file_size` -> `file-size`."""
    return axis.replace("_", "-")
