"""What a catalogue entry says of a metric, and what each kind of metric cannot do without."""

from __future__ import annotations

import re
from typing import Literal

from pipeline.catalogue.declared import Declared, declared, told
from pipeline.words import comparisons
from pipeline.words.comparisons import Way

# What a kind of metric cannot do without, and the kinds that are made `of` others.
NEEDS = {
    "percentile": ("percentile",),
    "typical_percentile": ("percentile",),
    "corrected": ("percentile",),
    "greatest": ("samples",),
    "measure": ("name",),
    "measure_ratio": ("name", "per"),
    "product": ("of",),
    "difference": ("of",),
    "quotient": ("of",),
    "events": ("where",),
    "event_percentile": ("where", "percentile"),
    "event_total": ("where",),
    "before_event": ("where",),
}
MADE_OF_OTHERS = ("product", "difference", "quotient")
OF_TWO = ("difference", "quotient")
WATCHED = "watched_ns"  # what a total of events is `per`


@declared
class Metric(Declared):
    """One number per trial. See `pipeline.analyse.metrics` for what each kind computes."""

    kind: Literal[
        "rate",
        "cost",
        "percentile",
        "typical_percentile",
        "corrected",
        "greatest",
        "mean",
        "measure",
        "measure_ratio",
        "product",
        "difference",
        "quotient",
        "regimes",
        "regime_share",
        "events",
        "event_percentile",
        "event_total",
        "before_event",
    ]
    unit: str
    label: str
    series: str = "*"
    operations: str | None = told(
        "the series whose operations and times count, where those of `series` are samples only", default=None
    )
    phase: str = "measured"
    timed: bool = told(
        "of events: only those in the selected iterations count, in place of those of the whole process", default=False
    )
    estimator: Literal["floor", "quartile", "median", "total"] = "median"
    last: int | None = told("only the last n iterations of each phase and series", default=None)
    later_half: bool = told(
        "of the phases that match only the later half in time, an odd one in the middle too: the earlier "
        "ones are the warm-up of programs that have no phase of that name",
        default=False,
    )
    percentile: float | None = told("100, the longest, of events only", default=None, ge=0, le=100)
    fewest: int | None = told("of event_percentile: with fewer events a trial has no such number", default=None, ge=1)
    samples: int | None = told("of how many samples the kind greatest is", default=None, ge=1)
    name: str | None = told("of a measure; of events a number in their detail, for the size", default=None)
    per: str | list[str] | None = None
    of: list[str] = told("the metrics that a product, difference or quotient is of", default=[])
    scale: float = 1.0
    scale_by: str | None = told("an axis whose value multiplies the metric", default=None)
    where: dict[str, str] = told(default={})
    within: str | None = told(
        "expression for methods: only events of their last compilation that is entered at the beginning", default=None
    )
    undisturbed: dict[str, str] = told(
        "events, as `where`: a trial with one in the selected iterations or in as many before is unsteady", default={}
    )
    better: Literal["higher", "lower"] | None = None
    in_cycles: bool = False

    @property
    def way(self) -> Way:
        """The words in which ratios of this metric are said."""
        return comparisons.way(self.unit, self.better, self.kind)

    def __post_init__(self) -> None:
        for field in NEEDS.get(self.kind, ()):
            if getattr(self, field) in (None, [], {}):
                raise ValueError(f"kind {self.kind} needs `{field}`")
        if self.of and self.kind not in MADE_OF_OTHERS:
            raise ValueError(f"kind {self.kind} has no `of`, which names what a {' or '.join(MADE_OF_OTHERS)} is of")
        if self.kind in OF_TWO and len(self.of) != 2:
            raise ValueError(f"`of` names {len(self.of)} metrics; a {self.kind} is of two, of the first the second")
        if self.percentile == 100 and self.kind != "event_percentile":
            raise ValueError("percentile 100 is of events only; the greatest of a histogram is the kind greatest")
        if self.timed and self.kind != "events":
            raise ValueError(f"`timed` is of kind events, not of {self.kind}")
        if self.kind == "events" and self.phase != "measured" and not self.timed:
            raise ValueError("a `phase` of kind events needs `timed`; else those of the whole process count")
        if self.fewest is not None and self.kind != "event_percentile":
            raise ValueError(f"`fewest` is of kind event_percentile, not of {self.kind}")
        if self.kind == "event_total" and self.per not in (None, WATCHED):
            raise ValueError(f"`per` of kind event_total is {WATCHED} or nothing, not {self.per!r}")
        for field in ("where", "undisturbed"):
            _checked_selection(field, getattr(self, field))


def _checked_selection(field: str, selection: dict[str, str]) -> None:
    """ValueError when a selection of events is not one: columns of the events table by regular expressions."""
    if selection and "kind" not in selection:
        raise ValueError(f"`{field}` selects events, and needs their `kind`")
    for column, expression in selection.items():
        try:
            re.compile(expression)
        except re.error as error:
            raise ValueError(f"`{field}`: {column} {expression!r} is no regular expression: {error}") from None
