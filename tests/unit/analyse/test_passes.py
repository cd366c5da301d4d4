"""The rate of each numbered phase: operations over time within a trial, the median over trials."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.passes import rates


def test_a_pass_has_one_rate_per_trial_over_its_series_and_a_median_over_trials():
    trials = pd.DataFrame({"trial": ["t1", "t2"], "variant": "v", "runtime": "c", "noisy": False})
    rows = [
        ("t1", "pass0", "write-1", 100, 1000),
        ("t1", "pass0", "write-2", 300, 1000),
        ("t1", "pass10", "write-1", 100, 500),
        ("t2", "pass0", "write-1", 100, 250),
        ("t2", "pass0", "read-1", 900, 1),
        ("t2", "warmup", "write-1", 900, 1),
    ]
    iterations = pd.DataFrame(rows, columns=["trial", "phase", "series", "operations", "elapsed_ns"])
    metrics, estimates = rates(iterations, trials, "write", "write_rate", size=4, unit="bytes/s")
    assert metrics.set_index(["trial", "pass"])["value"].to_dict() == {
        ("t1", 0): 400 * 4e9 / 2000,
        ("t1", 10): 100 * 4e9 / 500,
        ("t2", 0): 100 * 4e9 / 250,
    }
    first = estimates.set_index("pass").loc[0]
    assert (first["estimate"], first["trials"], first["metric"]) == (1.2e9, 2, "write_rate")
