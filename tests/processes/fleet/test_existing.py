"""A cluster of somebody else: one worker on each machine, who is not of the Lab, who is loud; the script of SLURM."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the fleet's packages are not installed: make .venv/.ready-fleet")

import distributed
import yaml
from in_process import cluster, done, instead
from laboratory import PROGRAM
from living import PATIENCE_S

from pipeline.bench import kills, local_hosts
from pipeline.fleet import existing, hello, hosts, launch, left
from pipeline.ground import paths
from pipeline.ground.errors import LabError


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    facts = {"machine": "", "boot": "", "revision": hello.revision(), "built": True, "loud": []}
    monkeypatch.setattr(hello, "of_worker", instead_of_hello(facts))
    return tmp_path


def instead_of_hello(facts: dict):
    """Machines are called by the first letter of their worker."""

    def of_worker(dask_worker) -> dict:
        name = str(dask_worker.name)
        return facts | {"machine": name[0], "boot": name[0]}

    of_worker.__module__, of_worker.__qualname__ = hello.__name__, "of_worker"
    return of_worker


def test_one_worker_of_each_machine_measures_and_another_takes_its_place(monkeypatch):
    instead(monkeypatch, "measure", lambda run, profile, experiments: done(0))

    async def whole():
        async with cluster() as (members, client):
            for name in ("a1", "a2", "b1"):
                await members.start(name)
                await members.there[name].set_resources(**{launch.resource(name): 0})
            async with existing.Cluster(client) as found:
                answers = await found.found()
                before = {name: found.address(name) for name in "ab"}
                first = next(one for one, worker in members.there.items() if worker.address == before["a"])
                await members.end(first)
                await found._look()
                after = found.address("a")
                there = {worker.address: worker.state.total_resources for worker in members.there.values()}
                return [one.name for one in answers], before, after, there

    names, before, after, there = asyncio.run(asyncio.wait_for(whole(), 30))
    assert names == ["a", "b"] and after and after != before["a"]
    assert there[after]["host-a"] == 1 and there[before["b"]]["host-b"] == 1


@pytest.mark.prove
def test_a_cluster_that_dasks_own_commands_started_measures_each_machine_once(tmp_path):
    """A scheduler and three workers, processes of their own, two of them on one machine."""
    catalogue = local_hosts.toy(tmp_path / "catalogue")
    roots = [local_hosts.host(tmp_path / name, catalogue) for name in ("one", "other")]
    (tmp_path / "fleet.yaml").write_text("name: toys\nprofile: smoke\n")
    address, dask = tmp_path / "scheduler.json", ["-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    loopback = ["--scheduler-file", address, "--host", "127.0.0.1", "--no-dashboard"]
    worker = [*loopback, "--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--preload", "pipeline.fleet.task"]
    with contextlib.ExitStack() as ending:

        def start(python: Path | str, *words: str | Path, cwd: Path) -> None:
            process = subprocess.Popen([python, *dask, *words], cwd=cwd, **quiet)
            ending.callback(process.wait)
            ending.callback(process.kill)

        start(sys.executable, "scheduler", "--port", "0", *loopback, cwd=tmp_path)
        for root in (roots[0], roots[0], roots[1]):
            start(root / ".venv" / "bin" / "python", "worker", *worker, cwd=root)
        until = time.monotonic() + PATIENCE_S
        while _workers(address) < 3:
            assert time.monotonic() < until
            time.sleep(0.1)
        told = subprocess.run(
            [*PROGRAM, "fleet", "run", "--scheduler", address],
            cwd=tmp_path,
            env=local_hosts.environment(tmp_path / "here", catalogue),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
    assert told.returncode == 0, told.stdout + told.stderr
    for root in roots:
        (run,) = (root / "runs").glob("toys.*")
        assert len(kills.check(tmp_path, root, run.name.removeprefix("toys."))) >= local_hosts.TRIALS


def _workers(scheduler: Path) -> int:
    """How many workers the scheduler of a file has; 0 before there is one."""
    try:
        with distributed.Client(scheduler_file=str(scheduler), timeout=5, set_as_default=False) as client:
            return len(client.scheduler_info(n_workers=-1)["workers"])
    except (OSError, ValueError):
        return 0


def test_a_worker_without_the_lab_is_named(tmp_path):
    """A real one, in whose environment `pipeline` is something else."""
    (tmp_path / "pipeline.py").write_text("")

    async def whole():
        async with cluster() as (members, client):
            command = [sys.executable, "-m", "dask", "worker", members.scheduler.address, "--no-nanny"]
            environment = os.environ | {"PYTHONPATH": str(tmp_path), "DASK_LOGGING__DISTRIBUTED": "critical"}
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            worker = subprocess.Popen([*command, "--host", "127.0.0.1"], cwd=tmp_path, env=environment, **quiet)
            try:
                await client.wait_for_workers(1, timeout=PATIENCE_S)
                async with existing.Cluster(client) as found:
                    await found.found()
            finally:
                worker.kill()
                worker.wait()

    with pytest.raises(LabError, match=r"worker tcp://127.0.0.1:\d+ is not in the Lab's environment: start it as"):
        asyncio.run(asyncio.wait_for(whole(), 40))


def test_another_revision_and_nobody_are_refused(monkeypatch):
    async def whole(*names: str):
        async with cluster() as (members, client):
            for name in names:
                await members.start(name)
            async with existing.Cluster(client) as found:
                await found.found()

    with pytest.raises(LabError, match="the scheduler has no worker"):
        asyncio.run(whole())
    monkeypatch.setattr(hello, "revision", lambda: "a85b1d9")
    with pytest.raises(LabError, match="this is a85b1d9: update one of them"):
        asyncio.run(whole("a"))


def test_dask_reads_the_settings_that_keep_a_worker_quiet():
    """By the names and the environment that a worker is started with: Dask says so itself."""
    from pipeline.fleet.config import Host

    def loud(settings: dict[str, str]) -> list[str]:
        """In a process of its own: an import by workers, in whatever test, makes the Dask of its process quiet."""
        code = "import json; from pipeline.fleet import hello; print(json.dumps(hello.loud()))"
        given = os.environ | settings | {"PYTHONPATH": str(paths.ROOT)}
        told = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
        return json.loads(told.stdout)

    text = launch.worker(Host(name="bob", ssh="bob"), 1, 2, 3, 4)[-1]
    assert loud(dict(re.findall(r"(DASK_[A-Z_]+)=(\S+)", text))) == []
    assert hosts.warnings({**_quiet(), "loud": loud({})})[0].startswith("its worker is loud (distributed.worker")


def _quiet() -> dict:
    return {
        **{"lacks": "", "jdks": {"jdk17": "17"}, "compiler": True, "load": 0.0, "cpus": 2, "others_pct": 0.0},
        **{"governor": "", "free_bytes": 1 << 40},
    }


def document(kind: str) -> str:
    """The code of a kind in docs/fleet.md that is about another cluster."""
    text = (paths.docs() / "fleet.md").read_text(encoding="utf-8").split("## On a Dask cluster")[1]
    return text.split(f"```{kind}\n")[1].split("```")[0]


def test_slurms_script_is_that_of_the_document():
    pytest.importorskip("dask_jobqueue")
    made: dict = {}
    exec(document("python").replace("10.0.0.5", "127.0.0.1").partition("cluster.scale")[0], made)
    script = made["cluster"].job_script()
    made["cluster"].close()
    directives = re.findall(r"^#SBATCH (.*)$", script, re.M)
    assert directives == [
        "-J dask-worker",
        "-p bench",
        "-n 1",
        "--cpus-per-task=1",
        "--mem=4G",
        "-t 04:00:00",
        "--exclusive",
        "--chdir=/home/me/mechanical-sympathy-lab",
    ]
    _told_as_ours(script)
    assert "--no-nanny" in script and script.count(".venv/bin/python -m") == 1


def test_kubernetes_has_the_worker_of_the_document():
    pod = yaml.safe_load(document("yaml"))["spec"]["template"]["spec"]["containers"][0]
    _told_as_ours(" ".join([*pod["command"], *(f"{one['name']}={one['value']}" for one in pod["env"])]))
    assert all(word.decode() in pod["command"] for word in left.WORDS)


def _told_as_ours(text: str) -> None:
    """What keeps a worker quiet is in it, as in a worker's that we start."""
    for name, value in hello.QUIET.items():
        assert f"DASK_{name.replace('.', '__').replace('-', '_').upper()}={value}" in text
    for words in ("--preload pipeline.fleet.task", "--memory-limit 0", "--no-dashboard", "--nthreads 1"):
        assert words in text


def test_a_report_loads_no_part_of_dask():
    modules = "pipeline.commands.cli, pipeline.commands.fleet, pipeline.session.measuring, pipeline.publish.report"
    code = f"import sys, {modules}; print(sorted({{'dask', 'distributed'}} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
