"""The compiler stays out of what is measured: trials of every experiment that times compiled code, small, with the
JVM's own log of what it compiled when as a witness that the harness does not read.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby

import pytest

from pipeline.catalogue import catalogue
from pipeline.host import runtimes
from pipeline.ingest import jvm_logs
from pipeline.measure.trial import Trials
from pipeline.plan import plan

# Short: a warm-up far shorter than any profile's, so that the compiler is at work when the measured iterations begin.
SIZES = {"warmup": 2, "iterations": 12, "iteration-ms": 3}
JDKS = runtimes.jdks()
# A worker's bookkeeping (lab.Worker, lab.Phases, lab.Native) runs before its stretch and after it; of another worker's
# the JVM may compile a method of some bytes meanwhile, in microseconds; it counts no wrapper of a native one.
RUN_WHILE_TIMED = ("lab.experiments.", "lab.load.")
ENOUGH = 100_000  # operations: HotSpot compiles a loop of 60,000 rounds at the latest (Tier3BackEdgeThreshold)
TIMED = [name for name, entry in catalogue.load().items() if entry.compiles == "caller"]


def _configurations():
    """Of each experiment and JDK the first configuration of the smoke profile whose iterations may be made again."""
    for name in TIMED:
        entry = catalogue.experiment(name)
        found = plan.configurations(entry, "smoke", JDKS)
        for runtime, several in groupby(sorted(found, key=lambda one: one.runtime), lambda one: one.runtime):
            usual = [one for one in several if "+BackgroundCompilation" not in " ".join(one.main.flags)]
            if usual:
                yield pytest.param(entry, usual[0], id=f"{name}-{runtime}")


def _told(folder, configuration, entry) -> list[tuple[dict, list[dict]]]:
    """Of each Java part of one trial: what it told, and the compilations in its log."""
    lengths = {name: value for name, value in SIZES.items() if name in configuration.parameters}
    parts = [replace(one, parameters={**one.parameters, **lengths}, logs=("jit",)) for one in configuration.parts]
    made = replace(configuration, parts=tuple(parts))
    line = Trials(folder).run(made, entry.variants[made.variant], JDKS[made.runtime], "t")
    assert line["status"] == "measured", line["reason"]
    logs = sorted(folder.glob("*.jit.log"))
    assert len(logs) == sum(part.harness == "java" for part in made.parts)
    return [
        (
            json.loads(log.with_name(log.name.replace(".jit.log", ".json")).read_text()),
            [event for event in jvm_logs.jit(log.read_text()) if event["kind"].startswith("compile")],
        )
        for log in logs
    ]


def _measures(told: dict, name: str) -> dict[int, float]:
    rows = told["measures"]
    return {i: v for i, n, v in zip(rows["iteration"], rows["name"], rows["value"], strict=True) if n == name}


@pytest.mark.parametrize(("entry", "configuration"), list(_configurations()))
def test_no_measured_iteration_holds_a_compilation_of_the_harness(entry, configuration, tmp_path):
    parts = _told(tmp_path / "raw", configuration, entry)
    again = [_measures(told, "iterations_again")[-1] for told, _ in parts]
    assert len(set(again)) == 1  # all parts have the same iterations
    for told, compilations in parts:
        rows = told["iterations"]
        assert again[0] == len(
            {i for i, phase in zip(rows["iteration"], rows["phase"], strict=True) if phase == "compiled"}
        )
        if again[0] >= SIZES["iterations"]:
            continue  # it gave up, and says so: what was compiled then is told with its iteration
        ours = [event for event in compilations if event["method"].startswith(RUN_WHILE_TIMED)]
        # On a host that leaves its threads no CPU a trial may end before any method of it is worth compiling.
        assert ours or sum(rows["operations"]) < ENOUGH
        for i, phase, start, elapsed in zip(
            *(rows[name] for name in ("iteration", "phase", "start_ns", "elapsed_ns")), strict=True
        ):
            if phase == "measured":
                inside = [one["method"] for one in ours if start <= one["t_ns"] <= start + elapsed]
                assert not inside, f"iteration {i}"
