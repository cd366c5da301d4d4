"""How precise a run is so far: what the stop rule of measuring asks after every block, and what is told meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.entry import Experiment
from pipeline.words.numbers import percent

if TYPE_CHECKING:
    import pandas as pd

NARROW = 0.1


def widths(bundle: Bundle, entry: Experiment, journal: list[dict]) -> pd.Series:
    """The relative half-widths (1 = 100 %) of the headline intervals; infinite while trials are too few.

    The histogram logs are left unread: headlines are about rates, costs and counts.
    """
    # Loaded by the first block that ends: a run that is complete needs none of it.
    from pipeline.analyse import estimates, refused
    from pipeline.ingest import read

    tables = read.read(bundle, entry, journal, histograms=False)
    return estimates.headline_widths(entry, refused.compute(entry, tables))["half_width"]


def widest(bundle: Bundle, entry: Experiment, journal: list[dict]) -> float:
    """The relative half-width of the widest headline interval; 1 while there is none."""
    return Settled().widest(bundle, entry, journal)


class Settled:
    """`widest`, and in words how many headline intervals of all experiments asked so far are narrow."""

    def __init__(self) -> None:
        self.meanwhile = ""  # what happens while nothing is measured, in words
        self._counts: dict[str, tuple[int, int]] = {}  # of each experiment: narrow ones, all

    def widest(self, bundle: Bundle, entry: Experiment, journal: list[dict]) -> float:
        """The relative half-width of the widest headline interval; 1 while there is none."""
        found = widths(bundle, entry, journal)
        self._counts[entry.name] = (int((found <= NARROW).sum()), len(found))
        return float(found.max()) if len(found) else 1.0

    def words(self) -> str:
        """`31 of 84 answers have intervals below 10 %`; empty before any was asked."""
        if self.meanwhile:
            return self.meanwhile
        counts = [*self._counts.values()]  # measuring goes on meanwhile, in another thread
        narrow, every = sum(one for one, _ in counts), sum(one for _, one in counts)
        return f"{narrow} of {every} answers have intervals below {percent(NARROW)}" if every else ""
