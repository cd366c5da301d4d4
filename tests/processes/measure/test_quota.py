"""A real quota: trials that stood still for it are marked with that reason and no other, and a plan keeps within it.

In a control group that the test makes, of the version that the host has. The group is preferred to all others of the
host, so that what holds its threads back is the quota and not other work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from living import until

from pipeline.bundle import journal
from pipeline.ground import paths
from pipeline.host import cpus, quota
from pipeline.measure import noise

PERIOD_US = 100_000
# The group is joined when all is loaded, which would take a while on a part of a CPU.
DRIVER = """
import os, pathlib, sys
from pipeline.bundle import lock
from pipeline.host import cpus, quota, runtimes
from tiny_run import measure
lock.FOLDERS = (pathlib.Path(os.environ["TEST_LOCK_FOLDER"]),)
runtimes.all_runtimes()
group, beyond = sys.argv[1:]
if beyond:
    quota.threads = lambda allowed: allowed
(pathlib.Path(group) / "cgroup.procs").write_text(str(os.getpid()))
measure()
print(*cpus.limited())
"""
Measured = tuple[str, list[dict]]


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group for CPU time, preferred to others and without a quota yet."""
    if quota.cpus() is not None:
        pytest.skip("this host has a quota")
    old = next((root for name in quota.OLD if ((root := Path("/") / name) / "cpu.shares").exists()), None)
    unified = Path("/") / quota.UNIFIED[0]
    root = old or unified
    made = root / f"mechanical-sympathy-lab-test-{os.getpid()}"
    try:
        if not old and "cpu" not in (unified / "cgroup.subtree_control").read_text().split():
            pytest.skip("no group for CPU time can be made: the controller is not handed down")
        made.mkdir()
    except OSError as error:
        pytest.skip(f"no group for CPU time can be made: {error.strerror}")
    try:
        (made / ("cpu.shares" if old else "cpu.weight")).write_text("200000" if old else "10000")
        yield made
    finally:
        until(lambda: not (made / "cgroup.procs").read_text())
        made.rmdir()


@pytest.fixture
def measured(lab: Path, group: Path) -> Callable[..., Measured]:
    """Measures trials of some 0.4 s within a quota; what the process says of it, and the trials' lines. `beyond`: as if
    there were none."""
    file = paths.catalogue() / "lock_scaling.yaml"
    file.write_text(file.read_text().replace("iterations: 4, iteration-ms: 1", "iterations: 9, iteration-ms: 40"))

    def within(granted: float, beyond: bool = False) -> Measured:
        if (group / "cpu.max").exists():
            (group / "cpu.max").write_text(f"{int(granted * PERIOD_US)} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(int(granted * PERIOD_US)))
        own = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (paths.ROOT, paths.ROOT / "tests" / "support")))}
        command = [sys.executable, "-c", DRIVER, str(group), "beyond" if beyond else ""]
        ran = subprocess.run(command, capture_output=True, text=True, env=own, cwd=paths.ROOT)
        assert ran.returncode == 0, ran.stderr
        lines = [json.loads(line) for line in (paths.bundle("r") / journal.FILE).read_text().splitlines()]
        return ran.stdout.strip(), lines

    return within


def told_of_quota(lines: list[dict], granted: float) -> tuple[int, int]:
    """How many trials the quota held back for more than the limit, of how many; each of these has that reason, what
    the host did may stand next to it, and nobody is asked to stop other work."""
    trials = [line for line in lines if "trial" in line]
    found, others = noise.judged(lines), {noise.FOREIGN, noise.SIBLING, noise.WAITING}
    held = 0
    for line in trials:
        kinds = [noise.kind_of(reason) for reason in found[line["trial"]]]
        assert line["status"] == journal.MEASURED and line["noise"]["quota_cpus"] == granted
        stood_still = line["noise"]["throttled_pct"] > noise.LIMITS.throttled_pct
        assert (noise.QUOTA in kinds) == stood_still and not (stood_still and others & set(kinds)), (line, kinds)
        held += stood_still
        # What a worker waited for is no more than what others may have had; its standing still is taken off.
        if stood_still and "run_delay_pct" in line["noise"]:
            assert line["noise"]["run_delay_pct"] < 100 - line["noise"]["throttled_pct"] / len(line["cpus"] or [0])
    return held, len(trials)


def test_trials_beyond_a_quota_are_marked_with_it_and_with_nothing_that_follows_from_it(measured):
    _, lines = measured(0.3, beyond=True)
    held, of = told_of_quota(lines, 0.3)
    assert held and of >= 8
    assert {line["axes"]["threads"] for line in lines if "trial" in line} == {1, 2}


@pytest.mark.skipif(len(cpus.allowed()) < 2, reason="a quota below the number of CPUs needs two of them")
@pytest.mark.parametrize("granted", [1.0, 1.5])
def test_within_a_quota_the_plan_is_that_of_as_many_cpus_and_no_trial_stands_still(measured, granted):
    said, lines = measured(granted)
    every = len(cpus.allowed())
    assert (
        said == f"This container may use the time of {granted:g} of its {every} CPUs: at most 1 thread runs at a time."
    )
    assert told_of_quota(lines, granted)[0] == 0
    assert len({cpu for line in lines for cpu in line.get("cpus", ())}) == 1
    host = json.loads((paths.bundle("r") / "run.json").read_text())["host"]
    assert host["cpu"]["cpus"] == 1 and quota.of(host["cpu_limit"]) == granted


def test_a_part_of_one_cpu_holds_back_what_is_busy_and_says_so_beforehand(measured):
    said, lines = measured(0.3)
    assert told_of_quota(lines, 0.3)[0] and "stands still 70 % of the time" in said
    assert max(len(line.get("cpus", ())) for line in lines) == 1


@pytest.mark.skipif(quota.cpus() is not None, reason="this host has a quota")
def test_without_a_quota_nothing_of_it_is_recorded(measured_run):
    lines = measured_run.journal()
    assert not any({"quota_cpus", "throttled_pct"} & line["noise"].keys() for line in lines if "trial" in line)
