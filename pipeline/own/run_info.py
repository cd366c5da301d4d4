"""run.json of a run that is made of files: what was asked of them, and all that is known of where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pipeline.bundle import run_file
from pipeline.foreign.names import shown
from pipeline.foreign.reading import Options
from pipeline.host.kernel_file import UNKNOWN
from pipeline.own import deduplicate
from pipeline.own.sessions import Read

SEED = 1  # of the intervals that are resampled: the same files give the same numbers


@dataclass(frozen=True)
class Asked:
    """What is asked of files beside what they are. limits: `99.9: 10 ms, 99: 2 ms`; controls: globs of variants that
    the change cannot reach; loop: open or closed, how the load was made; host: what it ran on; format: where it is not
    recognised; replace: whether a run of that name gives way."""

    name: str = ""
    format: str = ""
    limits: str = ""
    paired: bool = False
    controls: tuple[str, ...] = ()
    loop: str = ""
    host: str = ""
    title: str = ""
    replace: bool = False


def of_run(options: Options, **told: Any) -> dict[str, Any]:
    """`own` of run.json: what is to be known of a run that brings its entry; all that is not told is none."""
    none = {"limits": [], "controls": [], "loop": "", "units": [], "corrected": [], "notes": [], "bounds": False}
    return none | {"options": options.told()} | told


def of_files(
    read: Sequence[Read], options: Options, asked: Asked, limits: Sequence[tuple[float, float]], sha256: str
) -> dict[str, Any]:
    """run.json: nothing in it depends on when or where the files were imported."""
    begun = [one.found.begun for one in read if one.found.begun is not None]
    runtimes = {}
    for one in read:
        about = one.found.facts.get("version", "")
        runtimes.setdefault(one.session.group, f"{shown(one.found.tool)} {shown(about)}".strip())
    loops = {one.found.loop for one in read}
    notes = list(dict.fromkeys(note for each in deduplicate.notes(read) for note in each))
    corrected = sorted({name for one in read for name in one.found.corrected})
    own = of_run(
        options,
        limits=[list(one) for one in limits],
        paired=asked.paired,
        compared=len(runtimes) > 1 and all(one.session.named for one in read),
        controls=list(asked.controls),
        loop=asked.loop or (loops.pop() if len(loops) == 1 else ""),
        title=shown(asked.title or asked.name),
        formats=sorted({one.format for one in read}),
        tools=sorted({shown(one.found.tool) for one in read}),
        units=sorted({f"{one.found.unit}: {one.found.unit_from}" for one in read if one.found.unit}),
        corrected=corrected,
        notes=notes,
        bounds=any(one.found.bounds for one in read),
    )
    return {
        "format": run_file.FORMAT,
        "kind": run_file.OWN,
        "name": "",
        "profile": "quick",
        "seed": SEED,
        "created": datetime.fromtimestamp(min(begun), UTC).isoformat(timespec="seconds") if begun else "",
        "git": "",
        "host": _host(shown(asked.host)),
        "tools": {},
        "runtimes": {
            name: {"name": name, "version": told, "vendor": "", "build": told} for name, told in runtimes.items()
        },
        "own": own,
        "entry": sha256,
    }


def _host(told: str) -> dict[str, Any]:
    """The host as far as it is known: what the user says of it."""
    unknown = ("microcode", "governor", "turbo_disabled", "hypervisor", "smt", "idle_driver")
    cpu = {"model": UNKNOWN, "cpus": 0} | dict.fromkeys(unknown, UNKNOWN)
    return {"told": told, "cpu": cpu, "io": {"type": UNKNOWN}, "kernel": UNKNOWN, "memory_bytes": 0}
