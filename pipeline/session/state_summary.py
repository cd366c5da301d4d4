"""The summary, on a page, of the states that the CPUs of its trials were in; nothing where the run was in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from pipeline.analyse import state_labels
from pipeline.analyse.states import told
from pipeline.measure.states import MOVED, States
from pipeline.session.answer import Answer, Clause, bracketed
from pipeline.session.computed import Computed
from pipeline.words.comparisons import listed
from pipeline.words.numbers import ENOUGH


def counted(lab: Computed) -> str:
    """How many trials were in which state, and of which the numbers are."""
    if not lab.moved:
        return ""
    ranks = Counter(tuple(row) for row in told(lab.tables.measured).tolist())
    parts = [
        f"{count:,} {_had(lab.states, *rank)}" for rank, count in sorted(ranks.items(), key=_last_what_is_not_told)
    ]
    told_of = f"Of the trials here {listed(parts, 'and')}."
    rule = f"A number is of one state: the first of these with {ENOUGH} trials, else that of most."
    return f"The CPUs of this host were moved while it was measured. {told_of} {rule}"


def told_of(lab: Computed, answer: Answer, clauses: Mapping[str, Clause]) -> Answer:
    """The answer with the state that its numbers are of, where it has to be said: in the sentence where it is one, else
    with each number."""
    if not lab.moved:
        return answer
    rests_on = {name: [one for of in clause.sources.values() for one in of] for name, clause in clauses.items()}
    each = {name: state_labels.of_sources(lab.states, lab.metrics, sources) for name, sources in rests_on.items()}
    if not any(said for _, said in each.values()):
        return answer
    of = {name: state for name, (state, _) in each.items()}
    known = {*filter(None, of.values())}
    if len(known) == 1:
        (state,) = known
        return replace(answer, text=f"{bracketed(answer.text.removesuffix('.'), state)}.")
    facts = [replace(one, label=", ".join(filter(None, (one.label, of.get(one.label))))) for one in answer.facts]
    return replace(answer, facts=facts)


def _last_what_is_not_told(counted: tuple[tuple[int, int], int]) -> tuple:
    (way, core), _ = counted
    return (way == MOVED, way < 0 and core < 0, way < 0, way, core)


def _had(found: States, way: int, core: int) -> str:
    if MOVED in (way, core):
        return "had CPUs that moved too often"
    words = state_labels.named(found, way, core)
    return f"had {words}" if words else "do not tell"
