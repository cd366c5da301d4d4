"""Whether a kill at any moment leaves all of an imported run or nothing, and the next import is as if none were."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.bench import archived
from pipeline.bench.interleave import Result
from pipeline.collection import prepared, share
from pipeline.ground import paths
from pipeline.ground.errors import LabError

COUNT = 100
LAB = (sys.executable, "-c", "from pipeline.commands.start import main; main()")


def run(result: Result, work: Path, step: Callable[[str, int, int], None], count: int = COUNT) -> None:
    """Kill so many imports; fills `result`. LabError (status 4) when one left a part of a run."""
    ends = killed(share.pack(paths.REFERENCE, archived.chosen().small).write(work), work, count, step)
    result.raw += [{"ended": end, "imports": times} for end, times in sorted(ends.items())]
    told = ", ".join(f"{times} with {end}" for end, times in sorted(ends.items()))
    result.left_out.append(f"{count} imports were killed or had just ended: {told}; the next import was whole.")


def killed(
    file: Path, work: Path, count: int, step: Callable[[str, int, int], None] | None = None, lab: Sequence[str] = LAB
) -> Counter[str]:
    """Import a shared file `count` times below `work`, killed at moments spread over the time in which an import
    writes here: how often it had left a whole run, nothing, or what is on its way (`a stage`).

    LabError when something else is left, or when the import after all of them does not make the bytes of the first.
    """
    runs = work / "runs"
    env = os.environ | {"LAB_RUNS": str(runs), "LAB_BUILD": str(work / "build")}
    argv, chance, ends = [*lab, "import", str(file)], random.Random(7), Counter()

    def started() -> subprocess.Popen:
        for left in _folders(runs):
            if not left.name.startswith(prepared.STAGED):
                shutil.rmtree(left)
        return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=paths.ROOT, env=env)

    def whole() -> dict[str, bytes]:
        told = (one := started()).communicate()[0].decode()
        if one.returncode:
            raise LabError(f"bench: the import failed: {' '.join(told.split())[-300:]}", 4)
        (run,) = _folders(runs)
        return _contents(run)

    begun, one = time.monotonic(), started()
    while not _folders(runs) and one.poll() is None:
        time.sleep(0.001)
    writes = time.monotonic() - begun
    one.communicate()
    ends_after, good = time.monotonic() - begun, whole()
    for number in range(count):
        one = started()
        try:
            one.communicate(timeout=writes + (number + chance.random()) / count * (ends_after - writes))
        except subprocess.TimeoutExpired:
            one.kill()
            one.communicate()
        ends[_left(runs, good, number)] += 1
        if step:
            step("killed imports", number + 1, count)
    if whole() != good or list((work / "build").glob(f"{prepared.STAGED}*")):
        raise LabError(f"bench: the import after {count} kills left something else than the first", 4)
    return ends


def _left(runs: Path, whole: dict[str, bytes], number: int) -> str:
    found = _folders(runs)
    named = [one for one in found if not one.name.startswith(prepared.STAGED)]
    if len(named) > 1 or any(_contents(one) != whole for one in named):
        raise LabError(f"bench: kill {number} left a part of a run in {named[0].name}", 4)
    return "a whole run" if named else "a stage" if found else "nothing"


def _folders(runs: Path) -> list[Path]:
    return [one for one in runs.iterdir() if one.is_dir()] if runs.exists() else []


def _contents(run: Path) -> dict[str, bytes]:
    return {one.relative_to(run).as_posix(): one.read_bytes() for one in run.rglob("*") if one.is_file()}
