"""Commands that run steps of the pipeline and leave something behind: trials, tables, figures, pages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from pipeline.commands import options
from pipeline.ground import paths
from pipeline.ground.errors import BAD_INPUT, LabError

app = typer.Typer()


def _publish(run: str, profile: str, experiments: list[str], **how: Any) -> None:
    from pipeline.publish.report import report

    result = report(run, profile, experiments, console=options.console, **how)
    for failed in result.failed:
        options.console.print(Text.assemble(("failed", "red"), f": {failed}"), soft_wrap=True)
    made = f"Report: {result.index_path}" if result.index_path else f"Figures: {paths.figures(run)}"
    options.console.print(made, soft_wrap=True)
    if result.failed:
        raise typer.Exit(1)


def _checked(experiments: str, profile: str) -> list[str]:
    """The names of the experiments to measure; LabError for an unknown name or profile, or a missing runtime."""
    from pipeline.catalogue import catalogue
    from pipeline.host import runtimes
    from pipeline.plan import plan

    names = options.names_of(experiments)
    for name in names:
        plan.profile_of(catalogue.experiment(name), profile)
    runtimes.all_runtimes()
    return names


@app.command()
def report(
    run: options.RunName = "quick",
    profile: options.ProfileName = "quick",
    experiments: options.Experiments = "",
    wait: options.Wait = 0.0,
    more: options.More = "",
    claims: options.Claims = "",
    until_decided: options.Until = False,
    preview: options.Preview = "yes",
) -> None:
    """Measure (or resume), ingest, fit, draw, and write build/report/index.html."""
    sits, names = options.deciding(more, claims, until_decided), _checked(experiments, profile)
    _publish(run, profile, names, measuring=True, wait_s=60 * wait, deciding=sits, previewing=preview == "yes")


@app.command()
def figures(run: options.RunName = "reference", experiments: options.Experiments = "") -> None:
    """Draw what a run holds, complete or not, without measuring, and its pages."""
    from pipeline.bundle import entries
    from pipeline.bundle.bundle import Bundle

    if entries.own(Bundle.open(run)):
        from pipeline.publish import single_page

        options.console.print(f"Page: {single_page.build(run, options.console)}", soft_wrap=True)
        return
    redraw(run, experiments)


def redraw(run: str, experiments: str, **how: Any) -> None:
    """Draw what a run holds of these experiments (empty: all), without measuring."""
    _publish(run, options.profile_of(run), options.held_of(run, experiments), measuring=False, **how)


@app.command()
def measure(
    run: options.RunName = "quick",
    profile: options.ProfileName = "quick",
    experiments: options.Experiments = "",
    where: options.Measured = None,
    wait: options.Wait = 0.0,
    more: options.More = "",
    claims: options.Claims = "",
    until_decided: options.Until = False,
) -> None:
    """Measure only: run the trials of the plan, or continue an interrupted run."""
    from pipeline.bundle import journal
    from pipeline.bundle.bundle import Bundle
    from pipeline.catalogue import catalogue
    from pipeline.session.measuring import measured

    names = _checked(experiments, profile)
    entries = [catalogue.experiment(name) for name in names]
    sits = options.deciding(more, claims, until_decided)
    failed = measured(run, profile, entries, options.console, 60 * wait, sits, where=where or ())
    lines = Bundle.open(run).journal()
    for name in names:
        for sentence in (journal.planned(lines, name) or {}).get("left_out", []):
            options.console.print(f"{name}: {sentence}", highlight=False, soft_wrap=True)
        if line := journal.finished(lines, name):
            told = f"ended by {line['ended_by']} after {line['blocks']} blocks, {line['spent_s']} s"
        else:
            told = f"failed: {failed[name]}"
        options.console.print(f"{name}: {told}", highlight=False, soft_wrap=True)
    if failed:
        raise typer.Exit(1)


@app.command()
def ingest(run: options.RunName = "quick", experiments: options.Experiments = "") -> None:
    """Check a run's raw files and write its tidy Parquet tables."""
    from pipeline.bundle import entries
    from pipeline.bundle.bundle import Bundle
    from pipeline.ingest import ingest as ingesting

    bundle = Bundle.open(run)
    for name in options.held_of(run, experiments):
        tables = ingesting.ingest(bundle, entries.experiment(name, run), fresh=True)
        options.console.print(f"{name}: {len(tables.trials)} trials, {len(tables.iterations)} iterations")


@app.command()
def export(
    run: options.RunName = "quick",
    experiments: options.Experiments = "",
    where: options.Where = None,
    series: Annotated[str, typer.Option("--series", help="glob, in place of the series that metrics are of")] = "",
    phase: Annotated[str, typer.Option("--phase", help="glob, with --series")] = "measured",
    untagged: Annotated[
        bool, typer.Option("--untagged", help="without tags: HistogramLogProcessor reads one tag at a time, or none")
    ] = False,
    to: Annotated[Path | None, typer.Option("--to", help="folder; default: build/RUN/export")] = None,
) -> None:
    """Write recorded histograms for other tools: a .hlog and a .hgrm for each configuration, in nanoseconds.

    Of each trial the iterations that metrics are computed from, measured and
    steady. Experiments that hold nothing of the selection are named.
    """
    from pipeline.session import export as exporting
    from pipeline.session.session import Session

    folder, missing, written = to or paths.build() / run / "export", [], 0
    for name in options.held_of(run, experiments):
        session = Session(name, run, options.profile_of(run), measuring=False)
        try:
            for line in exporting.export(session, folder, where, series, phase, not untagged):
                options.console.print(line, highlight=False, soft_wrap=True)
                written += 1
        except LabError as error:
            if error.status != BAD_INPUT:
                raise
            missing.append(error)
    if not written:
        raise missing[0]
    for error in missing:
        typer.echo(f"left out: {error}", err=True)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="name of the experiment, as spin_lock")],
    java: Annotated[bool, typer.Option("--java", help="a kernel in Java")] = False,
    c: Annotated[bool, typer.Option("--c", help="a kernel in C; both when neither is asked for")] = False,
) -> None:
    """Write a new experiment that can be measured as it stands: entry, kernels with their check, notebook, claims."""
    from pipeline.scaffold import scaffold

    asked = [language for language, wanted in (("java", java), ("c", c)) if wanted]
    for file in scaffold.create(name, asked):
        options.console.print(os.path.relpath(file), soft_wrap=True, highlight=False)
    options.console.print(f"Now: make report EXPERIMENTS={name} PROFILE=smoke RUN=x", soft_wrap=True, highlight=False)


@app.command()
def bench(
    only: Annotated[
        str,
        typer.Option(
            "--only",
            help="jmh, fio, recording, aa, noise, scale or fleet (empty: these), or one that takes long: "
            "kills, state or versus (versus:quiet: one case)",
        ),
    ] = "",
) -> None:
    """Compare our kernels with JMH and our IO with fio, interleaved; results go to build/bench/*.json."""
    from pipeline.bench import bench as benchmarks

    benchmarks.run([part for part in only.split(",") if part])
