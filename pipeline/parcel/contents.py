"""What a parcel holds: the harnesses as they were built, cut JDKs, the rooms that measure, and the checked catalogue.

It lies as it does in a checkout, so that what is unpacked is one that measures: paths, and the command lines in the
journal, are the same.
"""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.bundle import bundle, checksums
from pipeline.catalogue import catalogue, catalogue_cache
from pipeline.ground import digest, paths
from pipeline.ground.errors import LabError
from pipeline.host import runtimes
from pipeline.host.runtimes import Runtime
from pipeline.measure import duration
from pipeline.parcel import jdks, scripts

# What runs on the host: rooms, and modules of rooms that are not needed as a whole.
ROOMS = ("ground", "words", "host", "catalogue", "plan", "bundle", "measure", "parcel")
MODULES = ("models/__init__.py", "models/gaps.py")
JDKS = "jdks"  # the folder of the cut ones
STATIC = "harness/c/build/lab-harness-static"


@dataclass(frozen=True)
class Contents:
    """Name in the parcel -> a file of this machine, or its bytes; and what `pipeline.ground.origin` tells there."""

    files: dict[str, Path | bytes]
    about: dict[str, Any]


def collect(named: str, scratch: Path, say: Callable[[str], None]) -> Contents:
    """Everything for a parcel, with the JDKs that `named` says (`jdks.chosen`); for `none`, none is looked for.

    `scratch` is an empty folder. `say` is told of a JDK that cannot be cut. LabError where a harness is not built, the
    C harness cannot be linked statically, or no JDK can be cut.
    """
    wanted = [] if named == "none" else jdks.chosen(named, runtimes.jdks())
    with ThreadPoolExecutor() as pool:
        linked = pool.submit(_static)
        cuts = {one.name: pool.submit(jdks.cut, one, scratch / JDKS / one.name) for one in wanted}
        linked.result()
        kept, uncut = [], ""
        for one in wanted:
            try:
                cuts[one.name].result()
                kept.append(one)
            except jdks.Uncut as error:
                uncut = str(error)
                say(uncut)
    if wanted and not kept:
        raise LabError(f"no JDK can be cut; --jdks none makes a parcel that takes the host's ({uncut})", 5)
    files = {**_harnesses(), **_code(scratch), **_tree(scratch / JDKS, JDKS)}
    return Contents(files, _about(kept))


def _static() -> None:
    """Link the C harness anew where it is not as its objects."""
    command = ["make", "--no-print-directory", "-s", "-C", str(paths.ROOT / "harness" / "c"), "static"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise LabError("there is no make here; install it (Debian: make)", 5) from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["make failed"]
        raise LabError(f"the C harness cannot be linked statically: {lines[0]}; install libc6-dev, zlib1g-dev", 5)


def _harnesses() -> dict[str, Path | bytes]:
    jars = [paths.java_harness(), paths.java_harness().with_name("lab-whitebox.jar")]
    built = [*jars, paths.native_library(), paths.fio_harness()]
    if missing := [file for file in built if not file.exists()]:
        raise LabError(f"{missing[0].name} is not built; run: make harness", 5)
    files: dict[str, Path | bytes] = {paths.from_root(file): file for file in built}
    return files | {paths.from_root(paths.c_harness()): paths.ROOT / STATIC}


def _code(scratch: Path) -> dict[str, Path | bytes]:
    """The rooms that measure, the catalogue as it was checked, and how they are called."""
    catalogue_cache.write(scratch, catalogue.load(), catalogue_cache.stamp(paths.catalogue()))
    files: dict[str, Path | bytes] = {f"pipeline/{file.relative_to(digest.PACKAGE)}": file for file in _sources()}
    inside = dict.fromkeys(scripts.COMMANDS, scripts.INSIDE.encode())
    licence = {"LICENSE": paths.ROOT / "LICENSE"}
    called = {f"catalogue/{catalogue_cache.FILE}": scratch / catalogue_cache.FILE, "parcel.py": scripts.MAIN.encode()}
    return files | called | inside | licence


def _tree(folder: Path, name: str) -> dict[str, Path | bytes]:
    return {f"{name}/{file.relative_to(folder)}": file for file in sorted(folder.rglob("*")) if not file.is_dir()}


def revision() -> str:
    """Twelve digits of all that decides what a parcel measures and how: rooms, catalogue, harnesses; not its JDKs."""
    entries = sorted(paths.catalogue().rglob("*.yaml"))
    return digest.files([*_sources(), *entries], *checksums.of_sources().values())[: checksums.LENGTH]


def _sources() -> list[Path]:
    """The rooms that measure."""
    rooms = [file for file in digest.code(*ROOMS) if file.suffix == ".py"]
    return rooms + [digest.PACKAGE / name for name in (*MODULES, "__init__.py")]


def _about(kept: list[Runtime]) -> dict[str, Any]:
    """What `pipeline.ground.origin` tells on the host."""
    return {
        "architecture": platform.machine(),
        "git": bundle.git_revision(),
        "revision": revision(),
        "harness": checksums.of_sources(),
        "compiler": runtimes.version("cc"),
        "jdks": {one.name: one.public() for one in kept},
        "takes": {name: round(value, 4) for name, value in duration.beside(_reference()).items()},
    }


def _reference() -> list[dict]:
    return bundle.Bundle.open(paths.REFERENCE).journal()
