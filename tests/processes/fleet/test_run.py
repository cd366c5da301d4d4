"""What a coordinator does when something fails: Dask's own scheduler and workers, answers that are written here."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
from collections.abc import Coroutine
from pathlib import Path

import pytest
import shared

pytest.importorskip("distributed", reason="the fleet's packages are not installed: make .venv/.ready-fleet")

import distributed.scheduler
from in_process import cluster, done, fleet, instead, measured, served
from living import PATIENCE_S

from pipeline.fleet import config, gather
from pipeline.fleet import run as running
from pipeline.ground import paths


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)
    return tmp_path


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What every host has measured."""
    folder = shared.bundle(tmp_path / "there", ("whitebox",))
    contents, archive = served(folder)
    instead(monkeypatch, "contents", contents)
    instead(monkeypatch, "archive", archive)
    return folder


def ran(what: Coroutine):
    return asyncio.run(asyncio.wait_for(what, 30))


def test_what_hosts_measured_comes_home_as_it_was(bundle, monkeypatch):
    instead(monkeypatch, "measure", lambda run, profile, experiments: done())

    async def whole():
        async with cluster() as (members, client):
            for name in ("a", "b", "c"):
                await members.start(name)
            return await measured(members, client)

    status, rows = ran(whole())
    assert status == 0 and {row.state for row in rows.rows.values()} == {"measured"}
    for name in "abc":
        assert (paths.bundle(f"f.{name}") / "journal.jsonl").read_bytes() == (bundle / "journal.jsonl").read_bytes()
        assert (paths.bundle(f"f.{name}") / "whitebox.tar.xz").exists()
    assert not list(paths.runs().glob(".arriving*"))


def test_a_task_runs_on_its_own_host_and_one_at_a_time(monkeypatch):
    seen, lock = [], threading.Lock()

    def measure(run, profile, experiments):
        assert lock.acquire(blocking=False) or run != "f.a"
        name = distributed.get_worker().name
        time.sleep(0.05)
        seen.append((run, name))
        if lock.locked() and run == "f.a":
            lock.release()
        return done(0)

    instead(monkeypatch, "measure", measure)

    async def whole():
        async with cluster() as (members, client):
            for name in ("a", "b", "c", "d"):
                await members.start(name)
            return await measured(members, client)

    status, _ = ran(whole())
    assert status == 0 and sorted(seen) == [(f"f.{name}", name) for name in "abcd"]


def test_a_worker_that_dies_is_asked_again_and_told(monkeypatch):
    """Also a task that a dead worker had is not run again by Dask itself: each attempt is ours."""
    calls, begun, died = itertools.count(), threading.Event(), threading.Event()

    def measure(run, profile, experiments):
        if next(calls) == 0:
            begun.set()
            died.wait(PATIENCE_S)
        return done(0)

    instead(monkeypatch, "measure", measure)

    async def whole():
        async with cluster() as (members, client):
            await members.start("a")
            measuring = asyncio.create_task(measured(members, client))
            await asyncio.to_thread(begun.wait, PATIENCE_S)
            await members.end("a")
            await members.start("a")
            died.set()
            return await measuring

    status, rows = ran(whole())
    assert status == 0 and rows.rows["a"].deaths == 1 and next(calls) == 2


def test_a_host_that_is_gone_for_good_leaves_the_others_alone(monkeypatch):
    begun, over = threading.Event(), threading.Event()

    def measure(run, profile, experiments):
        if run == "f.a":
            distributed.get_worker().log_event("mechanical-sympathy-lab", {**told, "run": run})
            begun.set()
            over.wait(PATIENCE_S)
        return done(0)

    told = {"trials": 37, "planned": 80, "noisy": 0, "experiment": "x", "block": 2, "left_s": 9, "before": 0}
    instead(monkeypatch, "measure", measure)

    async def whole():
        async with cluster() as (members, client):
            await members.start("a")
            await members.start("b")
            measuring = asyncio.create_task(measured(members, client))
            await asyncio.to_thread(begun.wait, PATIENCE_S)
            await asyncio.sleep(0.1)
            await members.end("a")
            members.lost["a"].set_result("Connection refused")
            try:
                return await measuring
            finally:
                over.set()

    status, rows = ran(whole())
    assert status == 1 and rows.rows["b"].state == "measured"
    assert "after trial 37 of 80 (Connection refused)" in rows.rows["a"].note


def test_damaged_once_is_fetched_again_and_damaged_twice_is_said(bundle, monkeypatch):
    instead(monkeypatch, "measure", lambda run, profile, experiments: done())
    whole_bytes = (bundle / "whitebox.tar.xz").read_bytes()
    arrivals: dict[str, int] = {}

    def archive(run, experiment):
        arrivals[run] = arrivals.get(run, 0) + 1
        cut = run == "f.b" or arrivals[run] == 1
        return whole_bytes[:-7] if cut else whole_bytes

    instead(monkeypatch, "archive", archive)

    async def whole():
        async with cluster() as (members, client):
            await members.start("a")
            await members.start("b")
            return await measured(members, client)

    status, rows = ran(whole())
    assert status == 4 and arrivals == {"f.a": 2, "f.b": 2}
    assert rows.rows["a"].state == "measured" and paths.bundle("f.a").exists()
    assert rows.rows["b"].line().startswith("b: not measured, whitebox arrived damaged")
    assert not paths.bundle("f.b").exists()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (done(0, status=5, why="/x/journal.jsonl: No space left on device"), "No space left on device"),
        (done(0, status=5, why="no JDK 17 or later found; install one"), "no JDK 17 or later found"),
        (done(0, failed={"dispatch": "needs a JDK"}), "dispatch: needs a JDK"),
    ],
)
def test_a_host_that_cannot_says_why_and_others_go_on(monkeypatch, answer, words):
    instead(monkeypatch, "measure", lambda run, profile, experiments: answer if run == "f.a" else done(0))

    async def whole():
        async with cluster() as (members, client):
            await members.start("a")
            await members.start("b")
            return await measured(members, client)

    status, rows = ran(whole())
    assert status == 1 and words in rows.rows["a"].note and rows.rows["b"].state == "measured"


def test_ctrl_c_ends_in_order_and_gathers(bundle, monkeypatch):
    begun, asked = threading.Event(), threading.Event()

    def measure(run, profile, experiments):
        begun.set()
        assert asked.wait(PATIENCE_S)
        return done(5, status=130, why="interrupted")

    instead(monkeypatch, "measure", measure)
    instead(monkeypatch, "interrupt", lambda run: asked.set())

    async def whole():
        async with cluster() as (members, client):
            await members.start("a")
            stopping = asyncio.Event()
            measuring = asyncio.create_task(measured(members, client, stopping))
            await asyncio.to_thread(begun.wait, PATIENCE_S)
            stopping.set()
            return await measuring

    status, rows = ran(whole())
    assert status == 130 and paths.bundle("f.a").exists() and rows.rows["a"].note == "interrupted"


def test_what_dies_again_and_again_is_given_up(monkeypatch):
    def measure(run, profile, experiments):
        raise running.task.Killed("signal 9")

    instead(monkeypatch, "measure", measure)

    async def whole():
        async with cluster() as (members, client):
            await members.start("a")
            return await measured(members, client)

    status, rows = ran(whole())
    assert status == 1 and rows.rows["a"].deaths == running.DEATHS
    assert "died 5 times without a trial between" in rows.rows["a"].note


def test_a_clock_that_jumps_costs_no_worker(monkeypatch):
    """Dask's scheduler would take every worker for dead whose last heartbeat is five minutes old."""
    begun, over = threading.Event(), threading.Event()

    def measure(run, profile, experiments):
        begun.set()
        over.wait(PATIENCE_S)
        return done(0)

    instead(monkeypatch, "measure", measure)

    async def whole():
        async with cluster() as (members, client):
            await members.start("a")
            measuring = asyncio.create_task(measured(members, client))
            await asyncio.to_thread(begun.wait, PATIENCE_S)
            monkeypatch.setattr(distributed.scheduler, "time", lambda: time.time() + 3600)
            await members.scheduler.check_worker_ttl() if members.scheduler.worker_ttl else None
            over.set()
            return await measuring

    status, rows = ran(whole())
    assert status == 0 and rows.rows["a"].deaths == 0


def test_what_was_known_of_a_host_is_kept_when_the_command_is_repeated():
    for deaths, resumed in ((2, [37]), (0, []), (1, [50])):
        made, rows = fleet("a")
        rows.rows["a"].deaths, rows.rows["a"].resumed = deaths, resumed
        running.remember(made, rows, [], "ssh")
    told = gather.remembered(config.state_file("f"))["hosts"]["a"]
    assert (told["deaths"], told["resumed"]) == (3, [37, 50])
