"""How much memory the pages of a collection take that has thousands of hosts.

Every host is a copy of one that comes with the Lab, as another machine and with the same numbers: its tables are
linked. What is told is the most memory that was resident (VmHWM) of a process that draws all pages, and their sizes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pipeline.bench.interleave import Result
from pipeline.collection import hosts, summary
from pipeline.collection.prepared import SUMMARY
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.words.numbers import quantity

MANY = 2000
FEW = 100  # their pages have all that pages have, and all is loaded that draws them
MEMORY = 1 << 30  # bytes that the pages of MANY hosts may take
PAGE = 3_000_000  # bytes of a page
CHILD = """
import atexit, re, sys
peak = lambda: re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
atexit.register(lambda: print("peak", peak(), file=sys.stderr))
from pipeline.commands.cli import main
main()
"""


def run(result: Result, work: Path, step: Callable[[str, int, int], None], many: int = MANY) -> None:
    """Draw the pages of FEW and of `many` hosts; fills `result`. LabError (status 4) when they take too much."""
    for number, count in enumerate((FEW, many)):
        step(f"pages of {count:,} hosts", number, 2)
        result.raw.append({"hosts": count, **drawn(work / str(count), count)})
    few, most = result.raw
    told = ", ".join(f"{one['hosts']:,} hosts {quantity(one['peak_bytes'], 'bytes')}" for one in result.raw)
    result.left_out.append(f"Memory of all pages: {told}; largest page {quantity(most['page_bytes'], 'bytes')}.")
    if fault := too_much(few, most):
        raise LabError(f"bench: {fault}", 4)


def too_much(few: dict[str, int], many: dict[str, int]) -> str:
    """What `drawn` told of few and of many hosts that must not be; empty: nothing. Memory may grow from the few so
    that it would be MEMORY with MANY."""
    allowed = few["peak_bytes"] + (MEMORY - few["peak_bytes"]) * many["hosts"] / MANY
    if many["peak_bytes"] > allowed:
        return f"{many['hosts']:,} hosts take {quantity(many['peak_bytes'], 'bytes')}, of {quantity(allowed, 'bytes')}"
    if many["page_bytes"] > PAGE:
        return f"a page of {many['hosts']:,} hosts has {many['page_bytes']:,} bytes, of {PAGE:,}"
    return ""


def drawn(work: Path, count: int) -> dict[str, int]:
    """Draw the pages of so many hosts below `work`, of all experiments or of those of LAB_CATALOGUE: `hosts`,
    `peak_bytes`, and `page_bytes` of the largest page."""
    source = max(hosts.every_committed(), key=lambda host: host.told["trials"]).folder
    for number in range(count):
        copied(source, work / "runs" / f"host-{number}" / SUMMARY, number, Path.symlink_to)
    env = os.environ | {"LAB_RUNS": str(work / "runs"), "LAB_BUILD": str(work / "build")}
    argv = [sys.executable, "-c", CHILD, "collection"]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=paths.ROOT, env=env)
    every = count + len(hosts.every_committed())
    if ran.returncode or not ran.stdout.replace(",", "").startswith(f"{every} runs "):
        raise LabError(f"bench: the pages of {count} hosts failed: {' '.join((ran.stdout + ran.stderr).split())}", 4)
    largest = max(page.stat().st_size for page in (work / "build" / "collection").glob("*.html"))
    peak = 1024 * int(re.search(r"peak (\d+)", ran.stderr)[1])
    shutil.rmtree(work)
    return {"hosts": count, "peak_bytes": peak, "page_bytes": largest}


def copied(source: Path, target: Path, number: int, put: Callable[[Path, Path], object] | None = None) -> None:
    """A summary as that of another machine, which has the same numbers: tables copied, or `put` (target, source)."""
    target.mkdir(parents=True)
    for name in summary.TABLES:
        own, theirs = target / f"{name}.parquet", source / f"{name}.parquet"
        put(own, theirs) if put else shutil.copyfile(theirs, own)
    told = json.loads((source / summary.HOST).read_text(encoding="utf-8"))
    told |= {"id": f"{number:012x}", "shared": {"label": f"host {number}"}}
    told["host"]["memory_bytes"] = (number + 1) << 30
    (target / summary.HOST).write_text(json.dumps(told), encoding="utf-8")
