"""Copy the Lab as it is here to a host, and make it ready to measure there."""

from __future__ import annotations

import io
import shlex
import subprocess
import tarfile
from pathlib import Path

from rich.console import Console

from pipeline.fleet.config import Host
from pipeline.fleet.launch import SSH, WORDS
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.words.numbers import quantity

LIST = ".pushed"  # what was copied last, there: files that are no longer part of the Lab go
# What a host does not need to measure: pages, tests, and the runs that come with the Lab.
LEFT_HERE = ("docs/", "tests/", "data/collection/")
UNPACK = f"""
if [ -e .git ]; then echo "$1 is a checkout of somebody's; update it with git, or name another root" >&2; exit 3; fi
if [ -e {LIST} ]; then xargs -0 rm -f < {LIST}; fi
tar -xf - && make --no-print-directory harness .venv/.ready-fleet
"""


def files() -> list[str]:
    """The files of the Lab, as git knows them and as they are now."""
    command = ["git", "-C", str(paths.ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        raise LabError("push copies what git lists, and this is no git checkout; push from one", 5) from None
    left = (*LEFT_HERE, *(f"data/{run}/" for run in paths.archived()))
    return sorted(name for name in listed if name and not name.startswith(left) and (paths.ROOT / name).is_file())


def parcel() -> bytes:
    """All of them as one tar, with their times, so that make builds again only what changed."""
    names = files()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in names:
            archive.add(paths.ROOT / name, name, recursive=False, filter=_nobodys)
        listed = "\0".join(names).encode()
        member = tarfile.TarInfo(LIST)
        member.size = len(listed)
        archive.addfile(member, io.BytesIO(listed))
    return out.getvalue()


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def push(host: Host, content: bytes, log: Path, console: Console) -> None:
    """Copy `content` there and set it up; what is said there goes to `log`. LabError with the last line of it."""
    root = shlex.quote(host.root)
    text = f"mkdir -p {root} && cd {root} && exec sh -c {shlex.quote(UNPACK)} sh {root}"
    console.print(f"{host.name}: {quantity(len(content), 'bytes')}, then make harness ...", highlight=False)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        done = subprocess.run([*SSH, "--", host.ssh, text], input=content, stdout=out, stderr=out, check=False)
    if done.returncode:
        lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
        last = next((line for line in reversed(lines) if line), f"status {done.returncode}")
        raise LabError(f"{host.name}: not pushed: {last[:WORDS]} (all of it: {log})", 5)
    console.print(f"{host.name}: ready", highlight=False)
