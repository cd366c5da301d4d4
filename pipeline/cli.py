"""The command line `lab`: the steps of the pipeline, and two verbs for other people's files.

Exit statuses: 0 done; 1 a notebook failed (the rest is built) or `verify` found a difference; 2 bad input;
4 damaged data; 5 a resource or tool is missing, or a file cannot be written; 130 interrupted (the same command
continues). Output into a pipe that nobody reads any more ends with 1.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline import fit_commands, paths
from pipeline.errors import INTERRUPTED, LabError
from pipeline.fit_commands import Json

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="The Mechanical Sympathy Lab: measure, ingest, analyse, draw and publish.",
)
app.add_typer(fit_commands.app, name="fit")
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
Wait = Annotated[
    float, typer.Option("--wait", min=0, help="minutes to wait for a quiet host before measuring; 0: measure at once")
]


def _names(experiments: str) -> list[str]:
    from pipeline.catalogue import catalogue

    wanted = dict.fromkeys(name.strip() for name in experiments.split(",") if name.strip())
    return [catalogue.experiment(name).name for name in wanted] or list(catalogue.load())


def _measured(run: str, experiments: str) -> list[str]:
    """The experiments that a run holds, all or those named; LabError when it holds none of a name."""
    from pipeline.bundle import journal
    from pipeline.bundle.bundle import Bundle

    held = journal.experiments(Bundle.open(run).journal())
    names = _names(experiments)
    if missing := [name for name in names if name not in held and experiments.strip(", ")]:
        raise LabError(f"run {run!r} holds no trial of {missing[0]}; it holds: {', '.join(sorted(held)) or 'none'}")
    if not held.intersection(names):
        raise LabError(f"run {run!r} holds no trial; measure it with: make report RUN={run}")
    return [name for name in names if name in held]


def _publish(run: str, profile: str, experiments: list[str], **how: Any) -> None:
    from pipeline.publish.report import report

    result = report(run, profile, experiments, console=console, **how)
    for failed in result.failed:
        console.print(Text.assemble(("failed", "red"), f": {failed}"), soft_wrap=True)
    made = f"Report: {result.index_path}" if result.index_path else f"Figures: {paths.figures(run)}"
    console.print(made, soft_wrap=True)
    if result.failed:
        raise typer.Exit(1)


def _checked(experiments: str, profile: str) -> list[str]:
    """The names of the experiments to measure; LabError for an unknown name or profile, or a missing runtime."""
    from pipeline.catalogue import catalogue
    from pipeline.host import runtimes
    from pipeline.plan import plan

    names = _names(experiments)
    for name in names:
        plan.profile_of(catalogue.experiment(name), profile)
    runtimes.all_runtimes()
    return names


@app.command()
def report(
    run: RunName = "quick", profile: ProfileName = "quick", experiments: Experiments = "", wait: Wait = 0.0
) -> None:
    """Measure (or resume), ingest, fit, draw, and write build/report/index.html."""
    _publish(run, profile, _checked(experiments, profile), measuring=True, wait_s=60 * wait)


@app.command()
def figures(run: RunName = "reference", experiments: Experiments = "") -> None:
    """Draw what a run holds, complete or not, without measuring, and its pages."""
    _redraw(run, experiments)


def _redraw(run: str, experiments: str, **how: Any) -> None:
    _publish(run, _profile_of(run), _measured(run, experiments), measuring=False, **how)


@app.command()
def verify(
    accept: Annotated[bool, typer.Option("--accept", help="write the hashes of the new figures")] = False,
) -> None:
    """Redraw the archived reference run and compare the bytes of its figures with the committed hashes."""
    from pipeline.publish import page
    from pipeline.publish import verify as verifying

    _redraw(paths.REFERENCE, "", fresh=True, pages=False)
    pages = page.of_run(paths.REFERENCE, [])
    if accept:
        verifying.accept(pages)
    differences = verifying.compare(pages)
    for line in differences:
        console.print(line, soft_wrap=True)
    if differences:
        raise typer.Exit(1)
    console.print(f"All {verifying.count()} figure files are byte-identical to the reference.")


@app.command()
def archive(run: RunName = "quick") -> None:
    """Make a run the archived reference (data/reference); then look at its figures and run: lab verify --accept."""
    from pipeline.publish import archive as archiving

    folder, size = archiving.archive(run)
    console.print(f"{folder.relative_to(folder.parent.parent)}: {size / 1e6:.1f} MB", soft_wrap=True)
    if size > archiving.LIMIT_BYTES:
        console.print(f"larger than {archiving.LIMIT_BYTES / 1e6:.0f} MB: measure fewer blocks before committing it")
        raise typer.Exit(1)


@app.command()
def plan(profile: ProfileName = "quick", experiments: Experiments = "", as_json: Json = False) -> None:
    """List the configurations a profile measures here."""
    from pipeline.catalogue import catalogue
    from pipeline.host import runtimes
    from pipeline.plan import plan as planning

    available = runtimes.all_runtimes()
    rows, left_out = [], []
    for name in _names(experiments):
        for c in planning.configurations(catalogue.experiment(name), profile, available):
            rows.append({"experiment": name, "variant": c.variant, "runtime": c.runtime, **c.axes})
        left_out += [f"{name}: {sentence}" for sentence in planning.left_out(catalogue.experiment(name), profile)]
    if as_json:
        print(json.dumps(rows))
        for line in left_out:
            typer.echo(line, err=True)
        return
    for row in rows:
        axes = " ".join(
            f"{k}={v}" for k, v in row.items() if k not in ("experiment", "variant", "runtime") and v is not None
        )
        console.print(f"{row['experiment']}  {row['variant']}  {row['runtime']}  {axes}", highlight=False)
    for line in left_out:
        console.print(line, highlight=False, soft_wrap=True)
    console.print(f"{len(rows)} configurations")


@app.command()
def measure(
    run: RunName = "quick", profile: ProfileName = "quick", experiments: Experiments = "", wait: Wait = 0.0
) -> None:
    """Measure only: run the trials of the plan, or continue an interrupted run."""
    from pipeline.bundle import journal
    from pipeline.bundle.bundle import Bundle
    from pipeline.catalogue import catalogue
    from pipeline.session.measuring import measured

    names = _checked(experiments, profile)
    failed = measured(run, profile, [catalogue.experiment(name) for name in names], console, 60 * wait)
    lines = Bundle.open(run).journal()
    for name in names:
        for sentence in (journal.planned(lines, name) or {}).get("left_out", []):
            console.print(f"{name}: {sentence}", highlight=False, soft_wrap=True)
        if line := journal.finished(lines, name):
            told = f"ended by {line['ended_by']} after {line['blocks']} blocks, {line['spent_s']} s"
        else:
            told = f"failed: {failed[name]}"
        console.print(f"{name}: {told}", highlight=False, soft_wrap=True)
    if failed:
        raise typer.Exit(1)


@app.command()
def ingest(run: RunName = "quick", experiments: Experiments = "") -> None:
    """Check a run's raw files and write its tidy Parquet tables."""
    from pipeline.bundle.bundle import Bundle
    from pipeline.catalogue import catalogue
    from pipeline.ingest import ingest as ingesting

    bundle = Bundle.open(run)
    for name in _measured(run, experiments):
        tables = ingesting.ingest(bundle, catalogue.experiment(name), fresh=True)
        console.print(f"{name}: {len(tables.trials)} trials, {len(tables.iterations)} iterations")


@app.command()
def analyse(
    run: RunName = "quick",
    experiments: Experiments = "",
    where: Where = None,
    of: Annotated[list[str] | None, typer.Option("--of", help="above the line of a ratio, as --where")] = None,
    to: Annotated[list[str] | None, typer.Option("--to", help="below the line of a ratio, as --where")] = None,
    as_json: Json = False,
) -> None:
    """Print estimates of a run, or with --of and --to a ratio paired by block, with interval, trials and blocks."""
    from pipeline.session import listing
    from pipeline.session.session import Session

    for name in _measured(run, experiments):
        session = Session(name, run, _profile_of(run), measuring=False)
        rows = listing.ratios(session, where, of, to) if of or to else listing.estimates(session, where)
        if as_json:
            print(rows.to_json(orient="records"))
            continue
        for line in listing.lines(session, rows):
            console.print(line, highlight=False, soft_wrap=True)


def _profile_of(run: str) -> str:
    from pipeline.bundle.bundle import Bundle

    return Bundle.open(run).info["profile"]


@app.command()
def claims(
    run: RunName = "quick",
    experiments: Experiments = "",
    claim: Annotated[str, typer.Option("--claim", help="comma-separated ids; empty: all")] = "",
    as_json: Json = False,
) -> None:
    """Print the verdict on each published claim, and what it rests on."""
    from pipeline.catalogue import catalogue
    from pipeline.session import listing
    from pipeline.session.session import Session

    held = [catalogue.experiment(name) for name in _measured(run, experiments)]
    for entry in listing.testing(held, claim):
        session = Session(entry.name, run, _profile_of(run), measuring=False)
        rows = listing.verdicts(session, claim)
        if as_json:
            print(rows.to_json(orient="records"))
            continue
        for line in listing.told(rows):
            console.print(line, highlight=False, soft_wrap=True)


@app.command()
def doctor() -> None:
    """Say what this machine has: runtimes, CPUs, clock, memory groups, referees, and what limits its results."""
    from pipeline import doctor as examining

    table = Table(show_header=False, box=None)
    for name, value in examining.examine():
        table.add_row(name, value)
    console.print(table)


@app.command()
def bench(
    only: Annotated[str, typer.Option("--only", help="jmh, fio, recording, aa or noise; empty: all")] = "",
) -> None:
    """Compare our kernels with JMH and our IO with fio, interleaved; results go to build/bench/*.json."""
    from pipeline.bench import bench as benchmarks

    benchmarks.run([part for part in only.split(",") if part])


@app.command()
def hlog(
    file: Annotated[Path, typer.Argument(help="an HdrHistogram log, V2 payloads")],
    tag: Annotated[str | None, typer.Option("--tag", help="only lines with this tag")] = None,
    start: Annotated[float | None, typer.Option("--start", help="only intervals starting at or after, seconds")] = None,
    end: Annotated[float | None, typer.Option("--end", help="only intervals starting at or before, seconds")] = None,
    as_json: Json = False,
) -> None:
    """Summarise any HdrHistogram log (format 1.2 or 1.3, tagged or not)."""
    from pipeline.hdr import log as logs

    summary = logs.summary(logs.read_log(file, tag, start, end))
    if as_json:
        print(json.dumps(summary))
        return
    for key, value in summary.items():
        console.print(f"{key:12} {value}", highlight=False, soft_wrap=True)


def main() -> None:
    """Run the command line: a foreseeable fault is one line on standard error and a documented exit status."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # None: the caller closed it
            stream.reconfigure(errors="backslashreplace")
    message, status = "", 0
    try:
        status = app(prog_name="lab", standalone_mode=False) or 0
        print(end="", flush=True)
    except LabError as error:
        message, status = str(error), error.status
    except typer.TyperException as error:
        command = error.ctx.command_path if getattr(error, "ctx", None) else "lab"
        message, status = f"{error.format_message().rstrip('.')}; see: {command} --help", 2
    except BrokenPipeError:
        status = 1
    except OSError as error:
        cause = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
        message, status = f"{cause}; correct that and repeat the command: what was measured is kept", 5
    if status == INTERRUPTED and not message:
        message = "interrupted; the same command continues where it stopped"
    if message:
        print(f"lab: {' '.join(message.split())}", file=sys.stderr)
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python complains once more when it ends
    sys.exit(status)
