"""Random kills: three hosts measure while what measures there, their `ssh` and the coordinator are killed.

Whatever is killed when, every planned trial is in the journals exactly once, each host's journal is strictly one trial
after the other, and what was gathered is what was measured.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import fleet_hosts
from laboratory import PROGRAM
from living import PATIENCE_S, with_arguments

from pipeline.bundle import journal

NAMES = ("alice", "bob", "carol")
COMMAND = (*PROGRAM, "fleet", "run", "fleet.yaml")
BETWEEN_S = 3.0  # at most, between two kills
SLACK_S = 0.02  # of the clock that a journal's times are of


def measured(folder: Path, file: Path, chance: random.Random, kills: int, others: Callable) -> Counter[str]:
    """Measure one fleet of a parcel's toy below `folder` to its end, with up to `kills` kills; how often what was
    killed. others: called with what runs, between two kills."""
    roots = [fleet_hosts.host(folder / name, file) for name in NAMES]
    fleet_hosts.fleet(folder / "fleet.yaml", roots)
    environment = fleet_hosts.environment(folder / "here", fleet_hosts.catalogue_of(file))
    victims: Counter[str] = Counter()
    until = time.monotonic() + PATIENCE_S
    with (folder / "coordinator.log").open("wb") as out:
        coordinator = None
        try:
            while coordinator is None or coordinator.poll() is None:
                if coordinator is None:
                    coordinator = subprocess.Popen(COMMAND, cwd=folder, env=environment, stdout=out, stderr=out)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    coordinator.wait(chance.uniform(0, BETWEEN_S))
                there = [("coordinator", coordinator.pid), *_members(folder, roots)]
                others([pid for _, pid in there])
                if coordinator.poll() is None and victims.total() < kills and len(there) > 1:
                    victim, pid = _chosen(chance, there)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        victims[victim] += 1
                    if victim == "coordinator":
                        coordinator.wait()
                        coordinator = None
                assert time.monotonic() < until, (folder / "coordinator.log").read_text()
                if coordinator and coordinator.poll() == 1:  # a host that was killed at too often; the same command
                    coordinator = None
        finally:
            if coordinator and coordinator.poll() is None:
                coordinator.kill()
                coordinator.wait()
            for _, pid in _members(folder, roots):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    assert coordinator.returncode == 0, (folder / "coordinator.log").read_text()
    for root in roots:
        check(folder, root)
    return victims


def _chosen(chance: random.Random, there: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """One of those that are there; the coordinator once in seven times, for it takes all others with it."""
    return there[0] if chance.random() < 1 / 7 else chance.choice(there[1:])


def _members(folder: Path, roots: Sequence[Path]) -> list[tuple[str, int]]:
    """What runs: what measures on the hosts, and the `ssh` to them."""
    working = [("measuring", pid) for root in roots for pid in fleet_hosts.working(root)]
    ssh = [("ssh", pid) for pid in with_arguments(str(folder / "here" / "bin" / "ssh"), "./fleet work")]
    return working + ssh


def check(folder: Path, root: Path) -> list[dict]:
    """The trials of a host: each that was planned is there exactly once, one after the other, and the journal that was
    gathered is the host's."""
    run = f"toys.{root.name}"
    content = (fleet_hosts.runs(root) / run / journal.FILE).read_bytes()
    lines = journal.trials(journal.parse(content, run))
    first = Counter(line["trial"] for line in lines if line["attempt"] == 0)
    assert first.total() == fleet_hosts.TRIALS and set(first.values()) == {1}, first
    blocks = [line["block"] for line in lines if line["attempt"] == 0]
    assert blocks == sorted(blocks)
    for one, other in zip(lines, lines[1:], strict=False):
        assert _began(one) + one["wall_s"] <= _began(other) + SLACK_S, (one["trial"], other["trial"])
    assert (folder / "here" / "runs" / run / journal.FILE).read_bytes() == content
    return lines


def _began(line: Mapping) -> float:
    return datetime.fromisoformat(line["started"]).timestamp()
