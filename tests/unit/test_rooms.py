"""The rooms of the pipeline stand in an order, a room imports only rooms that stand before it, and no module is long.

The order is data; it is read against the imports of every module, also those inside functions, those for the type
checker only, and modules that are named in a string.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from planted import copied, planted
from rooms import inside, modules

from pipeline.ground import paths

# From what depends on nothing to what depends on all. Rooms of one row do not know each other.
ORDER = [
    {"ground"},
    {"words"},
    {"models"},
    {"hdr"},
    {"foreign"},
    {"host"},
    {"catalogue"},
    {"plan"},
    {"bundle"},
    {"measure"},
    {"ingest"},
    {"analyse"},
    {"draw"},
    {"render"},
    {"compare"},
    {"session"},
    {"publish", "scaffold", "own"},
    {"versus"},
    {"parcel"},
    {"collection"},
    {"kit", "fleet"},
    {"explore", "bench"},
    {"commands"},
]
# Rooms that could serve elsewhere know less than the order would let them.
ONLY = {
    "hdr": {"ground.errors"},
    "foreign": {"ground.errors", "words", "hdr"},
    "models": {"ground.errors", "words"},
    "render": {"draw"},
    "words": set(),
}
NEVER = [("measure", "ingest"), ("measure", "analyse"), ("bench", "publish")]
LONGEST = 250  # lines of a module
EXCEPTIONS: set[tuple[str, str]] = set()  # (module, module) that may break the order, each with its reason


@dataclass(frozen=True)
class Source:
    """What a module says: (dots, module, names) of its imports, its strings, whether it is but words, its length."""

    imports: tuple[tuple[int, str, tuple[str, ...]], ...]
    strings: frozenset[str]
    only_words: bool
    lines: int


@cache
def read(text: str) -> Source:
    tree = ast.parse(text)
    imports, strings = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append((node.level, node.module or "", tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            strings.add(node.value)
    only_words = len(tree.body) == 1 and ast.get_docstring(tree) is not None
    return Source(tuple(imports), frozenset(strings), only_words, len(text.splitlines()))


def imported(name: str, source: Source, known: set[str], is_package: bool) -> set[str]:
    """The modules of the pipeline that a module imports or names in a string."""
    found = set(source.strings)
    parts = name.split(".")
    for dots, module, names in source.imports:
        above = parts[: len(parts) - dots + is_package] if dots else []
        base = ".".join([*above, *([module] if module else [])])
        found |= {base, *(f"{base}.{one}" for one in names)}
    return found & known - {name}


def room(module: str) -> str:
    return module.split(".")[1]


def faults(package: Path) -> list[str]:
    """What breaks the rules, one sentence each."""
    found = []
    known = modules(package)
    place = {name: position for position, row in enumerate(ORDER) for name in row}
    graph: dict[str, set[str]] = {}
    for name, file in known.items():
        source = read(file.read_text(encoding="utf-8"))
        if file.name == "__init__.py" and not source.only_words:
            found.append(f"{name}: __init__.py holds something else than its docstring")
        if source.lines > LONGEST:
            found.append(f"{name}: {source.lines} lines; {LONGEST} are the most, so part it")
        if name == package.name:
            continue
        if room(name) not in place:
            found.append(f"{name}: the room {room(name)} is not in the order")
            continue
        # A package that is named on the way to a module of it holds nothing but words.
        every = imported(name, source, set(known), file.name == "__init__.py") - {package.name}
        graph[name] = {one for one in every if known[one].name != "__init__.py"}
        for other in sorted(every):
            pair = (room(name), room(other))
            if (name, other) in EXCEPTIONS or pair[0] == pair[1] or pair[1] not in place:
                continue
            allowed = ONLY.get(pair[0])
            if place[pair[1]] >= place[pair[0]]:
                found.append(f"{name} imports {other}: {pair[1]} does not stand before {pair[0]}")
            elif pair in NEVER or (allowed is not None and not {pair[1], inside(other)} & allowed):
                found.append(f"{name} imports {other}: {pair[0]} must not know {inside(other)}")
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append(f"a circle: {' <- '.join(error.args[1])}")
    for folder in {file.parent for file in known.values()}:
        if not (folder / "__init__.py").exists():
            found.append(f"{folder.relative_to(package)}: has no __init__.py to say what comes in and goes out")
    return found


def test_a_room_imports_only_what_stands_before_it():
    assert faults(paths.ROOT / "pipeline") == []


def test_every_room_of_the_order_is_there():
    rooms = {room(name) for name in modules(paths.ROOT / "pipeline") if "." in name}
    assert rooms == set().union(*ORDER)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copied(tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("measure/noise.py", "from pipeline.analyse import metrics", "analyse does not stand before measure"),
        ("measure/noise.py", "def f():\n    from pipeline.ingest.read import read", "imports pipeline.ingest.read:"),
        ("measure/noise.py", "import pipeline.session.session", "session does not stand before measure"),
        ("measure/noise.py", "from ..draw import style", "imports pipeline.draw.style: draw does not stand before"),
        (
            "measure/noise.py",
            "if TYPE_CHECKING:\n    from pipeline.commands.cli import app",
            "commands does not stand before",
        ),
        ("measure/noise.py", "importlib.import_module('pipeline.ingest.read')", "imports pipeline.ingest.read:"),
        ("hdr/v2.py", "from pipeline.ground import paths", "hdr must not know ground.paths"),
        ("models/linear.py", "from pipeline.ground import paths", "models must not know ground.paths"),
        ("bench/fio.py", "from pipeline.publish import site", "bench must not know publish.site"),
        ("ground/errors.py", "from pipeline.words import numbers", "words does not stand before ground"),
        ("hdr/percentiles.py", "from pipeline.hdr import log", "a circle: "),
        ("draw/style.py", "def f():\n    from pipeline.draw.figure import Figure", "a circle: "),
        ("host/__init__.py", "NAME = 1", "pipeline.host: __init__.py holds something else"),
        ("stray.py", "", "the room stray is not in the order"),
        ("measure/noise.py", "\n" * 250, "lines; 250 are the most"),
        ("hdr/deep/one.py", "", "hdr/deep: has no __init__.py"),
    ],
)
def test_a_planted_fault_is_found(copy: Path, file: str, text: str, words: str):
    with planted(copy, file, text):
        found = faults(copy)
    assert any(words in one for one in found), found


def test_a_room_without_words_is_found(copy: Path):
    (copy / "plan" / "__init__.py").write_text("")
    assert faults(copy) == ["pipeline.plan: __init__.py holds something else than its docstring"]
