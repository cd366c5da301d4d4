"""The only source of paths: everything is found from the project's root."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pipeline.ground.errors import LabError

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = "reference"  # the archived run of all experiments
PLAIN_NAME = re.compile(r"\w[\w.-]{0,59}")


def checkout() -> bool:
    """Whether this is a checkout of the project: an installed package has no catalogue and no harness, and analyses
    what was measured elsewhere."""
    return (ROOT / "catalogue").is_dir()


def home() -> Path:
    """Where runs and what is made of them lie: the checkout, else the current folder; LAB_HOME replaces it."""
    told = os.environ.get("LAB_HOME")
    return Path(told).absolute() if told else ROOT if checkout() else Path.cwd()


def catalogue() -> Path:
    """The folder of catalogue entries; LAB_CATALOGUE replaces it (a trial catalogue, a test)."""
    return Path(os.environ.get("LAB_CATALOGUE", ROOT / "catalogue"))


def notebooks() -> Path:
    """The folder of the experiments' notebooks; LAB_NOTEBOOKS replaces it together with the catalogue."""
    return Path(os.environ.get("LAB_NOTEBOOKS", ROOT / "notebooks"))


def published() -> Path:
    return ROOT / "data" / "published"


def docs() -> Path:
    return ROOT / "docs"


def build() -> Path:
    """Where everything generated goes; LAB_BUILD replaces it."""
    return Path(os.environ.get("LAB_BUILD", home() / "build"))


def runs() -> Path:
    """Where run bundles are measured; LAB_RUNS replaces it."""
    return Path(os.environ.get("LAB_RUNS", home() / "data" / "runs"))


def archived() -> list[str]:
    """The archived runs, which come with the Lab: the folders of data/ that hold one."""
    return sorted(file.parent.name for file in archives().glob("*/run.json"))


def is_archived(run: str) -> bool:
    return (archive(run) / "run.json").exists()


def archive(run: str) -> Path:
    """Where the archived run called `run` lies."""
    return archives() / run


def archives() -> Path:
    return ROOT / "data"


def bundle(run: str) -> Path:
    """The bundle called `run`: an archived one, where there is one of that name, else a local one."""
    if not PLAIN_NAME.fullmatch(run):
        raise LabError(f"run name {run[:100]!r} is not a plain name; use up to 60 letters, digits, - and _")
    return archive(run) if is_archived(run) else runs() / run


def io() -> Path:
    """Where IO trials put their files; LAB_IO_DIR replaces it."""
    return Path(os.environ.get("LAB_IO_DIR", build() / "io"))


def tables(run: str, experiment: str) -> Path:
    return build() / run / experiment


def figures(run: str) -> Path:
    return build() / run / "figures"


def report() -> Path:
    return build() / "report"


def java_harness() -> Path:
    return ROOT / "harness" / "java" / "target" / "lab-harness.jar"


def class_data(runtime: str) -> Path:
    """Where the class data of the Java harness lie that this runtime's JVMs share: beside its jar."""
    return java_harness().with_name("class-data") / f"{runtime}.jsa"


def c_harness() -> Path:
    return ROOT / "harness" / "c" / "build" / "lab-harness"


def fio_harness() -> Path:
    return ROOT / "harness" / "fio" / "lab_fio.py"


def command_harness() -> Path:
    """Of users' programs: a part of the package, for who has only that (harness/command links there)."""
    return Path(__file__).resolve().parents[1] / "measure" / "command" / "lab_command.py"


def native_library() -> Path:
    return ROOT / "harness" / "c" / "build" / "liblab_native.so"


def from_root(path: Path) -> str:
    """The path as a trial sees it: trials run in the project's root, so that no path of the machine is archived."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
