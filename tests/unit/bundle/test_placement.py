"""Where a trial ran, by its line in the journal."""

from __future__ import annotations

import pytest

from pipeline.bundle import placement
from pipeline.host.topology import Place, Topology

# Two packages of two cores of two threads each: CPU n and n + 4 are one core.
HOST = Topology(tuple(Place(cpu, core=cpu % 4, cache=cpu % 4 // 2, package=cpu % 4 // 2) for cpu in range(8)), {})


def line(*cpus: str, **more) -> dict:
    """A line as before places were recorded: a command for each part."""
    commands = [["{c}", "e", *(["--cpus", one] if one else []), "--out", "x"] for one in cpus]
    return {"command": commands[0], "parts": {str(n): {"command": one} for n, one in enumerate(commands[1:])}} | more


@pytest.mark.parametrize(
    ("told", "cpus", "distance"),
    [
        (line("3"), [3], "one CPU"),
        (line("0,4"), [0, 4], "one core"),
        (line("0,1"), [0, 1], "one cache"),
        (line("0", "2"), [0, 2], "several packages"),
        (line("0", ""), [], "free"),
        (line(""), [], "free"),
        (line("0,9"), [0, 9], "not told"),
        (line("0,1", cpus=[0, 4], distance="one core"), [0, 4], "one core"),
        (line("0,1", cpus=[], distance="free"), [], "free"),
        ({"command": []}, [], "free"),
    ],
)
def test_an_older_line_tells_by_its_commands_a_newer_one_by_itself(told, cpus, distance):
    assert (placement.cpus(told), placement.distance(told, HOST)) == (cpus, distance)
