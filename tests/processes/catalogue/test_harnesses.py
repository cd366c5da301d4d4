"""The catalogue agrees with what every harness says of itself."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pipeline import paths
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import parameter_of
from pipeline.catalogue.selectors import absolute
from pipeline.host import runtimes

ENTRIES = list(catalogue.load().values())
COMMON = {"threads", "cpus", "warmup", "iterations", "iteration-ms", "placement"}


def listed(command: list[str]) -> dict[str, dict]:
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    return {experiment["name"]: experiment for experiment in told["experiments"]}


@pytest.fixture(scope="module")
def harnesses() -> dict[str, dict[str, dict]]:
    newest = list(runtimes.jdks().values())[-1]
    return {
        "java": listed([newest.java(), "-jar", str(paths.java_harness()), "--list"]),
        "c": listed([str(paths.c_harness()), "--list"]),
        "fio": listed([sys.executable, str(paths.fio_harness()), "--list"]),
    }


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_every_variant_and_parameter_is_the_harness_s_own(entry, harnesses):
    for name, variant in entry.variants.items():
        known = harnesses[variant.harness][entry.name]
        assert variant.runs in {v["name"] for v in known["variants"]}, name
        parameters = {p["name"]: p for p in known["parameters"]}
        used, swept = entry.parameters | variant.parameters, set()
        for profile in entry.profiles.values():
            used |= profile.parameters
            for sweep in (sweep for sweep in profile.sweeps if name in sweep.variants):
                used |= sweep.parameters
                swept |= {(axis, absolute(value, 2)) for axis, values in sweep.axes.items() for value in values}
        for parameter, value in [*used.items(), *((parameter_of(axis), value) for axis, value in swept)]:
            if parameter in COMMON:
                continue
            assert parameter in parameters, (name, parameter)
            declared = parameters[parameter]
            if declared["type"] == "choice":
                assert str(value) in declared["choices"]  # an axis of integers may have a few of them
            elif declared["type"] == "int":
                assert declared["min"] <= value <= declared["max"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_nothing_a_harness_offers_is_left_out(entry, harnesses):
    for harness, experiments in harnesses.items():
        offered = {v["name"] for v in experiments.get(entry.name, {"variants": []})["variants"]}
        assert offered <= {v.runs for v in entry.variants.values() if v.harness == harness}
