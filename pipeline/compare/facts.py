"""What differs between the hosts, runtimes and tools of the two sides: facts of run.json by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.catalogue.selectors import runtime_label
from pipeline.compare.sides import Sides
from pipeline.ground.errors import LabError
from pipeline.host import topology, topology_summary
from pipeline.host.fingerprint import UNKNOWN

RUNTIMES, LAB, TOOLS = "runtimes", "Lab", "tools"
# Group -> the facts of `host` in it, by the beginning of their name. What no group names is one of the `host`.
HOST = {
    "kernel": ("kernel", "distribution"),
    "microcode and firmware": ("cpu.microcode", "firmware", "dmi", "product", "bios"),
    "memory": ("memory", "transparent_huge", "numa_balancing", "swap"),
    "clock": ("clocksource",),
    "file system": ("io",),
    "CPU settings": ("cpu.", "tuned", "cpu_limit"),
    "machine": ("machine",),
}
# What makes two hosts two: these are compared by a collection of hosts, not by before and after.
IDENTITY = {
    "cpu.model": "CPU model",
    "cpu.architecture": "architecture",
    "cpu.cpus": "CPUs",
    "machine.product": "machine",
}
WHERE = ("cpu.topology", "cpu.thread_siblings")  # columns of all CPUs: said as one line
REVISION = "git"
NOT_FACTS = ("name", "measured_as", "created", "seed", "format", "profile", "shared")


@dataclass(frozen=True)
class Fact:
    """One fact on both sides; of several runs per side every value that a run has."""

    group: str
    name: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        """Whether it is known on both sides, and another: older runs lack facts that newer ones have."""
        return self.before != self.after and UNKNOWN not in (self.before, self.after)

    def words(self) -> str:
        """`jdk25 25.0.3 → 25.0.4`"""
        return f"{self.name} {self.before} → {self.after}"


def flat(info: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """(group, name) -> value of everything in a run.json that says what was measured with and where."""
    found = {}
    for name, runtime in info["runtimes"].items():
        found[RUNTIMES, name] = told(runtime)
    for name, value in _leaves(info["host"]):
        if name not in IDENTITY and not name.startswith(WHERE):
            group = next((group for group, starts in HOST.items() if name.startswith(starts)), "host")
            found[group, name.removeprefix("cpu.").replace("_", " ")] = value
    cpu = info["host"].get("cpu", {})
    if "topology" in cpu:
        found["CPU settings", "cores and caches"] = topology_summary.line(topology.machine(cpu))
    for name, value in _leaves(info.get("tools", {})):
        found[TOOLS, name] = value
    for key, value in info.items():
        if key not in (*NOT_FACTS, "runtimes", "host", "tools"):
            found |= {(LAB, name.replace("_", " ")): text for name, text in _leaves({key: value})}
    return found


def told(runtime: Mapping[str, str]) -> str:
    """A runtime in words: `25.0.3+9-LTS (Eclipse Adoptium)`."""
    version = runtime.get("build") or runtime["version"]
    return f"{version} ({runtime['vendor']})" if runtime["name"].startswith("jdk") else version


def compare(sides: Sides, before: Iterable[Mapping], after: Iterable[Mapping]) -> list[Fact]:
    """Every fact of both sides, in groups. LabError when the sides were measured on different hosts.

    Runtimes that are compared with each other are one fact; those that are not looked at are left out then.
    """
    before, after = list(before), list(after)
    _one_host(sides, [*before, *after])
    parts = [[flat(info) for info in side] for side in (before, after)]
    facts = []
    if sides.runtimes:
        values = (
            f"{runtime_label(one)} {_joined(part, (RUNTIMES, one))}"
            for part, one in zip(parts, sides.runtimes, strict=True)
        )
        facts.append(Fact(RUNTIMES, "runtime", *values))
    for group, name in dict.fromkeys(key for side in parts for part in side for key in part):
        if not (sides.way == "paired" and group == RUNTIMES):
            facts.append(Fact(group, name, *(_joined(part, (group, name)) for part in parts)))
    order = [RUNTIMES, *HOST, "host", LAB, TOOLS]
    return sorted(facts, key=lambda fact: order.index(fact.group))


def _joined(side: list[dict[tuple[str, str], str]], key: tuple[str, str]) -> str:
    return " or ".join(dict.fromkeys(part.get(key, UNKNOWN) for part in side))


def _leaves(value: Any, name: str = "") -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key in value:
            yield from _leaves(value[key], f"{name}.{key}" if name else key)
    else:
        yield name, str(value)


def _one_host(sides: Sides, infos: list[Mapping]) -> None:
    """Another kernel, firmware or setting is what may be compared; another machine is not."""
    seen = [dict(_leaves(info["host"])) for info in infos]
    for key, name in IDENTITY.items():
        values = dict.fromkeys(one[key] for one in seen if one.get(key, UNKNOWN) != UNKNOWN)
        if len(values) <= 1 or (key == "cpu.cpus" and len({one.get("cpu.smt") for one in seen}) > 1):
            continue  # without its sibling threads a host has half the CPUs, and is the same host
        raise LabError(
            f"{sides.before.words()} and {sides.after.words()} were measured on different hosts "
            f"({name}: {', '.join(values)}); before and after must be one host"
        )
