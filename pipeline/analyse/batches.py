"""Batches of a consumer that takes all it finds: sums by trial, which give the cost of a batch and of an event."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.trials import PHASE
from pipeline.ingest.tables import Tables
from pipeline.models.fit import Fit
from pipeline.models.service_costs import batch_cost, batch_line

SUMS = ["batches", "batch_events", "batch_ns", "batch_n2", "batch_n_ns"]
SIZES = "batch_size_"
FEWEST = 30  # batches of an iteration, and pairs of events in one batch, by which what each costs can be told apart


def sums(tables: Tables, chosen: pd.DataFrame) -> pd.DataFrame:
    """`chosen` (rows of the trials table) that have batches, with the sums over their measured iterations: SUMS, of
    every 16th batch, and `batch_size_2^k`, how many of all batches had 2^k to 2^(k+1) - 1 events."""
    found = _measured(tables).pivot_table(index="trial", columns="name", values="value", aggfunc="sum", fill_value=0.0)
    if not set(SUMS) <= set(found):
        return chosen.head(0).reindex(columns=[*chosen.columns, *SUMS])
    greatest = max((int(one.removeprefix(SIZES)) for one in found if one.startswith(SIZES)), default=1)
    powers = [f"{SIZES}{1 << power}" for power in range(greatest.bit_length())]
    sums_of = found.reindex(columns=[*SUMS, *powers], fill_value=0.0)
    return chosen.astype({"trial": str}).join(sums_of, on="trial", how="inner")


def costs(tables: Tables) -> pd.DataFrame:
    """By trial (text) `batch` and `event`, what a batch and what an event costs (ns): the medians over its measured
    iterations of each one's least squares, so that a batch which the host stopped spoils one iteration and no more.
    Iterations with fewer than FEWEST batches, or pairs of events in one, tell nothing."""
    rows = _measured(tables)
    found = rows.pivot_table(
        index=["trial", "iteration"], columns="name", values="value", aggfunc="sum", fill_value=0.0
    )
    if not set(SUMS) <= set(found):
        return pd.DataFrame(columns=["batch", "event"], index=pd.Index([], name="trial"), dtype=float)
    n, x, y, xx, xy = (found[name] for name in SUMS)
    tells = (n >= FEWEST) & ((xx - x) / 2 >= FEWEST)
    batch, event = batch_line(n.where(tells), x, y, xx, xy)
    return pd.DataFrame({"batch": batch, "event": event}).groupby("trial").median()


def _measured(tables: Tables) -> pd.DataFrame:
    """What was measured of batches in the measured iterations."""
    measured = tables.iterations.loc[tables.iterations["phase"] == PHASE, ["trial", "iteration"]].drop_duplicates()
    rows = tables.measures[tables.measures["name"].astype(str).str.startswith("batch")]
    return rows.astype({"trial": str, "name": str}).merge(measured.astype({"trial": str}), on=["trial", "iteration"])


def cost(rows: pd.DataFrame) -> Fit:
    """What a batch and what an event cost (`pipeline.models.service_costs.batch_cost`), of trials as `sums` gives
    them."""
    return batch_cost(*(rows[name] for name in SUMS), rows.filter(like=SIZES))
