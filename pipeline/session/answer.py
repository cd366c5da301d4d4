"""What an experiment found in one sentence, computed: its words follow the intervals, whatever these turn out to be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from string import Formatter
from typing import Any

from pipeline.analyse.source import Source
from pipeline.ground.errors import LabError
from pipeline.words.comparisons import TOO_FEW, Comparison, Name, Told, Way
from pipeline.words.phrases import named, together, uniform

NOT_MEASURED = "not measured here"
MOST_FACTS = 3
NONE_HAS = "too few trials for intervals"


@dataclass(frozen=True)
class Clause:
    """What was found of one question, by runtime or another `who`: numbers and what they rest on, or why none."""

    told: Mapping[str, Told]
    sources: Mapping[str, Sequence[Source]] = field(default_factory=dict)
    why: str = ""
    few: str = TOO_FEW  # what is said of a comparison without an interval

    @property
    def known(self) -> bool:
        """Whether there is a number for each that was asked."""
        levels = [one.level if isinstance(one, Name) else one for one in self.told.values()]
        return bool(levels) and not any(math.isnan(one.estimate) for one in levels)

    def phrase(self, where: bool = True, than: str = "") -> str:
        """`9.8–10x slower on JDK 17 and 25`, `not measured here (variant a was not measured in this run)`; `where` and
        `than` as in `pipeline.words.phrases.together`."""
        if self.told:
            return together(self.told, where, than, self.few)
        return NOT_MEASURED + (f" ({self.why})" if self.why else "")

    def said(self, way: Way) -> Clause:
        """The same comparisons in other words."""
        return replace(self, told={who: replace(one, way=way) for who, one in self.told.items()})


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


def answer(
    run: str, experiment: str, sentences: str | Sequence[str], clauses: Mapping[str, Clause], figure: str = ""
) -> Answer:
    """One sentence of one or several that could each stand alone, and a fact for each clause.

    In a sentence `{name}` stands for what the clause of that name says, `{name:than one thread}` for the same compared
    with that. The runtimes of which all clauses of a sentence, or of all, say one thing are named once, at its end. A
    sentence that lacks a number becomes a list; what several clauses lack is said once, at the end, as it is where no
    comparison has an interval. LabError when one names a clause that is not there.
    """
    sentences = [sentences] if isinstance(sentences, str) else sentences
    names = [[name for _, name, *_ in Formatter().parse(one) if name] for one in sentences]
    if missing := [name for name in sum(names, []) if name not in clauses]:
        raise LabError(f"the answer names the clause {missing[0]!r}; there are: {', '.join(clauses) or 'none'}")
    if few := _without_intervals(clauses.values()):
        clauses = {name: replace(clause, few="") for name, clause in clauses.items()}
    whose = [_whose([clauses[name] for name in of]) for of in names]
    once = whose[0] if len(set(whose)) == 1 and whose[0] else ""
    lacking = [name for name in dict.fromkeys(sum(names, [])) if not clauses[name].told]
    lacking = lacking if len(lacking) > 1 else []
    each = zip(sentences, whose, strict=True)
    said = [_sentence(one.rstrip("."), clauses, "" if once else of, lacking) for one, of in each]
    said = [*filter(None, said), *([_lacking(lacking, clauses)] if lacking else [])]
    text = f"{bracketed(bracketed('; '.join(said), once), NONE_HAS if few else '')}."
    facts = [_fact(name, clause, run, experiment) for name, clause in clauses.items()][:MOST_FACTS]
    return Answer(text[:1].upper() + text[1:], facts, figure)


def _without_intervals(clauses: Iterable[Clause]) -> bool:
    """Whether there are comparisons, several of them, and none has an interval."""
    told = [one for clause in clauses for one in clause.told.values() if isinstance(one, Comparison)]
    lows = [one.low for one in told if not math.isnan(one.estimate)]
    return len(lows) > 1 and all(map(math.isnan, lows))


def _whose(clauses: Sequence[Clause]) -> str | None:
    """Those of whom all clauses speak, `JDK 17 and 25`; None where a clause has to say of whom it tells what: of what
    was not measured nobody is named."""
    told = [one.told for one in clauses]
    alike = all(one.known for one in clauses) and all(uniform(one) and set(one) == set(told[0]) for one in told)
    return (named(told[0]) if told else "") if alike else None


def bracketed(text: str, whose: str | None) -> str:
    """The text, and in brackets of whom it is told; in those it ends with, where it has some."""
    if not whose:
        return text
    return f"{text[:-1]}; {whose})" if text.endswith(")") else f"{text} ({whose})"


def _sentence(text: str, clauses: Mapping[str, Clause], where: str | None, elsewhere: Sequence[str]) -> str:
    """A sentence with its numbers; where: of whom all of them are, None where each says so; elsewhere: the clauses that
    another place tells. Empty where it has no others."""
    each, parts = where is None, list(Formatter().parse(text))
    if all(clauses[name].known for _, name, *_ in parts if name):
        said = [plain + (clauses[name].phrase(each, than or "") if name else "") for plain, name, than, _ in parts]
        return bracketed("".join(said), where)
    names = [name for _, name, *_ in parts if name and name not in elsewhere]
    return bracketed("; ".join(f"{name}: {clauses[name].phrase(each)}" for name in names), where if names else "")


def _lacking(names: Sequence[str], clauses: Mapping[str, Clause]) -> str:
    """Several clauses without a number, and each reason once: `not measured here: a; b (c needs a second CPU)`."""
    reasons: dict[str, str] = {}
    for name in names:
        if why := clauses[name].why:
            reasons.setdefault(why.partition(": ")[2] or why, why)
    why = f" ({'; '.join(reasons.values())})" if reasons else ""
    return f"{NOT_MEASURED}: {'; '.join(names)}{why}"


def _fact(name: str, clause: Clause, run: str, experiment: str) -> Fact:
    """Of several runtimes the last, the newest JDK: the sentence has them all."""
    if not clause.told:
        return Fact(name, NOT_MEASURED, clause.why)
    who = [*clause.told][-1]
    told, sources = clause.told[who], clause.sources.get(who, ())
    rests = (sources[0].words(), sources[0].command(run, experiment)) if sources else ("", "")
    bracket = told.bracket(surely=True)
    return Fact(name, told.surely(), clause.few if bracket == TOO_FEW else bracket, who, *rests)
