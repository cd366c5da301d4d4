"""A page's answer in its first lines: sentences whose every number is computed, with its interval and its source."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from pipeline.analyse import effects
from pipeline.analyse.estimates import select
from pipeline.analyse.selection import Missing
from pipeline.analyse.source import Source
from pipeline.analyse.verdicts import NOT_YET_JUDGED
from pipeline.catalogue import claims
from pipeline.catalogue.selectors import runtime_label
from pipeline.models.fit import Fit
from pipeline.session import state_summary
from pipeline.session.answer import Answer, Clause, answer
from pipeline.session.finding import Finding, Part
from pipeline.session.ratios import Side, selected
from pipeline.session.session import Session
from pipeline.words.comparisons import BETTER, LEVELS, NAN, RATE, Amount, Comparison, Name, Way

BRACKETS = (
    "Brackets hold 95 % intervals over trials (a lower level stands in them), on this host and within this run; ratios "
    "are paired by block. What is 12 % slower takes 12 % longer for the same work; what is 12 % faster does 12 % more "
    "in the same time."
)


class Findings:
    """Collects the sentences of a session; a notebook shows them, the first page the answer that is made of them.

    What adds a sentence returns what it says as a `Clause`, for `in_short`; without a number there is no sentence, and
    the clause says why.
    """

    def __init__(self, lab: Session) -> None:
        self.lab = lab
        self.found: list[Finding] = []
        self.told = lab.told = []  # what figures repeat of it
        self.answer: Answer | None = None
        self.brackets = BRACKETS  # what they hold

    def in_short(self, sentences: str | Sequence[str], clauses: Mapping[str, Clause], figure: str = "") -> Findings:
        """The answer to the experiment's question (`pipeline.session.answer.answer`), or why this host gives none.

        Shown, it is followed by the sentences as a list, with what the brackets are.
        """
        if self.lab.bare:
            self.answer = Answer(" ".join(self.lab.left_out), [], figure)
        else:
            told = answer(self.lab.run, self.lab.entry.name, sentences, clauses, figure)
            self.answer = state_summary.told_of(self.lab, told, clauses)
        return self

    def values(
        self, sentence: str, by: Mapping[str, str], sources: Mapping[str, Sequence[Source]] | None = None
    ) -> None:
        """`sentence: <words> (JDK 17); <words> (JDK 25).`; no sentence without any words."""
        parts = [self._part(who, words, (sources or {}).get(who, ())) for who, words in by.items()]
        if parts:
            self.found.append(Finding(sentence, parts))
            rests_on = [source for of in (sources or {}).values() for source in of]
            self.told.append((self.found[-1].texts(), rests_on))

    def _part(self, who: str, words: str, sources: Sequence[Source]) -> Part:
        run, experiment = self.lab.run, self.lab.entry.name
        return Part(who, words, [one.words() for one in sources], [one.command(run, experiment) for one in sources])

    def _clause(self, sentence: str, clause: Clause) -> Clause:
        self.values(sentence, {who: one.words() for who, one in clause.told.items()}, clause.sources)
        return clause

    def _labelled(self, sentence: str, where: Mapping[str, Any]) -> str:
        """The sentence with the label of the one variant that is selected in its `{}`."""
        return sentence.replace("{}", self.lab.labels()[where["variant"]]) if "{}" in sentence else sentence

    def _without(self, *selections: Mapping[str, Any]) -> Clause:
        return Clause({}, why=self.lab.why_missing(*selections))

    def ratio(self, sentence: str, metric: str, of: Side, to: Side, /, **where) -> Clause:
        """A ratio of a metric by runtime, paired by block."""
        sentence = self._labelled(sentence, where)
        rows = self.lab.ratios(metric, {"": (of, to)}, **where)[0]
        if rows.empty:
            return self._without(*({"metric": metric} | where | selected(side) for side in (of, to)))
        way, told, sources = self.lab.way(metric), {}, {}
        for row in rows.itertuples():
            who = row.label.removeprefix(", ")
            told[who] = Comparison(row.estimate, row.low, row.high, row.level, way)
            sources[who] = [row.rests_on]
        return self._clause(sentence, Clause(told, sources))

    def declared(self, name: str) -> Clause:
        """A comparison that the entry declares (`answers`), by runtime, with the interval that all looks share."""
        answer, told, sources = self.lab.entry.answers[name], {}, {}
        rows = self.lab.answers[self.lab.answers["answer"] == name]
        for row in rows.to_dict("records"):
            who, numbers = runtime_label(row["scope"]), (row["estimate"], row["low"], row["high"], row["level"])
            told[who] = Comparison(*numbers, self.lab.way(answer.metric))
            sources[who] = [Source.of(one) for one in json.loads(row["sources"])]
        if not told:
            return self._without(*answer.effect(name).selections())
        return self._clause(answer.sentence, Clause(told, sources))

    def each(
        self, sentence: str, metric: str, variants: Iterable[str], of: Side, to: Side, /, **where
    ) -> dict[str, Clause]:
        """A `ratio` within each of several variants."""
        return {name: self.ratio(sentence, metric, of, to, variant=name, **where) for name in variants}

    def published(self, sentence: str, metric: str, told: pd.DataFrame, axis: str, of: Any, to: Any) -> None:
        """The ratio of published values at one place of an axis over another, by source and in it by variant.

        metric: ours, whose words are used; told: columns source, variant, <axis>, value (`Session.overlay`).
        """
        labels, said, way = self.lab.labels(), {}, self.lab.way(metric)
        for source, rows in told.groupby("source"):
            values = rows.set_index(["variant", axis])["value"]
            both = [name for name in labels if {(name, of), (name, to)} <= set(values.index)]
            ratios = {name: Comparison(values[name, of] / values[name, to], NAN, NAN, way=way) for name in both}
            said |= {source: ", ".join(f"{labels[name]} {one.head()}" for name, one in ratios.items())} if both else {}
        self.values(f"{sentence} (no intervals were given)", said)

    def difference(self, sentence: str, metric: str, of: Side, to: Side, /, **where) -> Clause:
        """A metric of one configuration minus that of another by runtime, paired by block."""
        told, sources = {}, {}
        chosen = [{"metric": metric} | where | selected(side) for side in (of, to)]
        for runtime in sorted(set(self.lab.tables.trials["runtime"])):
            data = self.lab.data(runtime)
            try:
                found = effects.difference(data, *chosen)
            except Missing:
                continue
            who = runtime_label(runtime)
            told[who] = Amount(found.estimate, found.low, found.high, found.unit, found.level)
            scoped = tuple(data.scoped(side) for side in chosen)
            sources[who] = [Source("difference", scoped, found.trials, found.blocks)]
        return self._clause(sentence, Clause(told, sources)) if told else self._without(*chosen)

    def level(self, sentence: str, metric: str, /, **where) -> Clause:
        """The estimate of a metric by runtime; `where` selects one configuration of each."""
        sentence = self._labelled(sentence, where)
        rows = self.lab.chosen(metric=metric, **where)[1].sort_values("runtime", kind="stable").to_dict("records")
        told = {runtime_label(row["runtime"]): _level(row) for row in rows}
        sources = {runtime_label(row["runtime"]): [self.lab.source(row)] for row in rows}
        if not told:
            return self._without(*({"metric": metric} | where | {"variant": one} for one in _several(where["variant"])))
        return self._clause(sentence, Clause(told, sources))

    def levels(self, sentence: str, metric: str, variants: Iterable[str], /, **where) -> dict[str, Clause]:
        """A `level` of each of several variants."""
        return {name: self.level(sentence, metric, variant=name, **where) for name in variants}

    def fitted(
        self, sentence: str, frame: pd.DataFrame, fit: Callable[[pd.DataFrame], Fit], metric: str, /, **where
    ) -> None:
        """What a fit of a frame's rows comes to by runtime, of measured trials those that estimates use; it rests on
        the estimates of a metric that `where` selects, and by a `variant` there the rows are its own."""
        sentence = self._labelled(sentence, where)
        own = frame if where.get("variant") is None else select(frame, {"variant": where["variant"]})
        groups = self.lab.counted(own).groupby("runtime", observed=True)
        told = {runtime_label(runtime): fit(rows).sentence.rstrip(".") for runtime, rows in groups}
        rests = self.lab.chosen(metric=metric, **where)[1].to_dict("records")
        sources = {runtime_label(row["runtime"]): [self.lab.source(row)] for row in rests}
        self.values(sentence, {who: f"{words[:1].lower()}{words[1:]}" for who, words in told.items()}, sources)

    def claim(self, sentence: str, name: str) -> Clause:
        """The effect of a published claim by runtime, beside the published number."""
        every = self.lab.verdicts[self.lab.verdicts["claim"] == name]
        rows = every.dropna(subset=["effect"] if set(every["verdict"]) == {NOT_YET_JUDGED} else ["effect", "low"])
        effect = self.lab.entry.claims[name].effects[0]
        sentence += f" (published: {effect.published})" if effect.published is not None else ""
        told, sources = {}, {}
        for row in rows.to_dict("records"):
            numbers = (row["effect"], row["low"], row["high"])
            of_ratio, who = row["unit"] == "ratio", runtime_label(row["scope"])
            way = self._way(effect)
            told[who] = (
                Comparison(*numbers, row["level"], way) if of_ratio else Amount(*numbers, row["unit"], row["level"])
            )
            sources[who] = [Source.of(one) for one in json.loads(row["sources"])]
        if not told:
            return Clause({}, why=every["reason"].iloc[0] if len(every) else "")
        return self._clause(sentence, Clause(told, sources))

    def _way(self, effect: claims.Effect) -> Way:
        """The words for a claim's ratio: those of its metric; a rank is above 1 where the subject is better."""
        ways = [self.lab.way(str(one["metric"])) for one in effect.selections()]
        if isinstance(effect, claims.Rank):
            return RATE if all(way.speed for way in ways) else BETTER
        return ways[0] if isinstance(effect, claims.Ratio) else LEVELS

    def best(self, sentence: str, metric: str, variants: list[str], /, **where) -> Clause:
        """By runtime the variant with the greatest estimate of a metric, and those not told apart from it.

        Not told apart: the interval of the ratio to the best, paired by block, includes 1. Without intervals nobody is
        named next to the best.
        """
        rows = self.lab.chosen(metric=metric, variant=variants, **where)[1]
        told, sources, labels = {}, {}, self.lab.labels()
        for runtime, group in rows.groupby("runtime"):
            best = group.loc[group["estimate"].idxmax()]
            pairs = {name: (name, best["variant"]) for name in group["variant"] if name != best["variant"]}
            rivals = self.lab.ratios(metric, pairs, runtime=runtime, **where)[0]
            here = f", {runtime_label(runtime)}"
            near = rivals.loc[(rivals["low"] <= 1) & (rivals["high"] >= 1), "label"]
            near = tuple(labels[label.removesuffix(here)] for label in near)
            told[runtime_label(runtime)] = Name(labels[best["variant"]], _level(best), near)
            sources[runtime_label(runtime)] = [self.lab.source(best), *rivals["rests_on"]]
        if not told:
            return self._without(*({"metric": metric, "variant": name} | where for name in variants))
        return self._clause(sentence, Clause(told, sources))

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{one.html()}</li>" for one in self.found)
        answer = self.answer._repr_html_() if self.answer else ""
        return f'{answer}<ul class="lab-found">{items}</ul><p>{self.brackets}</p>'


def _level(row: Mapping[str, Any]) -> Amount:
    return Amount(row["estimate"], row["low"], row["high"], row["unit"], row["level"])


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
