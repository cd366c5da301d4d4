"""How long a plan takes, by what trials of an earlier run took."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from laboratory import TINY

from pipeline.catalogue import check
from pipeline.host import cpus
from pipeline.host.runtimes import Runtime
from pipeline.measure import duration
from pipeline.plan import plan

AVAILABLE = {"c": Runtime("c", "1", "x")}


@pytest.fixture
def planned(monkeypatch):
    """Two variants with one and two threads: four trials a block of five iterations of 1 ms."""
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1])
    return plan.make(check.experiment(yaml.safe_load(TINY)), "smoke", AVAILABLE)


def line(took_s: float, variant: str = "mutex", harness: str = "c", **more) -> dict:
    """A trial of 60 iterations of 10 ms: 0.6 s of its time."""
    command = ["{c}", "lock_scaling", "--warmup", "10", "--iterations", "50", "--iteration-ms", "10"]
    usual = {"trial": "t", "status": "measured", "experiment": "lock_scaling", "command": command}
    return usual | {"variant": variant, "harness": harness, "took_s": took_s} | more


def test_a_trial_takes_its_iterations_and_what_others_of_its_variant_took_beside_theirs(planned):
    tell = duration.seconds([line(0.65), line(0.7), line(0.9), line(2.6, "other"), line(9, status="crashed")])
    told = {one.variant: tell(one) for one in planned.configurations}
    assert told == {"mutex": pytest.approx(0.1 + 0.005), "ticket": pytest.approx(0.2 + 0.005)}  # median of 0.05 to 2


def test_of_an_experiment_that_is_not_there_the_harness_tells(planned):
    elsewhere = duration.seconds([line(1.1, experiment="clock"), line(9, harness="java")])
    assert [elsewhere(one) for one in planned.configurations] == pytest.approx([0.505] * 4)
    assert duration.seconds([])(planned.configurations[0]) == pytest.approx(0.005)


def test_iterations_that_are_no_time_take_none(planned):
    tell = duration.seconds([line(0.5, command=["{c}", "dispatch", "--operations", "10"])])
    assert tell(planned.configurations[0]) == pytest.approx(0.505)


@pytest.mark.parametrize(("trial_s", "blocks"), [(1.0, 2), (100.0, 2), (0.0, 2)])
def test_the_minutes_are_those_of_the_blocks_that_are_paid_for(planned, trial_s, blocks):
    assert duration.minutes([planned], lambda one: trial_s) == pytest.approx(4 * trial_s * blocks * 1.1 / 60)
    assert duration.minutes([], lambda one: trial_s) == 0


def test_a_budget_pays_for_more_blocks_than_the_least(planned):
    sizes = replace(planned.sizes, max_blocks=9, budget_s=20.0)
    entry = replace(planned.entry, profiles={"smoke": sizes, "quick": sizes, "full": sizes})
    several = plan.make(entry, "smoke", AVAILABLE)
    assert duration.minutes([several], lambda one: 1.0) == pytest.approx(4 * 4 * 1.1 / 60)  # 18 s for blocks of 4 s
