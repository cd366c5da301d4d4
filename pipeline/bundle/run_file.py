"""`run.json`: what a run was measured as, with what and where; its types are checked when it is read."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

MEASURED, FORMAT = 1, 2  # of a run that was measured; up to which runs are read: 2 are imported ones
OWN = "own"  # the kind of a run of somebody's own files


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)


class _Cpu(_Part):
    model: str
    cpus: int
    hypervisor: str
    microcode: str
    governor: str
    turbo_disabled: str
    caches: dict[str, str] = {}
    mitigations: dict[str, str] = {}
    thread_siblings: dict[str, list[int]] = {}
    topology: dict[str, list[int | bool | None]] = {}
    topology_doubts: list[str] = []


class _Files(_Part):
    type: str


class _Host(_Part):
    cpu: _Cpu
    io: _Files
    kernel: str
    memory_bytes: int


class _Runtime(_Part):
    name: str
    version: str
    vendor: str
    build: str = ""


class _Run(_Part):
    name: str
    profile: str
    seed: int
    created: str
    git: str
    host: _Host
    tools: dict[str, str] = {}
    runtimes: dict[str, _Runtime]


def newer(info: Any) -> bool:
    """Whether `info` is of a format that this version does not know. KeyError or TypeError when it does not say."""
    version = info["format"]
    return not isinstance(version, int) or version > FORMAT


def problem(info: dict[str, Any]) -> str:
    """The first value that is missing or of a wrong type, as `host.cpu: Input should be ...`; empty when all fit."""
    try:
        _Run.model_validate(info)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return ""
