"""The importer of other tools' files (`take`): they become a run bundle, byte for byte and with all that is needed to
analyse it anywhere."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pipeline.analyse.limits import limits as parsed_limits
from pipeline.bundle import content_id, entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.foreign.names import listed, shown
from pipeline.foreign.reading import Found, Options
from pipeline.ground import durable, paths
from pipeline.ground.errors import LabError
from pipeline.ingest.imported import HARNESS
from pipeline.own import run_info, sessions
from pipeline.own.entry import NAME, entry
from pipeline.own.run_info import Asked
from pipeline.own.sessions import Read
from pipeline.words.numbers import counted, places, quantity

Files = str | Sequence[str] | Mapping[str, str | Sequence[str]]
NAMED = 4  # things that are described
PREFIX = "own-"  # of the name of a run that was given none


def take(
    files: str | Sequence[str] | Mapping[str, str | Sequence[str]], options: Options | None = None, **asked
) -> str:
    """Make a run of files, and give its name; the same files and options make the same bytes.

    files: patterns as on the command line, or a mapping from group to patterns. asked: of `Asked`.
    LabError, one line with the file's name, for what cannot be read, mixed or told apart.
    """
    options, told = options or Options(), Asked(**asked)
    return write(sessions.read(words(files), options, told.format, told.paired), options, told)


def write(read: Sequence[Read], options: Options, asked: Asked) -> str:
    """The bundle of what was read, complete or not at all; its name."""
    limits = parsed_limits(asked.limits)
    _controlled(read, asked.controls)
    paths.runs().mkdir(parents=True, exist_ok=True)
    if asked.name:
        named(asked.name)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=paths.runs()) as scratch:
        part = Path(scratch) / "run"
        made = entry(asked.title or asked.name or "Imported files", [one.found for one in read], limits, _value(read))
        lines = list(_lines(read, part))
        ended = {"event": "finished", "experiment": NAME, "ended_by": "imported", "spent_s": 0.0}
        blocks = len({line["block"] for line in lines})
        planned = {"event": "planned", "experiment": NAME, "overrides": {}, "configurations": _configurations(lines)}
        every = [planned, *lines, ended | {"blocks": blocks}]
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in every)
        (part / journal.FILE).write_text(text, encoding="utf-8")
        info = run_info.of_files(read, options, asked, limits, entries.bring(made, part))
        identity = content_id.content_id(Bundle(part, info))
        name = asked.name or f"{PREFIX}{identity}"
        durable.write(part / "run.json", json.dumps(info | {"name": name}, indent=1, sort_keys=True) + "\n")
        _place(part, name, identity, asked.replace)
    return name


def named(name: str) -> str:
    """The name of a run to be made; LabError for one that is none, and for an archived run's."""
    if paths.bundle(name) == paths.archive(name):
        raise LabError(f"run {name!r} is an archived one; choose another name for --as")
    return name


def _controlled(read: Sequence[Read], globs: Sequence[str]) -> None:
    """LabError for a control that is none of the series."""
    names = list(dict.fromkeys(thing.name for one in read for thing in one.found.things))
    if lost := next((glob for glob in globs if not any(fnmatchcase(name, glob) for name in names)), ""):
        raise LabError(f"--controls {lost!r}: none of the series is called so; there are: {listed(names)}")


def _place(part: Path, name: str, identity: str, replace: bool) -> None:
    """Put a complete bundle where it belongs; LabError where another one is."""
    folder = paths.bundle(name)
    if folder.exists():
        try:
            before = Bundle.open(name)
            if content_id.content_id(before) == identity:
                return
            mine = entries.own(before)
        except LabError:
            mine = False
        if not (replace and mine):
            advice = "choose another name" if not mine else "choose another name, or give --replace"
            raise LabError(f"run {name!r} exists and is of other files or options; {advice}")
        shutil.rmtree(folder)
    os.rename(part, folder)


def words(files: Files) -> list[str]:
    """Files as words of a command line."""
    if isinstance(files, str):
        return [files]
    if isinstance(files, Mapping):
        each = ((group, [one] if isinstance(one, str) else one) for group, one in files.items())
        return [f"{group}={word}" for group, words in each for word in words]
    return list(files)


def described(found: Found) -> str:
    """What a session holds, in a line."""
    told = []
    for thing in found.things[:NAMED]:
        count = sum(window.counts.total for window in found.windows.get(thing, ()))
        measures = (
            f"{one.measure.name} {quantity(one.value, one.measure.unit)}" for one in found.values.get(thing, ())
        )
        parts = [thing.name, places(dict(thing.axes)), counted(count, "value") if count else "", *measures]
        told.append(", ".join(part for part in parts if part))
    more = f"; and {len(found.things) - NAMED} more" if len(found.things) > NAMED else ""
    unit = f"values in {found.unit} ({found.unit_from}): " if found.unit else ""
    return f"{unit}{'; '.join(told)}{more}"


def _lines(read: Sequence[Read], part: Path) -> Iterable[dict[str, Any]]:
    """A journal line for each trial; the files are copied byte for byte below names of our own."""
    raw = Path("raw") / NAME
    (part / raw).mkdir(parents=True)
    number = order = 0
    axes = list(dict.fromkeys(name for one in read for thing in one.found.things for name, _ in thing.axes))
    for one in read:
        files, names = {}, {}
        for path, sha in zip(one.session.files, one.sums, strict=True):
            number += 1
            name = str(raw / f"{number:04d}.{one.format}")
            shutil.copyfile(path, part / name)
            files[name], names[name] = sha, shown(path.name)
        for thing in one.found.things:
            windows = one.found.windows.get(thing, ())
            told, of_file = dict(thing.axes), thing.axes[len(one.session.axes) :]
            yield {
                "trial": f"{one.session.group}-{one.block + 1:04d}-{order:05d}",
                "experiment": NAME,
                "variant": thing.name,
                "runtime": one.session.group,
                "axes": {name: told.get(name) for name in axes},
                "block": one.block,
                "order": order,
                "attempt": 0,
                "status": journal.MEASURED,
                "reason": "",
                "wall_s": float(sum(window.length for window in windows)),
                "files": files,
                "command": [],
                "harness": HARNESS,
                "format": one.format,
                "names": names,
                "session": shown(Path(one.session.name).name),
                "thing": [thing.name, [list(axis) for axis in of_file], thing.trial],
            }
            order += 1


def _configurations(lines: Sequence[Mapping[str, Any]]) -> int:
    return len({(line["variant"], line["runtime"], json.dumps(line["axes"])) for line in lines})


def _value(read: Sequence[Read]) -> str:
    tools = ", ".join(dict.fromkeys(shown(one.found.tool) for one in read))
    return f"One value as recorded by {tools}"
