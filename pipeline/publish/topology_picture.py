"""The CPUs of a host as a small picture: packages as frames, in them last-level caches, cores and hardware threads.

The CPUs that the run could use are filled, the others hollow; cores of a slower kind are smaller. What the kernel does
not tell has no frame. The size of a CPU is the greatest at which the picture stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from pipeline.host import topology_summary
from pipeline.host.topology import Place, Topology

WIDTH, HEIGHT = 700, 132  # what it may take of a page; of a host that does not fit the CPUs are of the least size
SIZES = (22, 18, 15, 12, 10, 8, 6)  # of a CPU
SLOWER = 0.7  # of the size of a CPU of the next faster kind
CPU, IDLE = "cpu", "cpu idle"
OUTER = ("package", "cache", "core")
NOUNS = {"package": "package", "cache": "last-level cache", "core": "core"}
DIGIT, LETTERS = 0.62, 9  # width of a digit, of its height; the height of a number in a CPU


@dataclass(frozen=True)
class Block:
    """A rectangle with others in it, each at its place; a CPU's has its number."""

    css: str
    width: float
    height: float
    parts: tuple[tuple[float, float, Block], ...] = ()
    cpu: int | None = None


def picture(machine: Topology) -> str:
    """The figure of the page; empty where there is no CPU of which the core, cache or package is known.

    machine: all of its CPUs, those marked that the run could use.
    """
    levels = _levels(machine)
    if not levels:
        return ""
    block = _fitting(machine, levels)
    words = escape(topology_summary.line(machine), quote=True)
    width, height = _at(block.width + 2), _at(block.height + 2)  # with half of the outermost lines
    svg = (
        f'<svg role="img" aria-label="{words}" width="{width}" height="{height}" viewBox="-1 -1 {width} {height}">'
        f"<title>{words}</title>{_drawn(block, levels)}</svg>"
    )
    return f'<figure class="lab-machine">{svg}<figcaption>{_key(machine, levels)}</figcaption></figure>'


def _levels(machine: Topology) -> list[str]:
    """The facts that have frames, the outer first: a group holds those of a level with more groups."""
    return sorted((fact for fact in OUTER if machine.groups(fact)), key=lambda fact: len(machine.groups(fact)))


def _has_threads(machine: Topology) -> bool:
    return any(len(cpus) > 1 for cpus in machine.groups("core").values())


def _key(machine: Topology, levels: Sequence[str]) -> str:
    """What the frames are, in words."""
    threads = _has_threads(machine)
    framed = [fact for fact in levels if fact != "core" or threads]
    names = [NOUNS[fact] + ("s" if len(machine.groups(fact)) > 1 else "") for fact in framed]
    names.append("hardware threads" if threads else "cores" if "core" in levels else "CPUs")
    if len(machine.places) == 1:
        names[-1] = names[-1].removesuffix("s")
    told = ["From the outside in: " + ", ".join(names) if len(names) > 1 else names[0].capitalize()]
    if any(place.kind for place in machine.places):
        told.append("slower cores are smaller")
    if not all(place.usable for place in machine.places):
        told.append("filled are the CPUs of this run")
    return "; ".join(told)


def _fitting(machine: Topology, levels: Sequence[str]) -> Block:
    """The picture with the greatest CPUs that is small enough."""
    room = WIDTH * HEIGHT / len(machine.places)
    for size in [one for one in SIZES if one**2 <= room] or SIZES[-1:]:
        found = min((_laid(machine, levels, size, WIDTH / columns) for columns in range(1, 9)), key=_area)
        if found.width <= WIDTH and found.height <= HEIGHT:
            break
    return found


def _area(block: Block) -> tuple[bool, float, float]:
    return (block.width > WIDTH, block.height, block.width)


def _laid(machine: Topology, levels: Sequence[str], size: int, room: float) -> Block:
    """The picture with CPUs of a size, the outermost frames at most as wide as `room` where that is possible."""
    spare = 4 if size >= 12 else 3 if size >= 8 else 2
    near = spare - 1 if _has_threads(machine) else max(spare - 2, 1)  # between cores

    def of(places: Sequence[Place], levels: Sequence[str], room: float) -> list[Block]:
        """The blocks of places, one for each group of the outermost level."""
        if not levels:
            return [_cpu(place, size) for place in places]
        fact, *inner = levels
        groups: dict[int | None, list[Place]] = {}
        for place in places:
            groups.setdefault(getattr(place, fact), []).append(place)
        found = []
        for group, members in groups.items():
            if group is None:
                found += of(members, inner, room)
            elif fact == "core":
                found.append(_core(of(members, inner, room)))
            else:
                pad = spare if fact == "package" else spare - 1
                gap = spare if "cache" in inner else near
                found.append(_rows(fact, of(members, inner, room - 2 * pad), room - 2 * pad, gap, pad))
        return found

    return _rows("", of(machine.places, levels, room), WIDTH, spare + 2 if levels[0] == "package" else spare, 0)


def _cpu(place: Place, size: int) -> Block:
    side = round(size * SLOWER ** min(place.kind or 0, 2))
    return Block(CPU if place.usable else IDLE, side, side, cpu=place.cpu)


def _core(threads: Sequence[Block]) -> Block:
    """The threads of a core above each other, in a frame where there are several."""
    if len(threads) == 1:
        return threads[0]
    return _stacked("core", [[one] for one in threads], 1, 1)


def _rows(css: str, blocks: Sequence[Block], room: float, gap: float, pad: float) -> Block:
    """A frame around blocks side by side, in as few rows as there is room for, of about the same length."""

    def rows(limit: float) -> list[list[Block]]:
        found, used = [[]], 0.0
        for block in blocks:
            if found[-1] and used + gap + block.width > limit:
                found.append([])
            used = used + gap + block.width if found[-1] else block.width
            found[-1].append(block)
        return found

    return _stacked(css, rows(_least(lambda limit: len(rows(limit)), room)), gap, pad)


def _least(count: Callable[[float], int], room: float) -> float:
    """The least whole limit at which as much is counted as where there is all the room."""
    low, high = 0, int(room)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if count(middle) == count(room) else (middle + 1, high)
    return high


def _stacked(css: str, rows: Sequence[Sequence[Block]], gap: float, pad: float) -> Block:
    """A frame around rows of blocks, each of which stands on the ground of its row."""
    parts, y, width = [], pad, 0.0
    for row in rows:
        x, ground = pad, y + max(block.height for block in row)
        for block in row:
            parts.append((x, ground - block.height, block))
            x += block.width + gap
        width, y = max(width, x - gap + pad), ground + gap
    return Block(css, width, y - gap + pad, tuple(parts))


def _drawn(block: Block, levels: Sequence[str]) -> str:
    """The frames, those of a level in one path; then the CPUs, and their numbers where all of a size have room."""
    flat = list(_flat(block, 0, 0))
    shapes = []
    for css in (*levels, IDLE, CPU):
        of = [
            f"M{_at(x)} {_at(y)}h{_at(one.width)}v{_at(one.height)}h-{_at(one.width)}z"
            for x, y, one in flat
            if one.css == css
        ]
        shapes += [f'<path class="{css}" d="{"".join(of)}"/>'] if of else []
    return "".join(shapes) + "".join(_numbers([drawn for drawn in flat if drawn[2].cpu is not None]))


def _flat(block: Block, x: float, y: float) -> Iterable[tuple[float, float, Block]]:
    yield x, y, block
    for left, top, part in block.parts:
        yield from _flat(part, x + left, y + top)


def _numbers(cpus: Sequence[tuple[float, float, Block]]) -> Iterable[str]:
    digits: dict[float, int] = {}
    for _, _, one in cpus:
        digits[one.width] = max(digits.get(one.width, 0), len(str(one.cpu)))
    for x, y, one in cpus:
        if one.width >= max(digits[one.width] * DIGIT * LETTERS + 1, LETTERS + 3):
            place = f'x="{_at(x + one.width / 2)}" y="{_at(y + one.height / 2 + 0.35 * LETTERS)}"'
            yield f'<text class="{one.css}" {place}>{one.cpu}</text>'


def _at(x: float) -> str:
    return str(round(x, 1)).removesuffix(".0")
