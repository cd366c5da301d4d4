"""The merged histograms of a trial are those that `hdr.merge.merge` makes, phases and series kept apart."""

from __future__ import annotations

import numpy as np
from hdr_logs import counts_of
from hypothesis import given
from hypothesis import strategies as st

from pipeline.hdr.histograms import HIGHEST_NS
from pipeline.hdr.merge import merge
from pipeline.ingest import trial_buckets
from pipeline.ingest.columns import Columns
from pipeline.ingest.tables import SCHEMAS

PHASES, SERIES = ("warmup", "compiled", "measured", "capacity"), ("t0", "peer.t0")
VALUES = st.lists(st.integers(0, 4_000) | st.integers(0, HIGHEST_NS), max_size=12)
HISTOGRAMS = st.lists(st.tuples(st.sampled_from(PHASES), st.sampled_from(SERIES), VALUES), max_size=12)


def rows(made: list[tuple]) -> list[tuple]:
    counts = [counts_of(values) for *_, values in made]
    joined = {
        ours: np.concatenate([np.empty(0, np.int64), *(getattr(one, its) for one in counts)])
        for ours, its in (("low_ns", "low"), ("width_ns", "width"), ("count", "count"))
    }
    repeats = np.array([len(one.low) for one in counts], np.int64)
    columns = Columns(SCHEMAS["trial_buckets"])
    merged = trial_buckets.merged([one[0] for one in made], [one[1] for one in made], repeats, joined)
    columns.add(trial="a", **merged)
    return list(columns.frame().itertuples(index=False, name=None))


@given(HISTOGRAMS)
def test_rows_are_the_merged_histograms_of_each_phase_and_series_that_was_to_be_measured(made):
    expected = []
    for phase, series in dict.fromkeys(one[:2] for one in made if one[0] not in trial_buckets.LEFT_OUT):
        merged = merge(counts_of(values) for *about, values in made if about == [phase, series])
        values = zip(merged.low.tolist(), merged.width.tolist(), merged.count.tolist(), strict=True)
        expected += [("a", phase, series, *value) for value in values]
    assert rows(made) == expected


def test_phases_are_not_mixed():
    assert rows(
        [
            ("warmup", "t0", [1]),
            ("compiled", "t0", [9]),
            ("capacity", "t0", [2]),
            ("measured", "t0", [2, 5]),
            ("measured", "t0", [5]),
        ]
    ) == [("a", "capacity", "t0", 2, 1, 1), ("a", "measured", "t0", 2, 1, 1), ("a", "measured", "t0", 5, 1, 2)]
