"""Rules: the regions of an effect in which a claim holds or does not, and whether an interval lies in them."""

from __future__ import annotations

from pipeline.catalogue.claims import Region, Rule
from pipeline.words.numbers import NO_UNIT, exact


def regions(rule: Rule | str) -> list[Region]:
    """The regions of a rule; the word `never` has none."""
    return [] if isinstance(rule, str) else rule if isinstance(rule, list) else [rule]


def inside(rule: Rule | str, low: float, high: float) -> bool:
    """Whether the whole interval [low, high] lies in one of the rule's regions."""
    return any(_holds(region, low) and _holds(region, high) for region in regions(rule))


def outside(rule: Rule, low: float, high: float) -> bool:
    """Whether the interval [low, high] has no point in common with any of the rule's regions."""
    return not any(
        (region.low is None or high >= region.low)
        and (region.above is None or high > region.above)
        and (region.high is None or low <= region.high)
        and (region.below is None or low < region.below)
        for region in regions(rule)
    )


def bounded_on_both_sides(region: Region) -> bool:
    """Whether a region has a lower and an upper bound."""
    return (region.low, region.above) != (None, None) and (region.high, region.below) != (None, None)


def _holds(region: Region, value: float) -> bool:
    return not outside(region, value, value)


def words(rule: Rule, unit: str = "1") -> str:
    """A rule in words: `at least 4 ns`, `a ratio of 5.6 to 22.4`, `exactly 4`."""
    told = " or ".join(_region_words(region, unit) for region in regions(rule))
    return f"a ratio of {told}" if unit == "ratio" else told


def _region_words(region: Region, unit: str) -> str:
    if region.low is not None and region.high is not None:
        same = region.low == region.high
        return f"exactly {_bound(region.low, unit)}" if same else f"{exact(region.low)} to {_bound(region.high, unit)}"
    named = {"low": "at least", "above": "above", "high": "at most", "below": "below"}
    told = [
        f"{word} {_bound(bound, unit)}" for key, word in named.items() if (bound := getattr(region, key)) is not None
    ]
    return " and ".join(told)


def _bound(value: float, unit: str) -> str:
    """A threshold as it was fixed, with its unit."""
    return exact(value) if unit in NO_UNIT else f"{exact(value)} {unit}"
