"""A page's answer in its first lines: sentences whose every number is computed, with its interval and its source."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pandas as pd

from pipeline.analyse import effects
from pipeline.analyse.selection import Missing
from pipeline.analyse.source import Source
from pipeline.draw.style import runtime_label
from pipeline.session.ratios import Side, selected
from pipeline.session.session import Session
from pipeline.words import LEVEL, interval, ratio, shortfall

BRACKETS = (
    "In brackets: 95 % intervals over trials, or of the lower level told there, on this host and within this run; "
    "ratios are paired by block."
)


def times(estimate: float, low: float, high: float, level: float = LEVEL) -> str:
    """`12.5 times [11.4, 12.7]`; a ratio whose interval includes 1 says that no difference is shown."""
    if math.isnan(low):
        return f"{ratio(estimate)} times (too few trials for an interval)"
    doubt = ", no difference shown" if low <= 1 <= high else ""
    return f"{ratio(estimate)} times [{ratio(low)}, {ratio(high)}{shortfall(level)}]{doubt}"


@dataclass(frozen=True)
class Part:
    """What a sentence says of one runtime (or of another `who`): words with numbers, what these rest on, and the
    command that prints them."""

    who: str
    words: str
    sources: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Finding:
    """One sentence: `sentence: **who** words; **who** words.`"""

    sentence: str
    parts: list[Part]

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Finding:
        """From plain values, as `dataclasses.asdict` made them."""
        return cls(told["sentence"], [Part(**part) for part in told["parts"]])

    def texts(self) -> list[str]:
        """The sentence as a line, and shorter: without its last part, the last two, ..."""
        said = [f"{part.who} {part.words}" for part in self.parts]
        return [f"{self.sentence}: {'; '.join(said[:count])}." for count in range(len(said), 0, -1)]

    def html(self) -> str:
        """The sentence, and folded below it where its numbers come from."""
        said = "; ".join(f"<b>{escape(part.who)}</b> {escape(part.words)}" for part in self.parts)
        rows = "".join(
            f"<li><b>{escape(part.who)}</b>: {escape(source)}<br><code>{escape(command)}</code></li>"
            for part in self.parts
            for source, command in zip(part.sources, part.commands, strict=True)
        )
        folded = f'<details class="lab-rests"><summary>rests on</summary><ul>{rows}</ul></details>' if rows else ""
        return f"{escape(self.sentence)}: {said}.{folded}"


class Findings:
    """Collects the sentences of a session; a notebook shows them, and the first page repeats them."""

    def __init__(self, lab: Session) -> None:
        self.lab = lab
        self.found: list[Finding] = []
        self.told = lab.told = []  # what figures repeat of it

    def values(
        self, sentence: str, by: Mapping[str, str], sources: Mapping[str, Sequence[Source]] | None = None
    ) -> None:
        """`sentence: JDK 17 <words>; JDK 25 <words>.`; no sentence without any words."""
        parts = [self._part(who, words, (sources or {}).get(who, ())) for who, words in by.items()]
        if parts:
            self.found.append(Finding(sentence, parts))
            rests_on = [source for of in (sources or {}).values() for source in of]
            self.told.append((self.found[-1].texts(), rests_on))

    def _part(self, who: str, words: str, sources: Sequence[Source]) -> Part:
        run, experiment = self.lab.run, self.lab.entry.name
        return Part(who, words, [one.words() for one in sources], [one.command(run, experiment) for one in sources])

    def ratio(self, sentence: str, metric: str, of: Side, to: Side, /, **where) -> None:
        """A ratio of a metric by runtime, paired by block."""
        rows = self.lab.ratios(metric, {"": (of, to)}, **where)[0]
        who = rows["label"].str.removeprefix(", ")
        said = {
            name: times(row.estimate, row.low, row.high, row.level)
            for name, row in zip(who, rows.itertuples(), strict=True)
        }
        self.values(sentence, said, {name: [source] for name, source in zip(who, rows["rests_on"], strict=True)})

    def each(self, sentence: str, metric: str, variants: Iterable[str], of: Side, to: Side, /, **where) -> None:
        """A `ratio` within each of several variants, whose label stands in the sentence's `{}`."""
        labels = self.lab.labels()
        for name in variants:
            self.ratio(sentence.format(labels[name]), metric, of, to, variant=name, **where)

    def published(self, sentence: str, told: pd.DataFrame, axis: str, of: Any, to: Any) -> None:
        """The ratio of published values at one place of an axis over another, by source and in it by variant.

        told: columns source, variant, <axis>, value (`Session.overlay`).
        """
        labels, said = self.lab.labels(), {}
        for source, rows in told.groupby("source"):
            values = rows.set_index(["variant", axis])["value"]
            both = [name for name in labels if {(name, of), (name, to)} <= set(values.index)]
            words = [f"{labels[name]} {ratio(values[name, of] / values[name, to])} times" for name in both]
            said |= {source: ", ".join(words)} if words else {}
        self.values(f"{sentence} (no intervals were given)", said)

    def difference(self, sentence: str, metric: str, of: Side, to: Side, /, **where) -> None:
        """A metric of one configuration minus that of another by runtime, paired by block."""
        said, sources = {}, {}
        for runtime in sorted(set(self.lab.tables.trials["runtime"])):
            data = self.lab.data(runtime)
            chosen = [{"metric": metric} | where | selected(side) for side in (of, to)]
            try:
                found = effects.difference(data, *chosen)
            except Missing:
                continue
            who = runtime_label(runtime)
            said[who] = interval(found.estimate, found.low, found.high, found.unit, found.level)
            scoped = tuple(data.scoped(side) for side in chosen)
            sources[who] = [Source("difference", scoped, found.trials, found.blocks)]
        self.values(sentence, said, sources)

    def level(self, sentence: str, metric: str, /, **where) -> None:
        """The estimate of a metric by runtime; `where` selects one configuration of each."""
        rows = self.lab.chosen(metric=metric, **where)[1].sort_values("runtime").to_dict("records")
        said = {runtime_label(row["runtime"]): _level(row) for row in rows}
        self.values(sentence, said, {runtime_label(row["runtime"]): [self.lab.source(row)] for row in rows})

    def claim(self, sentence: str, name: str) -> None:
        """The effect of a published claim by runtime, beside the published number."""
        rows = self.lab.verdicts[self.lab.verdicts["claim"] == name].dropna(subset=["effect", "low"])
        published = self.lab.entry.claims[name].effects[0].published
        sentence += f" (published: {published})" if published is not None else ""
        said, sources = {}, {}
        for row in rows.to_dict("records"):
            numbers, who = (row["effect"], row["low"], row["high"]), runtime_label(row["scope"])
            level, of_ratio = row["level"], row["unit"] == "ratio"
            said[who] = times(*numbers, level) if of_ratio else interval(*numbers, row["unit"], level)
            sources[who] = [Source(**one) for one in json.loads(row["sources"])]
        self.values(sentence, said, sources)

    def best(self, sentence: str, metric: str, variants: list[str], /, **where) -> None:
        """By runtime the variant with the greatest estimate of a metric, and those not told apart from it.

        Not told apart: the interval of the ratio to the best, paired by block, includes 1.
        """
        rows = self.lab.chosen(metric=metric, variant=variants, **where)[1]
        said, sources = {}, {}
        for runtime, group in rows.groupby("runtime"):
            best = group.loc[group["estimate"].idxmax()]
            pairs = {name: (name, best["variant"]) for name in group["variant"] if name != best["variant"]}
            rivals = self.lab.ratios(metric, pairs, runtime=runtime, **where)[0]
            here = f", {runtime_label(runtime)}"
            near = rivals.loc[~((rivals["low"] > 1) | (rivals["high"] < 1)), "label"]
            near = [self.lab.labels()[label.removesuffix(here)] for label in near]
            words = f"{self.lab.labels()[best['variant']]}, {_level(best)}"
            said[runtime_label(runtime)] = words + (f", not told apart from {', '.join(near)}" if near else "")
            sources[runtime_label(runtime)] = [self.lab.source(best), *rivals["rests_on"]]
        self.values(sentence, said, sources)

    def show(self) -> Findings:
        """The sentences as a list, with what the brackets are."""
        return self

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{one.html()}</li>" for one in self.found)
        return f'<ul class="lab-found">{items}</ul><p>{BRACKETS}</p>'


def _level(row: Mapping[str, Any]) -> str:
    return interval(row["estimate"], row["low"], row["high"], row["unit"], row["level"])
