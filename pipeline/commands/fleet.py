"""`lab fleet`: the same questions on many machines (docs/fleet.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import Json, console

app = typer.Typer(help="Measure on many machines over ssh, and show them next to each other.")

File = Annotated[Path, typer.Argument(help="which machines measure what; six lines in docs/fleet.md")]


def _say(words: str) -> None:
    console.print(words, highlight=False, soft_wrap=True)


@app.command()
def doctor(file: File = Path("fleet.yaml"), as_json: Json = False) -> None:
    """Reach every host: its parcel, JDKs, CPUs, disk, load, governor, and what to do where something is missing."""
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
def push(
    file: File = Path("fleet.yaml"),
    jdks: Annotated[
        str, typer.Option("--jdks", help="home:home of those that go along, or none; empty: all that are found here")
    ] = "",
) -> None:
    """Copy what measures, one file, to every host that does not have it as it is here; nothing is built there."""
    from pipeline.fleet import config, hosts
    from pipeline.fleet import push as pushing

    fleet = config.load(file)
    answers = dict(zip(fleet.hosts_by_name, hosts.ask(fleet.hosts), strict=True))
    for name in (name for name, answer in answers.items() if hosts.pushed(answer)):
        _say(f"{name}: has it")
    failed = [f"{name}: {answer.why}" for name, answer in answers.items() if not answer.reached]
    lacking = [name for name, answer in answers.items() if answer.reached and not hosts.pushed(answer)]
    if lacking:
        members = [fleet.hosts_by_name[name] for name in lacking]
        failed += pushing.push(members, pushing.parcel(jdks, _say), _say)
    for line in failed:
        typer.echo(line, err=True)
    if failed:
        raise typer.Exit(1)


@app.command()
def run(file: File = Path("fleet.yaml"), as_json: Json = False) -> None:
    """Measure on all hosts, one trial at a time on each; Ctrl-C at any moment, the same command continues."""
    from pipeline.fleet import config, coordinate

    status = coordinate.run(config.load(file), str(file), console, as_json)
    if status:
        raise typer.Exit(status)


@app.command()
def report(name: Annotated[str, typer.Argument(help="name of the fleet, or its file")] = "fleet.yaml") -> None:
    """Write the pages of what was gathered (build/fleet/NAME): what differs, claims and headlines by host."""
    from pipeline.fleet import config
    from pipeline.fleet import report as reporting

    _say(f"Page: {reporting.write(config.name_of(name))}")
