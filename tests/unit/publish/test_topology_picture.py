"""The picture of a host's CPUs: each is there once, within the frames of its cache and package, and no two overlap."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from made_up_machines import affinities
from recorded_machines import EVERY

from pipeline.host import sysfs, topology_summary
from pipeline.host.topology import Place, Topology
from pipeline.publish import topology_picture
from pipeline.publish.topology_picture import CPU, HEIGHT, IDLE, WIDTH, picture

pytestmark = pytest.mark.thorough

Recorded = Callable[[str], Path]
Box = tuple[float, float, float, float]  # left, top, right, bottom
HYBRID = "20em64t-hybrid-1p6c2t+2ca4co1t"


def drawn(figure: str) -> ET.Element:
    return next(iter(ET.fromstring(figure)))


def boxes(svg: ET.Element, css: str) -> list[Box]:
    """The rectangles of a kind."""
    paths = "".join(path.get("d") for path in svg.iter("path") if path.get("class") == css)
    number = r"(-?[\d.]+)"
    found = [tuple(map(float, one)) for one in re.findall(rf"M{number} {number}h{number}v{number}h{number}z", paths)]
    assert len(found) == paths.count("M") and all(wide == -back > 0 and high > 0 for *_, wide, high, back in found)
    return [(x, y, x + wide, y + high) for x, y, wide, high, _ in found]


def inside(inner: Box, outer: Box) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def check(machine: Topology) -> ET.Element:
    """What a picture promises, of any machine that has one."""
    figure = picture(machine)
    svg, levels = drawn(figure), topology_picture._levels(machine)
    assert svg.get("role") == "img" and svg.get("aria-label") == svg[0].text == topology_summary.line(machine)
    left, top, width, height = map(float, svg.get("viewBox").split())
    frame = (left + 1, top + 1, left + width - 1, top + height - 1)
    filled, hollow = boxes(svg, CPU), boxes(svg, IDLE)
    assert len(filled) == len(machine.usable().places) and len(filled) + len(hollow) == len(machine.places)
    shapes = {css: boxes(svg, css) for css in levels} | {"cpus": filled + hollow}
    for css, these in shapes.items():
        assert all(inside(one, frame) for one in these)
        assert not any(overlap(one, other) for one, other in itertools.combinations(these, 2)), css
    for fact in ("package", "cache"):
        assert len(shapes.get(fact, [])) == len(machine.groups(fact)), fact
        sizes = sorted(sum(inside(cpu, group) for cpu in shapes["cpus"]) for group in shapes.get(fact, []))
        assert sizes == sorted(map(len, machine.groups(fact).values())), fact
    several = [cpus for cpus in machine.groups("core").values() if len(cpus) > 1]
    assert len(shapes.get("core", [])) == len(several)
    for text in svg.iter("text"):
        x, y = float(text.get("x")), float(text.get("y"))
        (cell,) = [one for one in shapes["cpus"] if inside((x, y, x, y), one)]
        assert len(text.text) * 5.2 <= cell[2] - cell[0] and int(text.text) in machine.at
    return svg


@pytest.mark.parametrize("name", EVERY)
def test_the_picture_of_a_recorded_machine_is_small_and_shows_every_cpu(recorded: Recorded, name: str):
    machine = sysfs.read(recorded(name))
    for some in (machine, machine.marked([*machine.at][::3])):
        svg = check(some)
        assert float(svg.get("width")) <= WIDTH + 2 and float(svg.get("height")) <= HEIGHT + 2
        assert len(picture(some)) < 10_000


@given(affinities().filter(topology_picture._levels))
def test_the_picture_of_any_machine(machine: Topology):
    check(machine)
    check(machine.marked([*machine.at][::2]))


@pytest.mark.parametrize("cpus", [1, 3, 100, 700, 2000])
def test_more_cpus_than_any_host_has_do_not_leave_the_width(cpus: int):
    machine = Topology(tuple(Place(cpu, core=cpu // 2, package=cpu // 200) for cpu in range(cpus)), {})
    assert float(drawn(picture(machine)).get("width")) <= WIDTH + 2


def test_numbers_stand_where_all_of_a_size_have_room(recorded: Recorded):
    def numbers(name: str) -> int:
        return len(list(drawn(picture(sysfs.read(recorded(name)))).iter("text")))

    assert numbers("128arm-2pa2n8cluster4co") == 128 and numbers(HYBRID) == 20
    assert numbers("256ppc-8n8s4t") == numbers("128ia64-17n4s2c") == 0


def test_slower_cores_are_smaller_and_stand_on_the_same_ground(recorded: Recorded):
    cells = boxes(drawn(picture(sysfs.read(recorded("nvidia-dgx-gb10")))), CPU)
    sides = sorted({round(right - left) for left, _, right, _ in cells})
    assert sides == [15, 22] and len({bottom for *_, bottom in cells}) == 1


def key(machine: Topology) -> str:
    return re.search("<figcaption>(.*)</figcaption>", picture(machine))[1]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("2i386-2c-nohugepage", "From the outside in: package, last-level cache, cores"),
        ("16em64t-4s2c2t", "From the outside in: packages, last-level caches, cores, hardware threads"),
        ("20s390-2g6s4c", "Cores"),
        ("4fake-4gr1nu1pu", "From the outside in: package, CPUs"),
        (HYBRID, "From the outside in: package, last-level cache, cores, hardware threads; slower cores are smaller"),
    ],
)
def test_the_frames_are_named_below(recorded: Recorded, name: str, told: str):
    machine = sysfs.read(recorded(name))
    assert key(machine) == told
    assert key(machine.marked([0])) == f"{told}; filled are the CPUs of this run"


def test_a_host_with_one_cpu_has_one_core():
    assert key(Topology((Place(3, core=3, package=3),), {})) == "From the outside in: package, core"


@pytest.mark.parametrize("machine", [Topology((), {}), Topology((Place(0), Place(1)), {})])
def test_where_nothing_is_known_there_is_no_picture(machine: Topology):
    assert picture(machine) == ""


def test_caches_within_a_core_and_packages_within_a_cache_are_drawn_from_the_outside_in():
    split = Topology(tuple(Place(cpu, core=0, cache=cpu, package=0) for cpu in range(2)), {})
    assert key(split) == "From the outside in: package, core, last-level caches, hardware threads"
    wide = Topology(tuple(Place(cpu, core=cpu, cache=0, package=cpu // 2 * 2) for cpu in range(4)), {})
    assert key(wide) == "From the outside in: last-level cache, packages, cores"
    for machine in (split, wide):
        check(machine)


def test_a_doubt_of_somebody_elses_run_is_text_and_nothing_else():
    machine = Topology((Place(0, core=0),), {}, ('"><script>alert(1)</script>',))
    assert "<script" not in picture(machine) and drawn(picture(machine))[0].text.endswith('"><script>alert(1)</script>')
