"""Trials under a tracer of system calls: a fake one, and strace where it is installed and may trace."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

import pytest
from laboratory import PROGRAM, TINY
from living import PATIENCE_S, gone, until, with_arguments
from tiny_run import measure

from pipeline.bundle import journal
from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.ingest import read
from pipeline.measure import tracing

FAKE = """#!/bin/sh
[ -z "$REFUSED" ] || { echo "strace: ptrace: $REFUSED" >&2; exit 1; }
while [ "$1" != -- ]; do [ "$1" != -o ] || log=$2; shift; done
shift
echo '7<t0> futex(0x7f, FUTEX_WAKE_PRIVATE, 1 <unfinished ...>' > "$log"
exec "$@"
"""
ALONE = "runs: pthread_mutex"


@pytest.fixture
def traced(lab, monkeypatch) -> Path:
    """The tiny experiment, of whose variants mutex is traced from now on."""
    (lab / "catalogue" / "lock_scaling.yaml").write_text(TINY.replace(ALONE, f"{ALONE}, logs: [futex]"))
    catalogue.load.cache_clear()
    tracing.refusal.cache_clear()
    yield lab
    tracing.refusal.cache_clear()


@pytest.fixture
def fake(traced, monkeypatch) -> None:
    program = traced / "bin" / "strace"
    program.parent.mkdir()
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def started(*words: str) -> set[str]:
    """What the processes with these arguments are now."""
    found = set()
    for pid in with_arguments(*words):
        with contextlib.suppress(OSError):
            found.add(Path(f"/proc/{pid}/comm").read_text().strip())
    return found


def statuses(run, variant: str) -> set[tuple[str, str]]:
    return {(line["status"], line["reason"]) for line in journal.trials(run.journal()) if line["variant"] == variant}


def test_a_traced_trial_leaves_its_trace_and_what_it_tells(fake):
    run, entry = measure(), catalogue.experiment("lock_scaling")
    for line in journal.trials(run.journal()):
        here = line["variant"] == "mutex"
        assert line["status"] == "measured" and (line["command"][0] == "strace") == here
        assert line["command"].count("{c}") == 1
        assert [name for name in line["files"] if name.endswith(".futex.log")] == [
            f"raw/lock_scaling/{line['trial']}.futex.log"
        ] * here
    tables = read.read(run, entry)
    found = tables.measures[tables.measures["name"] == "futex_wakes"]
    mutex = tables.trials.loc[tables.trials["variant"] == "mutex", "trial"]
    assert sorted(found["trial"]) == sorted(mutex) and set(found["series"]) == {"t0"}
    assert set(found["value"]) == {1.0} and set(found["iteration"]) == {-1}


def test_a_tracer_that_may_not_trace_is_told_and_the_others_are_measured(fake, monkeypatch):
    monkeypatch.setenv("REFUSED", "Operation not permitted")
    run = measure()
    why = "strace may not trace here (strace: ptrace: Operation not permitted); allow ptrace or measure without it"
    assert statuses(run, "mutex") == {("unsupported", why)} and statuses(run, "ticket") == {("measured", "")}


def test_without_a_tracer_it_is_told_what_to_install(traced, monkeypatch):
    monkeypatch.setattr(tracing.shutil, "which", lambda program: None)
    why = "a trace of system calls needs strace; install it (Debian: strace)"
    assert statuses(measure(), "mutex") == {("unsupported", why)}


@pytest.mark.skipif(bool(tracing.refusal()), reason=tracing.refusal())
def test_the_real_one_tells_who_wakes_whom_and_leaves_nobody_when_the_run_is_killed(traced):
    """A run that is killed takes the tracer with it, and that the traced: they would run on."""
    tables = read.read(measure(), catalogue.experiment("lock_scaling"))
    assert tables.measures.loc[tables.measures["name"] == "futex_wakes", "value"].sum() > 0
    entry = traced / "catalogue" / "lock_scaling.yaml"
    text = entry.read_text().replace("iterations: 4, iteration-ms: 1", "iterations: 20000, iteration-ms: 10")
    entry.write_text(text.replace("[mutex, ticket]", "[mutex]"))
    program = [*PROGRAM, "measure", "--run", "k", "--profile", "smoke"]
    run = subprocess.Popen(program, cwd=paths.ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    raw = str(traced / "runs" / "k" / "raw")
    # The one that is traced dies with its tracer from when it has become the harness.
    assert until(lambda: "lab-harness" in started("pthread_mutex", raw) or run.poll() is not None)
    both = with_arguments("pthread_mutex", raw)
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=PATIENCE_S)
    assert len(both) >= 2 and gone(both)
