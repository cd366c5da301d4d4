"""What is measured of a profile, said in words of a command line."""

from __future__ import annotations

import pytest

from pipeline.catalogue import catalogue
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime
from pipeline.plan import plan
from pipeline.plan.overrides import Overrides

AVAILABLE = {name: Runtime(name, "1", "x") for name in ("jdk17", "c")}


def entry(name: str = "lock_scaling"):
    return catalogue.experiment(name)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([], Overrides()),
        (["variant=mcs,clh", "variant=mcs"], Overrides(variants=("mcs", "clh"))),
        (["runtime=c", "threads=1,2"], Overrides(runtimes=("c",), axes={"threads": (1, 2)})),
        (["threads=two"], Overrides(axes={"threads": ("two",)})),
    ],
)
def test_words_name_variants_runtimes_and_values_of_axes(words, found):
    assert Overrides.of(entry(), words) == found


def test_a_value_may_hold_a_comma():
    latency = entry("inter_thread_latency")
    assert Overrides.of(latency, ["placement=0,1"]).axes == {"placement": ("0,1",)}
    assert Overrides.of(latency, ["placement=spread,pairs"]).axes == {"placement": ("spread", "pairs")}


@pytest.mark.parametrize("word", ["variant", "metric=cost", "sheep=1", "=1"])
def test_another_word_is_refused_with_the_names_that_there_are(word):
    with pytest.raises(LabError, match=f"^{word!r} is not NAME=VALUE.*variant, runtime, threads"):
        Overrides.of(entry(), [word])


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("variant=sheep", "unknown variant 'sheep'"),
        ("runtime=jdk1", "unknown runtime 'jdk1'"),
        ("threads=two", "axis threads: 'two' is not of type int"),
        ("threads=", "axis threads: '' is not of type int"),
        ("placement=sheep", "axis placement: 'sheep' is not"),
    ],
)
def test_what_an_experiment_does_not_have_is_refused_by_its_plan(word, told):
    asked = entry("inter_thread_latency" if "placement" in word else "lock_scaling")
    plans, failed = plan.each([asked], "smoke", AVAILABLE, [word])
    assert not plans and told in str(failed[asked.name])


def test_a_plan_has_what_is_asked_for():
    (made,), failed = plan.each([entry()], "quick", AVAILABLE, ["variant=mcs", "threads=1"])
    assert not failed and made.overrides == Overrides(variants=("mcs",), axes={"threads": (1,)})
    assert {(one.variant, one.axes["threads"]) for one in made.configurations} == {("mcs", 1)}
