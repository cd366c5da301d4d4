"""The hosts of a fleet are asked over ssh what they are; what is refused then, and what only warned of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.fleet import hello
from pipeline.fleet.config import Fleet, Host
from pipeline.fleet.launch import WORDS, python
from pipeline.ground.errors import LabError
from pipeline.host.visible import UNKNOWN
from pipeline.words.numbers import counted, number, quantity

UNREACHED, NOT_FOUND = 255, (1, 2, 126, 127)  # exit statuses: ssh's own; of a shell that finds no Lab, or a broken one
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
    return asyncio.run(_every(hosts, "pipeline.fleet.hello"))


def ended(hosts: Sequence[Host]) -> list[Answer]:
    """Workers left behind on all hosts, ended; `ended` says how many."""
    return asyncio.run(_every(hosts, "pipeline.fleet.left"))


async def _every(hosts: Sequence[Host], module: str) -> list[Answer]:
    turn = asyncio.Semaphore(ASKED_AT_ONCE)

    async def one(host: Host) -> Answer:
        async with turn:
            return await _asked(host, module)

    return await asyncio.gather(*map(one, hosts))


async def _asked(host: Host, module: str) -> Answer:
    """What a module of the Lab says on a host: an object of JSON in its last line."""
    pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        asking = await asyncio.create_subprocess_exec(*python(host, module), stdin=none, stdout=pipe, stderr=pipe)
    except FileNotFoundError:
        raise LabError("there is no ssh here; install it (Debian: openssh-client)", 5) from None
    out, err = await asking.communicate()
    if asking.returncode == 0:
        try:
            return Answer(host.name, dict(json.loads(out.decode().strip().rpartition("\n")[2])))
        except (ValueError, TypeError):
            return Answer(host.name, {}, f"answered something else than {module}; look at what its shell prints")
    told = [line.strip() for line in err.decode(errors="replace").splitlines() if line.strip()]
    words = "".join(one for one in (told[-1] if told else "ssh said nothing") if one.isprintable())[:WORDS]
    if asking.returncode == UNREACHED:
        return Answer(host.name, {}, f"not reached: {words}", False)
    if asking.returncode in NOT_FOUND:
        return Answer(host.name, {}, f"no Lab that answers in {host.root} ({words})")
    return Answer(host.name, {}, f"ended with status {asking.returncode}: {words}")


def refusal(answers: Sequence[Answer], file: str) -> str:
    """Why these hosts must not measure together, the first of all reasons; empty when they may."""
    push = f"lab fleet push {file}"
    here = hello.revision()
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
        if not one.facts["built"]:
            return f"{one.name}: its harnesses are not built: {push}"
        if not one.facts["dask"]:
            return f"{one.name}: its environment lacks Dask: {push}"
    return ""


def pushed(answer: Answer) -> bool:
    """Whether a host has the Lab as it is here, ready to measure."""
    facts = answer.facts
    return bool(facts and facts["revision"] == hello.revision() and facts["built"] and facts["dask"])


def warnings(facts: Mapping[str, Any]) -> list[str]:
    """What a reader of a host's numbers should know, and what to do about it."""
    found = []
    if facts["lacks"] or not facts["jdks"]:
        found.append(facts["lacks"] or "no JDK 17 or later found; install one (Debian: openjdk-17-jdk)")
    if not facts["compiler"]:
        found.append("no C compiler; install one (Debian: gcc), or push cannot build")
    if facts["load"] > LOADED * facts["cpus"]:
        found.append(f"load {number(facts['load'])} on {counted(facts['cpus'], 'CPU')}: stop what runs there")
    if facts["others_pct"] > 100 * LOADED:
        found.append(f"others use {number(facts['others_pct'])} % of its CPUs: stop them")
    if facts["governor"] == "powersave":
        found.append("governor powersave: set it to performance")
    if facts["free_bytes"] < SMALL_BYTES:
        found.append(f"{quantity(facts['free_bytes'], 'bytes')} of disk left: make room")
    if loud := facts.get("loud"):
        found.append(f"its worker is loud ({', '.join(loud)}): start it as docs/fleet.md shows")
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
        found.append(f"  not as here (revision {hello.revision()}, harnesses, Dask): lab fleet push {file}")
    return found + [f"  {one}" for one in warnings(facts)]


def ready(fleet: Fleet, file: str) -> tuple[list[Answer], list[Answer]]:
    """The hosts that will measure and those that were not reached; LabError when these must not measure together, or
    none was reached."""
    answers = ask(fleet.hosts)
    if why := refusal(answers, file):
        raise LabError(why)
    there, away = [one for one in answers if one.facts], [one for one in answers if not one.facts]
    if not there:
        raise LabError(f"{away[0].name}: {away[0].why}; no host was reached: lab fleet doctor {file}", 5)
    return there, away
