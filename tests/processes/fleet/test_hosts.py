"""Hosts on this machine with real parcels and real trials, killed at random meanwhile; and what is refused."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import fleet_hosts
import kills
import pytest
from laboratory import PROGRAM, make_room, one_clear_line
from living import PATIENCE_S, until

from pipeline.bundle import journal, lock

KILLS = 10


@pytest.fixture(scope="module")
def parcel(tmp_path_factory) -> Path:
    return fleet_hosts.parcel(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def slow_parcel(tmp_path_factory) -> Path:
    """Whose trials take a while, so that something can happen meanwhile."""
    return fleet_hosts.parcel(tmp_path_factory.mktemp("home"), iteration_ms=20)


def environment(folder: Path, file: Path) -> dict[str, str]:
    return fleet_hosts.environment(folder / "here", fleet_hosts.catalogue_of(file))


def lab(folder: Path, file: Path, *words: str, **more: str) -> subprocess.CompletedProcess:
    """`lab fleet ...` as the coordinator below `folder`."""
    given = {"cwd": folder, "env": environment(folder, file) | more, "timeout": PATIENCE_S}
    return subprocess.run([*PROGRAM, "fleet", *words], capture_output=True, text=True, check=False, **given)


def has_trials(root: Path, least: int) -> bool:
    file = fleet_hosts.runs(root) / f"toys.{root.name}" / journal.FILE
    return file.exists() and file.read_bytes().count(b'"trial"') >= least


def listening(pid: int) -> set[str]:
    """The addresses that a process listens on, as the kernel writes them."""
    inodes = set()
    for one in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(one)))
        except OSError:
            continue
    found = set()
    for name in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes and (fields[3] == "0A" or name.startswith("udp")):
                found.add(fields[1])
    return found


@pytest.fixture(scope="module")
def killed(tmp_path_factory, parcel) -> tuple[Path, set[str]]:
    """A fleet that ended although ten processes of it were killed; the folder, and where anybody listened."""
    folder, heard = tmp_path_factory.mktemp("fleet"), set()

    def listen(pids: list[int]) -> None:
        for pid in pids:
            try:
                heard.update(listening(pid))
            except OSError:
                continue

    victims = kills.measured(folder, parcel, random.Random(20260725), KILLS, listen)
    assert 0 < victims.total() <= KILLS  # a fleet that is quick has ended before the last
    return folder, heard


@pytest.mark.prove  # again and again killed
def test_no_trial_is_lost_and_none_is_there_twice_and_nobody_listens(killed):
    folder, heard = killed
    for name in kills.NAMES:
        first = [line for line in kills.check(folder, folder / name) if line["attempt"] == 0]
        assert len(first) == fleet_hosts.TRIALS
    assert not heard


@pytest.mark.prove
def test_the_page_has_a_row_for_each_host_and_says_what_was_resumed(killed, parcel):
    folder, _ = killed
    told = lab(folder, parcel, "report", "fleet.yaml")
    assert told.returncode == 0, told.stdout + told.stderr
    page = (folder / "here" / "build" / "fleet" / "toys" / "index.html").read_text()
    assert page.index("What differs between the hosts") < page.index("<h2>Hosts</h2>")
    assert "<h1>3 hosts" in page and "3 of 3 hosts measured all that was asked" in page
    state = json.loads((folder / "here" / "runs" / ".fleet-toys.json").read_text())
    for name in (name for name, told in state["hosts"].items() if told["resumed"]):
        assert re.search(rf"<b>{name}</b>: resumed after trial \d+", page)
    assert str(folder) not in page


def test_a_fleet_is_pushed_measured_and_measured_no_further(tmp_path, parcel):
    """As its user does it: the parcel is made by push, and unpacked on the host by itself."""
    root = tmp_path / "its home" / "alice"
    fleet_hosts.fleet(tmp_path / "fleet.yaml", [root])
    before = lab(tmp_path, parcel, "doctor")
    assert before.returncode == 1 and "no parcel that answers in" in before.stdout, before.stdout + before.stderr
    one_clear_line(lab(tmp_path, parcel, "run"), 2, "alice: no parcel that answers in", "lab fleet push fleet.yaml")
    # Between the commands it becomes a host of its own: other tests measure on this machine.
    pushed = lab(tmp_path, parcel, "push", "--jdks", "none")
    assert pushed.returncode == 0 and "alice: ready" in pushed.stdout, pushed.stdout + pushed.stderr
    assert not list(root.glob("*.run")) and (root / "current" / "parcel.json").exists()
    fleet_hosts.made_own(root)
    again = lab(tmp_path, parcel, "push", "--jdks", "none")
    assert again.returncode == 0 and again.stdout == "alice: has it\n", again.stdout + again.stderr
    done = lab(tmp_path, parcel, "run", "--json")
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    kills.check(tmp_path, root)
    content = (fleet_hosts.runs(root) / "toys.alice" / journal.FILE).read_bytes()
    again = lab(tmp_path, parcel, "run", "--json")
    assert again.returncode == 0 and (fleet_hosts.runs(root) / "toys.alice" / journal.FILE).read_bytes() == content
    rows = [json.loads(line) for line in again.stdout.splitlines() if line.startswith("{")]
    assert rows[-1]["state"] == "measured" and not rows[-1]["resumed"]  # nothing went on


@pytest.mark.prove  # a minute for each round
def test_a_sitting_is_for_what_is_undecided_at_home(tmp_path, parcel):
    """The host asks, its run is fetched and looked at here, and what is measured then is in the same journal."""
    root = fleet_hosts.host(tmp_path / "alice", parcel)
    entry = root / "current" / "pipeline" / "catalogue" / "entry.py"
    entry.write_text(entry.read_text().replace('"smoke": 0.0', '"smoke": 1.0'))
    fleet_hosts.fleet(tmp_path / "fleet.yaml", [root])
    done = lab(tmp_path, parcel, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "looking for what is undecided" in done.stdout
    lines = journal.parse((fleet_hosts.runs(root) / "toys.alice" / journal.FILE).read_bytes(), "toys.alice")
    assert journal.deciding(lines) is not None
    here = tmp_path / "here" / "runs" / "toys.alice" / journal.FILE
    assert here.read_bytes() == (fleet_hosts.runs(root) / "toys.alice" / journal.FILE).read_bytes()


def test_what_must_not_measure_together_is_refused(tmp_path, parcel):
    one, other = (fleet_hosts.host(tmp_path / name, parcel) for name in ("one", "other"))
    fleet_hosts.fleet(tmp_path / "fleet.yaml", [one, other])
    (other / "id").write_text("one")
    one_clear_line(lab(tmp_path, parcel, "run"), 2, "other and one are one machine: keep one of them in fleet.yaml")
    (other / "id").write_text("other")
    about = other / "current" / "parcel.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"revision": "a85b1d9"}))
    one_clear_line(lab(tmp_path, parcel, "run"), 2, "other has revision a85b1d9", "lab fleet push fleet.yaml")
    told = lab(tmp_path, parcel, "doctor")
    assert told.returncode == 1 and "one: revision" in told.stdout, told.stdout + told.stderr
    assert "not as here" in told.stdout


def test_a_machine_on_which_somebody_measures_is_waited_for(tmp_path, parcel, monkeypatch):
    """On the host's own lock, held from here for a while; its row says by whom."""
    root = fleet_hosts.host(tmp_path / "one", parcel)
    fleet_hosts.fleet(tmp_path / "fleet.yaml", [root])
    monkeypatch.setattr(lock, "FOLDERS", (root,))
    with lock.alone("foreign"):
        command, given = [*PROGRAM, "fleet", "run"], {"stdout": subprocess.PIPE, "text": True}
        running = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path, parcel), **given)
        try:
            deadline = time.monotonic() + PATIENCE_S
            for line in running.stdout:
                if "run 'foreign' (process" in line or time.monotonic() > deadline:
                    break
        except BaseException:
            running.kill()
            raise
    rest, _ = running.communicate(timeout=PATIENCE_S)
    assert "run 'foreign'" in line and running.returncode == 0, line + rest
    kills.check(tmp_path, root)


@pytest.mark.prove
def test_a_full_disk_is_one_line_and_the_same_command_goes_on_after_room_was_made(tmp_path, small_disk, parcel):
    full, other = (fleet_hosts.host(tmp_path / name, parcel) for name in ("full", "other"))
    fleet_hosts.fleet(tmp_path / "fleet.yaml", [full, other])
    shutil.rmtree(fleet_hosts.runs(full), ignore_errors=True)
    fleet_hosts.runs(full).parent.mkdir(exist_ok=True)
    fleet_hosts.runs(full).symlink_to(small_disk)
    (small_disk / "filler").write_bytes(bytes((256 - 40) << 10))
    told = lab(tmp_path, parcel, "run")
    assert told.returncode == 1 and not told.stderr, told.stdout + told.stderr
    (line,) = (line for line in told.stdout.splitlines() if line.startswith("full: not measured"))
    assert "No space left on device; correct that and repeat the command: what was measured is kept" in line
    kills.check(tmp_path, other)
    make_room(small_disk)
    again = lab(tmp_path, parcel, "run")
    assert again.returncode == 0, again.stdout + again.stderr
    kills.check(tmp_path, full)


def test_ctrl_c_gathers_and_the_same_command_goes_on(tmp_path, slow_parcel):
    root = fleet_hosts.host(tmp_path / "one", slow_parcel)
    fleet_hosts.fleet(tmp_path / "fleet.yaml", [root])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [*PROGRAM, "fleet", "run"]
    running = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path, slow_parcel), **pipes)
    try:
        assert until(lambda: running.poll() is not None or has_trials(root, 2))
        running.send_signal(signal.SIGINT)
        told, complaint = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 130, told + complaint
    assert complaint.splitlines() == ["lab: interrupted; the same command continues where it stopped"]
    there = fleet_hosts.runs(root) / "toys.one" / journal.FILE
    here = tmp_path / "here" / "runs" / "toys.one" / journal.FILE
    assert 2 <= here.read_bytes().count(b'"trial"') < fleet_hosts.TRIALS and here.read_bytes() == there.read_bytes()
    again = lab(tmp_path, slow_parcel, "run")
    assert again.returncode == 0 and "resumed after trial" in again.stdout, again.stdout + again.stderr
    kills.check(tmp_path, root)


def test_a_host_measures_no_further_without_its_coordinator(tmp_path, slow_parcel):
    """Killed, it closes what the host reads from; the trial in progress ends with what measures."""
    root = fleet_hosts.host(tmp_path / "one", slow_parcel)
    fleet_hosts.fleet(tmp_path / "fleet.yaml", [root])
    command = [*PROGRAM, "fleet", "run"]
    running = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path, slow_parcel))
    try:
        assert until(lambda: running.poll() is not None or has_trials(root, 1))
    finally:
        running.kill()
        running.wait()
    assert until(lambda: not fleet_hosts.working(root))
    assert not has_trials(root, fleet_hosts.TRIALS)
