"""What a notebook shows: figures with their title and origin, fits, verdicts and how the measuring went."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from pipeline import paths
from pipeline.bundle import journal
from pipeline.draw import style
from pipeline.draw.figure import Figure
from pipeline.errors import LabError
from pipeline.models.fit import Fit
from pipeline.session.session import Session

ENDINGS = {
    "precision": "every headline interval was narrower than 5 % on either side",
    "budget": "the time budget was spent",
    "blocks": "the profile's largest number of blocks was reached",
}


def _three(value: float) -> str:
    """Three significant digits without an exponent; a missing bound is a dash."""
    return np.format_float_positional(float(f"{value:.3g}"), trim="-") if np.isfinite(value) else "–"


class Display:
    """Shows what a session computed."""

    def __init__(self, lab: Session) -> None:
        self.lab = lab

    def show(self, figure: Figure, *, title: str, caption: str) -> Figure:
        """Give a figure its title, caption and origin, save its set of files and return it for display."""
        shown = figure.titled(title, caption, self.lab.provenance)
        shown.save(paths.figures(self.lab.run))
        return shown

    def how_it_ended(self) -> str:
        """In sentences: trials, blocks, noise, what ended the measuring, and what the plan left out."""
        trials = self.lab.tables.trials
        measured = self.lab.tables.measured
        line = journal.finished(self.lab.bundle.journal(), self.lab.entry.name)
        ended = f"ended because {ENDINGS[line['ended_by']]}" if line else "is not complete"
        failed = trials[~trials["status"].isin(["measured", "unsupported"])]
        noisy = int(measured["noisy"].sum())
        words = [
            f"{len(measured)} trials in {trials['block'].max()} blocks; measuring {ended}.",
            f"{noisy} trial{' was' if noisy == 1 else 's were'} noisy (kept, drawn hollow).",
        ]
        if len(failed):
            words.append(f"{len(failed)} trials failed: {failed.iloc[0]['trial']}: {failed.iloc[0]['reason']}.")
        return " ".join([*words, *self.lab.left_out])

    def fits(self, frame: pd.DataFrame, keys: list[str], fit: Callable[[pd.DataFrame], Fit]) -> Styler:
        """A fit per group of `frame`: the keys, the model, its parameters as `estimate [low, high]`, the sentence.

        Of measured trials those count that estimates use. Rows are in the catalogue's order. What a model refuses to
        fit (too few values) says so in its row.
        """
        rows, variants = [], list(self.lab.labels())
        frame = self.lab.counted(frame.reset_index(drop=True))
        if set(frame.get("variant", ())) <= set(variants):
            frame = frame.sort_values(
                keys,
                key=lambda values: values.map(variants.index) if values.name == "variant" else values,
                kind="stable",
            )
        for key, group in frame.groupby(keys, sort=False, observed=True):
            about = dict(zip(keys, map(str, key), strict=True))
            try:
                found = fit(group)
            except LabError as error:
                rows.append(about | {"model": "none", "says": f"{error}."})
                continue
            parameters = {
                name: f"{_three(one.estimate)} [{_three(one.low)}, {_three(one.high)}]"
                for name, one in found.parameters.items()
                if one.estimate == one.estimate
            }
            rows.append(about | {"model": found.model or "none"} | parameters | {"says": found.sentence})
        table = pd.DataFrame(rows).fillna("")
        if "variant" in table:
            table["variant"] = table["variant"].map(lambda name: self.lab.labels().get(name, name))
        if "runtime" in table:
            table["runtime"] = table["runtime"].map(style.runtime_label)
        if "says" in table:
            table["says"] = table.pop("says")  # last
        return table.style.hide(axis="index")

    def unsupported(self) -> Styler | str:
        """Variants that a runtime or the host refused, with its reason; a sentence when there are none."""
        trials = self.lab.tables.trials
        refused = trials[trials["status"] == "unsupported"]
        refused = refused[["variant", "runtime", "reason"]].drop_duplicates()
        if refused.empty:
            return "Nothing that was planned has been refused."
        refused = refused.assign(
            variant=refused["variant"].map(lambda name: self.lab.labels().get(name, name)),
            runtime=refused["runtime"].map(style.runtime_label),
        )
        return refused.style.hide(axis="index")

    def claims(self) -> Styler:
        """The verdicts as a table to read."""
        shown = self.lab.verdicts[["claim", "text", "scope", "verdict", "reason"]]
        shown = shown.assign(scope=shown["scope"].map(style.runtime_label))
        return shown.style.hide(axis="index")
