"""A parcel of the Lab as it is here goes to the hosts that lack it; nothing is built there."""

from __future__ import annotations

import asyncio
import json
import shlex
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.fleet import connection, hosts
from pipeline.fleet.config import Host
from pipeline.ground import durable, paths
from pipeline.host import runtimes
from pipeline.parcel import contents, packing
from pipeline.words.numbers import quantity

AT_ONCE = 8
# Arrives under another name, so that a cut copy is none; unpacks itself, says what the host is, and is not needed then.
UNPACK = f"""
mkdir -p "$1" && cd "$1" && cat > ".$2.part" && mv ".$2.part" "$2" && sh "$2" fleet hello &&
ln -sfn "${{2%.run}}" {connection.CURRENT} && rm "$2"
"""
Say = Callable[[str], None]


def parcel(jdks: str, say: Say) -> Path:
    """The parcel of what is here, with these JDKs (`pipeline.parcel.jdks.chosen`; `none`): the one that was made last
    if it still is, else a new one. LabError as `contents.collect`."""
    folder = paths.build() / "fleet"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / "parcel.json"
    found = {} if jdks == "none" else {name: one.public() for name, one in runtimes.jdks().items()}
    asked = {"revision": contents.revision(), "jdks": jdks, "found": found}
    if stamp.exists():
        told = json.loads(stamp.read_text(encoding="utf-8"))
        if told["asked"] == asked and (file := folder / told["file"]).exists():
            return file
    say("Making the parcel ...")
    for old in folder.glob("lab-*.run"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="making-", dir=folder) as scratch:
        held = contents.collect(jdks, Path(scratch), say)
        file = packing.write(held.files, held.about, None, folder)
    durable.write(stamp, json.dumps({"asked": asked, "file": file.name}) + "\n")
    return file


def push(members: Sequence[Host], file: Path, say: Say) -> list[str]:
    """Copy a parcel to hosts, several at once, and unpack it there; why each one that failed has not got it."""

    async def every() -> list[str]:
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(host: Host) -> str:
            async with turn:
                return await _one(host, file, say)

        return await asyncio.gather(*map(one, members))

    return [why for why in asyncio.run(every()) if why]


async def _one(host: Host, file: Path, say: Say) -> str:
    text = f"exec sh -c {shlex.quote(UNPACK)} sh {shlex.quote(host.root)} {shlex.quote(file.name)}"
    say(f"{host.name}: {quantity(file.stat().st_size, 'bytes')} ...")
    found = hosts.answer(host, *await connection.asked(connection.remote(host, text), given=file))
    if not found.facts:
        return f"{host.name}: not pushed: {found.why}"
    say(f"{host.name}: ready")
    return ""
