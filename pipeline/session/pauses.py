"""Operations at a fixed pace whose runtime logs its pauses: what the log predicts of them, and how long pauses are."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse import pauses
from pipeline.models import pause_lengths
from pipeline.models.fit import Fit
from pipeline.models.pauses import explained
from pipeline.session.session import Session

KEYS = ["variant", "runtime"]


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
        `judge`."""
        trials = self.lab.chosen_trials(**where)
        return pauses.per_trial(self.lab.entry, self.lab.tables, trials, self.words, KEYS)

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
