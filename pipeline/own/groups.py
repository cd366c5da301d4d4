"""What the words of `lab import` name: groups of sessions, each of one file, or of several that ran together."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.foreign.names import TAKEN, listed, shown
from pipeline.ground.errors import LabError

MOST_FILES, MOST_GROUPS = 2_000, 12
GROUP = re.compile(r"(?P<group>[^\W_][\w.-]{0,39})=(?P<files>.+)", re.S)
NAME = re.compile(r"[^\W_][\w.-]{0,39}")
HOLE = re.compile(r"\{([a-z_]+)\}")
KEYS = ("group", "run", "part")
AXIS = re.compile(r"[a-z][a-z_]{0,30}")


@dataclass(frozen=True)
class Session:
    """One invocation of the user's tool: its files (several are parts of one load), its group, its own name within it,
    and the axes that its path tells. named: whether the user named the group."""

    group: str
    name: str
    files: tuple[Path, ...]
    axes: tuple[tuple[str, int | str], ...] = ()
    named: bool = True


def sessions(words: Iterable[str]) -> list[Session]:
    """The sessions that words name: FILE, GROUP=FILE, or a pattern of either with `{group}`, `{run}`, `{part}` or the
    name of an axis in it. Files without a group are a group each, under their own name.

    In the order of groups as they come first, sessions of a group by name, numbers in it counting as numbers.
    LabError for a word that names no file, for a file that is named twice, and for several files of one run that
    nothing says are parts of it: added up, repeats would pass for one load.
    """
    found: dict[tuple[str, str, tuple], dict[Path, str | None]] = {}
    grouped = False
    for word in words:
        group, pattern = _split(word)
        grouped = grouped or bool(group) or "{group}" in pattern
        for path, told, form in _files(pattern):
            key = _key(group, path, told, form)
            found.setdefault(key, {})[path] = told.get("part")
    every = [path for files in found.values() for path in files]
    if not every:
        raise LabError("no file is named; give files, as: lab import before=old/*.hlog after=new/*.hlog")
    if len(every) > MOST_FILES:
        raise LabError(f"{len(every):,} files; a run takes {MOST_FILES:,} at most")
    _once(every)
    for (_, name, _), parts in found.items():
        _are_parts(name, parts)
    made = [
        Session(group, name, tuple(sorted(files, key=natural)), axes) for (group, name, axes), files in found.items()
    ]
    if grouped and (loose := next((one for one in made if not one.group), None)):
        raise LabError(f"{loose.files[0]}: is in no group, and others are; name its group, as before={loose.files[0]}")
    made = made if grouped else _each_its_own(made)
    order = list(dict.fromkeys(one.group for one in made))
    if len(order) > MOST_GROUPS:
        advice = "name groups, as before=old/*.hlog after=new/*.hlog"
        raise LabError(f"{len(order)} groups; {MOST_GROUPS} can be told apart in a figure: {advice}")
    return sorted(made, key=lambda one: (order.index(one.group), natural(Path(one.name)), one.axes))


def natural(path: Path) -> list:
    """A key by which `r2` comes before `r10`."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", str(path))]


def _split(word: str) -> tuple[str, str]:
    """(group, pattern) of a word; a file whose name holds `=` is itself."""
    told = GROUP.fullmatch(word)
    if told is None or os.path.exists(word):
        return "", word
    return told["group"], told["files"]


def _are_parts(name: str, parts: Mapping[Path, str | None]) -> None:
    """LabError where a session has several files, and not each its own `{part}`."""
    told: dict[str | None, Path] = {}
    for path, part in parts.items():
        if (other := told.setdefault(part, path)) is not path:
            of = f"run {name}" if part is None else f"part {shown(part)} of run {name}"
            both = f"{shown(str(other))}, {shown(str(path))}: are both of {of}"
            raise LabError(f"{both}; put {{part}} where files of one load differ, {{run}} where repeats do")


def _files(pattern: str) -> list[tuple[Path, Mapping[str, str], str]]:
    """The files of a pattern, each with what stands at the holes of it, and its path with their names there."""
    if os.path.isfile(pattern):
        return [(Path(pattern), {}, pattern)]
    if os.path.isdir(pattern):
        raise LabError(f"{shown(pattern)}: is a folder; name its files, as '{shown(pattern).rstrip('/')}/*'")
    holes = HOLE.findall(pattern)
    if wrong := next((one for one in holes if holes.count(one) > 1), ""):
        raise LabError(f"{shown(pattern)!r}: {{{wrong}}} stands in it twice; once will do")
    globs = HOLE.sub("*", pattern)
    paths = [Path(one) for one in sorted(glob.glob(globs, recursive=True)) if os.path.isfile(one)]
    if not paths:
        raise LabError(f"{shown(pattern)!r}: matches no file; {_near(globs)}")
    told = re.compile(_expression(pattern))
    matched = [(path, told.fullmatch(str(path))) for path in paths]
    return [(path, match.groupdict(), _form(match)) for path, match in matched if match]


def _form(match: re.Match) -> str:
    """A path with the names of its holes in place of what stands there."""
    text = match.string
    for name in sorted(match.groupdict(), key=match.start, reverse=True):
        text = f"{text[: match.start(name)]}{{{name}}}{text[match.end(name) :]}"
    return text


def _expression(pattern: str) -> str:
    """A regular expression of a pattern: what a hole or a `*` stands for ends at a slash."""
    parts = re.split(
        r"(\{[a-z_]+\}|\*\*/|\*|\?|\[[^\]]+\])", os.path.normpath(pattern) if "**" not in pattern else pattern
    )
    told = {"**/": r"(?:.*/)?", "*": r"[^/]*", "?": r"[^/]"}
    return "".join(
        f"(?P<{part[1:-1]}>[^/]+)"
        if HOLE.fullmatch(part)
        else told.get(part) or (part.replace("[!", "[^") if part.startswith("[") else re.escape(part))
        for part in parts
    )


def _key(group: str, path: Path, told: Mapping[str, str], form: str) -> tuple[str, str, tuple]:
    """Which session a file is of: (group, name, axes). Without `{run}`, files that differ in their `{part}` alone are
    of one session, all others are sessions of their own. form: as of `_form`."""
    group = told.get("group", group)
    if group and not NAME.fullmatch(group):
        raise LabError(f"{path}: group {shown(group)!r} is not a plain name; use letters, digits, - and _")
    axes = tuple((name, _value(text)) for name, text in told.items() if name not in KEYS)
    for name, _ in axes:
        if not AXIS.fullmatch(name):
            raise LabError(f"{{{name}}}: an axis has a name of small letters and _")
        if name in TAKEN:
            raise LabError(f"{{{name}}}: the tables of a run have a column of that name; call it {{{name}_of_run}}")
    if "run" in told:
        return group, shown(told["run"]), axes
    if "part" in told:
        return group, shown(form), axes
    return group, shown(str(path)), axes


def _value(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else shown(text)


def _each_its_own(made: Sequence[Session]) -> list[Session]:
    """Sessions without a group, each in one that is called as its file."""
    names: list[str] = []
    for one in made:
        stem = re.sub(r"[^\w.-]+", "-", one.files[0].name.split(".")[0]).strip("-._")[:36] or "file"
        name = next(n for n in (stem, *(f"{stem}-{k}" for k in range(2, MOST_FILES + 2))) if n not in names)
        names.append(name)
    return [Session(name, one.name, one.files, one.axes, named=False) for name, one in zip(names, made, strict=True)]


def _once(every: Sequence[Path]) -> None:
    seen: set[str] = set()
    for path in every:
        real = os.path.realpath(path)
        if real in seen:
            raise LabError(f"{path}: is named twice; it counts once")
        seen.add(real)


def _near(pattern: str) -> str:
    """What there is where a pattern looks."""
    folder = Path(pattern.split("*")[0])
    folder = folder if folder.is_dir() else folder.parent
    while not folder.is_dir():
        folder = folder.parent
    try:
        there = sorted(one.name + "/" * one.is_dir() for one in folder.iterdir())
    except OSError:
        there = []
    return f"in {shown(str(folder))} there are: {listed(there)}" if there else f"{shown(str(folder))} is empty"
