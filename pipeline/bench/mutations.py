"""Whether an import can be broken: thousands of shared files, each with something changed (`pipeline.bench.given`).

Each is imported as `lab import` does. It must be refused in one line and leave nothing, or become a run with all that a
run has, which the collection can show; and nothing may appear anywhere else. Some of them again:

    python -m pipeline.bench.mutations FIRST COUNT
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from pipeline.bench import given
from pipeline.bench.given import Given
from pipeline.bench.interleave import Result
from pipeline.collection import contributed, hosts, place, prepared, summary
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import cpus

COUNT = 10_000
AT_ONCE = 250  # by one process
SENTENCE = 350  # characters of what is said of a file
FILE = "given.tgz"


@dataclass(frozen=True)
class Tried:
    """A change: its number, where it was made, what became of the file (`contributed`), and how that is a `fault`."""

    number: int
    layer: str
    state: str
    sentence: str
    fault: str = ""


def run(result: Result, work: Path, step: Callable[[str, int, int], None], count: int = COUNT) -> None:
    """Import so many changed files; fills `result`. LabError (status 4) when one of them did what none may."""
    parts, done = [(at, min(AT_ONCE, count - at)) for at in range(0, count, AT_ONCE)], 0
    with ThreadPoolExecutor(len(cpus.usable())) as pool:
        for tried in pool.map(lambda part: _apart(*part), parts):
            done += len(tried)
            step("changed files", done, count)
            result.raw += [asdict(one) for one in tried]
    faults = [f"{one['number']} ({one['layer']}): {one['fault']}" for one in result.raw if one["fault"]]
    states = Counter((one["layer"], one["state"]) for one in result.raw)
    told = [
        f"{layer}: {states[layer, contributed.REFUSED]:,} refused, {states[layer, contributed.IMPORTED]:,} imported"
        for layer in given.LAYERS
    ]
    result.left_out += [*faults, *told]
    if faults:
        raise LabError(f"bench: {len(faults)} of {count:,} changed files did what none may; first: {faults[0]}", 4)


def _apart(first: int, count: int) -> list[Tried]:
    argv = [sys.executable, "-m", "pipeline.bench.mutations", str(first), str(count)]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=paths.ROOT)
    tried = [Tried(**json.loads(line)) for line in ran.stdout.splitlines()]
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or [f"status {ran.returncode}"])[-1]
        tried.append(Tried(first + len(tried), "?", "ended", "", f"the import ended: {last}"))
    return tried


def tried(good: Given, number: int, folder: Path) -> Tried:
    """Import one changed file in `folder`, where runs and builds are too (LAB_RUNS, LAB_BUILD), and take away the run
    that it became."""
    layer, content = given.changed(good, number)
    (folder / FILE).write_bytes(content)
    try:
        (found,) = contributed.import_runs([folder / FILE])
    except Exception as error:
        return Tried(number, layer, "raised", "", f"{type(error).__name__}: {error}")
    fault = _fault(found, folder)
    if found.run:
        rmtree(paths.bundle(found.run))
    return Tried(number, layer, found.state, found.sentence, fault)


def _fault(found: contributed.Outcome, folder: Path) -> str:
    """What is wrong with an import and with what it left; empty: nothing."""
    if not found.sentence.isprintable() or len(found.sentence) > SENTENCE:
        return f"its sentence is no single line: {found.sentence[:200]!r}"
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    runs = paths.runs().relative_to(folder).as_posix()
    strange = sorted(one for one in left - {FILE, f"{runs}/{contributed.LOCK}"} if not _of_run(one, runs, found.run))
    if strange:
        return f"left {strange[0][:200]!r}"
    if found.state == contributed.REFUSED:
        return ""
    run = paths.bundle(found.run)
    expected = ("run.json", given.JOURNAL, *(f"{prepared.SUMMARY}/{name}.parquet" for name in summary.TABLES))
    if missing := [name for name in expected if not (run / name).is_file()]:
        return f"lacks {missing[0]}"
    try:
        every = hosts.every()
        mine = next(host for host in every if host.run == found.run)
        place.told(mine, [host for host in every if host is not mine])
    except Exception as error:
        return f"the collection cannot show it: {type(error).__name__}: {error}"
    return ""


def _of_run(name: str, runs: str, run: str) -> bool:
    return bool(run) and name.startswith(f"{runs}/{run}/")


def many(first: int, count: int) -> Iterator[Tried]:
    """Try the changes `first` to `first` + `count` - 1 in a laboratory of their own."""
    with TemporaryDirectory(prefix="lab-mutations-") as scratch:
        os.environ |= {"LAB_RUNS": f"{scratch}/lab/runs", "LAB_BUILD": f"{scratch}/lab/build"}
        good = given.small()
        for number in range(first, first + count):
            yield tried(good, number, Path(scratch))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    asked = parser.parse_args()
    for one in many(asked.first, asked.count):
        print(json.dumps(asdict(one)), flush=True)
