"""Two runs, two runtimes or repeated runs: what is compared with what, and what is told of the rest."""

import re

import numpy as np
import pandas as pd
import pytest
from compared import EVERY, RUNTIMES, FakeRun, entry, info, rows

from pipeline.compare import verdicts
from pipeline.compare.measured import matched
from pipeline.compare.sides import Side
from pipeline.ground.errors import LabError

pytestmark = pytest.mark.thorough

NEW_JDK = {"runtimes__jdk17": RUNTIMES["jdk17"] | {"version": "17.0.16", "build": "17.0.16+1"}}


def verdict_of(found, variant, threads=2):
    return found.row(variant=variant, threads=threads)["verdict"]


def test_a_slower_variant_is_found_beside_others_that_are_the_same(against):
    runs = [FakeRun("a", rows(1)), FakeRun("b", rows(2, times={("slow", "jdk17", 1): 1.15}))]
    found = against("a", "b", runs)
    assert found.counts["slower"] == 1 and found.counts["same"] >= 8
    assert found.table["variant"][0] == "slow"  # what changed stands first
    assert set(found.table["method"]) == {"controls"} and found.changed == []
    row = found.row(variant="slow", threads=1)
    assert row["before"] == pytest.approx(100, rel=0.03) and row["ratio"] == pytest.approx(1.15, rel=0.03)
    assert re.fullmatch(r"1\d(\.\d)? % slower \[.*\] \(\d+ \+ \d+ trials\)", found.verdict(variant="slow", threads=1))
    assert found.verdict(variant="fast", threads=1).startswith("the same within 5 %: ")
    assert "not one configuration" in found.verdict(variant="slow")


def test_exchanged_sides_invert_every_row(against):
    frames = rows(1), rows(2, times={"slow": 1.2, ("fast", "jdk17", 2): 0.8}, configurations=EVERY[:-1])
    here = against("a", "b", [FakeRun("a", frames[0]), FakeRun("b", frames[1])])
    opposite = {"slower": "faster", "faster": "slower"}
    told = {(row["variant"], str(row["axes"])): row for row in here.table.to_dict("records")}
    there = against("b", "a", [FakeRun("a", frames[0]), FakeRun("b", frames[1])])
    assert len(told) == len(there.table) == len(EVERY) - 1
    for row in there.table.to_dict("records"):
        twin = told[row["variant"], str(row["axes"])]
        assert row["verdict"] == opposite.get(twin["verdict"], twin["verdict"])
        assert np.log([row["ratio"], row["low"], row["high"]]) == pytest.approx(
            -np.log([twin["ratio"], twin["high"], twin["low"]]), rel=1e-12, abs=1e-15
        )
        assert (row["before"], row["after"]) == (twin["after"], twin["before"])
    assert [here.missing["side"].tolist(), there.missing["side"].tolist()] == [["before"], ["after"]]


def test_another_jdk_is_judged_by_what_it_cannot_reach(against):
    runs = [FakeRun("a", rows(1)), FakeRun("b", rows(2, drift=0.03, times={"fast": 1.3}), info(**NEW_JDK))]
    found = against("a", "b", runs)
    assert set(found.table["runtime"]) == {"jdk17"} and set(found.controls["runtime"]) == {"c"}
    assert [fact.name for fact in found.changed] == ["jdk17"]
    assert found.table["method"].eq("alone").all()  # four controls are too few to tell what runs do
    many = (*EVERY, *(("native", "c", n) for n in (3, 5, 6)))
    runs = [FakeRun("a", rows(1, many)), FakeRun("b", rows(2, many, drift=0.03, times={"fast": 1.3}), info(**NEW_JDK))]
    found = against("a", "b", runs)
    assert found.table["method"].eq("controls").all() and len(found.controls) == 7
    assert verdict_of(found, "fast") == "slower" and verdict_of(found, "slow") in ("undecided", "same")


@pytest.mark.parametrize(
    "change",
    [
        {"host__kernel": "Linux 6.2.0"},
        {"host__cpu__microcode": "0x2"},
        {"host__io__type": "xfs"},
        {"host__something_new": "on"},
        {"git": "bbb"},
        {"harness": {"java": "1", "c": "2", "lab": "3"}},
    ],
)
def test_what_reaches_everything_leaves_no_controls_and_no_certainty(against, change):
    before = {name: {"java": "1", "c": "1", "lab": "3"} if name == "harness" else "0" for name in change}
    runs = [FakeRun("a", rows(1), info(**before)), FakeRun("b", rows(2, times={"slow": 1.3}), info(**change))]
    found = against("a", "b", runs)
    assert found.controls.empty and found.table["method"].eq("alone").all()
    assert {verdict_of(found, "slow", n) for n in (1, 2, 4, 8)} == {"differs"}
    assert set(found.table["verdict"]) <= {"differs", "undecided"}


def test_another_revision_with_the_same_programs_changes_nothing(against):
    sums = {"java": "1", "c": "2", "lab": "3"}
    runs = [FakeRun("a", rows(1), info(harness=sums)), FakeRun("b", rows(2), info(harness=sums, git="bbb"))]
    assert against("a", "b", runs).unchanged
    other = info(harness=sums | {"java": "9"}, git="bbb")
    found = against("a", "b", [FakeRun("a", rows(1), info(harness=sums)), FakeRun("b", rows(2), other)])
    assert set(found.controls["runtime"]) == {"c"} and set(found.table["runtime"]) == {"jdk17"}


def test_runtimes_of_one_run_are_paired_by_block(against):
    configurations = [(variant, runtime, n) for variant in ("fast", "slow") for runtime in RUNTIMES for n in (1, 2)]
    frame = rows(1, configurations, scatter=0.01, times={"jdk25": 0.8})
    wild = np.exp(np.random.default_rng(3).normal(0, 0.5, 10))  # of the blocks: both sides have it
    frame["value"] *= wild[frame["block"] - 1]
    found = against("r:jdk17", "r:jdk25", [FakeRun("r", frame)])
    assert found.way == "paired" and found.counts == {"faster": 4}
    assert set(found.table["runtime"]) == {"jdk17 → jdk25"} and found.table["ratio"].between(0.75, 0.85).all()
    assert [fact.name for fact in found.changed] == ["runtime"]


def test_repeated_runs_are_what_is_compared(against):
    names = ("a1", "a2", "a3", "b1", "b2", "b3")
    runs = [
        FakeRun(one, rows(at, drift=0.03 * (at % 3), times={"slow": 1 + 0.5 * (at > 2)}))
        for at, one in enumerate(names)
    ]
    found = against("a1,a2,a3", "b1,b2,b3", runs)
    assert found.table["method"].eq("repeated").all() and found.table["trials_before"].eq(30).all()
    assert {verdict_of(found, "slow", n) for n in (1, 2, 4, 8)} == {"slower"}
    assert set(found.table["verdict"]) == {"slower", "undecided"}
    assert found.table["before_low"].isna().all()  # an interval would be that of one run


def test_what_one_side_lacks_is_listed_with_the_reason(against):
    runs = [FakeRun("a", rows(1, EVERY[:3])), FakeRun("b", rows(2, EVERY[1:]))]
    found = against("a", "b", runs)
    assert len(found.table) == 2 and len(found.missing) == len(EVERY) - 2
    assert found.missing["side"].value_counts().to_dict() == {"after": len(EVERY) - 3, "before": 1}
    assert set(found.missing["reason"]) == {"before: not measured", "after: not measured"}


def test_a_copy_of_a_run_is_not_another_run(against):
    runs = [FakeRun(name, rows(1)) for name in ("a1", "a2", "b1", "b2")]
    for number, run in enumerate(runs):
        run.lines = [{"trial": max(number, 1)}]
    with pytest.raises(LabError, match="a1 and a2 are copies of one measurement"):
        against("a1,a2", "b1,b2", runs)


def test_an_experiment_that_one_side_lacks_is_listed(against):
    runs = [FakeRun("a", rows(1)), FakeRun("b", rows(2))]
    runs[1].experiments = {"example", "another"}
    found = against("a", "b", runs)
    assert found.missing[["experiment", "side", "reason"]].to_numpy().tolist() == [
        ["another", "after", "before: not measured"]
    ]


def test_other_parameters_are_compared_only_when_asked_for(against):
    other = rows(2, how=("--iterations 60",))
    runs = [FakeRun("a", rows(1)), FakeRun("b", pd.concat([other[:20], rows(3)[20:]]))]
    found = against("a", "b", runs)
    assert set(found.missing["reason"]) == {"other parameters: --iterations 50 → --iterations 60"}
    assert len(found.table) + len(found.missing) == len(EVERY) and len(found.missing) == 2
    assert len(against("a", "b", runs, any_parameters=True).table) == len(EVERY)


def test_sides_without_anything_in_common_are_told_apart(against):
    runs = [FakeRun("a", rows(1, EVERY[:4])), FakeRun("b", rows(2, EVERY[4:]))]
    with pytest.raises(
        LabError, match="share no configuration; before has example fast, threads 1, jdk17 and 3 others"
    ):
        against("a", "b", runs).require()


@pytest.mark.parametrize(("trials", "reason"), [(2, "2 trials after"), (4, "4 trials after; a verdict needs 5")])
def test_few_trials_give_no_verdict(against, trials, reason):
    fewer = rows(2, times={"slow": 2})
    runs = [FakeRun("a", rows(1)), FakeRun("b", fewer[(fewer["variant"] != "slow") | (fewer["block"] <= trials)])]
    row = against("a", "b", runs).row(variant="slow", threads=2)
    assert (row["verdict"], row["reason"]) == ("undecided", reason)
    assert np.isnan(row["low"]) == (trials < 3)


def test_mostly_noisy_trials_give_no_verdict(against):
    noisy = rows(2, times={"slow": 2})
    noisy["noisy"] = (noisy["variant"] == "slow") & (noisy["block"] <= 5)
    runs = [FakeRun("a", rows(1)), FakeRun("b", noisy)]
    row = against("a", "b", runs).row(variant="slow", threads=2)
    assert (row["verdict"], row["reason"]) == ("undecided", "mostly noisy trials")


def test_of_zeros_there_is_a_difference(against):
    failed = [rows(at, metric="failed").assign(value=0.0) for at in (1, 2)]
    failed[1].loc[failed[1]["variant"] == "slow", "value"] = 3.0
    runs = [FakeRun("a", failed[0]), FakeRun("b", failed[1])]
    found = against("a", "b", runs, metrics=["failed"])
    same, more = found.row(variant="fast", threads=2), found.row(variant="slow", threads=2)
    assert (more["kind"], more["ratio"], more["before"], more["after"]) == ("difference", 3.0, 0.0, 3.0)
    assert (same["ratio"], same["low"], same["high"]) == (0.0, 0.0, 0.0)
    assert verdicts.numbers(more).startswith("+3")


def test_a_rate_that_falls_is_slower(against):
    runs = [FakeRun("a", rows(1, metric="rate")), FakeRun("b", rows(2, metric="rate", times={"slow": 0.8}))]
    found = against("a", "b", runs, metrics=["rate"])
    assert verdict_of(found, "slow") == "slower" and found.row(variant="slow", threads=2)["ratio"] < 1


def test_only_what_is_asked_for_is_compared(against):
    runs = [FakeRun("a", rows(1)), FakeRun("b", rows(2))]
    found = against("a", "b", runs, where={"variant": "slow", "threads": ["2", "4"]})
    assert len(found.table) == 2 and set(found.table["variant"]) == {"slow"}
    assert len(found.controls) == len(EVERY)  # what is not asked about still tells what runs do
    for how, words in (({"where": {"size": "1"}}, "no .* column 'size'"), ({"metrics": ["x"]}, "no .* metric 'x'")):
        with pytest.raises(LabError, match=words):
            against("a", "b", runs, **how)
    with pytest.raises(LabError, match="threads=3 was not measured on either side; there are: 1, 2, 4, 8"):
        assert against("a", "b", runs, where={"threads": "2,3"}).table is None
    with pytest.raises(LabError, match="has no runtime 'jdk8'; there are: c, jdk17, jdk25"):
        against("a:jdk8", "b:jdk8", runs)
    with pytest.raises(LabError, match="margin of -1"):
        against("a", "b", runs, margin=-1)


def in_states(frame: pd.DataFrame, ways: list[float], cost: dict[float, float]) -> FakeRun:
    """A run whose trials were at these ways of a word (ns), one after the other, and cost accordingly more."""
    way = np.resize(ways, len(frame))
    run = FakeRun("r", frame.assign(value=frame["value"] * pd.Series(way).map(cost).to_numpy()))
    scattered = way * np.exp(np.random.default_rng(1).normal(0, 0.02, len(way)))
    run.lines = [
        {"trial": trial, "readings": {"word_ns": [one] * 3, "width": [2.0] * 3}}
        for trial, one in zip(frame["trial"], scattered, strict=True)
    ]
    return run


def test_runs_are_compared_in_a_state_that_both_were_in():
    cost = {110.0: 1.0, 250.0: 2.0}
    few = (("fast", "c", 2), ("slow", "c", 2), ("native", "c", 2))
    before = in_states(rows(1, few, blocks=20), [110.0, 110.0, 110.0, 250.0], cost)
    after = in_states(rows(2, few, blocks=20), [110.0, 250.0, 250.0], cost)
    found = matched(entry(), ["cost"], [before], [after], (Side(("r",)), Side(("r",))))
    for one in found:
        for side in (*one.before, *one.after):
            assert len(side) >= 6 and set(side["way"]) == {0} and side["value"].max() < 115
    alike = matched(entry(), ["cost"], [before], [in_states(rows(2, few), [110.0], cost)], (Side(("r",)), Side(("r",))))
    assert all(len(one.after[0]) == 10 and len(one.before[0]) == 15 for one in alike)
