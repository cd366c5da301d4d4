"""`lab fleet`: the same questions on many machines (docs/fleet.md)."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import Json, console
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted

app = typer.Typer(help="Measure on many machines over ssh, or on a Dask cluster, and show them next to each other.")

File = Annotated[Path, typer.Argument(help="which machines measure what; six lines in docs/fleet.md")]


def _say(words: str) -> None:
    console.print(words, highlight=False, soft_wrap=True)


@app.command()
def doctor(file: File = Path("fleet.yaml"), as_json: Json = False) -> None:
    """Reach every host: revision, JDKs, CPUs, disk, load, governor, and what to do where something is missing."""
    from pipeline.fleet import config, hosts

    fleet = config.load(file)
    answers = hosts.ask(fleet.hosts)
    if as_json:
        print(json.dumps({one.name: dict(one.facts) or {"why": one.why} for one in answers}))
    else:
        for one in answers:
            for line in hosts.told(one, str(file)):
                _say(line)
    if not all(hosts.pushed(one) for one in answers):
        raise typer.Exit(1)


@app.command()
def push(file: File = Path("fleet.yaml")) -> None:
    """Copy this checkout to every host that does not have it as it is here, and build it there."""
    from pipeline.fleet import config, hosts
    from pipeline.fleet import push as pushing

    fleet = config.load(file)
    failed, content = [], b""
    for host, answer in zip(fleet.hosts, hosts.ask(fleet.hosts), strict=True):
        if hosts.pushed(answer):
            _say(f"{host.name}: has it")
        elif not answer.reached:
            failed.append(f"{host.name}: {answer.why}")
        else:
            content = content or pushing.parcel()
            try:
                pushing.push(host, content, paths.build() / "fleet" / f"push-{host.name}.log", console)
            except LabError as error:
                failed.append(str(error))
    for line in failed:
        typer.echo(line, err=True)
    if failed:
        raise typer.Exit(1)


@app.command()
def run(
    file: File = Path("fleet.yaml"),
    scheduler: Annotated[
        str, typer.Option("--scheduler", help="address or scheduler file of a Dask cluster, in place of ssh")
    ] = "",
    as_json: Json = False,
) -> None:
    """Measure on all hosts, one trial at a time on each; Ctrl-C at any moment, the same command continues."""
    from pipeline.fleet import config

    fleet = config.load(file, with_hosts=not scheduler)
    if find_spec("distributed") is None:
        raise LabError("lab fleet run needs Dask; install it with: make .venv/.ready-fleet", 5)
    from pipeline.fleet import coordinate

    status = coordinate.run(fleet, str(file), scheduler, console, as_json)
    if status:
        raise typer.Exit(status)


@app.command()
def report(name: Annotated[str, typer.Argument(help="name of the fleet, or its file")] = "fleet.yaml") -> None:
    """Write the pages of what was gathered (build/fleet/NAME): what differs, claims and headlines by host."""
    from pipeline.fleet import config
    from pipeline.fleet import report as reporting

    _say(f"Page: {reporting.write(config.name_of(name))}")


@app.command()
def stop(file: File = Path("fleet.yaml")) -> None:
    """End the workers that a lost connection left on the hosts."""
    from pipeline.fleet import config, hosts

    failed = False
    for one in hosts.ended(config.load(file).hosts):
        failed = failed or bool(one.why)
        _say(f"{one.name}: {one.why or counted(one.facts['ended'], 'worker') + ' ended'}")
    if failed:
        raise typer.Exit(1)
