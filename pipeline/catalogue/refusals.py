"""What a catalogue entry declares of numbers that are measured and all the same not told: because of which other number
of the same trial, and in which ratios only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from pipeline.catalogue.claim_problems import Problem
from pipeline.catalogue.declared import Declared, declared, told
from pipeline.catalogue.metric import Metric


@declared
class Twin(Declared):
    """The trials of another variant on the same runtime, whose median of a metric bounds what is told here."""

    variant: str
    metric: str


@declared
class Refusal(Declared):
    """A trial whose `metric` is above a number tells nothing of other metrics, and `why`."""

    metrics: list[str] = told("globs of the metrics that are not told", min_length=1)
    metric: str = told("the metric of the same trial that decides")
    above: float
    why: str = told("the end of a sentence: 'not shown because ...'")
    variants: list[str] = told("globs of the variants that the rule is about", default=["*"])
    over: Twin | None = told("what the metric is divided by; where it was not measured, none is refused", default=None)
    ratios: bool = told("the numbers stay, and no ratio or difference is made of them", default=False)
    outcome: bool = told(
        "the number itself decides: a configuration's trials are refused together, where half of "
        "them are above, or not at all; without those above the slow ones would be shown",
        default=False,
    )

    def refuses(self, metric: str) -> bool:
        return any(fnmatchcase(metric, glob) for glob in self.metrics)


def problems(refusals: list[Refusal], metrics: Mapping[str, Metric], variants: Mapping) -> Iterator[Problem]:
    """What names something that the entry does not have, with its place."""
    for at, rule in enumerate(refusals):
        where = ("refusals", at)
        named = [rule.metric, *([rule.over.metric] if rule.over else [])]
        for name in named:
            if name not in metrics:
                yield (*where, "metric"), f"unknown metric {name!r}"
            elif not rule.ratios and any(other.refuses(name) for other in refusals if not other.ratios):
                yield (
                    (*where, "metric"),
                    f"{name!r} is itself refused, so that nobody could see what refuses the others",
                )
        for glob in rule.metrics:
            if not any(fnmatchcase(name, glob) for name in metrics):
                yield (*where, "metrics"), f"{glob!r} is no metric"
        for glob in [*rule.variants, *([rule.over.variant] if rule.over else [])]:
            if not any(fnmatchcase(name, glob) for name in variants):
                yield (*where, "variants"), f"{glob!r} is no variant"
