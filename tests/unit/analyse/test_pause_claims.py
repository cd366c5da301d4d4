"""What the claims about pauses come to, of numbers whose answer is known."""

import pandas as pd
import pytest
from analyse_tables import tables

from pipeline.analyse.claim_test import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED
from pipeline.analyse.verdicts import verdicts
from pipeline.catalogue import catalogue

pytestmark = pytest.mark.thorough

MS = 1e6  # ns
USUAL = {"keep_every": 50, "bytes_per_operation": 2000, "placement": "spread"}
COLLECTORS = ("zgc", "shenandoah", "g1")


def verdict(claim: str, late: float, without: float, seconds: float = 70, longest: float = 1 * MS) -> str:
    """Of a claim, where every collector has these greatest latenesses (ns), and the program without garbage that."""
    bare = USUAL | {"bytes_per_operation": 0}
    told = [(name, USUAL, "late_max", late) for name in COLLECTORS] + [("no_garbage", bare, "late_max", without)]
    told += [("zgc", USUAL, "watched", seconds)] + [(name, USUAL, "safepoint_max", longest) for name in COLLECTORS]
    rows, trials = [], []
    for variant, axes, metric, value in told:
        for block in range(1, 8):  # as many as a claim of four effects needs
            one = {"variant": variant, "runtime": "jdk25", "block": block, "noisy": False} | axes
            trials.append(one | {"experiment": "gc_pause"})
            rows.append(one | {"trial": f"{variant}-{block}", "steady": True, "metric": metric, "value": value})
    found = verdicts(catalogue.load()["gc_pause"], tables(trials), pd.DataFrame(rows), 2).set_index("claim")
    return found.loc[claim, "verdict"]


@pytest.mark.parametrize(
    ("late", "without", "said"),
    [(1.5, 0.14, REPRODUCED), (5.0, 0.14, NOT_REPRODUCED), (5.0, 3.7, INCONCLUSIVE), (1.5, 3.7, INCONCLUSIVE)],
)
def test_what_is_late_is_not_excused_by_a_later_control_and_a_late_host_decides_nothing(late, without, said):
    """The control slept, and was 3.7 ms late because of the program: taken off, 5 ms of lateness became 1.3."""
    assert verdict("C24", late * MS, without * MS) == said


def test_a_trial_of_a_second_refutes_and_does_not_confirm():
    assert verdict("C24", 1.5 * MS, 0.14 * MS, seconds=1.4) == INCONCLUSIVE
    assert verdict("C24", 5 * MS, 0.14 * MS, seconds=1.4) == NOT_REPRODUCED


@pytest.mark.parametrize(("longest", "said"), [(0.07, REPRODUCED), (0.2, NOT_REPRODUCED)])
def test_the_worst_pause_is_that_of_the_safepoint(longest, said):
    assert verdict("C23", 5 * MS, 0.1 * MS, longest=longest * MS) == said


def test_no_control_runs_beside_what_it_controls():
    entry = catalogue.load()["gc_pause"]
    assert not any(variant.beside for variant in entry.variants.values())
    assert {one.of["variant"] for one in entry.claims["C24"].controls} == {"no_garbage"}
    swept = {name for profile in entry.profiles.values() for name in profile.sweeps[0].variants}
    assert {"no_garbage", "c_paced"} <= swept, "in the same blocks as the collectors"
