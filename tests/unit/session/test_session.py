"""What a notebook chooses of a session: several selections, trials with several metrics, the catalogue's order."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.ground.errors import LabError
from pipeline.session.session import Session


@pytest.fixture
def lab() -> Session:
    """Two variants at one and two threads, in two blocks."""
    at = [(variant, threads, block) for variant in ("slow", "fast") for threads in (1, 2) for block in (1, 2)]
    trials = [{"variant": variant, "threads": threads, "block": block} for variant, threads, block in at]
    session = Session.__new__(Session)
    session.entry = entry({"cost": {"kind": "cost"}, "rate": {"kind": "rate", "unit": "ops/s"}})
    rows = [row for n in range(len(trials)) for row in costs_to_iterations(f"t{n}", [n + 1])]
    session.tables = tables(trials, iterations=rows)
    return session


def test_several_selections_come_one_after_another(lab):
    slow, fast = {"variant": "slow", "threads": 2}, {"variant": "fast", "metric": "cost"}
    for both, first, then in zip(lab.either(slow, fast), lab.chosen(**slow), lab.chosen(**fast), strict=True):
        pd.testing.assert_frame_equal(both, pd.concat([first, then]))
        assert len(first) and len(then)


def test_columns_follow_the_variant(lab):
    rows = pd.DataFrame({"variant": ["slow", "fast", "other"], "n": [1, 2, 3]})
    found, _ = lab.by_variant([rows, rows[:1]], kind={"slow": "a", "fast": "b"}, n={"slow": "one"})
    assert found["kind"].tolist()[:2] == ["a", "b"] and found["kind"].isna().tolist() == [False, False, True]
    assert found["n"].tolist()[0] == "one" and rows["n"].tolist() == [1, 2, 3], "the frame itself stays as it is"


def test_trials_with_several_metrics_are_chosen_as_all_others(lab):
    rows = lab.wide("cost", "rate", variant="fast", threads=[2, 3])
    assert rows.index.tolist() == ["t6", "t7"] and rows["cost"].tolist() == pytest.approx([7, 8])
    assert len(lab.wide("cost", "rate")) == 8
    with pytest.raises(LabError, match="unknown column 'size'"):
        lab.wide("cost", size=1)


def test_rows_are_in_the_catalogues_order_unless_their_variants_are_others(lab):
    rows = pd.DataFrame({"variant": ["slow", "fast", "slow"], "n": [1, 2, 0]})
    assert lab.ordered(rows, ["variant", "n"]).values.tolist() == [["fast", 2], ["slow", 0], ["slow", 1]]
    assert lab.ordered(rows, ["n"])["n"].tolist() == [0, 1, 2]
    others = rows.replace("fast", "theirs")
    assert lab.ordered(others, ["variant"]) is others


def test_published_values_of_several_metrics_are_under_our_names(lab):
    table = pd.DataFrame({"metric": ["w", "r"], "variant": "theirs", "value": [1.0, 2.0], "machine": "M", "year": 2011})
    lab.published = {"x.csv": table.assign(trial=1, threads_or_size="1")}
    lab.entry = SimpleNamespace(published={"x.csv": {"theirs": "fast"}})
    rows = lab.overlay("x.csv", metrics={"write": "w", "read": "r"})
    assert rows[["metric", "variant", "value"]].values.tolist() == [["write", "fast", 1.0], ["read", "fast", 2.0]]
    assert "metric" not in lab.overlay("x.csv", metric="w")


def test_a_streams_bottleneck_is_what_it_takes_beyond_half_of_both_ends_work_or_all_of_it(lab):
    headings = lab.bottleneck("cost", {"slow": "fast"}, threads=1)
    names = ["cost", "alone", "transfer_least", "transfer_most"]
    assert list(headings) == names and len(set(headings.values())) == 4
    rows = lab.wide(*names, variant="slow")
    assert rows[names].values.tolist() == [[1, 5, -4, -1.5], [2, 6, -4, -1]], "its twin's, in each block at one thread"
    told = lab.chosen(metric=names[1:])[1]
    assert set(told["unit"]) == {"ns"} and set(told["variant"]) == {"slow"} and lab.derived == set(names[1:])


def test_pairs_are_in_one_state_within_a_factor_and_what_is_little_counts_as_the_least(lab):
    pairs = {"both": ("slow", "fast"), "itself": ("slow", {"variant": "slow", "threads": 2})}
    at = {"threads": 1}  # cost 1.5 and 5.5; at two threads 3.5

    def kept(**how):
        return [*lab.in_one_state("cost", pairs, at, **how)]

    assert kept(within=4, least=0.1) == ["both", "itself"]
    assert kept(within=3, least=0.1) == ["itself"]
    assert kept(within=3, least=2) == ["both", "itself"], "1.5 counts as 2"
    assert [*lab.in_one_state("cost", {"none": ("slow", "nobody")}, at, within=1, least=0.1)] == ["none"]
    assert [*lab.in_one_state("absent", pairs, at, within=1, least=0.1)] == ["both", "itself"]
