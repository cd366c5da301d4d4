"""What to do about undecided verdicts: of each why, and how long it would take; of a run how many, in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from pipeline.analyse.claim_test import INCONCLUSIVE
from pipeline.analyse.undecided import BETWEEN, CONTROL, DOUBT, FAR, HOST, MISSING, OPEN, PROFILE, RULE, Undecided
from pipeline.measure.adaptive_sampling import Open, affordable, round_s
from pipeline.words.numbers import counted

SITTING_MINUTES = 10  # what the first page says of
# Of what is undecided for good: one, several.
STANDING = {
    HOST: ("needs more CPUs than this host has", "need more CPUs than this host has"),
    RULE: ("cannot be asked here", "cannot be asked here"),
    MISSING: ("has no number in this run", "have no number in this run"),
    CONTROL: ("has a control that does not hold", "have a control that does not hold"),
    PROFILE: ("needs PROFILE=full", "need PROFILE=full"),
    DOUBT: ("rests on trials that do not settle", "rest on trials that do not settle"),
    FAR: ("is too wide for an hour of measuring", "are too wide for an hour of measuring"),
    OPEN: ("is open", "are open"),
    BETWEEN: ("lies between its rules", "lie between their rules"),
}


def opened(rows: pd.DataFrame, called: str = "claim") -> tuple[Open, ...]:
    """Those of verdicts or answers that more measuring can change, as a sitting takes them.

    rows: with a column `experiment`; called: the column of their names.
    """
    rows = rows[rows["why"].isin([OPEN, FAR])]
    return tuple(
        _open(Undecided.of_columns(row), row["experiment"], row[called], row["scope"])
        for row in rows.to_dict("records")
    )


def _open(found: Undecided, experiment: str, name: str = "", scope: str = "") -> Open:
    return Open(name, scope, experiment, found.chances, frozenset(found.configurations))


def minutes(found: Undecided, experiment: str, cost: Mapping[tuple[str, str], float]) -> float:
    """Minutes of measuring after which the chance of a verdict is even; infinite where it never is."""
    return found.rounds * round_s([_open(found, experiment)], cost) / 60


def of_row(
    row: Mapping[str, Any], run: str, experiment: str, cost: Mapping[tuple[str, str], float], only: str = ""
) -> str:
    """What follows from an undecided verdict (a row of the verdicts table, or of the answers'), in words; empty where
    nothing does. run: empty where it is measured no further; only: what the command takes besides the minutes."""
    found = Undecided.of_columns(row)
    if found.why != OPEN:
        return found.advice if found.why != FAR else f"too wide: {found.advice}"
    more = math.ceil(minutes(found, experiment, cost))
    told = f"too wide: an even chance in about {counted(more, 'more minute')}"
    return f"{told}: make report RUN={run} MORE={more}{only}" if run else told


def by_reason(verdicts: pd.DataFrame) -> dict[str, int]:
    """Why claims are undecided -> how many: what speaks against any measuring first, for a claim of several reasons;
    that it lies between its rules on one runtime last, for it is what it comes to once the others are decided.

    A claim is undecided when it is on one of its runtimes, as where verdicts are counted.
    """
    counts = dict.fromkeys(STANDING, 0)
    for _, rows in verdicts.groupby("claim", sort=True):
        undecided = set(rows.loc[rows["verdict"] == INCONCLUSIVE, "why"])
        if reason := next((one for one in STANDING if one in undecided), ""):
            counts[reason] += 1
    return {reason: count for reason, count in counts.items() if count}


def reasons(verdicts: pd.DataFrame) -> str:
    """`11 need more CPUs than this host has, 6 cannot be asked here and 3 are open`; empty without any."""
    told = [f"{count} {STANDING[reason][count > 1]}" for reason, count in by_reason(verdicts).items()]
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))


def open_answers(answers: Iterable[pd.DataFrame]) -> str:
    """How many comparisons of the cards' answers show neither side nor sameness so far; empty where all do."""
    count = sum(int(rows["why"].isin([OPEN, FAR]).sum()) for rows in answers)
    return f"{counted(count, 'answer')} on the cards {'is' if count == 1 else 'are'} open too." if count else ""


def outlook(verdicts: pd.DataFrame, run: str, cost: Mapping[tuple[str, str], float]) -> str:
    """How many verdicts more measuring can change, those too wide for an hour among them, and how many of them further
    minutes would decide: the sum of the chances of those that a sitting of so many minutes would be for.

    verdicts: with a column `experiment`; run: empty where it is measured no further. Empty where there is none.
    """
    open_ = opened(verdicts)
    if not open_:
        return ""
    kept, rounds = affordable([one for one in open_ if one.keys], cost, SITTING_MINUTES)
    decided = round(sum(one.chance(rounds) for one in kept))
    told = (
        f"More measuring can change {counted(len(open_), 'verdict')}; {SITTING_MINUTES} more minutes would decide "
        f"{f'about {decided}' if decided else 'hardly any'} of them"
    )
    return f"{told}: make report RUN={run} MORE={SITTING_MINUTES}" if run else told
