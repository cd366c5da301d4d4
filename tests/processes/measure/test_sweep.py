"""Measuring with real processes: nothing lost, nothing counted twice, nothing half-written ingested."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from laboratory import PROGRAM, one_clear_line
from living import PATIENCE_S
from tiny_run import measure

from pipeline.bundle import bundle, lock, run_file
from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.ingest import ingest, read
from pipeline.ingest.buckets import joined
from pipeline.ingest.tables import SCHEMAS
from pipeline.plan.overrides import Overrides

TRIALS = 8


@pytest.fixture(autouse=True)
def laboratory(lab):
    """Every test has its own."""


def journal(run="r"):
    return [json.loads(line) for line in (paths.bundle(run) / "journal.jsonl").read_text().splitlines()]


def trials(run="r"):
    return [line["trial"] for line in journal(run) if "trial" in line and line["attempt"] == 0]


def start(*arguments):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*PROGRAM, *arguments], cwd=paths.ROOT, text=True, **pipes)


def after_first_trial(process):
    file = paths.runs() / "r" / "journal.jsonl"
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        if file.exists() and b'"trial":' in file.read_bytes().rpartition(b"\n")[0]:
            return
        time.sleep(0.002)
    pytest.fail(f"no trial was journaled: {process.communicate()}")


def test_a_run_is_complete_and_a_second_call_measures_nothing():
    measure()
    assert len(trials()) == TRIALS == len(set(trials()))
    before = (paths.bundle("r") / "journal.jsonl").read_bytes()
    measure()
    assert (paths.bundle("r") / "journal.jsonl").read_bytes() == before


def test_a_trial_whose_workers_have_cpus_of_their_own_tells_what_they_read_of_them(measured_run):
    trials = [line for line in journal() if "trial" in line]
    for line in trials:
        own = len(line["cpus"]) >= (line["axes"].get("threads") or 1)
        assert ("readings" in line) == own, line
        assert not own or len(line["readings"]["width"]) == len(line["readings"]["chain_ns"]) == 3
    assert any("readings" in line for line in trials)


def test_a_trial_tells_what_others_did_on_its_cpus_and_how_long_its_workers_waited(measured_run):
    account = Path("/proc/thread-self/schedstat")
    counted = account.exists() and not account.read_text().endswith(" 0\n")
    for facts in (line["noise"] for line in journal() if "trial" in line):
        assert {"cpus_steal_pct", "cpus_foreign_pct", "cpus_error_pct"} <= facts.keys()
        assert ("run_delay_pct" in facts) == counted and facts.get("run_delay_pct", 0.0) >= 0


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL])
def test_an_ended_sweep_continues_where_it_stopped(kind):
    process = start("measure", "--run", "r", "--profile", "smoke")
    after_first_trial(process)
    process.send_signal(kind)
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in stderr
    if kind == signal.SIGINT:
        assert process.returncode == 130 and "continues where it stopped" in stderr
    done = trials()
    assert 0 < len(done) < TRIALS
    measure()
    assert trials()[: len(done)] == done
    assert len(trials()) == TRIALS == len(set(trials()))
    tables = ingest.ingest(bundle.Bundle.open("r"), catalogue.experiment("lock_scaling"))
    assert (tables.trials["status"] == "measured").all() and tables.checks["passed"].all()


def test_a_journal_line_cut_short_by_a_kill_counts_as_not_run(measured_run):
    file = paths.bundle("r") / "journal.jsonl"
    lines = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join(lines[:4]) + b"\n" + lines[4][:40])
    measure()
    assert len(trials()) == TRIALS == len(set(trials()))


def test_a_second_run_while_one_measures_says_who_holds_the_machine(call):
    with lock.alone("first"):
        one_clear_line(call("measure", "--run", "r", "--profile", "smoke"), 5, "run 'first'", str(os.getpid()))


def test_a_changed_raw_file_is_found(measured_run):
    file = next((measured_run.folder / "raw").rglob("*.hlog"))
    file.write_bytes(file.read_bytes()[:-1] + b"A")
    with pytest.raises(LabError, match=f"{file.name}.*changed after the run"):
        read.read(measured_run, catalogue.experiment("lock_scaling"))
    file.unlink()
    with pytest.raises(LabError, match=f"{file.name} is missing"):
        read.read(measured_run, catalogue.experiment("lock_scaling"))


def test_tables_are_kept_until_a_raw_file_changes(measured_run, monkeypatch):
    opened, entry = measured_run, catalogue.experiment("lock_scaling")
    first = ingest.ingest(opened, entry)
    with monkeypatch.context() as patch:
        patch.setattr(read, "read", lambda *_: pytest.fail("the logs were decoded again"))
        kept = ingest.ingest(opened, entry)
    for name in SCHEMAS:
        one, other = (getattr(tables, name) for tables in (first, kept))
        if name == "buckets":
            one, other = (joined(tables.buckets.parts(tables.trials["trial"])) for tables in (first, kept))
        assert other.equals(one), name
    file = next((opened.folder / "raw").rglob("*.hlog"))
    file.write_bytes(file.read_bytes()[:-1] + b"A")
    with pytest.raises(LabError, match=f"{file.name}.*changed after the run"):
        ingest.ingest(opened, entry)
    assert not (paths.tables("r", entry.name) / "tables.stamp").exists()


def test_a_bundle_of_a_newer_format_is_refused(call, measured_run):
    newer = run_file.FORMAT + 1
    (measured_run.folder / "run.json").write_text(json.dumps(measured_run.info | {"format": newer}))
    one_clear_line(call("ingest", "--run", "r"), 2, f"format {newer}", "update")


def test_a_bundle_of_another_host_or_profile_is_not_measured_into(measured_run):
    with pytest.raises(LabError, match="profile smoke, not quick"):
        measure(profile="quick")
    (paths.bundle("r") / "journal.jsonl").write_text("")
    other = json.loads(json.dumps(measured_run.info))
    other["host"]["cpu"]["model"] = "Another CPU"
    (measured_run.folder / "run.json").write_text(json.dumps(other))
    with pytest.raises(LabError, match="measured on another host"):
        measure()


def test_other_parameters_under_the_same_name_are_refused(measured_run):
    with pytest.raises(LabError, match="other parameters"):
        measure(overrides=Overrides(variants=("mutex",)))


@pytest.mark.parametrize("threads", [0, -1, 10_000])
def test_a_bad_value_stops_at_once_and_names_it(threads):
    with pytest.raises(LabError, match=f"threads.*{threads}") as caught:
        measure(overrides=Overrides(axes={"threads": (threads,)}))
    assert caught.value.status == 2 and trials() == []


def change(before, after):
    file = paths.catalogue() / "lock_scaling.yaml"
    file.write_text(file.read_text().replace(before, after))
    catalogue.load.cache_clear()


def test_a_flag_that_a_runtime_refuses_is_journaled_with_the_runtime_s_own_words():
    change("harness: c, runs: ticket", "harness: java, runs: monitor, flags: {jdk: ['-XX:NoSuchFlag={threads}']}")
    measure()
    refused = [line for line in journal() if line.get("status") == "unsupported"]
    assert refused and all(f"NoSuchFlag={line['axes']['threads']}" in line["reason"] for line in refused)


def test_a_trial_that_crashes_is_journaled_and_not_analysed(monkeypatch, tmp_path):
    crashing = tmp_path / "crashing"
    crashing.write_text(f'#!/bin/sh\n[ "$1" = probe ] && exec {paths.c_harness()} "$@"\nkill -SEGV $$\n')
    crashing.chmod(0o755)
    monkeypatch.setattr(paths, "c_harness", lambda: crashing)
    opened = measure()
    assert {line["status"] for line in journal() if "trial" in line} == {"crashed"}
    assert read.read(opened, catalogue.experiment("lock_scaling")).iterations.empty


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("measure", "--experiments", "lokcs"), 2, ["unknown experiment 'lokcs'", "lock_scaling"]),
        (("measure", "--profile", "huge"), 2, ["unknown profile 'huge'"]),
        (("report", "--profile", "huge"), 2, ["unknown profile 'huge'"]),
        (("measure", "--run", "a/b"), 2, ["run name 'a/b'"]),
        (("measure", "--run", "reference/.."), 2, ["run name"]),
        (("ingest", "--run", "none"), 2, ["run 'none' does not exist", "make report RUN=none"]),
        (("figures", "--run", "none"), 2, ["run 'none' does not exist"]),
    ],
)
def test_bad_arguments(call, arguments, status, words):
    one_clear_line(call(*arguments), status, *words)


def test_missing_runtimes_are_named(call, tmp_path):
    (tmp_path / "empty").mkdir()
    result = call("measure", "--profile", "smoke", LAB_JDKS=str(tmp_path / "empty"))
    one_clear_line(result, 5, f"LAB_JDKS: {tmp_path / 'empty'} is not", "JDK 17 or later")
