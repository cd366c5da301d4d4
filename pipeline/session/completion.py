"""Completion: how the measuring of one experiment went and ended, in sentences."""

from __future__ import annotations

import pandas as pd

from pipeline.bundle import entries, journal
from pipeline.catalogue.selectors import runtime_label
from pipeline.session import progress, state_summary
from pipeline.session.computed import Computed
from pipeline.session.two_threads import nearest
from pipeline.words.numbers import counted, places

APART = "in most iterations the threads were at work together for less than half of the time"
ENDINGS = {
    "precision": "every headline interval was narrower than 5 % on either side",
    "budget": "the time budget was spent",
    "blocks": "the profile's largest number of blocks was reached",
    "imported": "all files were read",
    "decided": "everything that was asked was decided",
    "left_out": "this host has too few CPUs for any part of it",
}


def how_it_ended(lab: Computed, left_out: bool = True) -> str:
    """In sentences: what ended the measuring, or how complete it is, trials, noise, what changed, and unless `left_out`
    is off what the plan left out on that host."""
    trials, measured = lab.tables.trials, lab.tables.measured
    lines = lab.bundle.journal()
    line = journal.finished(lines, lab.entry.name)
    if entries.own(lab.bundle):
        return " ".join([_imported(lab), *_not_shown(lab)])
    ended = f"ended because {ENDINGS[line['ended_by']]}" if line else f"is not complete: {_measured_so_far(lab)}"
    failed = trials[~trials["status"].isin([journal.MEASURED, "unsupported"])]
    noisy = int(measured["noisy"].sum())
    whole = ~trials["trial"].isin(line["trial"] for line in journal.trials(lines) if line.get("sitting"))
    blocks = counted(trials.loc[whole, "block"].nunique(), "block")
    size = f"{counted(len(measured), 'trial')} in {blocks}{_sat(lines, lab.entry.name)}"
    quality = f"{noisy} of them noisy (kept, drawn hollow)" if noisy else "none noisy"
    words = [f"Measuring {ended}.", *([f"{size}, {quality}."] if len(trials) else [])]
    if len(failed):
        first = failed.iloc[0]
        words.append(f"{counted(len(failed), 'trial')} failed: {first['trial']}: {first['reason']}.")
    words += _apart(lab)
    words += lab.compiled
    words += filter(None, (nearest(lab), state_summary.counted(lab)))
    return " ".join([*words, *journal.told(lines), *(lab.left_out if left_out else []), *_not_shown(lab)])


def _imported(lab: Computed) -> str:
    """What was imported, and what its readers had to say."""
    told = lab.bundle.info["own"]
    sessions = lab.tables.trials.groupby("runtime", sort=False)["block"].nunique()
    groups = ", ".join(f"{name} {counted(int(number), 'session')}" for name, number in sessions.items())
    return " ".join([f"Imported from {', '.join(told['tools'])}: {groups}.", *(f"{note}." for note in told["notes"])])


def _sat(lines: list[dict], experiment: str) -> str:
    """`, then 5 rounds of 12 configurations by which 27 verdicts could still change`, for each sitting."""
    told, sat = "", journal.sat(lines)
    for line in journal.sittings(lines):
        if chosen := line["configurations"].get(experiment):
            ended = sat.get(line["number"])
            rounds = counted(ended["rounds"], "round") if ended else "rounds that are not over"
            verdicts = counted(len(line["verdicts"]), "verdict")
            several = counted(len(chosen), "configuration")
            told += f", then {rounds} of {several} by which {verdicts} could still change"
    return told


def _not_shown(lab: Computed) -> list[str]:
    """What cannot be shown of how many trials, in a sentence per reason; metrics of the same trials in one breath."""
    sentences = []
    for why, rows in lab.withheld.groupby("why", sort=True):
        alike: dict[tuple[int, int], list[str]] = {}
        for one in rows.groupby("metric", sort=False, observed=True)[["trials", "of"]].sum().itertuples():
            alike.setdefault((one.trials, one.of), []).append(lab.entry.metrics[one.Index].label)
        told = [f"{'; '.join(labels)} ({trials} of {of} trials)" for (trials, of), labels in alike.items()]
        sentences.append(f"Not shown because {why}: {', '.join(told)}.")
    return sentences


def _measured_so_far(lab: Computed) -> str:
    """`2 of at least 6 blocks (40 of 84 trials) are measured; to go on: make report RUN=r PROFILE=quick`."""
    found = progress.counted(lab.bundle, lab.entry)
    blocks = f"{progress.blocks(found)} ({found.done} of {found.planned} trials)"
    return f"{blocks} are measured; to go on: make report RUN={lab.run} PROFILE={lab.bundle.info['profile']}"


def _apart(lab: Computed) -> list[str]:
    """A sentence about the trials whose threads did not run together; none where all did."""
    if lab.apart.empty:
        return []
    rows = lab.apart[["variant", "runtime", *lab.entry.axes]].drop_duplicates()
    # What is the same in all of them says nothing of any.
    axes = [axis for axis in lab.entry.axes if len(rows) == 1 or rows[axis].nunique(dropna=False) > 1]
    labels = lab.labels()
    named = []
    for row in rows.to_dict("records"):
        at = places({axis: row[axis] for axis in axes if not pd.isna(row[axis])})
        named.append(", ".join(filter(None, [labels[row["variant"]], runtime_label(row["runtime"]), at])))
    rest = len(named) - 3
    more = f"; and {counted(rest, 'more configuration')}" if rest > 0 else ""
    return [
        f"{counted(len(lab.apart), 'trial')} without a rate, for {APART}: {'; '.join(named[:3])}{more}. Longer "
        "iterations (iteration-ms) or a quieter host help."
    ]
