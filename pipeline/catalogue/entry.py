"""What a catalogue entry declares: one experiment, its variants, axes, sizes, metrics and claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from pipeline.catalogue import answers, claim_problems, classes, parts, refusals
from pipeline.catalogue.answers import Answer
from pipeline.catalogue.claim_problems import Problem
from pipeline.catalogue.claims import Claim
from pipeline.catalogue.classes import Class
from pipeline.catalogue.declared import Declared, declared, told
from pipeline.catalogue.metric import Metric
from pipeline.catalogue.parts import Beside
from pipeline.catalogue.profile import PROFILES, Profile, Sweep
from pipeline.catalogue.refusals import Refusal
from pipeline.catalogue.selectors import NATIVE, RELATIVE, SELECTOR, SELECTORS, Scalar, flags_on, matches
from pipeline.catalogue.thread_counts import TO_CPUS

# How long a run sits after its whole blocks (`pipeline.measure.adaptive_sampling`), in minutes.
DECIDE_MINUTES = {"smoke": 0.0, "quick": 5.0, "full": 30.0}
COMMAND = "command"  # the harness of a user's own program, measured here (`pipeline.versus`)
OWN = ("own", COMMAND)  # of runs that bring their entry with them
# Columns that tables have beside the axes.
TAKEN = {"trial", "variant", "runtime", "block", "metric", "unit", "value", "estimate", "low", "high", "level"}
TAKEN |= {"cpus", "apart"}


@declared
class Variant(Declared):
    """One thing compared. `runs` is the harness's own variant; flags are JVM flags by runtime selector, in which
    `{name}` stands for a parameter or axis of the configuration."""

    label: str
    harness: Literal["java", "c", "fio", "own", "command"]
    runs: str
    runtimes: list[str] = told(default=["jdk"])
    flags: dict[str, list[str]] = told(default={})
    parameters: dict[str, Scalar] = told(default={})
    logs: list[Literal["jit", "compilation", "code", "gc", "futex"]] = told(default=[])
    dir: Literal["memory", "disk"] | None = told(
        "where its files lie: `--dir` is a folder on a tmpfs, or the IO folder", default=None
    )
    memory_mb: int | None = told("memory limit of the trial's processes (control group)", default=None)
    beside: dict[str, Beside] = told("the other parts of its trials, by name", default={})
    outside_pauses: str = told(
        "what makes its operations late and is in no pause that the runtime logs, the end of a sentence: "
        "whether those pauses explain how late they are is not asked",
        default="",
    )

    def __post_init__(self) -> None:
        if self.harness in NATIVE and self.runtimes == ["jdk"]:
            object.__setattr__(self, "runtimes", [self.harness])  # it runs on itself
        for selector in [*self.runtimes, *self.flags]:
            if not SELECTOR.match(selector):
                raise ValueError(f"runtime selector {selector!r} is not {SELECTORS}")

    def runs_on(self, runtimes: Iterable[str]) -> list[str]:
        """Those of the runtimes that the variant asks for."""
        return [name for name in runtimes if any(matches(selector, name) for selector in self.runtimes)]

    def flags_on(self, runtime: str) -> list[str]:
        """The variant's JVM flags on a runtime."""
        return flags_on(self.flags, runtime)


@declared
class Headline(Declared):
    """The estimates whose intervals decide when enough blocks were measured."""

    metric: str
    where: dict[str, Any] = told(default={})


@declared
class Source(Declared):
    """A line of a post that the experiment is about."""

    file: str
    line: int


@declared
class Experiment(Declared):
    """One catalogue entry."""

    name: str
    number: int
    title: str
    question: str
    value: str = told("what one histogram value is, in words")
    posts: list[Source]
    axes: dict[str, Literal["int", "str"]]
    parameters: dict[str, Scalar] = told(default={})
    variants: dict[str, Variant]
    profiles: dict[Literal["smoke", "quick", "full"], Profile]
    metrics: dict[str, Metric]
    headlines: list[Headline]
    published: dict[str, dict[str, str]] = told(
        "file of data/published -> published variant name -> our variant", default={}
    )
    answers: dict[str, Answer] = told("the comparisons that the answer on its card rests on", default={})
    claims: dict[str, Claim] = told("from catalogue/claims/<experiment>.yaml", default={})
    threads_by: dict[str, Literal["count"] | dict[str, int]] = told(
        "axes or parameters that give the threads in place of `threads`: each counts them, or says how many each of "
        "its values has; of several the sum",
        default={},
    )
    classes: dict[Class, list[dict[str, Any]]] = told(
        "what numbers are made of, each class by selections of metrics, variants and axes", default={}
    )
    steady_by: list[str] = told(
        "two metrics of a trial, before and after: where they differ by more it is unsteady", default=[]
    )
    refusals: list[Refusal] = told("numbers that are measured and not told, and why", default=[])
    archived_without: list[str] = told(
        "globs of phase/series, or trial/phase/series, whose histograms an archived run is without", default=[]
    )
    compiles: Literal["caller", "background"] = told(
        "where a JVM compiles: in whoever calls a method, or by threads of its own while others work", default="caller"
    )
    needs_disk: bool = told("as if every variant said `dir: disk`", default=False)
    notebook: str = told("below notebooks/, where it is not called by number and name", default="")
    instrument: bool = told("measures the measuring itself: every other page links to it", default=False)

    @property
    def imported(self) -> bool:
        """Whether its numbers are of somebody's own programs or files: blocks or sessions are what is repeated."""
        return any(variant.harness in OWN for variant in self.variants.values())

    @property
    def measured_elsewhere(self) -> bool:
        """Whether its numbers come from files alone: nothing is known of the host but what the user says."""
        return self.imported and not any(variant.harness == COMMAND for variant in self.variants.values())

    def with_all_of(self, other: Experiment) -> Experiment:
        """The entry with the variants, axes and metrics that it lacks and another has."""
        both = {name: {**getattr(other, name), **getattr(self, name)} for name in ("variants", "axes", "metrics")}
        return replace(self, **both)

    def class_of(self, metric: str, variant: str, axes: Mapping[str, Any]) -> Class:
        """What a number of this experiment is made of (`pipeline.catalogue.classes`)."""
        return classes.of(self.classes, {**axes, "metric": metric, "variant": variant})

    def problems(self) -> Iterator[Problem]:
        """What names something that the entry does not have, with its place; nothing when it is consistent."""
        if missing := set(PROFILES) - set(self.profiles):
            yield ("profiles",), f"profile {sorted(missing)[0]} is missing"
        for name, profile in self.profiles.items():
            for number, sweep in enumerate(profile.sweeps):
                for where, what in self._of_sweep(sweep):
                    yield ("profiles", name, "sweeps", number, *where), what
        for name in TAKEN & set(self.axes):
            yield ("axes", name), f"{name!r} is a column of every table; give the axis another name"
        yield from self._of_metrics()
        yield from self._of_variants()
        for name in self.threads_by:
            if parameter_of(name) not in self.parameters:
                yield ("threads_by", name), f"{name!r} is no parameter of the entry, which would give it a value"
        for number, headline in enumerate(self.headlines):
            if headline.metric not in self.metrics:
                yield ("headlines", number, "metric"), f"headline names the unknown metric {headline.metric!r}"
        yield from classes.problems(self.classes, {"metric": self.metrics, "variant": self.variants}, self.axes)
        yield from refusals.problems(self.refusals, self.metrics, self.variants)
        known = claim_problems.Known(self.metrics, self.variants, self.axes)
        for where, what in answers.problems(self.answers, known):
            yield ("answers", *where), what
        for name, claim in self.claims.items():
            for where, what in claim_problems.problems(claim, known):
                yield ("claims", name, *where), what

    def _of_metrics(self) -> Iterator[Problem]:
        for name, metric in self.metrics.items():
            for number, part in enumerate(metric.of):
                if part not in self.metrics or self.metrics[part].of:
                    yield ("metrics", name, "of", number), f"{part!r} is no metric that is not itself made of others"
            if metric.scale_by is not None and metric.scale_by not in self.axes:
                yield ("metrics", name, "scale_by"), f"{metric.scale_by!r} is not an axis"
        if self.steady_by and len(self.steady_by) != 2:
            yield ("steady_by",), f"names {len(self.steady_by)} metrics; name two, before and after"
        for number, name in enumerate(self.steady_by):
            if name not in self.metrics:
                yield ("steady_by", number), f"unknown metric {name!r}"

    def _of_variants(self) -> Iterator[Problem]:
        for name, variant in self.variants.items():
            given = [
                (profile, {*self.parameters, *sizes.parameters, *variant.parameters, *sweep.parameters, *sweep.axes})
                for profile, sizes in self.profiles.items()
                for sweep in sizes.sweeps
                if name in sweep.variants
            ]
            wrong = parts.problems(variant.harness, variant.beside)
            for where, what in (*wrong, *parts.of_flags(variant.flags, variant.beside, given)):
                yield ("variants", name, *where), what

    def _of_sweep(self, sweep: Sweep) -> Iterator[Problem]:
        for number, variant in enumerate(sweep.variants):
            if variant not in self.variants:
                yield ("variants", number), f"sweep names the unknown variant {variant!r}"
        for axis, values in sweep.axes.items():
            if axis not in self.axes:
                yield ("axes", axis), f"sweep names the unknown axis {axis!r}"
            elif wrong := [value for value in values if not _of_type(value, self.axes[axis])]:
                yield ("axes", axis), f"axis {axis}: {wrong[0]!r} is not of type {self.axes[axis]}"
            elif unknown := [value for value in values if not self._tells_threads(axis, value)]:
                yield ("axes", axis), f"axis {axis}: threads_by does not say how many threads {unknown[0]!r} has"

    def _tells_threads(self, axis: str, value: Scalar) -> bool:
        how = self.threads_by.get(axis, "count")
        return how == "count" or str(value) in how


def _of_type(value: Scalar, kind: str) -> bool:
    """Whether a sweep's value fits its axis; `cpus`, `2*cpus` and `to_cpus` stand for integers."""
    if kind == "str":
        return isinstance(value, str)
    relative = isinstance(value, str) and (RELATIVE.match(value) or TO_CPUS.fullmatch(value))
    return type(value) is int or bool(relative)


def parameter_of(axis: str) -> str:
    """The harness's parameter that an axis sets: `file_size` -> `file-size`."""
    return axis.replace("_", "-")
