"""The catalogue: what is measured, declared in `catalogue/<experiment>.yaml`, one entry per file.

Every other module takes its knowledge of an experiment from here; none of them names one.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pipeline import paths, placement
from pipeline.errors import LabError

Scalar = int | float | str | bool
PROFILES = ("smoke", "quick", "full")
NATIVE = ("c", "fio")  # harnesses that are a runtime of their own
RELATIVE = re.compile(r"^(?:([1-9]\d*)\*)?cpus$")
SELECTOR = re.compile(r"^(c|fio|jdk|jdk(>=|<)?\d+)$")


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


class _UniqueKeys(yaml.SafeLoader):
    """YAML of which the last of two equal keys does not silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} appears twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _mapping(path: Path) -> dict[str, Any]:
    """A file's top-level mapping; LabError names file and line."""
    name = path.name if path.parent == paths.catalogue() else f"{path.parent.name}/{path.name}"
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _UniqueKeys)
    except UnicodeDecodeError:
        raise LabError(f"{name}: not UTF-8 text; save the file as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise LabError(f"{name}{line}: not readable as YAML ({error.problem}); correct that line") from None
    except yaml.YAMLError as error:
        raise LabError(f"{name}: not readable as YAML ({str(error).splitlines()[0]}); correct the file") from None
    if not isinstance(data, dict):
        raise LabError(f"{name}: its top level is no mapping `key: value`; correct the file")
    return data


@cache
def load(folder: Path | None = None) -> dict[str, Experiment]:
    """All entries of the catalogue, by name, in the order of their numbers.

    Raises LabError naming the file and the key when an entry is malformed.
    """
    folder = folder or paths.catalogue()
    entries = []
    for path in sorted(folder.glob("*.yaml")):
        data = _mapping(path)
        claims = folder / "claims" / path.name
        if claims.exists():
            data["claims"] = _mapping(claims)
        try:
            entry = Experiment.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "entry"
            what = first["msg"].removeprefix("Value error, ")
            raise LabError(f"{path.name}: {where}: {what}; correct the catalogue entry") from None
        if entry.name != path.stem:
            raise LabError(f"{path.name}: name is {entry.name!r}; the file must be called {entry.name}.yaml")
        entries.append(entry)
    if not entries:
        raise LabError(f"no catalogue entry (*.yaml) in {folder}; restore the folder or correct LAB_CATALOGUE")
    return {entry.name: entry for entry in sorted(entries, key=lambda e: e.number)}


def experiment(name: str, folder: Path | None = None) -> Experiment:
    """The entry called `name`; LabError lists the known names."""
    entries = load(folder)
    if name not in entries:
        raise LabError(f"unknown experiment {name!r}; the catalogue has: {', '.join(entries)}")
    return entries[name]


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


def absolute(value: Scalar, cpus: int | None) -> Scalar:
    """A value of an axis, where `cpus` and `<n>*cpus` stand for (a multiple of) a host's number of CPUs.

    LabError when the value is relative and `cpus` is not known.
    """
    if not isinstance(value, str) or not (relative := RELATIVE.match(value)):
        return value
    if cpus is None:
        raise LabError(f"the value {value!r} is relative to the CPUs of a host, and none is given")
    return int(relative[1] or 1) * cpus
