"""The placement of a trial: the CPUs of its line in the journal, and how far apart they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.catalogue.placement import FREE
from pipeline.host import order
from pipeline.host.topology import Topology


def cpus(line: Mapping) -> list[int]:
    """The CPUs that all parts of a trial were pinned to, ascending; none where one of them could run anywhere. An older
    line has them in its command lines alone."""
    if "cpus" in line:
        return line["cpus"]
    each = [_asked(one["command"]) for one in (line, *line.get("parts", {}).values()) if one.get("command")]
    return sorted(set().union(*each)) if each and all(each) else []


def _asked(command: Sequence[str]) -> set[int]:
    for option, value in zip(command, command[1:]):
        if option == "--cpus":
            return {int(cpu) for cpu in value.split(",")}
    return set()


def distance(line: Mapping, topology: Topology) -> str:
    """How far apart these CPUs are: as the line says, or the host of an older one (`pipeline.host.order.DISTANCES`)."""
    return line.get("distance") or order.distance(topology, cpus(line)) or FREE
