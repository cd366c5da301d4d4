"""The catalogue agrees with what every harness says of itself."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment, parameter_of
from pipeline.catalogue.selectors import Scalar, absolute
from pipeline.ground import paths
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


def given(entry: Experiment, name: str) -> list[tuple[str, Scalar]]:
    """Every parameter that a trial of a variant may be given, with every value."""
    used, swept = entry.parameters | entry.variants[name].parameters, set()
    for profile in entry.profiles.values():
        used |= profile.parameters
        for sweep in (sweep for sweep in profile.sweeps if name in sweep.variants):
            used |= sweep.parameters
            swept |= {(axis, absolute(value, 2)) for axis, values in sweep.axes.items() for value in values}
    return [*used.items(), *((parameter_of(axis), value) for axis, value in swept)]


def accepted(known: dict, runs: str, parameters: list[tuple[str, Scalar]]) -> None:
    """An experiment as its harness lists it has the variant, and takes these parameters."""
    assert runs in {v["name"] for v in known["variants"]}
    every = {p["name"]: p for p in known["parameters"]}
    for parameter, value in parameters:
        if parameter in COMMON:
            continue
        assert parameter in every, (runs, parameter)
        declared = every[parameter]
        if declared["type"] == "choice":
            assert str(value) in declared["choices"]  # an axis of integers may have a few of them
        elif declared["type"] == "int":
            assert declared["min"] <= value <= declared["max"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_every_variant_and_parameter_is_the_harness_s_own(entry, harnesses):
    for name, variant in entry.variants.items():
        everything = given(entry, name)
        accepted(harnesses[variant.harness][entry.name], variant.runs, everything)
        if variant.dir or entry.needs_disk:
            assert "dir" in {p["name"] for p in harnesses[variant.harness][entry.name]["parameters"]}
        for part in variant.beside.values():
            experiment = part.experiment or entry.name
            alike = [one for one in everything if one[0] not in part.parameters] if experiment == entry.name else []
            accepted(harnesses[part.harness][experiment], part.runs, [*alike, *part.parameters.items()])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_nothing_a_harness_offers_is_left_out(entry, harnesses):
    for harness, experiments in harnesses.items():
        offered = {v["name"] for v in experiments.get(entry.name, {"variants": []})["variants"]}
        used = [(entry.name, one) for one in entry.variants.values()]
        for other in ENTRIES:
            for variant in other.variants.values():
                used += [(part.experiment or other.name, part) for part in variant.beside.values()]
        assert offered <= {one.runs for experiment, one in used if (experiment, one.harness) == (entry.name, harness)}
