"""What an experiment found in one sentence, computed: its words follow the intervals, whatever these turn out to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from string import Formatter
from typing import Any

from pipeline.analyse.source import Source
from pipeline.ground.errors import LabError
from pipeline.words.phrases import together, uniform
from pipeline.words.said import Told

NOT_MEASURED = "not measured here"
MOST_FACTS = 3


@dataclass(frozen=True)
class Clause:
    """What was found of one question, by runtime or another `who`: numbers and what they rest on, or why none."""

    told: Mapping[str, Told]
    sources: Mapping[str, Sequence[Source]] = field(default_factory=dict)
    why: str = ""

    def phrase(self, where: bool = True) -> str:
        """`9.8 to 10 times slower on both JDKs`, `not measured here (variant a was not measured in this run)`; with
        `where` off without those of whom it is told, where all say the same."""
        if self.told:
            return together(self.told, where)
        return NOT_MEASURED + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True)
class Fact:
    """One number of an answer: what it is of, the number as it is said, its interval, and where it comes from."""

    label: str
    head: str
    bracket: str = ""
    who: str = ""
    source: str = ""
    command: str = ""


@dataclass(frozen=True)
class Answer:
    """The sentence, its two or three numbers, and the name of the figure that shows it (empty: the page's first)."""

    text: str
    facts: list[Fact]
    figure: str = ""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Answer:
        """From plain values, as `dataclasses.asdict` made them."""
        return cls(told["text"], [Fact(**one) for one in told["facts"]], told["figure"])

    def _repr_html_(self) -> str:
        return f'<p class="lab-answer"><b>{escape(self.text)}</b></p>'


def answer(run: str, experiment: str, text: str, clauses: Mapping[str, Clause], figure: str = "") -> Answer:
    """The sentence `text`, in which `{name}` stands for what the clause of that name says; a fact for each clause.

    What all clauses say of the same runtimes is said to be so once, in the last. LabError when the text names a clause
    that is not there.
    """
    told = [name for _, name, *_ in Formatter().parse(text) if name]
    once = len(
        {frozenset(clauses[name].told) if uniform(clauses[name].told) else name for name in told if name in clauses}
    )
    try:
        said = text.format_map(
            {name: one.phrase(where=once > 1 or [name] == told[-1:]) for name, one in clauses.items()}
        )
    except KeyError as missing:
        raise LabError(f"the answer names the clause {missing}; there are: {', '.join(clauses) or 'none'}") from None
    facts = [_fact(name, clause, run, experiment) for name, clause in clauses.items()][:MOST_FACTS]
    return Answer(said[:1].upper() + said[1:], facts, figure)


def _fact(name: str, clause: Clause, run: str, experiment: str) -> Fact:
    """Of several runtimes the last, the newest JDK: the sentence has them all."""
    if not clause.told:
        return Fact(name, NOT_MEASURED, clause.why)
    who = [*clause.told][-1]
    told, sources = clause.told[who], clause.sources.get(who, ())
    rests = (sources[0].words(), sources[0].command(run, experiment)) if sources else ("", "")
    return Fact(name, told.surely(), told.bracket(surely=True), who, *rests)
