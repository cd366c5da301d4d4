"""Random kills: three hosts measure while their workers, what these started and the coordinator are killed.

Whatever is killed when, every planned trial is in the journals exactly once, each host's journal is strictly one trial
after the other, and what was gathered is what was measured. The tests kill ten times, this part of `lab bench` a
thousand.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from pipeline.bench import local_hosts
from pipeline.bench.interleave import Result
from pipeline.bundle import journal
from pipeline.fleet import left
from pipeline.ground.errors import LabError

NAMES = ("alice", "bob", "carol")
COMMAND = (sys.executable, "-c", "from pipeline.commands.cli import main; main()", "fleet", "run", "fleet.yaml")
OF_A_FLEET = 12  # so that it ends on a slow machine too: a host must start between two kills
LONGEST_S = 600.0  # for one fleet
BETWEEN_S = 3.0  # at most, between two kills
SLACK_S = 0.02  # of the clock that a journal's times are of


def run(result: Result, work: Path, step: Callable[[str, int, int], None], kills: int = 1000, seed: int = 1) -> None:
    """Kill so often; one fleet after the other."""
    chance, done, fleets = random.Random(seed), 0, 0
    victims: Counter[str] = Counter()
    while done < kills:
        step(f"fleet {fleets + 1}", done, kills)
        killed = measured(local_hosts.emptied(work), chance, min(kills - done, OF_A_FLEET))
        done, fleets = done + sum(killed.values()), fleets + 1
        victims += killed
        result.raw.append({"fleet": fleets, "kills": dict(killed)})
        told = ", ".join(f"{count} {victim}" for victim, count in sorted(victims.items()))
        result.left_out[:] = [f"{done} kills of {fleets} fleets ({told}): no trial lost, none twice, none at once"]


def measured(folder: Path, chance: random.Random, kills: int, others: Callable[[Path], None] | None = None) -> Counter:
    """Measure one fleet of the toy below `folder` to its end, with up to `kills` kills; how often what was killed.

    others: called between two kills. LabError (status 4) when what it left is not what was planned.
    """
    catalogue = local_hosts.toy(folder / "catalogue")
    roots = [local_hosts.host(folder / name, catalogue) for name in NAMES]
    local_hosts.fleet(folder / "fleet.yaml", roots)
    environment = local_hosts.environment(folder / "here", catalogue)
    victims: Counter[str] = Counter()
    until = time.monotonic() + LONGEST_S
    with (folder / "coordinator.log").open("wb") as out:
        coordinator = None
        try:
            while coordinator is None or coordinator.poll() is None:
                if coordinator is None:
                    coordinator = subprocess.Popen(COMMAND, cwd=folder, env=environment, stdout=out, stderr=out)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    coordinator.wait(chance.uniform(0, BETWEEN_S))
                if others:
                    others(folder)
                if coordinator.poll() is None and victims.total() < kills and (there := _members(roots)):
                    victim, pid = _chosen(chance, [("coordinator", coordinator.pid), *there])
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        victims[victim] += 1
                    if victim == "coordinator":
                        coordinator.wait()
                        coordinator = None
                if time.monotonic() > until:
                    raise LabError(f"kills: a fleet has not ended after {int(LONGEST_S)} s", 4)
                if coordinator and coordinator.poll() == 1:  # a host that was killed at too often; the same command
                    coordinator = None
        finally:
            if coordinator and coordinator.poll() is None:
                coordinator.kill()
                coordinator.wait()
            left.end([pid for _, pid in _members(roots)], 0.0)
    if coordinator.returncode:
        last = (folder / "coordinator.log").read_text(encoding="utf-8").strip().rpartition("\n")[2]
        raise LabError(f"kills: the coordinator ended with status {coordinator.returncode}: {last}", 4)
    for root in roots:
        check(folder, root)
    return victims


def _chosen(chance: random.Random, there: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """One of those that are there; the coordinator once in seven times, for it takes all others with it."""
    return there[0] if chance.random() < 1 / 7 else chance.choice(there[1:])


def _members(roots: Sequence[Path]) -> list[tuple[str, int]]:
    """What runs on the hosts: workers, and what they started."""
    found = []
    for root in roots:
        found += [("worker", pid) for pid in left.workers(root)]
        measuring = left.with_words(b"pipeline.fleet.work", f"toys.{root.name}".encode())
        found += [("measuring", pid) for pid in measuring if local_hosts.of(pid, root)]
    return found


def check(folder: Path, root: Path, name: str = "") -> list[dict]:
    """The trials of a host (of the fleet it is called `name`, or as its folder); LabError unless each that was planned
    is there exactly once, one after the other, and the journal that was gathered is the host's."""
    run = f"toys.{name or root.name}"
    content = (root / "runs" / run / journal.FILE).read_bytes()
    lines = journal.trials(journal.parse(content, run))
    first = Counter(line["trial"] for line in lines if line["attempt"] == 0)
    if first.total() != local_hosts.TRIALS or set(first.values()) != {1}:
        raise LabError(f"kills: {run} holds {dict(first)}, not {local_hosts.TRIALS} trials once each", 4)
    blocks = [line["block"] for line in lines if line["attempt"] == 0]
    if blocks != sorted(blocks):
        raise LabError(f"kills: {run} has its blocks in another order", 4)
    for one, other in zip(lines, lines[1:], strict=False):
        if _began(one) + one["wall_s"] > _began(other) + SLACK_S:
            raise LabError(f"kills: {run}: {other['trial']} began before {one['trial']} had ended", 4)
    if (folder / "here" / "runs" / run / journal.FILE).read_bytes() != content:
        raise LabError(f"kills: what was gathered of {run} is not what was measured", 4)
    return lines


def _began(line: Mapping) -> float:
    return datetime.fromisoformat(line["started"]).timestamp()
