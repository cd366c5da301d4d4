"""Percentiles over time and bins: sums of histograms, whatever the windows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hdr_logs import counts_of
from hypothesis import given
from hypothesis import strategies as st
from own_files import records, sides

from pipeline.analyse import bins
from pipeline.analyse.over_time import GREATEST, over_time
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import maximum, percentiles
from pipeline.own.importer import take
from pipeline.own.page import Page


def test_a_window_is_the_sum_of_the_histograms_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    sides(tmp_path / "logs", {"before": 2, "after": 0}, seconds=20)
    page = Page(take({"before": str(tmp_path / "logs/before/*")}, name="r"))
    found = over_time(page.lab.tables, page.lab.tables.trials, windows=5)
    each = [records(seed, 20) for seed in (1, 2)]
    for window in range(5):
        together = merge(one.counts for made in each for one in made[4 * window : 4 * window + 4])
        rows = found[(found["trial"] == "") & (found["x_s"] == 4 * window + 2)].set_index("what")["value"]
        assert rows[GREATEST] == maximum(together) and rows["p99"] == percentiles(together, [99])[0]
        assert "p99.9" not in rows, "fewer than ten samples lie beyond it"
    assert found[found["trial"] != ""].groupby("trial")["x_s"].nunique().tolist() == [5, 5]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=200))
def test_bins_hold_every_value_and_step_down_behind_the_last(values):
    counts = counts_of(values)
    step = bins.width({"a": counts}, 50)
    rows = bins.bins(counts, step)
    assert rows["count"].sum() == len(values) and rows["count"].iloc[-1] == 0
    assert np.allclose(np.log10(rows["high"] / rows["low"]), step)
    assert isinstance(rows, pd.DataFrame) and (rows["low"].diff().dropna() > 0).all()
