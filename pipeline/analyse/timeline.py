"""A trial's iterations in time: which trial stands for the others, its levels, and the events beside its changes."""

from __future__ import annotations

import pandas as pd

from pipeline.models.steps import segments


def representative(metrics: pd.DataFrame, metric: str) -> str:
    """The trial whose value of `metric` is the (lower) median of those given; ties go to the first name."""
    rows = metrics[metrics["metric"] == metric].sort_values(["value", "trial"])
    return rows["trial"].iloc[(len(rows) - 1) // 2]


def levels(iterations: pd.DataFrame, trial: str, seed: int) -> pd.DataFrame:
    """Detected levels of one trial: columns first, last (iterations), level (operations/s), t_ns of its start."""
    rows = iterations[iterations["trial"] == trial].sort_values("start_ns").reset_index(drop=True)
    rates = rows["operations"] / rows["elapsed_ns"] * 1e9
    found = segments(rates.to_numpy(), seed)
    return pd.DataFrame(
        {
            "first": [rows["iteration"][one.start] for one in found],
            "last": [rows["iteration"][one.end - 1] for one in found],
            "level": [one.level for one in found],
            "t_ns": [rows["start_ns"][one.start] for one in found],
        }
    )


def changes(found: pd.DataFrame, events: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Every change of level with the nearest event of a kind: columns at_ms (since the first level), factor, lag_ms.

    lag_ms is positive when the event came first; NaN where there is no such event at all.
    """
    times = events.loc[events["kind"] == kind, "t_ns"].to_numpy(dtype=float)
    rows = []
    for before, after in zip(found.itertuples(), found.iloc[1:].itertuples(), strict=False):
        lags = (after.t_ns - times) / 1e6
        nearest = lags[abs(lags).argmin()] if len(lags) else float("nan")
        rows.append(
            {
                "at_ms": (after.t_ns - found["t_ns"].iloc[0]) / 1e6,
                "factor": after.level / before.level,
                "lag_ms": nearest,
            }
        )
    return pd.DataFrame(rows, columns=["at_ms", "factor", "lag_ms"])
