"""A small shared file, and the same file with something in it changed: what an import must refuse or take whole.

The file is what `lab share` writes of the first trials of two experiments of the archived run. A change is made in one
of LAYERS, from the outermost to the innermost, and whatever lies around it is made right again: a forger would do so.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import hostile
import shared
from shared import EXPERIMENTS

from pipeline.bundle import journal, packed
from pipeline.collection import share
from pipeline.ground import paths

JOURNAL = f"{journal.FILE}.tar.xz"
TRIALS = 6  # of each
LAYERS = ("stream", "tar", "text", "value", "archive", "raw")
VALUES = (None, True, 0, -1, 1, 0.5, 1e308, 2**62, 10**30, "", "a", "../a", "a\nb", "<b>", "$\\frac", "jdk25", [], {})
VALUES += ([[]], {"a": 1}, "0" * 64, "x" * 999, "x" * 1001, "1", "NaN", "\u202e", "ä")


@dataclass(frozen=True)
class Given:
    """Members of a shared file by name, and what is in them: lines of the journal, raw files by experiment."""

    members: Mapping[str, bytes]
    journal: list[bytes]
    raw: Mapping[str, Mapping[str, bytes]]

    @property
    def file(self) -> bytes:
        return hostile.of(self.members)


def small() -> Given:
    """The file of TRIALS of each of EXPERIMENTS; while it is made, a run `given` lies among the runs."""
    folder, seen = shared.bundle(paths.bundle("given")), Counter()
    try:
        lines = (folder / journal.FILE).read_text(encoding="utf-8").splitlines(keepends=True)
        with (folder / journal.FILE).open("w", encoding="utf-8") as out:
            for line in lines:
                told = json.loads(line)
                seen[name := told["experiment"]] += "trial" in told
                if "trial" not in told or seen[name] <= TRIALS:
                    out.write(line)
        members = share.pack(folder.name, label="Small").members
        raw = {}
        for name in (JOURNAL, *(f"{one}.tar.xz" for one in EXPERIMENTS)):
            (opened := folder / f"shared-{name}").write_bytes(members[name])
            raw[name.removesuffix(".tar.xz")] = dict(packed.unpack(opened)[0])
    finally:
        shutil.rmtree(folder)
    return Given(members, raw.pop(journal.FILE)[journal.FILE].splitlines(), raw)


def changed(given: Given, number: int) -> tuple[str, bytes]:
    """The layer of a change, and the file that has it: the same of the same number."""
    chance, layer = random.Random(f"24/{number}"), LAYERS[number % len(LAYERS)]
    if layer == "stream":
        return layer, _bytes(given.file, chance)
    if layer == "tar":
        return layer, gzip.compress(_bytes(_tar(given.members), chance), 1, mtime=0)
    experiment = chance.choice(EXPERIMENTS)
    if layer == "archive":
        others = {f"{experiment}.tar.xz": lzma.compress(_bytes(_tar(given.raw[experiment]), chance), preset=0)}
    elif layer == "raw":
        others = _forged(given, experiment, chance)
    else:
        others = _said(given, _bytes if layer == "text" else _value, chance)
    return layer, hostile.of({**given.members, **others})


def _said(given: Given, change: Callable[[bytes, random.Random], bytes], chance: random.Random) -> dict[str, bytes]:
    """run.json or a line of the journal, changed."""
    if chance.random() < 0.5:
        return {share.RUN: change(given.members[share.RUN], chance)}
    lines = list(given.journal)
    at = chance.randrange(len(lines))
    lines[at] = change(lines[at], chance)
    return {JOURNAL: _journal(lines)}


def _bytes(content: bytes, chance: random.Random) -> bytes:
    """With bits turned, and bytes cut, doubled or exchanged, at one place or some."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 3, 20))):
        at = chance.randrange(min(len(changed), chance.choice((600, 4000, len(changed)))) or 1)
        how, size = chance.randrange(4), chance.choice((1, 1, 8, 512))
        if how == 0 and changed:
            changed[at] ^= 1 << chance.randrange(8)
        elif how == 1:
            del changed[at : at + size]
        elif how == 2:
            changed[at:at] = changed[at : at + size]
        else:
            changed[at : at + size] = chance.randbytes(size)
    return bytes(changed)


def _value(text: bytes, chance: random.Random) -> bytes:
    """With one value of a JSON text in another's place, gone, or one of VALUES."""
    told = json.loads(text)
    places: list[tuple[Any, Any]] = []
    waiting = [told]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one))
        places += [(one, key) for key in keys]
        waiting += [one[key] for key in keys if isinstance(one[key], (dict, list))]
    holder, key = chance.choice(places)
    how = chance.randrange(4)
    if how == 0:
        del holder[key]
    elif how == 1:
        other, at = chance.choice(places)
        holder[key] = json.loads(json.dumps(other[at]))
    else:
        holder[key] = chance.choice(VALUES)
    return json.dumps(told).encode()


def _forged(given: Given, experiment: str, chance: random.Random) -> dict[str, bytes]:
    """With one raw file of an experiment changed, in an archive of plain files, and all their sums right."""
    files = dict(given.raw[experiment])
    name = chance.choice(sorted(files))
    change = _value if name.endswith(".json") and chance.random() < 0.7 else _bytes
    files[name] = change(files[name], chance)
    lines = [json.loads(line) for line in given.journal]
    for line in lines:
        if line.get("experiment") == experiment and "files" in line:
            line["files"] = {one: hashlib.sha256(files[one]).hexdigest() for one in line["files"]}
    return {f"{experiment}.tar.xz": _packed(files), JOURNAL: _journal(json.dumps(line).encode() for line in lines)}


def _journal(lines: Iterable[bytes]) -> bytes:
    return _packed({journal.FILE: b"".join(line + b"\n" for line in lines)})


def _packed(files: Mapping[str, bytes]) -> bytes:
    return hostile.inner(hostile.plain(name, content) for name, content in files.items())


def _tar(files: Mapping[str, bytes]) -> bytes:
    return hostile.tar(hostile.plain(name, content) for name, content in files.items())
