"""What a claim names and its entry lacks: told when the catalogue is loaded, with its place in the claim."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Union

from pipeline.catalogue.claims import AnyOf, Claim, Fact, Slope
from pipeline.catalogue.selectors import SELECTOR, SELECTORS

Problem = tuple[tuple[Union[str, int], ...], str]  # where in an entry or a claim, and what is wrong


@dataclass(frozen=True)
class Known:
    """What an entry has, for its claims to name."""

    metrics: Collection[str]
    variants: Collection[str]
    axes: Collection[str]


def problems(claim: Claim, known: Known) -> Iterator[Problem]:
    """What of a claim names something that its entry does not have, with its place in the claim."""
    for selector in claim.runtimes:
        if not SELECTOR.match(selector):
            yield ("runtimes",), f"runtime selector {selector!r} is not {SELECTORS}"
    for field in ("effects", "controls"):
        for number, effect in enumerate(getattr(claim, field)):
            yield from of_effect(effect, known, (field, number))


def of_effect(effect: Any, known: Known, at: tuple[str | int, ...]) -> Iterator[Problem]:
    """The same of one effect."""
    if isinstance(effect, AnyOf):
        for number, one in enumerate(effect.effects):
            yield from of_effect(one, known, (*at, "effects", number))
        return
    axes = ", ".join(known.axes) or "none"
    if isinstance(effect, Slope) and effect.by not in known.axes:
        yield (*at, "by"), f"slope by the unknown axis {effect.by!r}; the axes are: {axes}"
    for selection in effect.selections():
        for key in [key for key in selection if key not in ("metric", "variant", "runtime", *known.axes)]:
            yield at, f"a selection names {key!r}, which is neither metric, variant, runtime nor an axis ({axes})"
        if selection.get("variant") not in known.variants:
            yield at, f"a selection names the unknown variant {selection.get('variant')!r}"
        if not isinstance(effect, Fact) and selection.get("metric") not in known.metrics:
            there = ", ".join(known.metrics)
            yield at, f"a selection names the unknown metric {selection.get('metric')!r}; the metrics are: {there}"
