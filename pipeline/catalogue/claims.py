"""Claims of the posts as rules: what kind of effect a claim is about, and in which regions of it the claim holds.

Each kind is a type of its own, so that a wrong field is an error of the catalogue when it is loaded, not of an analysis
an hour later. What a kind means is said here, once; `claims_page` makes docs/claims.md of these words.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from pipeline.catalogue.document import Strict
from pipeline.catalogue.selectors import SELECTOR, SELECTORS, Scalar

# A mapping of metric, variant, runtime and axes to values; it selects one configuration.
Selection = dict[str, Scalar | None]


class Region(Strict):
    """A region of an effect's number. The whole interval must lie inside; a wider one decides nothing."""

    low: int | float | None = Field(default=None, description="at least, the bound included")
    high: int | float | None = Field(default=None, description="at most, the bound included")
    above: int | float | None = Field(default=None, description="above, the bound excluded")
    below: int | float | None = Field(default=None, description="below, the bound excluded")

    @model_validator(mode="after")
    def bounded(self) -> Region:
        if all(bound is None for bound in (self.low, self.high, self.above, self.below)):
            raise ValueError("a region needs a bound: low, high, above or below")
        return self


def _shape(rule: Any) -> str:
    """Which of a rule's shapes is meant, so that an error is about that one."""
    return "regions" if isinstance(rule, list) else "region"


One = Annotated[Region, Tag("region")]
OneOfSeveral = Annotated[list[Region], Field(min_length=1), Tag("regions")]
Rule = Annotated[One | OneOfSeveral, Discriminator(_shape)]
Word = Annotated[Literal["outside", "never"], Tag("word")]
RuleOrWord = Annotated[
    One | OneOfSeveral | Word, Discriminator(lambda rule: "word" if isinstance(rule, str) else _shape(rule))
]


class Judged(Strict, ABC):
    """What every kind of effect has: words, and the regions that decide."""

    label: str | None = Field(default=None, description="what the number is, in words")
    published: str | int | float | None = Field(default=None, description="the published number")
    reproduced: Rule = Field(description="region, or list of regions of which one must hold")
    not_reproduced: RuleOrWord = Field(
        default="outside",
        description="region, or list of them; outside: the whole interval lies outside that of `reproduced`; never: a "
        "control that cannot refute",
    )
    needs_cpus: int | None = Field(
        default=None, ge=1, description="CPUs below which this effect decides nothing; default: the claim's"
    )
    met_with_fewer: bool = Field(
        default=False, description="fewer CPUs that meet the rule have met it, for more of them can only help"
    )
    metric: str | None = Field(default=None, description="completes every selection")
    where: Selection = Field(default={}, description="completes every selection")

    def selection(self, part: Mapping[str, Any]) -> Selection:
        """A part of the effect as a whole selection."""
        return ({} if self.metric is None else {"metric": self.metric}) | self.where | dict(part)

    @abstractmethod
    def selections(self) -> list[Selection]:
        """The whole selections that the effect is computed from."""


class Level(Judged):
    """The metric."""

    kind: Literal["level"]
    of: Selection

    def selections(self) -> list[Selection]:
        return [self.selection(self.of)]


class _OfTo(Judged):
    of: Selection
    to: Selection

    def selections(self) -> list[Selection]:
        return [self.selection(self.of), self.selection(self.to)]


class Ratio(_OfTo):
    """`of` over `to`: the median of the ratios of the same block."""

    kind: Literal["ratio"]


class Difference(_OfTo):
    """`of` minus `to`, likewise."""

    kind: Literal["difference"]


class Slope(Judged):
    """The least-squares slope of the metric by the axis `by`, over at least 3 values of it: the median of the blocks'
    own slopes."""

    kind: Literal["slope"]
    of: Selection
    by: str

    def selections(self) -> list[Selection]:
        return [self.selection(self.of)]


class _Over(Judged):
    over: list[Selection] = Field(min_length=2)

    def selections(self) -> list[Selection]:
        return [self.selection(part) for part in self.over]


class Spread(_Over):
    """The largest of the ratios of any of `over` to any other. For all to be the same is to have this interval, which
    covers every pair's, near 1."""

    kind: Literal["spread"]


class Steps(_Over):
    """How many in `over`, in order, are below the one before: a step down is a ratio whose whole interval lies below
    1 - `margin`; one wholly above that is none; the interval of the count has those between at its upper end only."""

    kind: Literal["steps"]
    margin: float = Field(default=0.05, gt=0, lt=1)


class Jump(_Over):
    """The largest of the ratios of one in `over` to the one before."""

    kind: Literal["jump"]


class Growth(_OfTo):
    """The least factor by which `of` over `to` grows from one item of `over` to the next."""

    kind: Literal["growth"]
    over: list[Selection] = Field(min_length=2)

    def selections(self) -> list[Selection]:
        return [self.selection(side | part) for part in self.over for side in (self.of, self.to)]


class Rank(Judged):
    """`subject` compared with the nearest rival, above 1 when it is better; `against` says whether the best rival
    counts or the worst. Several items of `over`: the geometric mean of their ratios. The names of subject and rivals
    replace {} in an item's variant ({} when it has none)."""

    kind: Literal["rank"]
    subject: str
    rivals: list[str] = Field(min_length=1)
    against: Literal["best", "worst"]
    over: list[Selection] = Field(min_length=1)

    def selections(self) -> list[Selection]:
        return [one for part in self.over for one in self.of_item(part)]

    def of_item(self, part: Mapping[str, Any]) -> list[Selection]:
        """The selections of the subject and of its rivals for one item of `over`."""
        chosen = self.selection(part)
        template = str(chosen.get("variant", "{}"))
        return [chosen | {"variant": template.replace("{}", name)} for name in (self.subject, *self.rivals)]


class Fact(Judged):
    """1 when the runtime's fact `name` has the value `equals` in every trial, 0 when in none."""

    kind: Literal["fact"]
    of: Selection
    name: str
    equals: str

    @field_validator("equals", mode="before")
    @classmethod
    def as_the_runtime_says_it(cls, value: Any) -> Any:
        return str(value).lower() if isinstance(value, (bool, int)) else value

    def selections(self) -> list[Selection]:
        return [self.selection(self.of)]


class AnyOf(Strict):
    """One of `effects` must be reproduced, and all must fail to fail it; what a runtime or the host refuses to run does
    not count."""

    kind: Literal["any"]
    effects: list[Effect] = Field(min_length=1)


Effect = Annotated[
    Level | Ratio | Difference | Slope | Spread | Steps | Jump | Growth | Rank | Fact | AnyOf,
    Field(discriminator="kind"),
]
KINDS = get_args(get_args(Effect)[0])


class Claim(Strict):
    """A published claim of `data/published/claims.csv` as a rule; a list of effects is a conjunction."""

    effects: list[Effect]
    controls: list[Effect] = Field(
        default=[], description="what must hold for the host to be asked: where one does not, nothing is decided"
    )
    needs_cpus: int = Field(default=1, ge=1, description="of every effect that names no number of its own")
    runtimes: list[str] = Field(default=[], description="one verdict per runtime that matches; empty: one verdict")
    note: str = Field(default="", description="why a threshold differs from the published rule, or a known caveat")

    @field_validator("runtimes")
    @classmethod
    def selectors(cls, runtimes: list[str]) -> list[str]:
        for selector in runtimes:
            if not SELECTOR.match(selector):
                raise ValueError(f"runtime selector {selector!r} is not {SELECTORS}")
        return runtimes


AnyOf.model_rebuild()
Claim.model_rebuild()
