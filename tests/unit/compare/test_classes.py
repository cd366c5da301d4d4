"""Two runs of one host whose clock moved: what one CPU does alone, beside what waits for others."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from compared import EVERY, RUNTIMES, FakeRun, entry, info, rows

from pipeline.catalogue import catalogue
from pipeline.compare import clock, text, uncertainty

pytestmark = pytest.mark.thorough

MANY = tuple((v, "c", n) for v in ("fast", "slow", "native") for n in range(1, 21))
CLASSES = {"uncontended": [{"threads": list(range(1, 11))}]}  # the others are contended


@pytest.fixture
def classed(against, monkeypatch):
    """As `against`, of an experiment that says which of its numbers one CPU works for alone."""
    made = replace(entry(), classes=CLASSES)
    monkeypatch.setattr(catalogue, "load", lambda: {made.name: made})
    return lambda *runs, **how: against("a", "b", [FakeRun(*one) for one in zip("ab", runs, strict=True)], **how)


def of_a_host(seed: int, speed: float, metric: str = "cost", **how):
    """A run whose clock wanders by a tenth about `speed`: costs of one CPU follow it, those of several scatter."""
    random, found = np.random.default_rng(seed), rows(seed, MANY, blocks=6, scatter=0.01, metric=metric, **how)
    cycle = 0.25 / speed * np.exp(random.uniform(-0.05, 0.05, len(found)))
    alone = found["threads"] <= 10
    factor = np.where(alone, cycle / 0.25, np.exp(random.normal(0, 0.3, len(found))))
    value = found["value"] * factor if metric == "cost" else found["value"] / factor
    return found.assign(value=value, cycle_ns=cycle)


def alone(found):
    return found.table[found.table["class"] == "uncontended"]


@pytest.mark.parametrize("metric", ["cost", "rate"])
def test_work_of_one_cpu_is_the_same_whatever_its_clock_was(classed, metric):
    runs = of_a_host(1, 1.0, metric), of_a_host(2, 0.92, metric)
    found = classed(*runs, metrics=[metric])
    assert (alone(found)["verdict"] == "same").mean() >= 0.9
    assert alone(found)["smallest"].median() < 0.1 and alone(found)["before"].between(90, 115).all()
    blind = classed(*(run.drop(columns="cycle_ns") for run in runs), metrics=[metric])
    assert (alone(blind)["verdict"] == "same").mean() <= 0.1  # as all were before cycles counted


def test_what_scatters_does_not_blur_what_does_not(classed):
    found = classed(of_a_host(1, 1.0), of_a_host(2, 0.92))
    by_class = found.table.groupby("class")["smallest"].median()
    assert by_class["contended"] > 4 * by_class["uncontended"]
    assert not found.table["verdict"].isin(["slower", "faster"]).mean() > 0.05
    told = {row[0]: row for row in uncertainty.classes(found)}
    assert list(told) == ["uncontended", "contended"] and told["uncontended"][1:3] == ("30", f"{found.counts['same']}")
    assert all(row[5].endswith(" %") for row in told.values())
    assert "class        comparisons" in text.plain(found)


def test_a_tenth_put_into_one_uncontended_kernel_is_found(classed):
    told = []
    for threads in range(1, 11, 2):
        for variant in ("fast", "slow", "native"):
            after = of_a_host(threads + 7, 1.05, times={(variant, "c", threads): 1.1})
            found = classed(of_a_host(1, 1.0), after, where={"variant": variant, "threads": str(threads)})
            told.append(found.table["verdict"][0])
    assert told.count("slower") >= 0.9 * len(told)


def test_times_are_told_at_the_clock_in_the_middle_of_both_runs(classed):
    found = classed(of_a_host(1, 1.0), of_a_host(2, 0.81))
    assert found.cycle == pytest.approx(0.25 / 0.9, rel=0.02)
    before, after, middle = (float(one) for one in re.findall(r"([\d.]+) GHz", uncertainty.clock(found)))
    assert (before, after) == pytest.approx((4.0, 3.24), rel=0.02) and middle == pytest.approx(
        (before * after) ** 0.5, rel=0.01
    )
    assert found.table.loc[found.table["class"] == "contended", "cycle_ns"].isna().all()


def test_a_run_without_cycles_is_compared_as_it_was_measured(classed):
    old = of_a_host(1, 1.0).drop(columns="cycle_ns")
    found = classed(old, of_a_host(2, 0.5))
    assert np.isnan(found.cycle) and (alone(found)["ratio"] > 1.8).all()
    assert uncertainty.clock(found) == "a run has not recorded its cycles, so all times are as they were measured"


def test_a_trial_without_a_cycle_keeps_its_configuration_as_it_was_measured(classed):
    before = of_a_host(1, 1.0)
    lacks = before["variant"].eq("fast") & before["threads"].eq(1)
    before.loc[lacks & before["block"].eq(2), "cycle_ns"] = np.nan
    found = alone(classed(before, of_a_host(2, 0.5)))
    assert found["cycle_ns"].isna().sum() == 1
    assert found.loc[found["cycle_ns"].isna(), ["variant", "ratio"]].iloc[0].tolist()[0] == "fast"


@pytest.mark.parametrize(
    ("unit", "made_of", "ruled"),
    [("ns", "uncontended", True), ("ops/s", "uncontended", True), ("cycles", "uncontended", False)]
    + [("1", "uncontended", False), ("ns", "contended", False), ("ns", "io", False), ("ns", "woken", False)],
)
def test_the_clock_rules_times_of_one_cpu_alone(unit, made_of, ruled):
    assert clock.ruled(made_of, unit) is ruled


def test_a_tool_that_one_side_lacks_changes_nothing_for_the_others(against):
    """fio was installed between the runs: what it measures is new, and everything else is compared as before."""
    fio = {"name": "fio", "vendor": "fio", "build": ""}
    lacks, has = (info(runtimes=RUNTIMES | {"fio": fio | {"version": one}}) for one in ("not installed", "fio-3.33"))
    newer = rows(2, (*EVERY, ("direct", "fio", 1)))
    found = against("a", "b", [FakeRun("a", rows(1), lacks), FakeRun("b", newer, has)])
    assert len(found.table) == len(EVERY) and found.counts["same"] >= 8 and found.unchanged
    assert [fact.name for fact in found.changed] == ["fio"] and found.missing["side"].tolist() == ["after"]
    found.require()
    without = info(runtimes={name: one for name, one in RUNTIMES.items() if name != "jdk25"})
    found = against("a", "b", [FakeRun("a", rows(1), without), FakeRun("b", rows(2))])
    assert len(found.table) == len(EVERY) and found.unchanged
