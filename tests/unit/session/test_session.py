"""What a notebook chooses of a session: several selections, trials with several metrics, the catalogue's order."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.ground.errors import LabError
from pipeline.models.linear import fit_line
from pipeline.session.ratios import prefixed
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


def test_pairs_are_named_by_the_label_of_their_first_variant(lab):
    lab.labels = lambda: {"fast": "Fast", "slow": "Slow (C)"}
    native = {"variant": "native", "runtime": "c"}
    assert lab.over({"slow": "fast", "fast": native}, "{} / best") == {
        "Slow (C) / best": ("slow", "fast"),
        "Fast / best": ("fast", native),
    }
    assert lab.over({"fast": "slow"}) == {"Fast": ("fast", "slow")}
    two = {"variant": "fast", "threads": 2}
    assert lab.within(["fast"], {"threads": 2}, {}) == {"Fast": (two, {"variant": "fast"})}


def test_pairs_of_twins_are_those_with_a_prefix():
    assert prefixed({"at": ("one", "two")}, "c_") == {"at": ("c_one", "c_two")}
    assert prefixed({"at": ("one", "two")}, "") == {"at": ("one", "two")}


def test_a_line_is_fitted_to_the_values_by_a_column(lab):
    lab.bundle = SimpleNamespace(info={"seed": 7})
    rows = pd.DataFrame({"size": [1.0, 2, 3, 4], "value": [5.0, 7.5, 9, 11]})
    assert lab.line("size")(rows) == fit_line(rows["size"], rows["value"], seed=7)


def test_pairs_are_in_one_state_within_a_factor_and_what_is_little_counts_as_the_least(lab):
    pairs = {"both": ("slow", "fast"), "itself": ("slow", {"variant": "slow", "threads": 2})}
    at = {"threads": 1}  # cost 1.5 and 5.5; at two threads 3.5

    def kept(pairs=pairs, state="cost", **how):
        [(heading, metric, alike, where)], left = lab.in_one_state(state, [("H", "rate", pairs, at)], **how)
        assert (heading, metric, where) == ("H", "rate", at) and left == [one for one in pairs if one not in alike]
        return [*alike]

    assert kept(within=4, least=0.1) == ["both", "itself"]
    assert kept(within=3, least=0.1) == ["itself"]
    assert kept(within=3, least=2) == ["both", "itself"], "1.5 counts as 2"
    assert kept({"none": ("slow", "nobody")}, within=1, least=0.1) == ["none"]
    assert kept(state="absent", within=1, least=0.1) == ["both", "itself"]


def test_what_is_in_no_one_state_is_told_of_every_group(lab):
    groups = [(name, "rate", {name: ("slow", "fast")}, {"threads": 1}) for name in ("first", "second")]
    assert lab.in_one_state("cost", groups, within=3, least=0.1)[1] == ["first", "second"]
