"""Commands that print what is planned, held or found, and change nothing; one of them reads other people's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from pipeline.commands import options
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted

app = typer.Typer()


@app.command()
def plan(
    profile: options.ProfileName = "quick",
    experiments: options.Experiments = "",
    where: options.Measured = None,
    as_json: options.Json = False,
) -> None:
    """List the configurations a profile measures here, and how long that takes."""
    from pipeline.bundle.bundle import Bundle
    from pipeline.catalogue import catalogue
    from pipeline.ground import paths
    from pipeline.host import runtimes
    from pipeline.measure import duration
    from pipeline.plan import plan as planning
    from pipeline.plan.overrides import Overrides

    available = runtimes.all_runtimes()
    rows, left_out, plans = [], [], []
    for name in options.names_of(experiments):
        entry = catalogue.experiment(name)
        made = planning.make(entry, profile, available, Overrides.of(entry, where or ()))
        plans.append(made)
        for c in made.configurations:
            rows.append({"experiment": name, "variant": c.variant, "runtime": c.runtime, **c.axes})
        left_out += [f"{name}: {sentence}" for sentence in made.left_out]
    if as_json:
        print(json.dumps(rows))
        for line in left_out:
            typer.echo(line, err=True)
        return
    for row in rows:
        axes = " ".join(
            f"{k}={v}" for k, v in row.items() if k not in ("experiment", "variant", "runtime") and v is not None
        )
        options.console.print(f"{row['experiment']}  {row['variant']}  {row['runtime']}  {axes}", highlight=False)
    for line in left_out:
        options.console.print(line, highlight=False, soft_wrap=True)
    trial_s = duration.seconds(Bundle.open(paths.REFERENCE).journal())
    minutes = counted(round(duration.minutes(plans, trial_s)), "minute")
    takes = f"about {minutes} at most, by what trials of the archived run took"
    options.console.print(f"{counted(len(rows), 'configuration')}, {takes}", soft_wrap=True)


@app.command()
def analyse(
    run: options.RunName = "quick",
    experiments: options.Experiments = "",
    where: options.Where = None,
    of: Annotated[list[str] | None, typer.Option("--of", help="above the line of a ratio, as --where")] = None,
    to: Annotated[list[str] | None, typer.Option("--to", help="below the line of a ratio, as --where")] = None,
    as_json: options.Json = False,
) -> None:
    """Print estimates of a run, or with --of and --to a ratio paired by block, with interval, trials and blocks."""
    from pipeline.session import listing
    from pipeline.session.session import Session

    held = options.held_of(run, experiments)
    options.read_beforehand((run, name) for name in held)
    for name in held:
        session = Session(name, run, options.profile_of(run), measuring=False)
        rows = listing.ratios(session, where, of, to) if of or to else listing.estimates(session, where)
        if as_json:
            print(rows.to_json(orient="records"))
            continue
        for line in listing.lines(session, rows):
            options.console.print(line, highlight=False, soft_wrap=True)


@app.command()
def claims(
    run: options.RunName = "quick",
    experiments: options.Experiments = "",
    claim: Annotated[str, typer.Option("--claim", help="comma-separated ids; empty: all")] = "",
    undecided: Annotated[
        bool, typer.Option("--open", help="only those that are undecided: why, and what to do")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Print the verdict on each published claim, and what it rests on."""
    from pipeline.bundle import entries
    from pipeline.session import listing
    from pipeline.session.session import Session

    held = [entries.experiment(name, run) for name in options.held_of(run, experiments)]
    asked = listing.testing(held, claim)
    options.read_beforehand((run, entry.name) for entry in asked)
    for entry in asked:
        session = Session(entry.name, run, options.profile_of(run), measuring=False)
        rows = listing.verdicts(session, claim)
        rows = rows[rows["verdict"] == "inconclusive"] if undecided else rows
        if as_json:
            print(rows.to_json(orient="records"))
            continue
        for line in (listing.undecided if undecided else listing.told)(rows):
            options.console.print(line, highlight=False, soft_wrap=True)


@app.command()
def doctor() -> None:
    """Say what this machine has: runtimes, CPUs, clock, memory groups, referees, and what limits its results."""
    from pipeline.measure import doctor as examining

    table = Table(show_header=False, box=None)
    for name, value in examining.examine():
        table.add_row(name, value)
    options.console.print(table)


@app.command()
def hlog(
    file: Annotated[Path, typer.Argument(help="an HdrHistogram log, packed or not")],
    tag: Annotated[str | None, typer.Option("--tag", help="only lines with this tag")] = None,
    start: Annotated[float | None, typer.Option("--start", help="only intervals starting at or after, seconds")] = None,
    end: Annotated[float | None, typer.Option("--end", help="only intervals starting at or before, seconds")] = None,
    as_json: options.Json = False,
    hgrm: Annotated[bool, typer.Option("--hgrm", help="the percentile distribution, as HistogramLogProcessor")] = False,
    unit_ratio: Annotated[
        float, typer.Option("--unit-ratio", help="of --hgrm: values are divided by it; 1: as recorded")
    ] = 1.0,
) -> None:
    """Summarise any HdrHistogram log (of integers or doubles, tagged or not), or print its percentile distribution.

    Lines of all tags are merged, and that is said, unless --tag names one;
    --tag "" means the lines that have none.
    """
    from pipeline.hdr import distribution
    from pipeline.hdr import log as logs
    from pipeline.hdr.reader import Reader

    if hgrm and as_json:
        raise LabError("--hgrm and --json: the percentile distribution is text; give one of the two")
    found = Reader.of(file, tag=tag, start=start, end=end, lenient=True)
    if hgrm:
        print(distribution.of_log(found, unit_ratio), end="")
        return
    summary = logs.summary(found)
    if as_json:
        print(json.dumps(summary))
        return
    for key, value in summary.items():
        options.console.print(f"{key:12} {value}", highlight=False, soft_wrap=True)
