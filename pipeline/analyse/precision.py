"""How precise a run is so far: what the stop rule of measuring asks after every block."""

from __future__ import annotations

from pipeline.analyse import estimates, refused
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.entry import Experiment
from pipeline.ingest import read


def widest(bundle: Bundle, entry: Experiment, journal: list[dict]) -> float:
    """The relative half-width (1 = 100 %) of the widest headline interval; 1 while there is none.

    The histogram logs are left unread: headlines are about rates, costs and counts.
    """
    tables = read.read(bundle, entry, journal, histograms=False)
    widths = estimates.headline_widths(entry, refused.compute(entry, tables))
    return float(widths["half_width"].max()) if len(widths) else 1.0
