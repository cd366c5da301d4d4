"""Which trials may be compared: those of one regime each.

The rules are the entry's refusals of `ratios` (`pipeline.catalogue.refusals`). A trial that lacks the metric which
decides was measured before there was one, and is compared as it always was. That they are of one state of the host is
seen to where they are paired (`pipeline.analyse.blocks`).
"""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.refused import refused
from pipeline.catalogue.entry import Experiment


def comparable(entry: Experiment, metrics: pd.DataFrame, sides: list[pd.DataFrame]) -> tuple[list[pd.DataFrame], str]:
    """The rows (of a metrics table, one configuration each) that may be compared, and why the others may not: empty
    where all may."""
    reasons = []
    for rule in entry.refusals:
        about = [rule.ratios and rule.refuses(str(side["metric"].iloc[0])) for side in sides]
        if any(about):
            gone = refused(metrics, rule, entry)
            keep = [~side["trial"].isin(gone) for side in sides]
            if not all(one.all() for one in keep):
                reasons.append(rule.why)
            sides = [side[one] for side, one in zip(sides, keep, strict=True)]
    return sides, " and ".join(reasons)
