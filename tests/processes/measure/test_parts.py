"""A trial of two processes from the catalogue to the tables."""

from __future__ import annotations

import json
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from laboratory import PROGRAM, TINY
from living import PATIENCE_S, gone, until, with_arguments
from pair import ALONE, PEER, pair
from tiny_run import measure

from pipeline.analyse.trials import Trials
from pipeline.bundle import journal
from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.ingest import read
from pipeline.measure import scratch


def trials(run, variant: str) -> list[dict]:
    """The lines of a variant's trials, repeats of noisy ones left out."""
    return [line for line in journal.trials(run.journal()) if line["variant"] == variant and line["attempt"] == 0]


def value_of(command: list[str], argument: str) -> str:
    return command[command.index(argument) + 1]


def test_a_trial_of_two_parts_is_one_line_and_one_trial_with_the_rows_of_both(lab, monkeypatch):
    pair(lab, monkeypatch)
    run, entry = measure(), catalogue.experiment("lock_scaling")
    lines = trials(run, "mutex")
    assert {line["status"] for line in lines} == {"measured"} and len(lines) == 4
    for line in lines:
        assert list(line["parts"]) == ["peer"] and line["parts"]["peer"]["exit"] == line["exit"] == 0
        main, peer = line["command"], line["parts"]["peer"]["command"]
        assert main[0] == peer[0] == "{c}" and value_of(main, "--meet") == value_of(peer, "--meet")
        assert [value_of(one, "--part") for one in (main, peer)] == ["0/2", "1/2"]
        assert [value_of(one, "--variant") for one in (main, peer)] == ["pthread_mutex", "ticket"]
        assert [value_of(one, "--outside") for one in (main, peer)] == ["10", "20"]
        ends = {name.removeprefix(f"raw/lock_scaling/{line['trial']}.") for name in line["files"]}
        assert ends == {"hlog", "json", "peer.hlog", "peer.json"}
    assert all("parts" not in line and "--meet" not in line["command"] for line in trials(run, "ticket"))
    tables = read.read(run, entry)
    mine = tables.iterations[tables.iterations["trial"].isin([line["trial"] for line in lines])]
    assert set(mine["series"]) == {"t0", "t1", "peer.t0", "peer.t1"}
    assert len(mine[mine["series"] == "t0"]) == len(mine[mine["series"] == "peer.t0"]) >= 5 * len(lines)
    assert tables.checks["passed"].all() and any(tables.checks["name"].str.startswith("peer."))
    # What rows a number rests on; whether the iterations of four threads overlapped is the host's affair here.
    found = Trials(entry, tables)
    for series, expected in ("t*", {"t0", "t1"}), ("peer.*", {"peer.t0", "peer.t1"}), ("*t?", set(mine["series"])):
        metric = replace(entry.metrics["cost"], series=series)
        rows = found.chosen(metric)
        variants = rows["trial"].map(found.table["variant"])
        assert set(rows.loc[variants == "mutex", "series"]) == expected, series
        assert set(rows.loc[variants == "ticket", "series"]) == expected - {"peer.t0", "peer.t1"}, series


WRITES = """
if "--dir" in arguments:
    at = arguments.index("--dir")
    open(os.path.join(arguments[at + 1], "file" + part[0]), "x").close()
    del arguments[at : at + 2]
"""


def test_the_parts_of_a_trial_share_a_folder_in_memory_that_no_other_trial_has(lab, monkeypatch):
    pair(lab, monkeypatch, WRITES, variant=", dir: memory")
    lines = trials(measure(), "mutex")
    assert {(line["status"], line["reason"]) for line in lines} == {("measured", "")}
    folders = [Path(value_of(line["command"], "--dir")) for line in lines]
    assert [value_of(line["parts"]["peer"]["command"], "--dir") for line in lines] == [str(one) for one in folders]
    assert len(set(folders)) == len(folders) and {one.parent for one in folders} == {scratch.MEMORY}
    assert not any(folder.exists() for folder in folders)


def test_a_part_that_fails_ends_the_trial_and_is_named(lab, monkeypatch):
    pair(lab, monkeypatch, 'if part == "1/2": sys.exit("lab: no such peer")')
    run = measure()
    for line in trials(run, "mutex"):
        assert (line["status"], line["reason"]) == ("crashed", "peer: lab: no such peer")
        assert line["parts"]["peer"]["exit"] == 1
    assert {line["status"] for line in trials(run, "ticket")} == {"measured"}
    found = read.read(run, catalogue.experiment("lock_scaling"))
    assert not found.iterations["series"].astype(str).str.startswith("peer").any()


@pytest.mark.parametrize(("part", "told"), [("0/2", ""), ("1/2", "peer: ")])
def test_every_part_keeps_the_contract(lab, monkeypatch, part, told):
    pair(lab, monkeypatch, f'if part == "{part}": sys.exit(0)')
    line = trials(measure(), "mutex")[0]
    assert (line["status"], line["reason"]) == ("crashed", f"{told}the harness printed no JSON object")


JAVA = "harness: java, runs: monitor, beside: {peer: {harness: c, runs: mcs}}"
LONG = "iterations: 4000, iteration-ms: 2"


@pytest.mark.parametrize("variant", ["mutex", "ticket"])
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL])
def test_an_ended_run_leaves_no_part_of_its_trial(lab, variant, kind):
    """Real ones, which meet: of mutex both in C, of ticket one in Java."""
    text = TINY.replace(ALONE, f"{ALONE}, beside: {PEER}").replace("[mutex, ticket]", f"[{variant}]")
    text = text.replace("label: ticket, harness: c, runs: ticket", f"label: ticket, {JAVA}")
    (lab / "catalogue" / "lock_scaling.yaml").write_text(text.replace("iterations: 4, iteration-ms: 1", LONG))
    program = [*PROGRAM, "measure", "--run", "r", "--profile", "smoke"]
    run = subprocess.Popen(program, cwd=paths.ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    raw = str(lab / "runs" / "r" / "raw")
    assert until(lambda: len(with_arguments("--part", raw)) == 2 or run.poll() is not None)
    parts = with_arguments("--part", raw)
    assert len(parts) == 2, run.communicate()
    run.send_signal(kind)
    _, told = run.communicate(timeout=PATIENCE_S)
    assert gone(parts) and "Traceback" not in told
    assert run.returncode == (130 if kind == signal.SIGINT else -kind)


def test_parts_that_meet_end_with_the_one_that_fails(lab, monkeypatch):
    """Real ones: the peer is refused, and the main part sees it on the page."""
    refused = PEER.replace("outside: 20", "outside: -1")
    text = TINY.replace(ALONE, f"{ALONE}, beside: {refused}").replace("[mutex, ticket]", "[mutex]")
    (lab / "catalogue" / "lock_scaling.yaml").write_text(text)
    with pytest.raises(
        LabError, match="^lock_scaling: mutex-c-.*: peer: lab-harness: --outside.*-1.*; correct the parameter"
    ):
        measure()


def test_a_changed_file_of_a_part_is_found(lab, monkeypatch):
    pair(lab, monkeypatch)
    run = measure()
    file = next((run.folder / "raw").rglob("*.peer.json"))
    told = json.loads(file.read_text())
    file.write_text(json.dumps(told | {"checks": []}))
    with pytest.raises(LabError, match=f"{file.name} was changed after the run"):
        read.read(run, catalogue.experiment("lock_scaling"))


def test_what_an_attempt_left_that_was_killed_is_not_taken_for_this_ones(lab, monkeypatch):
    pair(lab, monkeypatch, 'if part == "1/2": sys.exit("lab: gone")')
    raw = paths.bundle("r") / "raw" / "lock_scaling"
    raw.mkdir(parents=True)
    (raw / "mutex-c-threads=1-b01.peer.hlog").write_text("left")
    assert all(
        name.endswith((".json", ".hlog")) and ".peer." not in name
        for line in trials(measure(), "mutex")
        for name in line["files"]
    )
