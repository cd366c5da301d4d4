"""Do the tests notice? Mutants of a room, drawn by a seed, against the room's unit tests: `make mutants ROOM=kit`.

The operators are cosmic-ray's: an arithmetic sign, a comparison, a number, a condition, a loop, a decorator, an except.
A place in the code is drawn, then one of its mutants, and an operator is replaced by one of its own kind, for one of
another kind mostly fails at once and shows nothing. Annotations and what decorators are given, with which nothing is
computed, are left out.

No file is changed. The tests are collected once; each mutant is a fork of that process in which the mutated function
has other code, and runs the tests that enter the function, the fastest first, until one fails. Outside of bodies one
module has another source and all are imported again; what is of no function meets all tests of the room. Results lie
in build/mutants: the same command again tries only what survived, and looks only at new tests for what they enter.
"""

from __future__ import annotations

import argparse
import ast
import gc
import hashlib
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent
EVERY = "*"
ROOMS = {  # and the modules in which numbers and sentences are made; what only places them on a screen is not drawn
    **dict.fromkeys(("analyse", "models", "compare", "session", "kit"), (EVERY,)),
    "explore": ("data", "times", "selected", "state", "overlaid", "words"),
}
KINDS = (  # operators that take each other's place
    {"Add", "Sub"},
    {"Mul", "Div", "FloorDiv", "Mod", "Pow"},
    {"BitOr", "BitAnd", "BitXor"},
    {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    {"Is", "IsNot"},
    {"UAdd", "USub", "Invert"},
)
PATIENCE, LEAST_S, MOST_BYTES = 10, 20, 8 << 30  # times the tests' own CPU time, but at least; and memory
NO_TEST, NO_FUNCTION = int(pytest.ExitCode.NO_TESTS_COLLECTED), 90
# A failure is not made smaller: that there is one is enough.
settings.register_profile("mutants", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
OPTIONS = ("-x", "-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile=mutants")


def operators() -> dict[str, Any]:
    """Those of cosmic-ray that need no argument, without replacements by another kind."""
    found = {}
    for name in plugins.operator_names():
        operator, (*_, old, new) = plugins.get_operator(name), ["", "", *name.split("_")]
        pair = name.count("_") == 2 and old != "Delete"
        if not operator.arguments() and (not pair or any({old, new} <= kind for kind in KINDS)):
            found[name] = operator()
    return found


def places(source: str) -> dict[tuple, list[tuple[str, int]]]:
    """Every place of a module that has mutants: beginning and end to its mutants, (operator, occurrence)."""
    nodes, found = list(ast_nodes(get_ast(source))), {}
    told = [span for node in ast.walk(ast.parse(source)) for span in uncomputed(node)]
    for name, operator in operators().items():
        spans = [span for node in nodes for span in operator.mutation_positions(node)]
        for occurrence, span in enumerate(spans):
            if not any(first <= span[0] and span[1] <= last for first, last in told):
                found.setdefault(span, []).append((name, occurrence))
    return found


def uncomputed(node: ast.AST) -> Iterator[tuple]:
    """The spans of a node's annotations and of the arguments of its decorators."""
    parts = [getattr(node, name, None) for name in ("annotation", "returns")]
    for call in getattr(node, "decorator_list", ()):
        parts += [*call.args, *(one.value for one in call.keywords)] if isinstance(call, ast.Call) else []
    for one in parts:
        if one is not None:
            yield (one.lineno, one.col_offset), (one.end_lineno, one.end_col_offset)


def drawn(room: str, seed: int, count: int) -> list[dict[str, Any]]:
    """`count` mutants: file, line, operator, occurrence, and the first line that differs, before and after."""
    folder = ROOT / "pipeline" / room
    sources = {path: path.read_text() for name in ROOMS[room] for path in sorted(folder.glob(f"{name}.py"))}
    every = [(path, span, made) for path, text in sources.items() for span, made in sorted(places(text).items())]
    choose = random.Random(f"{room} {seed}")
    choose.shuffle(every)
    found: list[dict[str, Any]] = []
    for path, span, made in every:
        name, occurrence = choose.choice(made)
        mutant = mutate_code(sources[path], plugins.get_operator(name)(), occurrence)
        try:
            compile(mutant, path, "exec")
        except SyntaxError:  # a bare * among parameters
            continue
        pairs = zip(sources[path].splitlines(), mutant.splitlines(), strict=False)
        before, after = next((a.strip(), b.strip()) for a, b in pairs if a != b)
        place = {"file": str(path.relative_to(ROOT)), "line": span[0][0], "operator": name, "occurrence": occurrence}
        found.append(place | {"before": before, "after": after})
        if len(found) == count:
            break
    return found


class Reached:
    """Of every test the functions of a room that it enters, as FILE:FIRST LINE, and its CPU seconds."""

    def __init__(self, folder: Path):
        self.folder, self.tests = f"{folder}{os.sep}", {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        entered: set[CodeType] = set()

        def enter(frame: FrameType, event: str, _: Any) -> None:
            if frame.f_code.co_filename.startswith(self.folder):
                entered.add(frame.f_code)

        began = time.process_time()
        sys.settrace(enter)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            places = sorted({f"{Path(code.co_filename).name}:{code.co_firstlineno}" for code in entered})
            self.tests[item.nodeid] = {"entered": places, "cpu_s": time.process_time() - began}


class InOrder:
    """These tests, in this order."""

    def __init__(self, tests: list[str]):
        self.place = {test: number for number, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.place), key=lambda one: self.place[one.nodeid])


class OtherSource(SourceFileLoader):
    """The finder and the loader of one module whose source is another."""

    def __init__(self, path: Path, source: str):
        super().__init__(".".join(path.relative_to(ROOT).with_suffix("").parts), str(path))
        self.source = source

    def find_spec(self, name: str, *_: Any) -> Any:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _: str) -> Any:
        return compile(self.source, self.path, "exec")


def child(work: Callable[[], int], log: Path, cpu_s: float) -> int:
    """The exit status of what is done in a fork that says nothing; negative where that never ends."""
    number = os.fork()
    if not number:
        try:
            with log.open("w") as file:
                os.dup2(file.fileno(), 1), os.dup2(file.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s), int(cpu_s) + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            signal.alarm(20 * int(cpu_s))  # one that sleeps
            os._exit(int(work()))
        finally:
            os._exit(70)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def outermost(source: str, line: int) -> tuple[int | None, bool]:
    """The first line of the outermost function that a line is of, None where of none; and whether it is of its body."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first <= line <= (node.end_lineno or 0):
                return first, node.body[0].lineno <= line
    return None, False


def exchange(path: Path, source: str, first: int) -> bool:
    """Give the loaded function that begins at a line the code that it has in another source."""
    codes, found = [compile(source, path, "exec")], None
    while codes and not found:
        code = codes.pop()
        inner = [one for one in code.co_consts if isinstance(one, CodeType)]
        found = next((one for one in inner if one.co_firstlineno == first and one.co_name[0] != "<"), None)
        codes += inner
    old = [
        one
        for one in gc.get_objects()
        if isinstance(one, FunctionType)
        and (one.__code__.co_filename, one.__code__.co_firstlineno) == (str(path), first)
        and one.__code__.co_qualname == found.co_qualname
    ]
    for one in old:
        one.__code__ = found
    return bool(old)


class Study:
    """Instead of running the collected tests: one clean run of those not yet known, then every mutant that is left."""

    def __init__(self, room: str, seed: int, count: int, scratch: Path):
        self.room, self.seed, self.count, self.log = room, seed, count, scratch / "log"
        self.folder, self.results = ROOT / "build" / "mutants", []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.config.pluginmanager.unregister(self)
        self.folder.mkdir(parents=True, exist_ok=True)
        reached = self.reached(session)
        record = self.folder / f"{self.room}-{self.seed}.json"
        before = json.loads(record.read_text()) if record.exists() else []
        done = {(one["file"], one["line"], one["after"]): one for one in before if one["outcome"] in NOTICED}
        for one in drawn(self.room, self.seed, self.count):
            result = done.get((one["file"], one["line"], one["after"])) or self.tried(one, reached, session)
            self.results.append(result)
            record.write_text(json.dumps(self.results + before[len(self.results) :], indent=1) + "\n")
            place = f"{one['file']}:{one['line']}"
            print(
                f"{result['outcome']}  {place}  {one['before']}  ->  {one['after']}  ({result['took_s']} s)", flush=True
            )
        return True

    def reached(self, session: pytest.Session) -> dict[str, Any]:
        """What every test enters, by its name."""
        room, file = ROOT / "pipeline" / self.room, self.folder / f"{self.room}-entered.json"
        digest = hashlib.sha256(b"".join(one.read_bytes() for one in sorted(room.glob("*.py")))).hexdigest()
        known = json.loads(file.read_text()) if file.exists() else {}
        tests = known["tests"] if known.get("digest") == digest else {}
        new = [item for item in session.items if item.nodeid not in tests]

        def work() -> int:
            found = Reached(room)
            session.config.pluginmanager.register(found)
            status = run(session, new)
            file.write_text(json.dumps({"digest": digest, "tests": tests | found.tests}, indent=1) + "\n")
            return status

        if new and child(work, self.log, 3600):
            pytest.exit(f"the tests of {self.room} fail as they are:\n{self.log.read_text()[-2000:]}", 1)
        every = json.loads(file.read_text())["tests"]
        return {item.nodeid: every[item.nodeid] for item in session.items}

    def tried(self, mutant: dict[str, Any], reached: dict[str, Any], session: pytest.Session) -> dict[str, Any]:
        """The mutant with its outcome."""
        path = ROOT / mutant["file"]
        text = path.read_text()
        first, body = outermost(text, mutant["line"])
        source = mutate_code(text, plugins.get_operator(mutant["operator"])(), mutant["occurrence"])
        place = f"{path.name}:{first or ''}"
        entering = {name for name, one in reached.items() if any(_at(place, at) for at in one["entered"])}
        names = sorted(entering if first else reached, key=lambda name: (name not in entering, reached[name]["cpu_s"]))

        def inside() -> int:
            items = {item.nodeid: item for item in session.items}
            return run(session, [items[name] for name in names]) if exchange(path, source, first) else NO_FUNCTION

        def outside() -> int:
            for name in [name for name, one in sys.modules.items() if _ours(name, one)]:
                del sys.modules[name]
            sys.meta_path.insert(0, OtherSource(path, source))
            files = sorted({name.split("::")[0] for name in names})
            return int(pytest.main([*OPTIONS, f"--basetemp={self.log.parent}/tests", *files], [InOrder(names)]))

        began = time.monotonic()
        limit = max(PATIENCE * sum(reached[name]["cpu_s"] for name in names), LEAST_S)
        status = child(inside if body else outside, self.log, limit) if names else NO_TEST
        outcome = {0: "survived", NO_TEST: "entered by no test", NO_FUNCTION: "not made"}.get(status, "killed")
        took = round(time.monotonic() - began)
        return mutant | {"outcome": "endless" if status < 0 else outcome, "tests": len(names), "took_s": took}


NOTICED = ("killed", "endless")


def _at(place: str, entered: str) -> bool:
    return entered == place or (place.endswith(":") and entered.startswith(place))


def _ours(name: str, module: Any) -> bool:
    """Whether a module is the pipeline's or the tests'."""
    file = getattr(module, "__file__", None) or ""
    inside = file.startswith(f"{ROOT}{os.sep}") and "site-packages" not in file
    return name != "__main__" and (inside or name.split(".")[0] == "pipeline")


def run(session: pytest.Session, items: list[pytest.Item]) -> int:
    """How many of these tests fail; the first is the last."""
    session.items = items
    try:
        session.config.hook.pytest_runtestloop(session=session)
    except session.Failed:
        pass
    return min(session.testsfailed, 1)


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("room", choices=ROOMS)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--count", type=int, default=50)
    asked.add_argument("--quick", action="store_true", help="without the tests that are marked thorough")
    given = asked.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as scratch:
        options = [*OPTIONS, f"--basetemp={scratch}/tests", f"tests/unit/{given.room}"]
        options += ["-m", "not thorough"] if given.quick else []
        study = Study(given.room, given.seed, given.count, Path(scratch))
        pytest.main(options, plugins=[study])
    dead, every = sum(one["outcome"] in NOTICED for one in study.results), len(study.results)
    print(f"{given.room}, seed {given.seed}: {dead} of {every} mutants are noticed")
    return 0 if every else 1


if __name__ == "__main__":
    sys.exit(main())
