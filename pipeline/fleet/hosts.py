"""The hosts of a fleet are asked over ssh what they are; what is refused then, and what only warned of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.bundle.bundle import Bundle
from pipeline.bundle.checksums import LENGTH
from pipeline.fleet import connection
from pipeline.fleet.config import Fleet, Host
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host.kernel_file import UNKNOWN
from pipeline.parcel import contents
from pipeline.words.numbers import counted, number, quantity

UNREACHED, NOT_FOUND = 255, (1, 2, 126, 127)  # exit statuses: ssh's own; of a shell that finds no parcel
LOADED = 0.3  # of each CPU
SMALL_BYTES = 2 << 30
ASKED_AT_ONCE = 50


@dataclass(frozen=True)
class Answer:
    """What a host said of itself, or why it said nothing."""

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    reached: bool = True


def ask(hosts: Sequence[Host]) -> list[Answer]:
    """What all hosts are, asked at once."""

    async def every() -> list[Answer]:
        turn = asyncio.Semaphore(ASKED_AT_ONCE)

        async def one(host: Host) -> Answer:
            async with turn:
                return answer(host, *await connection.asked(connection.in_parcel(host, "./fleet", "hello")))

        return await asyncio.gather(*map(one, hosts))

    return asyncio.run(every())


def answer(host: Host, status: int, out: bytes, err: bytes) -> Answer:
    """What a host said of itself: an object of JSON in its last line."""
    if status == 0:
        try:
            return Answer(host.name, dict(json.loads(out.decode().strip().rpartition("\n")[2])))
        except (ValueError, TypeError):
            return Answer(host.name, {}, "answered something else than a parcel; look at what its shell prints")
    words = connection.printable(err) or "ssh said nothing"
    if status == UNREACHED:
        return Answer(host.name, {}, f"not reached: {words}", False)
    if status in NOT_FOUND:
        return Answer(host.name, {}, f"no parcel that answers in {host.root} ({words})")
    return Answer(host.name, {}, words.removeprefix("lab: "))


def refusal(fleet: Fleet, answers: Sequence[Answer], file: str) -> str:
    """Why these hosts must not measure together, the first of all reasons; empty when they may."""
    push = f"lab fleet push {file}"
    here = contents.revision()
    seen: dict[str, str] = {}
    for one in answers:
        if not one.facts:
            if one.reached:
                return f"{one.name}: {one.why}: {push}"
            continue
        boot = one.facts["boot"] or one.facts["machine"]
        if (other := seen.setdefault(boot, one.name)) != one.name:
            return f"{one.name} and {other} are one machine: keep one of them in {file}"
        if one.facts["revision"] != here:
            return f"{one.name} has revision {one.facts['revision']}, this is {here}: {push}"
        if why := gathered_before(fleet.run(one.name), one.facts["parcel"]):
            return f"{one.name}: {why}"
    return ""


def gathered_before(run: str, parcel: str) -> str:
    """Why a run that is here already cannot go on with this parcel, which knows nothing of another's; or nothing."""
    if not (paths.bundle(run) / "run.json").exists():
        return ""
    of = Bundle.open(run).info.get("harness", {}).get("parcel", "")
    if of == parcel[:LENGTH]:
        return ""
    by = f"by parcel lab-{of}" if of else "by no parcel"
    anew = f"move data/runs/{run} away, or name the fleet anew"
    return f"run {run!r} here was measured {by}, and its host has another: {anew}"


def pushed(answer: Answer) -> bool:
    """Whether a host has what measures as it is here."""
    return bool(answer.facts and answer.facts["revision"] == contents.revision())


def warnings(facts: Mapping[str, Any]) -> list[str]:
    """What a reader of a host's numbers should know, and what to do about it."""
    found = []
    if facts["lacks"] or not facts["jdks"]:
        found.append(facts["lacks"] or "no JDK 17 or later found; push a parcel with one, or install one there")
    if facts["load"] > LOADED * facts["cpus"]:
        found.append(f"load {number(facts['load'])} on {counted(facts['cpus'], 'CPU')}: stop what runs there")
    if facts["others_pct"] > 100 * LOADED:
        found.append(f"others use {number(facts['others_pct'])} % of its CPUs: stop them")
    if facts["governor"] == "powersave":
        found.append("governor powersave: set it to performance")
    if facts["free_bytes"] < SMALL_BYTES:
        found.append(f"{quantity(facts['free_bytes'], 'bytes')} of disk left: make room")
    return found


def told(answer: Answer, file: str) -> list[str]:
    """A host in one line, and below what to do."""
    facts = answer.facts
    if not facts:
        what = "see that `ssh` reaches it without a question" if not answer.reached else f"lab fleet push {file}"
        return [f"{answer.name}: {answer.why}", f"  {what}"]
    jdks = ", ".join(f"{name} {version}" for name, version in facts["jdks"].items()) or "no JDK"
    governor = "" if facts["governor"] in ("", UNKNOWN) else f", governor {facts['governor']}"
    free = quantity(facts["free_bytes"], "bytes")
    line = f"{answer.name}: revision {facts['revision']}, {jdks}, {counted(facts['cpus'], 'CPU')}, {free} free"
    found = [f"{line}, load {number(facts['load'])}{governor}"]
    if not pushed(answer):
        found.append(f"  not as here (revision {contents.revision()}): lab fleet push {file}")
    return found + [f"  {one}" for one in warnings(facts)]


def ready(fleet: Fleet, file: str) -> tuple[list[Answer], list[Answer]]:
    """The hosts that will measure and those that were not reached; LabError when these must not measure together, or
    none was reached."""
    answers = ask(fleet.hosts)
    if why := refusal(fleet, answers, file):
        raise LabError(why)
    there, away = [one for one in answers if one.facts], [one for one in answers if not one.facts]
    if not there:
        raise LabError(f"{away[0].name}: {away[0].why}; no host was reached: lab fleet doctor {file}", 5)
    return there, away
