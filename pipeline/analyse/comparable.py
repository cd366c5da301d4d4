"""Which trials of a block may be compared: those of one regime each, on a host in one state.

Rules are the entry's (`pipeline.catalogue.refusals`): refusals of `ratios`, and what has to be `alike`. A trial that
lacks the metric which decides was measured before there was one, and is compared as it always was.
"""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.refused import refused
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.refusals import Alike


def comparable(entry: Experiment, metrics: pd.DataFrame, sides: list[pd.DataFrame]) -> tuple[list[pd.DataFrame], str]:
    """The rows (of a metrics table, one configuration each) that may be compared, and why the others may not: empty
    where all may."""
    reasons = []
    for rule in entry.refusals:
        about = [rule.ratios and rule.refuses(str(side["metric"].iloc[0])) for side in sides]
        if any(about):
            gone = refused(metrics, rule, entry)
            sides = _kept(sides, [~side["trial"].isin(gone) for side in sides], rule.why, reasons)
    for rule in entry.alike if len(sides) > 1 else ():
        agreeing = _agreeing(metrics, rule, sides)
        sides = _kept(sides, [side["block"].isin(agreeing) for side in sides], rule.why, reasons)
    return sides, " and ".join(reasons)


def _kept(sides: list[pd.DataFrame], keep: list[pd.Series], why: str, reasons: list[str]) -> list[pd.DataFrame]:
    if not all(one.all() for one in keep):
        reasons.append(why)
    return [side[one] for side, one in zip(sides, keep, strict=True)]


def _agreeing(metrics: pd.DataFrame, rule: Alike, sides: list[pd.DataFrame]) -> set:
    """The blocks whose trials have the metric within the factor of each other, or lack it."""
    known = metrics[metrics["metric"] == rule.metric].set_index("trial")["value"].astype(float)
    values = pd.concat([side[["block"]].assign(value=side["trial"].map(known).astype(float)) for side in sides])
    blocks = values.groupby("block")["value"].agg(["min", "max"])
    return set(blocks.index[~(blocks["max"] > rule.within * blocks["min"])])
