"""Three hosts on this machine, real workers and real trials, killed at random meanwhile; and what is refused."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the fleet's packages are not installed: make .venv/.ready-fleet")

from laboratory import PROGRAM, make_room, one_clear_line
from living import PATIENCE_S

from pipeline.bench import kills, local_hosts
from pipeline.bundle import lock
from pipeline.fleet import left

pytestmark = pytest.mark.prove  # hosts at once, killed again and again
KILLS = 10
LISTENS = "0A"


def lab(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """`lab fleet ...` as the coordinator below `folder`."""
    environment = local_hosts.environment(folder / "here", folder / "catalogue")
    command = [*PROGRAM, "fleet", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


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
            if fields[9] in inodes and (fields[3] == LISTENS or name.startswith("udp")):
                found.add(fields[1].partition(":")[0])
    return found


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> tuple[Path, dict, set[str]]:
    """A fleet that ended although ten processes of it were killed; the folder, who was, where anybody listened."""
    folder, heard = tmp_path_factory.mktemp("fleet"), set()

    def listen(folder: Path) -> None:
        words = (b"fleet", b"run"), (b"dask", b"worker"), (b"pipeline.fleet.work",)
        for pid in {pid for one in words for pid in left.with_words(*one)}:
            try:
                environment = Path(f"/proc/{pid}/environ").read_bytes()
                heard.update(listening(pid) if f"={folder}/".encode() in environment else ())
            except OSError:
                continue

    victims = kills.measured(folder, random.Random(20260725), KILLS, listen)
    return folder, victims, heard


def test_no_trial_is_lost_and_none_is_there_twice(killed):
    folder, victims, _ = killed
    assert 0 < victims.total() <= KILLS  # a fleet that is quick has ended before the last
    for name in kills.NAMES:
        first = [line for line in kills.check(folder, folder / name) if line["attempt"] == 0]
        assert len(first) == local_hosts.TRIALS


def test_everybody_listens_on_the_loopback_alone(killed):
    assert killed[2] == {"0100007F"}


def test_the_same_command_again_measures_nothing(killed):
    folder, _, _ = killed
    runs = [folder / name / "runs" / f"toys.{name}" / "journal.jsonl" for name in kills.NAMES]
    before = [file.read_bytes() for file in runs]
    again = lab(folder, "run", "fleet.yaml", "--json")
    assert again.returncode == 0, again.stdout + again.stderr
    assert [file.read_bytes() for file in runs] == before
    rows = [json.loads(line) for line in again.stdout.splitlines() if line.startswith("{")]
    assert {row["host"] for row in rows if row["state"] == "measured"} == set(kills.NAMES)
    assert not any(row["resumed"] for row in rows)  # nothing went on


def test_the_page_has_a_row_for_each_host_and_says_what_was_resumed(killed):
    folder, _, _ = killed
    told = lab(folder, "report", "fleet.yaml")
    assert told.returncode == 0, told.stdout + told.stderr
    page = (folder / "here" / "build" / "fleet" / "toys" / "index.html").read_text()
    assert page.index("What differs between the hosts") < page.index("<h2>Hosts</h2>")
    assert "<h1>3 hosts" in page and "3 of 3 hosts measured all that was asked" in page
    state = json.loads((folder / "here" / "runs" / ".fleet-toys.json").read_text())
    for name in (name for name, told in state["hosts"].items() if told["resumed"]):
        assert re.search(rf"<b>{name}</b>: resumed after trial \d+", page)
    assert str(folder) not in page


def test_what_must_not_measure_together_is_refused(tmp_path):
    catalogue = local_hosts.toy(tmp_path / "catalogue")
    one, other = (local_hosts.host(tmp_path / name, catalogue) for name in ("one", "other"))
    local_hosts.fleet(tmp_path / "fleet.yaml", [one, other])
    (other / "id").write_text("one")
    one_clear_line(lab(tmp_path, "run"), 2, "other and one are one machine: keep one of them in fleet.yaml")
    local_hosts.toy(tmp_path / "else", 7)
    python = other / ".venv" / "bin" / "python"
    python.write_text(python.read_text().replace(str(catalogue), str(tmp_path / "else")))
    (other / "id").write_text("other")
    one_clear_line(lab(tmp_path, "run"), 2, "other has revision", "lab fleet push fleet.yaml")
    python.unlink()
    told = lab(tmp_path, "doctor")
    assert told.returncode == 1 and "no Lab that answers in" in told.stdout, told.stdout + told.stderr
    local_hosts.fleet(tmp_path / "fleet.yaml", [one, tmp_path / "none"])
    assert "one: revision" in lab(tmp_path, "doctor").stdout


def test_a_machine_on_which_somebody_measures_is_waited_for(tmp_path, monkeypatch):
    """On the host's own lock, held from here for a while; its row says by whom."""
    catalogue = local_hosts.toy(tmp_path / "catalogue")
    root = local_hosts.host(tmp_path / "one", catalogue)
    local_hosts.fleet(tmp_path / "fleet.yaml", [root])
    environment = local_hosts.environment(tmp_path / "here", catalogue)
    monkeypatch.setattr(lock, "FOLDERS", (root,))
    with lock.alone("foreign"):
        command = [*PROGRAM, "fleet", "run"]
        running = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            until = time.monotonic() + PATIENCE_S
            for line in running.stdout:
                if "run 'foreign' (process" in line or time.monotonic() > until:
                    break
        except BaseException:
            running.kill()
            raise
    rest, _ = running.communicate(timeout=PATIENCE_S)
    assert "run 'foreign'" in line and running.returncode == 0, line + rest
    assert len(kills.check(tmp_path, root)) >= local_hosts.TRIALS


def test_a_full_disk_is_one_line_and_the_same_command_goes_on_after_room_was_made(tmp_path, small_disk):
    catalogue = local_hosts.toy(tmp_path / "catalogue")
    full, other = (local_hosts.host(tmp_path / name, catalogue) for name in ("full", "other"))
    local_hosts.fleet(tmp_path / "fleet.yaml", [full, other])
    (full / "runs").symlink_to(small_disk)
    (small_disk / "filler").write_bytes(bytes((256 - 40) << 10))
    told = lab(tmp_path, "run")
    assert told.returncode == 1 and not told.stderr, told.stdout + told.stderr
    (line,) = (line for line in told.stdout.splitlines() if line.startswith("full: not measured"))
    assert "No space left on device; correct that and repeat the command: what was measured is kept" in line
    assert len(kills.check(tmp_path, other)) >= local_hosts.TRIALS
    make_room(small_disk)
    again = lab(tmp_path, "run")
    assert again.returncode == 0, again.stdout + again.stderr
    kills.check(tmp_path, full)


def test_ctrl_c_gathers_and_the_same_command_goes_on_over_a_slow_link(tmp_path):
    catalogue = local_hosts.toy(tmp_path / "catalogue", iteration_ms=20)
    root = local_hosts.host(tmp_path / "one", catalogue)
    local_hosts.fleet(tmp_path / "fleet.yaml", [root])
    environment = local_hosts.environment(tmp_path / "here", catalogue)
    command = [*PROGRAM, "fleet", "run"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes)
    journal = root / "runs" / "toys.one" / "journal.jsonl"
    try:
        until = time.monotonic() + PATIENCE_S
        while not (journal.exists() and journal.read_bytes().count(b'"trial"') >= 2):
            assert running.poll() is None and time.monotonic() < until
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        told, complaint = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 130, told + complaint
    assert complaint.splitlines() == ["lab: interrupted; the same command continues where it stopped"]
    here = tmp_path / "here" / "runs" / "toys.one" / "journal.jsonl"
    assert 2 <= here.read_bytes().count(b'"trial"') < local_hosts.TRIALS and here.read_bytes() == journal.read_bytes()
    # 64 KB a second, in both directions.
    slowly = subprocess.run(command, cwd=tmp_path, env=environment | {"LAB_LINK": "64000"}, timeout=PATIENCE_S, **pipes)
    assert slowly.returncode == 0 and "resumed after trial" in slowly.stdout, slowly.stdout + slowly.stderr
    assert len(kills.check(tmp_path, root)) >= local_hosts.TRIALS
