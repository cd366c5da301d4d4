"""What a run comes to for others: of the state of the CPUs that is meant, and what is left out for it."""

from __future__ import annotations

from types import SimpleNamespace

import analyse_tables
import pandas as pd
from analyse_tables import entry

from pipeline.analyse import state_labels
from pipeline.collection import summary

DECLARED = {"cost": {"kind": "cost", "unit": "ns"}}


def lab(*ranks: tuple[str, int, int]):
    """Trials of variants with these ranks."""
    rows = pd.DataFrame(ranks, columns=["variant", "way", "core"])
    rows = rows.assign(
        runtime="c", threads=2, metric="cost", value=1.0, noisy=False, steady=True, block=range(len(rows))
    )
    measured = analyse_tables.trials([{"way": way, "core": core} for _, way, core in ranks])
    return SimpleNamespace(metrics=rows, moved=state_labels.several(measured), entry=entry(DECLARED))


def test_numbers_of_other_states_alone_are_left_out():
    found = summary._elsewhere(lab(*[("near", 0, 0)] * 6, *[("near", 1, 0)] * 9, *[("far", 1, 0)] * 6, ("few", 0, 1)))
    assert {identity[1] for identity in found} == {"far", "few"}


def test_a_run_of_one_state_leaves_nothing_out():
    assert summary._elsewhere(lab(*[("near", 0, 0)] * 3, ("other", -1, 0), ("other", -1, -1))) == set()
