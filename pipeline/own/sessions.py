"""Every session that is named, read and compared: with what its file tells of itself, and with the other sessions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.foreign import sessions as reading
from pipeline.foreign.files import File
from pipeline.foreign.names import listed
from pipeline.foreign.reading import Found, Options, Thing
from pipeline.foreign.windows import total
from pipeline.ground.errors import LabError
from pipeline.ingest.imported import remember
from pipeline.own import groups
from pipeline.own.groups import Session

FAILED = "FAIL"  # in the name of a log: Aeron's benchmarks mark so what did not keep up


@dataclass(frozen=True)
class Read:
    """A session, what was found in it, and the sums of its files."""

    session: Session
    format: str
    found: Found
    sums: tuple[str, ...]
    block: int = 0


def read(words: Iterable[str], options: Options, format_name: str = "", paired: bool = False) -> list[Read]:
    """The sessions that words name (`groups.sessions`), read, and numbered within their groups.

    LabError, one line with the file's name, for what cannot be read, is there twice, or is of two formats.
    """
    told = []
    for session in groups.sessions(words):
        files = [File(path, str(path)) for path in session.files]
        sums = tuple(_sha256(file) for file in files)
        format_, found = reading.read(files, options, format_name)
        if failed := next((path for path in session.files if FAILED in path.name and found.windows), None):
            raise LabError(f"{failed}: is of a run that failed, as its name says; leave it out")
        remember(sums, options, format_, found)
        found.whole(listed([file.title for file in files]))
        told.append(Read(session, format_, _placed(found, session), sums))
    _copies(told)
    _one_tool(told)
    _sums(told)
    return _blocks(told, paired)


def _placed(found: Found, session: Session) -> Found:
    """What was found, its things with the axes that the session's path tells."""
    if session.axes:
        for each in (found.windows, found.values, found.checks):
            placed = {Thing(one.name, (*session.axes, *one.axes), one.trial): held for one, held in each.items()}
            each.clear()
            each.update(placed)
    return found


def _sha256(file: File) -> str:
    try:
        with file.path.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise LabError(f"{file.name}: cannot be read ({error.strerror}); correct the path") from None


def _copies(told: Sequence[Read]) -> None:
    seen: dict[str, str] = {}
    for one in told:
        for path, sha in zip(one.session.files, one.sums, strict=True):
            if sha in seen:
                raise LabError(f"{path}: is a copy of {seen[sha]}; a measurement counts once")
            seen[sha] = str(path)


def _one_tool(told: Sequence[Read]) -> None:
    """LabError for groups of which one holds files of several formats: their sessions are no repeats."""
    for group in dict.fromkeys(one.session.group for one in told):
        mine = {one.format: one for one in told if one.session.group == group}
        if len(mine) > 1:
            names = " and ".join(f"{one.session.files[0]} ({name})" for name, one in mine.items())
            raise LabError(f"{group}: {names} are of two formats; make a group of each")


def _sums(told: Sequence[Read]) -> None:
    """LabError for a file that is the sum of all others of its group: what was recorded would count twice."""
    for group in dict.fromkeys(one.session.group for one in told):
        mine = [one for one in told if one.session.group == group and one.found.windows]
        if len(mine) < 3:
            continue
        counts = [_counts(one.found) for one in mine]
        every = {name: sum(one.get(name, 0) for one in counts) for one in counts for name in one}
        for one, own in zip(mine, counts, strict=True):
            if all(2 * own.get(name, 0) == total for name, total in every.items()) and _sum_of(one, mine):
                raise LabError(f"{one.session.files[0]}: is the sum of {len(mine) - 1} other files given; leave it out")


def _counts(found: Found) -> dict[Thing, int]:
    return {thing: total(windows).total for thing, windows in found.windows.items()}


def _sum_of(one: Read, mine: Sequence[Read]) -> bool:
    """Whether every bucket of a session is that of the others together."""
    for thing, windows in one.found.windows.items():
        others = [w for other in mine if other is not one for w in other.found.windows.get(thing, ())]
        ours, theirs = total(windows), total(others)
        if not (np.array_equal(ours.low, theirs.low) and np.array_equal(ours.count, theirs.count)):
            return False
    return True


def _blocks(told: list[Read], paired: bool) -> list[Read]:
    """The sessions numbered within their groups: by when they began where all tell it and are paired, else by name.
    Sessions of one number are of one block, and those of `{run}` with the same name are."""
    names: dict[str, list[str]] = {}
    for one in told:
        names.setdefault(one.session.group, []).append(_run_of(one.session))
    if paired:
        sizes = {group: len(set(each)) for group, each in names.items()}
        if len(sizes) != 2 or len(set(sizes.values())) != 1:
            said = ", ".join(f"{group} has {size}" for group, size in sizes.items())
            raise LabError(f"--paired: two groups with as many sessions each, A1 B1 A2 B2; {said}")
        if all(one.found.begun is not None for one in told):
            told = sorted(told, key=lambda one: one.found.begun)
    numbers: dict[str, dict[str, int]] = {}
    found = []
    for one in told:
        mine = numbers.setdefault(one.session.group, {})
        found.append((one, mine.setdefault(_run_of(one.session), len(mine))))
    order = [one.session.group for one in told]
    placed = sorted(found, key=lambda pair: (order.index(pair[0].session.group), pair[1]))
    return [Read(one.session, one.format, one.found, one.sums, block) for one, block in placed]


def _run_of(session: Session) -> str:
    """What tells sessions of a group apart: files of one run at other values of an axis are one block."""
    return session.name
