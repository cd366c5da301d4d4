"""Operations at a fixed pace whose runtime logs its pauses: what the log predicts of them, and how long pauses are."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse import pauses
from pipeline.models import pause_lengths
from pipeline.models.fit import Fit
from pipeline.models.pauses import explained
from pipeline.session.session import Session
from pipeline.words.comparisons import listed

KEYS = ["variant", "runtime"]
ASKED_OF_ALL = "Asked of all that log their pauses."


class Pauses:
    """The trials of a session with a log of pauses; lateness, pauses and service: metrics as
    `pipeline.analyse.pauses.Words` has them."""

    def __init__(self, lab: Session, lateness: str, pauses_of: str, service: str) -> None:
        self.lab, self.metrics = lab, [lateness, pauses_of, service]
        self.words = pauses.Words(lateness, pauses_of, service)

    def tails(self, **where) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Buckets and trials of the lateness of the selected trials as it was measured and as their logs of pauses
        predict it, each as a variant (`pipeline.analyse.pauses.overlay`)."""
        return pauses.overlay(self.lab.entry, self.lab.tables, self.lab.chosen_trials(**where), self.words)

    def predicted(self, **where) -> pd.DataFrame:
        """The same at one operation in 1,000: of each trial predicted and measured (ns) and its number of pauses, for
        `judge`. Trials of variants whose operations are late for what is in no pause are not there (`not_asked`)."""
        trials = self.lab.chosen_trials(**where)
        trials = trials[~trials["variant"].isin(list(self._outside()))]
        return pauses.per_trial(self.lab.entry, self.lab.tables, trials, self.words, KEYS)

    def not_asked(self, **where) -> str:
        """Which of the selected variants `predicted` leaves out and what makes their operations late, in sentences:
        one for those with one reason."""
        here, labels = set(self.lab.chosen_trials(**where)["variant"]), self.lab.labels()
        whose: dict[str, list[str]] = {}
        for name, why in self._outside().items():
            if name in here:
                whose.setdefault(why, []).append(labels[name])
        told = [f"Not asked of {listed(names, 'and')}, where {why}." for why, names in whose.items()]
        return " ".join(told) or (ASKED_OF_ALL if here else self.lab.nothing)

    def lengths(self, metric: str, **where) -> pd.DataFrame:
        """Every pause that a metric is about, of the selected trials, for `percentiles`: rows of
        `pipeline.analyse.pauses.lengths`, with the metric."""
        trials = self.lab.chosen_trials(**where)
        return pauses.lengths(self.lab.entry, self.lab.tables, trials, metric, KEYS).assign(metric=metric)

    def judge(self, own: pd.DataFrame) -> Fit:
        """Whether the log explains the lateness (`pipeline.models.pauses.explained`), as `Display.fits` takes it."""
        return explained(own["predicted"], own["measured"], own["pauses"])

    def percentiles(self, own: pd.DataFrame) -> Fit:
        """Percentiles of the pauses of several trials (`pipeline.models.pause_lengths`), as `Display.fits` takes it."""
        return pause_lengths.lengths(own["trial"], own["size"], self.lab.seed)

    def _outside(self) -> dict[str, str]:
        """By variant what makes its operations late and is in no pause, as the catalogue has it."""
        variants = self.lab.entry.variants
        return {name: one.outside_pauses for name, one in variants.items() if one.outside_pauses}
