"""On two CPUs of one cache a plan stays what it was before sweeps followed the host, to the configuration.

`two_cpus.json` was written by revision ed1907d: for every profile and experiment the number of its configurations and
a sum of their keys and of what their processes run where. Since then the full profile of the executors is without
two and four workers of what has one worker: the harness refused them, and the experiment ended.
"""

from __future__ import annotations

import hashlib
import json

import pytest

from pipeline.catalogue import catalogue
from pipeline.catalogue.profile import PROFILES
from pipeline.ground import paths
from pipeline.host import cpus, sysfs
from pipeline.host.runtimes import Runtime
from pipeline.plan import plan

AVAILABLE = {name: Runtime(name, "1", "x") for name in ("jdk17", "jdk25", "c", "fio")}
BEFORE = json.loads((paths.ROOT / "tests" / "data" / "plan" / "two_cpus.json").read_text())


def _parts(one: plan.Configuration) -> str:
    return json.dumps(
        [
            [part.harness, part.runs, sorted(map(str, part.parameters.items())), part.threads, part.cpus]
            + [part.flags, part.free]
            for part in one.parts
        ]
    )


@pytest.mark.parametrize("profile", [pytest.param(one, marks=pytest.mark.thorough) for one in PROFILES])
def test_the_plan_of_two_cpus_is_that_of_before(profile, monkeypatch, tmp_path):
    monkeypatch.setattr(sysfs, "ROOT", tmp_path)
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1])
    for name in catalogue.load():
        found = plan.configurations(catalogue.experiment(name), profile, AVAILABLE)
        keys = sorted((one.key, _parts(one)) for one in found)
        told = [len(keys), hashlib.sha256(json.dumps(keys).encode()).hexdigest()[:16]]
        assert told == BEFORE[f"{profile} {name}"], f"{name}: {len(keys)} configurations"
