"""The catalogue agrees with both harnesses, with itself, and with its notebooks."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from pipeline.catalogue import catalogue
from pipeline import paths
from pipeline.host import runtimes
from pipeline.publish import notebooks

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
        used = entry.parameters | variant.parameters
        for profile in entry.profiles.values():
            used |= profile.parameters
        for parameter, value in used.items():
            if parameter in COMMON:
                continue
            assert parameter in parameters, (name, parameter)
            declared = parameters[parameter]
            if declared["type"] == "choice":
                assert value in declared["choices"]
            elif declared["type"] == "int":
                assert declared["min"] <= value <= declared["max"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_nothing_a_harness_offers_is_left_out(entry, harnesses):
    for harness, experiments in harnesses.items():
        offered = {v["name"] for v in experiments.get(entry.name, {"variants": []})["variants"]}
        assert offered <= {v.runs for v in entry.variants.values() if v.harness == harness}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_every_entry_has_a_clean_notebook(entry):
    path = paths.notebooks() / f"{entry.number:02d}_{entry.name}.ipynb"
    assert path.exists()
    assert not notebooks.check_clean(path)


def test_every_committed_notebook_is_clean():
    for path in paths.notebooks().rglob("*.ipynb"):
        assert not notebooks.check_clean(path), path


def test_the_pipeline_never_names_an_experiment():
    """No module of the pipeline has an experiment's name in its code: what differs is in the catalogue."""
    names = {entry.name for entry in ENTRIES} - {"clock"}  # also a key of the harness contract
    for path in (paths.ROOT / "pipeline").rglob("*.py"):
        if "bench" in path.parts:  # referees compare named kernels
            continue
        strings = {
            n.value
            for n in ast.walk(ast.parse(path.read_text()))
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }
        assert not names & strings, path
