"""Answers: the comparisons that the sentence on an experiment's card rests on, declared, judged and settled as effects.

A comparison says that one side is more or less than the other, or that both are the same within 5 %. Each of the three
is a region; an interval that lies in none of them leaves the answer open. Where the truth is "equal", an interval of
95 % excludes 1 on either side in 2.5 % of cases: all of an answer's ways to be wrong stay below 5 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipeline.catalogue import claim_problems
from pipeline.catalogue.claim_problems import Known, Problem
from pipeline.catalogue.claims import Ratio, Region, Selection
from pipeline.catalogue.declared import Declared, declared, told
from pipeline.words.comparisons import SAME_WITHIN

REGIONS = [Region(below=1), Region(above=1), Region(low=1 / (1 + SAME_WITHIN), high=1 + SAME_WITHIN)]


@declared
class Answer(Declared):
    """`of` over `to`, paired by block; its name in the entry is what a card calls it."""

    sentence: str = told("what is compared with what, as the list below a page's answer says it")
    metric: str
    where: Selection = told(default={})
    of: Selection
    to: Selection

    def effect(self, label: str) -> Ratio:
        """The same as an effect, which is judged when its interval lies in one of the three regions."""
        sides = {"metric": self.metric, "where": self.where, "of": self.of, "to": self.to}
        return Ratio(kind="ratio", label=label, reproduced=REGIONS, not_reproduced="never", **sides)


def problems(answers: Mapping[str, Answer], known: Known) -> Iterator[Problem]:
    """What of the answers names something that their entry does not have, with its place."""
    for name, one in answers.items():
        for where, what in claim_problems.of_effect(one.effect(name), known, ()):
            yield (name, *where), what
