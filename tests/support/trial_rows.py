"""Metrics and estimates tables as a run gives them, from values with some spread; nothing random from outside."""

import numpy as np
import pandas as pd


def estimates(metrics, by, unit):
    groups = metrics.groupby([*by, "metric"])["value"]
    found = groups.agg(estimate="median", low="min", high="max", trials="count").reset_index()
    return found.assign(unit=unit, noisy=0, unsteady=0)


def trial_rows(configurations, trials=5, seed=1):
    """metrics of configurations (key columns, metric, value), five noisy-by-turns trials each."""
    random = np.random.default_rng(seed)
    rows = []
    for number, (keys, metric, value) in enumerate(configurations):
        for block in range(1, trials + 1):
            noisy = (number + block) % 6 == 0
            spread = np.exp(random.normal(0, 0.2 if noisy else 0.05))
            rows.append(
                keys
                | {
                    "trial": f"{number}-b{block}",
                    "block": block,
                    "noisy": noisy,
                    "steady": True,
                    "metric": metric,
                    "value": value * spread,
                }
            )
    return pd.DataFrame(rows)
