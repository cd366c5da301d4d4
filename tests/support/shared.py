"""The archived run's smallest experiments as somebody's bundle, and as the file that they share."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pipeline.bundle import packed
from pipeline.collection import share
from pipeline.collection.share import Parcel
from pipeline.ground import paths

EXPERIMENTS = ("whitebox", "single_writer")


def bundle(folder: Path, experiments: Sequence[str] = EXPERIMENTS) -> Path:
    """A bundle of experiments of the archived run, its journal unpacked, in `folder`."""
    reference = paths.ROOT / "data" / "reference"
    folder.mkdir(parents=True)
    lines = packed.unpack(reference / "journal.jsonl.tar.xz")[0]["journal.jsonl"].splitlines(keepends=True)
    own = [line for line in lines if json.loads(line).get("experiment") in experiments]
    (folder / "journal.jsonl").write_bytes(b"".join(own))
    for name in ("run.json", *(f"{one}.tar.xz" for one in experiments)):
        shutil.copyfile(reference / name, folder / name)
    return folder


@cache
def parcel() -> Parcel:
    """What `lab share reference` makes of EXPERIMENTS, with a label."""
    return share.pack("reference", EXPERIMENTS, label="Toy <b>EPYC</b> $\\frac{1}{2}$", by="somebody")
