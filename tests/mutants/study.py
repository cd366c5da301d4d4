"""Every mutant against the tests that enter its function."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from drawn import ROOT, drawn, source
from exchanged import OtherSource, exchange, forget, outermost
from hypothesis import Phase, settings

PATIENCE, LEAST_S, MOST_BYTES = 10, 20, 8 << 30  # times the tests' own CPU time, but at least; and memory
NO_TEST, FAULT = int(pytest.ExitCode.NO_TESTS_COLLECTED), 90  # of the study itself
# A failure is not made smaller: that there is one is enough.
settings.register_profile("mutants", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
OPTIONS = "-x -q -s --tb=no --disable-warnings -p no:cacheprovider -p no:xdist --hypothesis-profile=mutants".split(" ")
NOTICED = ("killed", "endless")


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
            os._exit(FAULT)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


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
            told = f"{one['before']}  ->  {one['after']}  ({result['took_s']} s)"
            print(f"{result['outcome']}  {place}  {told}", flush=True)
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
        first, body = outermost(path.read_text(), mutant["line"])
        place = f"{path.name}:{first or ''}"
        entering = {name for name, one in reached.items() if any(_at(place, at) for at in one["entered"])}
        names = sorted(entering if first else reached, key=lambda name: (name not in entering, reached[name]["cpu_s"]))

        def inside() -> int:
            items = {item.nodeid: item for item in session.items}
            if not exchange(path, source(mutant), first):
                return FAULT
            return run(session, [items[name] for name in names])

        def outside() -> int:
            forget()
            sys.meta_path.insert(0, OtherSource(path, source(mutant)))
            files = sorted({name.split("::")[0] for name in names})
            return int(pytest.main([*OPTIONS, f"--basetemp={self.log.parent}/tests", *files], [InOrder(names)]))

        began = time.monotonic()
        limit = max(PATIENCE * sum(reached[name]["cpu_s"] for name in names), LEAST_S)
        status = child(inside if body else outside, self.log, limit) if names else NO_TEST
        outcome = {0: "survived", NO_TEST: "entered by no test", FAULT: "not made"}.get(status, "killed")
        took = round(time.monotonic() - began)
        return mutant | {"outcome": "endless" if status < 0 else outcome, "tests": len(names), "took_s": took}


def _at(place: str, entered: str) -> bool:
    return entered == place or (place.endswith(":") and entered.startswith(place))


def run(session: pytest.Session, items: list[pytest.Item]) -> int:
    """How many of these tests fail; the first is the last."""
    session.items = items
    try:
        session.config.hook.pytest_runtestloop(session=session)
    except session.Failed:
        pass
    return min(session.testsfailed, 1)
