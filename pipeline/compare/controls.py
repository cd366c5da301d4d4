"""Controls: configurations that the change cannot have reached, which therefore tell what one run does and another not.

One is a control when its runtime is the same on both sides, byte for byte, and nothing changed that reaches every
runtime: kernel, firmware, a setting of the host, or the Lab itself. Where nothing differs that the Lab can see, what
differs (if anything does) is in single variants, and the other variants are a row's controls.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.compare.facts import LAB, RUNTIMES, TOOLS, Fact

HARNESS = "harness"  # facts of this beginning are sums of a harness's files, by the harness's name


def reach(facts: Iterable[Fact]) -> list[str] | None:
    """The runtimes whose configurations may have changed; None: all of them. Empty where nothing differs."""
    facts = list(facts)
    reached: list[str] = []
    for fact in facts:
        if not fact.differs or fact.group == TOOLS:
            continue
        if fact.group == RUNTIMES:
            reached.append(fact.name)
        elif not (fact.group == LAB and _same_harnesses(facts)):
            return None
    return reached


def _same_harnesses(facts: Iterable[Fact]) -> bool:
    """Whether the Lab's own programs are the same although its revision is another."""
    sums = [fact for fact in facts if fact.group == LAB and fact.name.startswith(HARNESS)]
    return bool(sums) and not any(fact.differs or "absent" in (fact.before, fact.after) for fact in sums)
