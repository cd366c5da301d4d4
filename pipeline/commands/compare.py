"""`lab compare`: did anything change, and how sure is that?"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from pipeline.commands.options import Experiments, Where, read_beforehand
from pipeline.ground.errors import LabError

app = typer.Typer()

Side = Annotated[str, typer.Argument(help="RUN[:RUNTIME], or several with commas: repeated runs of one side")]


@app.command()
def compare(
    before: Side,
    after: Side,
    experiments: Experiments = "",
    where: Where = None,
    margin: Annotated[float, typer.Option("--margin", help="percent that count as the same")] = 5.0,
    every: Annotated[bool, typer.Option("--all", help="list every row, and geometric means by experiment")] = False,
    facts: Annotated[bool, typer.Option("--facts", help="list all facts of both sides, equal ones too")] = False,
    any_parameters: Annotated[
        bool, typer.Option("--any-parameters", help="compare also what was measured with other parameters")
    ] = False,
    form: Annotated[Literal["text", "md", "csv", "json"], typer.Option("--format", help="of what is printed")] = "text",
    pages: Annotated[bool, typer.Option("--pages", help="write a page with figures below build/compare/")] = False,
    fail_on: Annotated[
        str, typer.Option("--fail-on", help="end with status 1 when a row has one of these verdicts: slower,higher,...")
    ] = "",
) -> None:
    """Compare two runs, two runtimes of one run, or repeated runs per side.

    lab compare before after              one run on each side
    lab compare quick:jdk17 quick:jdk25   two runtimes of one run, paired by block: the strongest comparison
    lab compare a1,a2 b1,b2               repeated runs: measure A1 B1 A2 B2

    The headline metrics, unless --where metric=NAME names others.
    """
    from pipeline.compare import export, text, verdicts
    from pipeline.compare.comparison import Comparison

    failing = [name.strip() for name in fail_on.split(",") if name.strip()]
    if unknown := [name for name in failing if name not in verdicts.ORDER]:
        raise LabError(f"--fail-on {unknown[0]}: no such verdict; use: {', '.join(verdicts.ORDER)}")
    names = list(dict.fromkeys(name.strip() for name in experiments.split(",") if name.strip()))
    chosen = _chosen(where or [])
    metrics = list(dict.fromkeys(name for text in chosen.pop("metric", []) for name in text.split(",")))
    found = Comparison(
        before, after, names, metrics=metrics, where=chosen, margin=margin, any_parameters=any_parameters
    )
    read_beforehand((run.bundle.name, entry.name) for side in found.runs for run in side for entry in found.entries)
    found.require()
    if form == "json":
        typer.echo(export.as_json(found), nl=False)
    elif form == "csv":
        typer.echo(export.csv(found), nl=False)
    else:
        told = text.plain if form == "text" else text.markdown
        typer.echo(told(found, every, facts), nl=False)
    if pages:
        from pipeline.compare import pages as writing

        typer.echo(f"Page: {writing.write(found)}", err=form != "text")
    if any(found.counts.get(name) for name in failing):
        raise typer.Exit(1)


def _chosen(words: list[str]) -> dict[str, list[str]]:
    """The texts of `NAME=VALUE[,VALUE]` words by name; a name that comes again adds its own."""
    chosen: dict[str, list[str]] = {}
    for word in words:
        name, _, text = word.partition("=")
        if not name or not text:
            raise LabError(f"{word!r} is not NAME=VALUE with NAME metric, variant, runtime or an axis")
        chosen.setdefault(name, []).append(text)
    return chosen
