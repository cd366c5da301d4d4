"""The lines of a journal as types: what this version relies on is checked when a line is read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Scalar = int | float | str | bool
Status = Literal["measured", "unsupported", "check_failed", "no_resources", "bad_argument", "crashed", "timeout"]


class _Line(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)


class Noise(_Line):
    model_config = ConfigDict(allow_inf_nan=False)

    steal_pct: float
    psi_pct: float
    voluntary: int
    involuntary: int
    floor_before_ns: float = Field(gt=0)
    floor_after_ns: float
    cycle_ns: float
    hiccup_p99_ns: float
    hiccup_max_ns: float
    foreign_pct: float = 0.0  # an old run lacks these
    foreign_error_pct: float = 0.0
    cpus_steal_pct: float = 0.0  # and a trial that names no CPUs these
    cpus_foreign_pct: float = 0.0
    cpus_error_pct: float = 0.0
    sibling_foreign_pct: float = 0.0  # or whose CPUs have no siblings
    run_delay_pct: float = 0.0  # or whose kernel does not tell
    quota_cpus: float = Field(default=1.0, gt=0)  # where the process had a quota of CPU time, these two
    throttled_pct: float = 0.0


Quartiles = Annotated[list[float], Field(min_length=3, max_length=3)]


class Readings(_Line):
    """Over the gaps between iterations: `pipeline.bundle.readings`."""

    model_config = ConfigDict(allow_inf_nan=False)

    word_ns: Quartiles | None = None
    word_most_ns: Quartiles | None = None
    width: Quartiles
    chain_ns: Quartiles


class _Part(_Line):
    command: list[str]
    exit: int


class _Trial(_Line):
    trial: str
    experiment: str
    variant: str
    runtime: str
    axes: dict[str, Scalar | None]
    block: int
    order: int
    attempt: int
    sitting: int | None = None  # of a sitting its number; a whole block has none
    status: Status
    reason: str
    wall_s: float
    took_s: float = 0.0
    cpus: list[int] = []  # an older line has them in its command alone, and no distance
    distance: str = ""
    node: int | None = None  # on a host of several
    noise: Noise | None = None
    readings: Readings | None = None  # of workers that have a CPU each
    files: dict[str, str] = {}
    parts: dict[str, _Part] = {}  # other than the main one


class _Planned(_Line):
    event: Literal["planned"]
    experiment: str
    overrides: dict[str, Any]
    configurations: int
    left_out: list[str] = []


class Finished(_Line):
    event: Literal["finished"]
    experiment: str
    ended_by: Literal["precision", "budget", "blocks", "left_out", "imported", "decided"]
    blocks: int
    spent_s: float


class _Minutes(_Line):
    event: Literal["minutes"]
    minutes: float = Field(gt=0)


class _Look(_Line):
    event: Literal["look"]
    experiment: str
    blocks: int = Field(ge=1)
    error: float = Field(gt=0, lt=1)  # of all rows together
    among: int = Field(ge=1)  # rows that share it
    early: bool = False


class _HostChanged(_Line):
    event: Literal["host_changed"]
    at: str
    changes: dict[str, Annotated[list[str], Field(min_length=2, max_length=2)]]  # before, after


class _Process(_Line):
    name: str
    pid: int
    pct: float


class _HostBusy(_Line):
    event: Literal["host_busy"]
    at: str
    pct: float
    processes: list[_Process]


class _Deciding(_Line):
    event: Literal["deciding"]
    minutes: float = Field(ge=0)


class _Sitting(_Line):
    event: Literal["sitting"]
    number: int = Field(ge=2)
    at: str
    minutes: float = Field(gt=0)
    rounds: int = Field(ge=1)
    verdicts: list[Annotated[list[str], Field(min_length=2, max_length=2)]]  # claim, runtime
    left_out: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []
    configurations: dict[str, list[str]]
    fill: list[Annotated[list[str | list[str]], Field(min_length=2, max_length=2)]] = []  # experiment, keys


class _Sat(_Line):
    event: Literal["sat"]
    number: int = Field(ge=2)
    rounds: int
    spent_s: float


EVENTS = {"planned": _Planned, "finished": Finished, "host_changed": _HostChanged, "host_busy": _HostBusy}
EVENTS |= {"deciding": _Deciding, "sitting": _Sitting, "sat": _Sat, "look": _Look, "minutes": _Minutes}
CHECKS = {name: TypeAdapter(model) for name, model in {**EVENTS, "trial": _Trial}.items()}
