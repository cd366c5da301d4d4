"""Two revisions of a repository, each in a clone of its own and built there before anything is timed.

The user's tree, index, stash and reflogs are only read: a clone that shares the repository's objects registers nothing
in it, as a worktree would.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.ground import paths
from pipeline.ground.errors import LabError

TREE = "."  # the working tree as it is, changes that were not committed included
NAMES = {TREE: "tree"}


@dataclass(frozen=True)
class Built:
    """By name of each side: its command, the folder of each of its builds, and what they are of. Empty for none."""

    commands: dict[str, list[str]] = field(default_factory=dict)
    folders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)


@contextmanager
def built(
    git: Sequence[str] | None, build: str, words: Sequence[str], folder: Path, rebuilds: int = 1
) -> Iterator[Built]:
    """Both revisions built; their folders are removed when all has been measured, and kept when it was interrupted.

    git: two revisions, or None. words: the command, which is run in each folder. rebuilds: how often each is built, in
    folders whose names differ in length: where code and data come to lie is then drawn anew (Mytkowicz and others
    2009). LabError for a revision that there is not, and (status 5) for a build that fails.
    """
    if not git:
        if build or rebuilds > 1:
            raise LabError("--build and --rebuilds need --git BASE HEAD")
        yield Built()
        return
    if not words:
        raise LabError("--git: give the command too, behind --, as -- ./bench {out}")
    top = Path(_git(folder, "rev-parse", "--show-toplevel"))
    inside = folder.relative_to(top)
    commits = [_commit(top, one) for one in git]
    told = hashlib.sha256("\0".join([str(top), *commits, build]).encode()).hexdigest()[:12]
    home = paths.build() / "versus" / told
    names = _names(git)
    found = Built()
    for name, commit, word in zip(names, commits, git, strict=True):
        places = [home / f"{name}{STRETCH * number}" for number in range(rebuilds)]
        for place in places:
            if not (place / READY).exists():
                _check_out(top, commit, place)
                _build(word, build, place / inside)
                (place / READY).touch()
        found.commands[name], found.folders[name] = list(words), tuple(str(place / inside) for place in places)
        found.named[name] = f"{word} {commit[:12]}" if word != TREE else f"tree {commit[:12]}"
    yield found
    shutil.rmtree(home, ignore_errors=True)


READY, STRETCH = ".lab-built", "-" * 7  # no multiple of an alignment


def _names(git: Sequence[str]) -> list[str]:
    names = ["".join(one if one.isalnum() else "-" for one in NAMES.get(word, word)).strip("-")[:40] for word in git]
    if names[0] == names[1]:
        names = [f"{names[0]}-1", f"{names[1]}-2"]
    return [name or f"revision-{at}" for at, name in enumerate(names, 1)]


def _commit(top: Path, word: str) -> str:
    """The commit of a word; of the tree as it is a digest of all files in it."""
    if word != TREE:
        return _git(top, "rev-parse", "--verify", "--quiet", f"{word}^{{commit}}", what=f"--git: no revision {word!r}")
    told = hashlib.sha256()
    for name in _files(top):
        file = top / name
        if file.is_file():
            told.update(name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return told.hexdigest()


def _files(top: Path) -> list[str]:
    listed = _git(top, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return sorted(one for one in listed.split("\0") if one)


def _check_out(top: Path, commit: str, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    if len(commit) == 64:  # the tree as it is, told by its digest
        for name in _files(top):
            if (top / name).is_file():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(top / name, place / name)
        return
    _git(top, "clone", "--quiet", "--shared", "--no-checkout", str(top), str(place))
    _git(place, "-c", "advice.detachedHead=false", "checkout", "--quiet", commit)


def _build(word: str, command: str, place: Path) -> None:
    if not command:
        return
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if ran.returncode:
        said = (ran.stderr.strip() or ran.stdout.strip() or "it said nothing").splitlines()[-1]
        raise LabError(f"--git: the build of {word} failed (status {ran.returncode}): {said[:200]}", 5)


def _git(folder: Path, *words: str, what: str = "") -> str:
    try:
        ran = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True)
    except FileNotFoundError:
        raise LabError("--git needs git; install it", 5) from None
    if ran.returncode:
        raise LabError(what or f"--git: {(ran.stderr.strip() or 'git failed').splitlines()[-1]}")
    return ran.stdout.strip("\n")
