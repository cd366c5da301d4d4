"""Claims of the posts as rules: what kind of effect a claim is about, and in which regions of it the claim holds.

Each kind is a type of its own, so that a wrong field is an error of the catalogue when it is loaded, not of an analysis
an hour later. What a kind means is said here, once; `claims_page` makes docs/claims.md of these words.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Optional, Union

from pipeline.catalogue.declared import Declared, Which, declared, told
from pipeline.catalogue.selectors import Scalar

# A mapping of metric, variant, runtime and axes to values; it selects one configuration.
Selection = dict[str, Optional[Scalar]]


@declared
class Region(Declared):
    """A region of an effect's number. The whole interval must lie inside; a wider one decides nothing."""

    low: int | float | None = told("at least, the bound included", default=None)
    high: int | float | None = told("at most, the bound included", default=None)
    above: int | float | None = told("above, the bound excluded", default=None)
    below: int | float | None = told("below, the bound excluded", default=None)

    def __post_init__(self) -> None:
        if not self.bounds:
            raise ValueError("a region needs a bound: low, high, above or below")

    @property
    def bounds(self) -> dict[str, float]:
        """The bounds that it has, by name."""
        every = {"low": self.low, "high": self.high, "above": self.above, "below": self.below}
        return {name: bound for name, bound in every.items() if bound is not None}


def _shape(rule: Any) -> str:
    """Which of a rule's shapes is meant, so that an error is about that one."""
    return "regions" if isinstance(rule, list) else "region"


def _shape_or_word(rule: Any) -> str:
    return "word" if isinstance(rule, str) else _shape(rule)


Rule = Annotated[Union[Region, list[Region]], Which(_shape, ("region", "regions"))]
RuleOrWord = Annotated[
    Union[Region, list[Region], Literal["outside", "never"]], Which(_shape_or_word, ("region", "regions", "word"))
]


@declared
class Judged(Declared, ABC):
    """What every kind of effect has: words, and the regions that decide."""

    label: str | None = told("what the number is, in words", default=None)
    published: str | int | float | None = told("the published number", default=None)
    reproduced: Rule = told("region, or list of regions of which one must hold")
    not_reproduced: RuleOrWord = told(
        "region, or list of them; outside: the whole interval lies outside that of `reproduced`; never: a "
        "control that cannot refute",
        default="outside",
    )
    needs_cpus: int | None = told(
        "CPUs below which this effect decides nothing; default: the claim's", default=None, ge=1
    )
    met_with_fewer: bool = told(
        "fewer CPUs that meet the rule have met it, for more of them can only help", default=False
    )
    metric: str | None = told("completes every selection", default=None)
    where: Selection = told("completes every selection", default={})

    def selection(self, part: Mapping[str, Any]) -> Selection:
        """A part of the effect as a whole selection."""
        return ({} if self.metric is None else {"metric": self.metric}) | self.where | dict(part)

    @abstractmethod
    def selections(self) -> list[Selection]:
        """The whole selections that the effect is computed from."""


@declared
class Level(Judged):
    """The metric."""

    kind: Literal["level"]
    of: Selection

    def selections(self) -> list[Selection]:
        return [self.selection(self.of)]


@declared
class _OfTo(Judged):
    of: Selection
    to: Selection

    def selections(self) -> list[Selection]:
        return [self.selection(self.of), self.selection(self.to)]


@declared
class Ratio(_OfTo):
    """`of` over `to`: the median of the ratios of the same block."""

    kind: Literal["ratio"]


@declared
class Difference(_OfTo):
    """`of` minus `to`, likewise."""

    kind: Literal["difference"]


@declared
class Slope(Judged):
    """The least-squares slope of the metric by the axis `by`, over at least 3 values of it: the median of the blocks'
    own slopes."""

    kind: Literal["slope"]
    of: Selection
    by: str

    def selections(self) -> list[Selection]:
        return [self.selection(self.of)]


@declared
class _Over(Judged):
    over: list[Selection] = told(min_length=2)

    def selections(self) -> list[Selection]:
        return [self.selection(part) for part in self.over]


@declared
class Spread(_Over):
    """The largest of the ratios of any of `over` to any other. For all to be the same is to have this interval, which
    covers every pair's, near 1."""

    kind: Literal["spread"]


@declared
class Steps(_Over):
    """How many in `over`, in order, are below the one before: a step down is a ratio whose whole interval lies below
    1 - `margin`; one wholly above that is none; the interval of the count has those between at its upper end only."""

    kind: Literal["steps"]
    margin: float = told(default=0.05, gt=0, lt=1)


@declared
class Jump(_Over):
    """The largest of the ratios of one in `over` to the one before."""

    kind: Literal["jump"]


@declared
class Growth(_OfTo):
    """The least factor by which `of` over `to` grows from one item of `over` to the next."""

    kind: Literal["growth"]
    over: list[Selection] = told(min_length=2)

    def selections(self) -> list[Selection]:
        return [self.selection(side | part) for part in self.over for side in (self.of, self.to)]


@declared
class Rank(Judged):
    """`subject` compared with the nearest rival, above 1 when it is better; `against` says whether the best rival
    counts or the worst. Several items of `over`: the geometric mean of their ratios. The names of subject and rivals
    replace {} in an item's variant ({} when it has none)."""

    kind: Literal["rank"]
    subject: str
    rivals: list[str] = told(min_length=1)
    against: Literal["best", "worst"]
    over: list[Selection] = told(min_length=1)

    def selections(self) -> list[Selection]:
        return [one for part in self.over for one in self.of_item(part)]

    def of_item(self, part: Mapping[str, Any]) -> list[Selection]:
        """The selections of the subject and of its rivals for one item of `over`."""
        chosen = self.selection(part)
        template = str(chosen.get("variant", "{}"))
        return [chosen | {"variant": template.replace("{}", name)} for name in (self.subject, *self.rivals)]


@declared
class Fact(Judged):
    """1 when the runtime's fact `name` has the value `equals` in every trial, 0 when in none."""

    kind: Literal["fact"]
    of: Selection
    name: str
    equals: str | int | bool

    def __post_init__(self) -> None:
        if not isinstance(self.equals, str):
            object.__setattr__(self, "equals", str(self.equals).lower())  # as the runtime says it

    def selections(self) -> list[Selection]:
        return [self.selection(self.of)]


@declared
class AnyOf(Declared):
    """One of `effects` must be reproduced, and all must fail to fail it; what a runtime or the host refuses to run does
    not count."""

    kind: Literal["any"]
    effects: list[Effect] = told(min_length=1)


KINDS = {
    "level": Level,
    "ratio": Ratio,
    "difference": Difference,
    "slope": Slope,
    "spread": Spread,
    "steps": Steps,
    "jump": Jump,
    "growth": Growth,
    "rank": Rank,
    "fact": Fact,
    "any": AnyOf,
}
Effect = Annotated[Union[tuple(KINDS.values())], Which("kind", tuple(KINDS))]


@declared
class Claim(Declared):
    """A published claim of `data/published/claims.csv` as a rule; a list of effects is a conjunction."""

    effects: list[Effect]
    controls: list[Effect] = told(
        "what must hold for the host to be asked: where one does not, nothing is decided", default=[]
    )
    needs_cpus: int = told("of every effect that names no number of its own", default=1, ge=1)
    runtimes: list[str] = told("one verdict per runtime that matches; empty: one verdict", default=[])
    note: str = told("why a threshold differs from the published rule, or a known caveat", default="")
