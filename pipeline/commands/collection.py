"""Commands for runs of many hosts: give one away, see all, and where this one stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import Experiments, console, names_of
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted, quantity

app = typer.Typer()
MANY = 4  # files of which an import starts workers: they take a few seconds to start

Run = Annotated[str, typer.Argument(help="name of the run")]
HostsWhere = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        help="only hosts with NAME=VALUE[,VALUE], NAME vendor, virtualised (yes, no), origin, jdk (25) or noisy (a "
        "limit in percent); repeatable",
    ),
]


@app.command()
def share(
    run: Run = "quick",
    by: Annotated[str, typer.Option("--by", help="your name, as it shall be shown; empty: none")] = "",
    label: Annotated[str, typer.Option("--label", help="the machine, as it shall be called; empty: its CPU")] = "",
    note: Annotated[str, typer.Option("--note", help="a sentence of yours about it")] = "",
    experiments: Experiments = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="agree to what it says of the machine, and to the licence")
    ] = False,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="not to give away: all of it as it was measured, for another machine of yours"),
    ] = False,
) -> None:
    """Write a run as one file to give away (build/share), and say first what it tells about this machine."""
    from pipeline.collection import share as sharing

    if whole:
        if by or label or note or experiments.strip(", "):
            raise LabError("--whole writes a run as it is: without --by, --label, --note and --experiments")
        written = sharing.write_whole(run)
        size = quantity(written.stat().st_size, "bytes")
        console.print(f"{written} ({size}): there, lab import {written.name}", highlight=False, soft_wrap=True)
        return
    chosen = names_of(experiments) if experiments.strip(", ") else []
    parcel = sharing.pack(run, chosen, by=by, label=label, note=note)
    for line in parcel.told:
        console.print(line, highlight=False, soft_wrap=True)
    if not yes and not _agreed(f"Write this, for anybody to use under {sharing.LICENCE}?"):
        raise LabError("nothing was written; --yes agrees")
    path = parcel.write(sharing.folder())
    size = quantity(path.stat().st_size, "bytes")
    console.print(f"{path} ({size}): attach it to an issue of the Lab", highlight=False, soft_wrap=True)


def _agreed(question: str) -> bool:
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:  # nobody is there to answer
        return False


@app.command()
def collection(
    run: Annotated[
        list[str] | None, typer.Option("--run", help="a run measured here to show with them; repeatable")
    ] = None,
    where: HostsWhere = None,
) -> None:
    """Show all hosts together: those that come with the Lab, contributed ones, and this one (build/collection)."""
    from pipeline.collection import hosts, pages

    found = hosts.chosen(hosts.every(run or []), where or [])
    marked = [host.label for host in found if host.origin == hosts.HERE]
    console.print(f"{counted(len(found), 'run')} of {counted(len(hosts.machines(found)), 'host')}", highlight=False)
    console.print(f"Page: {pages.write(found, marked)}", highlight=False, soft_wrap=True)


@app.command()
def place(run: Run = "quick", where: HostsWhere = None) -> None:
    """Say where this host stands among others of its kind, and what is odd about it: at most ten sentences."""
    from pipeline.bundle import content_id
    from pipeline.bundle.bundle import Bundle
    from pipeline.collection import hosts
    from pipeline.collection import place as placing

    identity = content_id.content_id(Bundle.open(run))
    every = hosts.every([] if paths.is_archived(run) else [run])
    mine = next((host for host in every if host.run == run or host.id == identity), None) or hosts.of_run(run)
    others = [host for host in hosts.chosen(every, where or []) if host.id != mine.id]
    standing, *odd = placing.told(mine, others)
    console.print(standing, highlight=False, soft_wrap=True)
    for number, sentence in enumerate(odd, 1):
        console.print(f"{number:2}  {sentence}", highlight=False, soft_wrap=True)
    if not odd:
        console.print("Nothing is odd about it.", highlight=False)


def shared(words: Sequence[str]) -> list[Path]:
    """The files among the words of a command line, or in folders among them, if any begins as a shared run does."""
    named = [Path(word) for word in words]
    files = [one for path in named for one in (sorted(path.iterdir()) if path.is_dir() else [path]) if one.is_file()]
    from pipeline.collection import imports

    return files if any(imports.recognise(file) for file in files) else []


def take(files: Sequence[Path], dry_run: bool, workers: int | None, scheduler: str) -> None:
    """Import runs that others shared: every byte is checked, every trial ingested anew."""
    from pipeline.collection import imports

    if unknown := [file for file in files if not imports.recognise(file)]:
        raise LabError(f"{unknown[0]}: no run that lab share wrote, unlike others that are given; import it alone")
    status = 0
    for outcome in imports.import_runs(files, dry_run=dry_run, by=_preparing(len(files), workers, scheduler)):
        word = "" if outcome.state == imports.HERE else f"{outcome.state} "
        told = f"{outcome.run}: {outcome.sentence}" if outcome.state == imports.IMPORTED else outcome.sentence
        console.print(f"{outcome.file.name}: {word}{told}", highlight=False, soft_wrap=True)
        status = 4 if outcome.state == imports.REFUSED else status
    if status:
        raise typer.Exit(status)


def _preparing(files: int, workers: int | None, scheduler: str) -> Callable:
    """Who prepares so many files: this process where they are few, where --workers is 0, or without Dask."""
    from pipeline.collection import imports

    if scheduler and workers is not None:
        raise LabError("--scheduler and --workers: whose workers is one of the two")
    if workers == 0 or (workers is None and not scheduler and files < MANY):
        return imports.in_turn
    from pipeline.collection import dask_workers
    from pipeline.host import cpus

    if scheduler:
        return dask_workers.scheduler(scheduler)
    if workers is None and (len(cpus.usable()) < 2 or not dask_workers.installed()):
        return imports.in_turn
    return dask_workers.workers(workers or len(cpus.usable()))
