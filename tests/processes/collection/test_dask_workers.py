"""Imports by workers: the bytes of one process whatever their number, open to the loopback alone; no Dask elsewhere."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import given
import hostile
import psutil
import pytest
from laboratory import PROGRAM, one_clear_line

import pipeline
from pipeline.collection import dask_workers, imports, share
from pipeline.ground import arithmetic, paths
from pipeline.ground.errors import LabError

# Whoever loads Dask leaves a file, also where it catches what comes then.
POISON = 'import os, pathlib; pathlib.Path(os.environ["POISONED"]).touch(); raise SystemExit("Dask was loaded")\n'
MODULES = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(sorted(one for one in sys.modules if one.partition(".")[0] in ("dask", "distributed")))
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Five files: three runs, of which one comes twice, and a damaged one."""
    for name, value in arithmetic.environment(os.environ).items():
        monkeypatch.setenv(name, value)
    at(tmp_path, "made", monkeypatch)
    good, found = given.small(), []
    for number in range(3):
        info = json.loads(good.members[share.RUN]) | {"created": f"2026-11-2{number}T10:00:00+00:00"}
        other = given.Given({**good.members, share.RUN: json.dumps(info).encode()}, good.journal, good.raw)
        found.append(hostile.written(tmp_path / f"{number}.tgz", other.file))
    return [found[0], hostile.written(tmp_path / "cut.tgz", good.file[:-50]), found[1], found[0], found[2]]


def at(place: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_RUNS", str(place / name / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(place / name / "build"))


def contents(folder: Path) -> dict[str, bytes]:
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def listened_on() -> set[str]:
    """The addresses on which this process and those it started listen."""
    me = psutil.Process()
    every = [one for process in (me, *me.children(recursive=True)) for one in process.net_connections("inet")]
    return {one.laddr.ip for one in every if one.status == psutil.CONN_LISTEN}


@pytest.mark.prove
def test_the_number_of_workers_changes_no_byte(tmp_path: Path, files, monkeypatch: pytest.MonkeyPatch):
    words = ["import", *map(str, files)]
    told = {}
    for number in (0, 2):
        at(tmp_path, str(number), monkeypatch)
        ran = subprocess.run([*PROGRAM, *words, "--workers", str(number)], capture_output=True, text=True, check=False)
        assert ran.returncode == 4 and not ran.stderr, ran.stderr
        told[number] = ran.stdout
    at(tmp_path, "1", monkeypatch)
    states, open_at = [], set()
    for outcome in imports.import_runs(files, by=dask_workers.workers(1)):
        states.append(outcome.state)
        open_at |= listened_on()
    assert states == ["imported", "refused", "imported", "already here", "imported"]
    assert open_at == {"127.0.0.1"}
    assert told[0] == told[2] and told[0].count("another run of a machine") == 2
    alone, one, two = (contents(tmp_path / str(number)) for number in (0, 1, 2))
    of_runs = [name for name in alone if name.startswith("runs/")]  # the build has what was checked of the catalogue
    assert alone == one == two and len(of_runs) == 1 + 3 * (3 + 2 + 4)


@pytest.mark.prove
def test_workers_of_a_scheduler_are_asked_and_those_that_differ_are_not_believed(
    tmp_path: Path, files, monkeypatch: pytest.MonkeyPatch
):
    from distributed import LocalCluster

    monkeypatch.setattr(dask_workers, "WAIT_S", 1)
    at(tmp_path, "lab", monkeypatch)
    local = {"threads_per_worker": 2, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=1, local_directory=tmp_path / "scratch", **local) as cluster:
        by = dask_workers.scheduler(cluster.scheduler_address)
        told = [one.sentence for one in imports.import_runs(files, dry_run=True, by=by)]
        assert [one[:17] for one in told] == ["would be imported", "cut short; copy t", *["would be imported"] * 3]
        monkeypatch.setattr(dask_workers.digest, "files", lambda paths: "another code's")
        with pytest.raises(LabError, match="other code or arithmetic; start it from this checkout"):
            list(imports.import_runs(files, by=by))
        cluster.scale(0)
        cluster.sync(cluster._correct_state)
        with pytest.raises(LabError, match="has no worker"):
            list(imports.import_runs(files, by=by))
    with pytest.raises(LabError, match="no scheduler answers"):
        list(imports.import_runs(files, by=by))
    assert [one.name for one in paths.runs().iterdir()] == [imports.LOCK]


def test_a_foreign_scheduler_is_refused_in_a_line(tmp_path: Path, files):
    ran = subprocess.run(
        [*PROGRAM, "import", str(files[0]), "--scheduler", "tcp://192.0.2.1:8786"],
        capture_output=True,
        text=True,
        check=False,
    )
    one_clear_line(ran, 2, "only this machine's are asked")


def test_no_other_module_loads_dask():
    names = [one.name for one in pkgutil.walk_packages(pipeline.__path__, "pipeline.")]
    ran = subprocess.run([sys.executable, "-c", MODULES, *names], capture_output=True, text=True, check=False)
    assert ran.stdout == "[]\n", ran.stdout + ran.stderr


@pytest.mark.prove
def test_pages_are_drawn_without_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("dask", "distributed"):
        (tmp_path / "poison" / name).mkdir(parents=True)
        (tmp_path / "poison" / name / "__init__.py").write_text(POISON)
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("POISONED", str(tmp_path / "poisoned"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "poison"), prepend=os.pathsep)
    argv = [*PROGRAM, "figures", "--run", "reference", "--experiments", "whitebox"]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=paths.ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not (tmp_path / "poisoned").exists()
    poisoned = subprocess.run([sys.executable, "-c", "import distributed"], capture_output=True, check=False)
    assert poisoned.returncode == 1 and (tmp_path / "poisoned").exists()
