"""`lab versus`: builds of your program, measured side by side until a difference is known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from pipeline.ground.errors import LabError

app = typer.Typer()


@app.command()
def versus(
    commands: Annotated[list[str], typer.Argument(metavar="NAME=COMMAND...", help="the first is the baseline")],
    minutes: Annotated[float, typer.Option("--minutes", min=0.05, help="at most; what is decided ends earlier")] = 5.0,
    margin: Annotated[str, typer.Option("--margin", help="the same means within, as 5%")] = "5%",
    name: Annotated[str, typer.Option("--as", help="name of the run; the same name goes on with it")] = "",
    more: Annotated[float, typer.Option("--more", min=0, help="with --as: minutes on top of a run that has ended")] = 0,
    metric: Annotated[str, typer.Option("--metric", help="what gets a verdict: time,cpu,memory,p99,...")] = "",
    sweep: Annotated[list[str] | None, typer.Option("--sweep", help="an axis, as threads=1,2,4 for {threads}")] = None,
    value: Annotated[str, typer.Option("--value", help="expression of a number on standard output")] = "",
    more_is_better: Annotated[bool, typer.Option("--more-is-better", help="of --value")] = False,
    expect: Annotated[str, typer.Option("--expect", help="text that every execution must print")] = "",
    prepare: Annotated[str, typer.Option("--prepare", help="a shell command before each execution, untimed")] = "",
    setup: Annotated[str, typer.Option("--setup", help="a shell command before the first execution")] = "",
    cleanup: Annotated[str, typer.Option("--cleanup", help="a shell command after the last execution")] = "",
    warmup: Annotated[int, typer.Option("--warmup", min=0, max=1000, help="executions of each, untimed")] = 1,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="seconds of an execution")] = 60.0,
    cpus: Annotated[str, typer.Option("--cpus", help="programs are pinned to these: 1 or 0,1")] = "",
    unit: Annotated[str, typer.Option("--unit", help="of values written to {out}: ns, us, ms, s")] = "",
    shell: Annotated[bool, typer.Option("--shell", help="commands are for /bin/sh: pipes, variables")] = False,
    folder: Annotated[Path, typer.Option("--dir", help="where commands are run")] = Path(),
    env: Annotated[list[str] | None, typer.Option("--env", help="NAME=VALUE for all; only names are kept")] = None,
    control: Annotated[bool, typer.Option("--control/--no-control", help="the baseline runs twice in a block")] = True,
    git: Annotated[tuple[str, str] | None, typer.Option("--git", help="two revisions; . is the tree as it is")] = None,
    build: Annotated[str, typer.Option("--build", help="with --git: the command that builds each")] = "",
    rebuilds: Annotated[int, typer.Option("--rebuilds", min=1, max=20, help="builds of each; 3 make it a level")] = 1,
    fail_on: Annotated[
        Literal["", "slower", "different", "undecided"], typer.Option("--fail-on", help="end with status 1 on these")
    ] = "",
    form: Annotated[Literal["text", "md", "json"], typer.Option("--format", help="of what is printed")] = "text",
    output: Annotated[Path | None, typer.Option("--output", help="write it there too: $GITHUB_STEP_SUMMARY")] = None,
    title: Annotated[str, typer.Option("--title", help="of the page")] = "",
    page: Annotated[bool, typer.Option("--page/--no-page", help="draw the page and its figures")] = True,
) -> None:
    """Measure two builds of your program in turn, until it is known whether they differ.

    lab versus old='./old --bench' new='./new --bench'
    lab versus old='./old -o {out}' new='./new -o {out}'     a row per benchmark or percentile of what is written
    lab versus a='./bench {threads}' b='./new {threads}' --sweep threads=1,2,4
    lab versus --git main HEAD --build make -- ./bench

    Every block runs each command once in a fresh process, in random order,
    and the first one twice: what that says of itself is the host's answer
    to "nothing changed". Of twenty invocations with nothing changed at most
    one says that something did, over all its rows.
    """
    from pipeline.versus import arguments as asking
    from pipeline.versus import outcome, revisions, versus

    here = folder.resolve()
    if not here.is_dir():
        raise LabError(f"--dir {folder}: no such folder")
    with revisions.built(git, build, commands, here, rebuilds) as made:
        every = made.commands or asking.commands(commands, shell, here)
        asked = asking.Arguments(
            every,
            str(here),
            asking.sweep(sweep or [], every),
            shell,
            value,
            more_is_better,
            expect,
            prepare,
            tuple(one.strip() for one in metric.split(",") if one.strip()),
            _percent(margin),
            timeout,
            asking.cpus(cpus),
            control,
            asking.environment(env or []),
            unit,
            title,
            made.folders,
        )
        length = versus.Length(minutes, more, warmup)
        console = Console(stderr=form != "text", markup=False)
        run = versus.name_of(name, asked)
        with asking.around(setup, cleanup, here):
            versus.measure(asked, run, length, made.named, lambda found: _look(console, found), console, console.print)
    told = outcome.told(run, page, form, console)
    print(told, end="")
    if output:
        with output.open("a", encoding="utf-8") as file:
            file.write(told)
    if fail_on and outcome.fails(run, fail_on):
        sys.exit(1)


def _look(console: Console, found: list) -> None:
    counts = {}
    for one in found:
        for verdict, count in one.counts.items():
            counts[verdict] = counts.get(verdict, 0) + count
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    console.print(f"look: {told or 'nothing yet'}", highlight=False)


def _percent(text: str) -> float:
    try:
        found = float(text.strip().removesuffix("%"))
    except ValueError:
        found = -1.0
    if not 0 < found <= 100:
        raise LabError(f"--margin {text!r}: per cent, as 5%")
    return found
