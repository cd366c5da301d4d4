"""Machines that others recorded (tests/data/topology): the files of each in a folder, as its kernel has them."""

from __future__ import annotations

import csv
import json
import lzma
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from laboratory import DATA

from pipeline.host import sysfs

FOLDER = DATA / "topology"
COUNTS = ("packages", "nodes", "last_level_caches", "l2", "cores", "threads")


@cache
def _every() -> dict[str, dict[str, str]]:
    """Machine -> path -> text of its files."""
    return json.loads(lzma.decompress((FOLDER / "machines.json.xz").read_bytes()))


@cache
def lstopo() -> dict[str, dict[str, Any]]:
    """Machine -> what hwloc counts (COUNTS), and the `cpus` that it shows."""
    with (FOLDER / "lstopo.csv").open(encoding="utf-8", newline="") as lines:
        return {
            row["machine"]: {name: int(row[name]) for name in COUNTS}
            | {"cpus": sysfs.of_list(row["cpus"].replace(" ", ",")), "source": row["source"]}
            for row in csv.DictReader(lines)
        }


NAMES = tuple(lstopo())
LARGE = 20  # CPUs; the larger machines have nine of ten files, and are left to `make test`
EVERY = [pytest.param(name, marks=[pytest.mark.thorough] * (lstopo()[name]["threads"] > LARGE)) for name in NAMES]


def unpack(name: str, folder: Path) -> Path:
    """The root of a machine below `folder`, written there unless another test, also one of another worker, has."""
    root = folder / name
    if not root.exists():
        part = folder / f"{name}.{os.getpid()}"
        written: set[str] = set()
        for path, text in _every()[name].items():
            above = f"{part}/{path.rpartition('/')[0]}"
            if above not in written:
                os.makedirs(above, exist_ok=True)
                written.add(above)
            with open(
                f"{part}/{path}", "wb", buffering=0
            ) as file:  # 31,000 files: `Path.write_text` takes thrice as long
                file.write(text.encode("ascii"))
        try:
            part.rename(root)
        except OSError:  # another worker was quicker
            if not root.exists():
                raise
    return root
