"""A host without anything: a minimal Debian with its Python, no JDK, no compiler and no network; all experiments."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.catalogue import catalogue
from pipeline.ground import paths

pytestmark = pytest.mark.prove

SUITES = ("bullseye", "bookworm")  # glibc 2.31 and Python 3.9; 2.36 and 3.11
# As on a host: its root is a mount of its own, and there is a loopback, which a new network has not switched on.
MOUNTS = (
    "mount --bind {0} {0} && mount -t proc lab {0}/proc && mount --rbind /sys {0}/sys && mount --rbind /dev {0}/dev"
)
LOOPBACK = """
import fcntl, socket, struct
up = struct.pack("16sh", b"lo", 1)
fcntl.ioctl(socket.socket(), 0x8914, up)
"""


@pytest.fixture(scope="module")
def parcel(tmp_path_factory) -> Path:
    """A parcel of the whole catalogue, with every JDK that is here."""
    folder = tmp_path_factory.mktemp("home")
    command = [paths.ROOT / ".venv" / "bin" / "lab", "parcel", "--out", folder / "lab.run"]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "lab.run"


@pytest.fixture(params=SUITES)
def root(request, tmp_path) -> Iterator[Path]:
    """A root file system of a suite: that of LAB_TEST_ROOTS/<suite> where it is, else one that debootstrap makes."""
    made = Path(os.environ.get("LAB_TEST_ROOTS", tmp_path / "roots")) / request.param
    if os.geteuid():
        pytest.skip("only root may enter another root file system")
    if not made.exists():
        if not shutil.which("debootstrap"):
            pytest.skip("debootstrap is not installed")
        command = ["debootstrap", "--variant=minbase", "--include=python3", request.param, made]
        if subprocess.run(command, capture_output=True).returncode:
            pytest.skip(f"debootstrap gets no {request.param} here")
    yield made


def inside(root: Path, script: str) -> subprocess.CompletedProcess:
    """Run a script in the root file system, in name spaces of its own: no network, and its own view of processes."""
    entering = f"exec chroot {root} /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root /bin/sh -c {script!r}"
    entered = f"{shlex.join([sys.executable, '-c', LOOPBACK])} && {MOUNTS.format(root)} && {entering}"
    command = ["unshare", "--mount", "--net", "--pid", "--fork", "--", "sh", "-c", entered]
    return subprocess.run(command, capture_output=True, text=True)


def test_all_experiments_are_measured_and_taken_home(parcel, root, tmp_path):
    place = root / "srv" / "lab"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    shutil.copy(parcel, place)
    before = {one for one in root.rglob("*") if not one.is_relative_to(root / "srv") and one.is_file()}
    done = inside(root, "cd /srv/lab && sh lab.run measure --profile smoke")
    assert done.returncode in (0, 1) and "Traceback" not in done.stderr + done.stdout, done.stdout + done.stderr
    (file,) = place.glob("lab-*/smoke.lab")
    lines = [json.loads(line) for line in next(place.glob("lab-*/data/runs/smoke/journal.jsonl")).open()]
    trials = [line for line in lines if "trial" in line]
    assert {line["experiment"] for line in trials} == set(catalogue.load())
    failed = [line for line in trials if line["status"] not in ("measured", "unsupported")]
    assert not failed, {(line["trial"], line["status"], line["reason"]) for line in failed}
    after = {one for one in root.rglob("*") if not one.is_relative_to(root / "srv") and one.is_file()}
    assert after <= before | {one for one in after if one.is_relative_to(root / "tmp")}
    told = {"LAB_RUNS": str(tmp_path / "runs"), "LAB_BUILD": str(tmp_path / "build")}
    lab = [paths.ROOT / ".venv" / "bin" / "lab"]
    taken = subprocess.run([*lab, "import", file], env=os.environ | told, capture_output=True, text=True)
    assert taken.returncode == 0 and "imported " in taken.stdout, taken.stdout + taken.stderr
