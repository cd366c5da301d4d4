"""`run.json`: what a run was measured as, with what and where; its types are checked when it is read."""

from __future__ import annotations

from typing import Any

from pipeline.bundle.schema import Fault, May, by_name, mapping, several, text, whole

MEASURED, FORMAT = 1, 2  # of a run that was measured; up to which runs are read: 2 are imported ones
OWN = "own"  # the kind of a run of somebody's own files


def _place(value: Any) -> Fault:
    """A number of a CPU or of a group of CPUs, a yes or a no, or nothing."""
    return None if value is None or type(value) is bool else whole()(value)


CPU = {
    "model": text,
    "cpus": whole(),
    "hypervisor": text,
    "microcode": text,
    "governor": text,
    "turbo_disabled": text,
    "caches": May(by_name(text)),
    "mitigations": May(by_name(text)),
    "thread_siblings": May(by_name(several(whole()))),
    "topology": May(by_name(several(_place))),
    "topology_doubts": May(several(text)),
}
HOST = {"cpu": mapping(CPU), "io": mapping({"type": text}), "kernel": text, "memory_bytes": whole()}
RUNTIME = {"name": text, "version": text, "vendor": text, "build": May(text)}
RUN = mapping(
    {
        "name": text,
        "profile": text,
        "seed": whole(),
        "created": text,
        "git": text,
        "host": mapping(HOST),
        "tools": May(by_name(text)),  # of older runs: versions of libraries that measured nothing
        "runtimes": by_name(mapping(RUNTIME)),
    }
)


def newer(info: Any) -> bool:
    """Whether `info` is of a format that this version does not know. KeyError or TypeError when it does not say."""
    version = info["format"]
    return not isinstance(version, int) or version > FORMAT


def problem(info: dict[str, Any]) -> str:
    """The first value that is missing or of a wrong type, as `host.cpu: Input should be ...`; empty when all fit."""
    fault = RUN(info)
    return f"{'.'.join(map(str, fault[0]))}: {fault[1]}" if fault else ""
