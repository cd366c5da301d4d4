"""What the commands of `lab` share: their options, the console, and which experiments are meant."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from pipeline.ground.errors import LabError

if TYPE_CHECKING:
    from pipeline.session.sampling_targets import Deciding

console = Console(markup=False)  # brackets are intervals

RunName = Annotated[str, typer.Option("--run", help="name of the run")]
ProfileName = Annotated[str, typer.Option("--profile", help="smoke, quick or full")]
Experiments = Annotated[str, typer.Option("--experiments", help="comma-separated names; empty: all")]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", help="only these: NAME=VALUE[,VALUE], NAME metric, variant, runtime or an axis; repeatable"
    ),
]
Measured = Annotated[
    list[str] | None,
    typer.Option(
        "--where", help="measure only these: NAME=VALUE[,VALUE], NAME variant, runtime or an axis; repeatable"
    ),
]
Wait = Annotated[
    float, typer.Option("--wait", min=0, help="minutes to wait for a quiet host before measuring; 0: measure at once")
]
More = Annotated[
    str, typer.Option("--more", help="minutes to measure on what is undecided; empty: once, 5 in quick, 30 in full")
]
Claims = Annotated[str, typer.Option("--claims", help="with --more, only for these: comma-separated ids; empty: all")]
Until = Annotated[
    bool,
    typer.Option(
        "--until-decided",
        help="go on while an open verdict has an even chance, --more minutes at most; few long sittings decide more "
        "than many short ones, for each look halves the error that it may make",
    ),
]
Preview = Annotated[
    Literal["yes", "no"],
    typer.Option("--preview", help="draw a first report when what the answers need is measured once"),
]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]


def deciding(more: str, claims: str, until_decided: bool) -> Deciding:
    """How long to sit for what; LabError for minutes that are none."""
    from pipeline.session.sampling_targets import Deciding

    try:
        minutes = float(more) if more else None
    except ValueError:
        minutes = -1.0
    if minutes is not None and not 0 <= minutes < math.inf:
        raise LabError(f"--more {more!r} (MORE): minutes, as 10")
    if until_decided and not minutes:
        raise LabError("--until-decided: say for how many minutes at most, as --more 30")
    return Deciding(minutes, [name.strip() for name in claims.split(",") if name.strip()], until_decided)


def names_of(experiments: str) -> list[str]:
    """The experiments named, each once, or all of the catalogue; LabError for an unknown name."""
    from pipeline.catalogue import catalogue

    wanted = dict.fromkeys(name.strip() for name in experiments.split(",") if name.strip())
    return [catalogue.experiment(name).name for name in wanted] or list(catalogue.load())


def held_of(run: str, experiments: str) -> list[str]:
    """The experiments that a run holds, all or those named, those too of which its host left nothing to measure;
    LabError when it holds none of a name."""
    from pipeline.bundle import entries, journal
    from pipeline.bundle.bundle import Bundle

    bundle = Bundle.open(run)
    held = journal.reported(bundle.journal())
    names = names_of(experiments) if not entries.own(bundle) else [*entries.of(bundle)]
    if missing := [name for name in names if name not in held and experiments.strip(", ")]:
        raise LabError(f"run {run!r} holds no trial of {missing[0]}; it holds: {', '.join(sorted(held)) or 'none'}")
    if not held.intersection(names):
        raise LabError(f"run {run!r} holds no trial; measure it with: make report RUN={run}")
    return [name for name in names if name in held]


def profile_of(run: str) -> str:
    """The profile that a run was measured with."""
    from pipeline.bundle.bundle import Bundle

    return Bundle.open(run).info["profile"]


def read_beforehand(asked: Iterable[tuple[str, str]]) -> None:
    """Have the metrics of (run, experiment) computed by all CPUs; on standard error what is done so far."""
    from pipeline.analyse import precompute

    precompute.metrics(asked, lambda line: typer.echo(line, err=True))
