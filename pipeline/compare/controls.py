"""Controls: configurations that the change cannot have reached, which therefore tell what one run does and another not.

One is a control when its runtime is the same on both sides, byte for byte, and nothing changed that reaches every
runtime: kernel, firmware, a setting of the host, or the Lab itself. Where nothing differs that the Lab can see, what
differs (if anything does) is in single variants, and the other variants are a row's controls.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pipeline.compare.facts import LAB, REVISION, RUNTIMES, TOOLS, Fact
from pipeline.compare.rows import Control
from pipeline.host.fingerprint import UNKNOWN
from pipeline.host.runtimes import ABSENT

HARNESS = (
    "harness"  # facts of this beginning are sums of the Lab's own measuring programs (`pipeline.bundle.checksums`)
)
JAVA = f"{HARNESS}.java"
COLUMNS = ["experiment", "metric", "variant", "runtime", "axes", "class", "ratio"]


def reach(facts: Iterable[Fact], runtimes: Iterable[str]) -> list[str] | None:
    """The runtimes whose configurations may have changed; None: all of them. Empty where nothing differs.

    runtimes: of both sides. The Lab's revision says nothing where the sums of its measuring programs are known.
    """
    facts = list(facts)
    known = any(fact.name.startswith(HARNESS) and UNKNOWN not in (fact.before, fact.after) for fact in facts)
    reached: list[str] = []
    for fact in facts:
        if not fact.differs or fact.group == TOOLS or (fact.group == LAB and fact.name == REVISION and known):
            continue
        if fact.group == RUNTIMES:
            if ABSENT not in (fact.before, fact.after):  # what one side lacks cannot have changed anything else
                reached.append(fact.name)
        elif fact.group == LAB and fact.name == JAVA:
            reached += [name for name in runtimes if name.startswith("jdk")]
        else:
            return None
    return reached


def table(known: Iterable[Control]) -> pd.DataFrame:
    """A row for each control, in the order of COLUMNS; ratio: after / before of what cannot have changed."""
    found = [(one.configuration, float(np.exp(one.change))) for one in known]
    rows = [
        (mine.entry.name, mine.metric, mine.variant, mine.runtimes[0], dict(mine.axes), mine.made_of, ratio)
        for mine, ratio in found
    ]
    return pd.DataFrame(rows, columns=COLUMNS)
