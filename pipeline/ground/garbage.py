"""Python's search for garbage in cycles, less often: what is loaded lives as long as its process, and tables and
figures are many objects at once. By default it takes 4 to 11 % of a page's CPU time, and so 1 to 5 % (`gc.callbacks`,
three pages)."""

from __future__ import annotations

import gc

THRESHOLDS = (50_000, 20, 50)  # gc.set_threshold; by default 700, 10, 10 in Python 3.11


def seldom() -> None:
    """Search seldom from now on, and never in what there is."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
