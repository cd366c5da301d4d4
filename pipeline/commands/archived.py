"""Commands for archived runs: make one, and see that its figures are still the same bytes."""

from __future__ import annotations

import shutil
from typing import Annotated

import typer

from pipeline.commands import options
from pipeline.commands.steps import redraw
from pipeline.ground import paths
from pipeline.ground.errors import LabError

app = typer.Typer()


@app.command()
def verify(
    accept: Annotated[bool, typer.Option("--accept", help="write the hashes of the new figures")] = False,
    run: Annotated[
        str, typer.Option("--run", help="only this archived run, without the documents that are made of all")
    ] = "",
    experiments: Annotated[
        str, typer.Option("--experiments", help="only what these draw, of one run: comma-separated names; empty: all")
    ] = "",
) -> None:
    """Redraw the archived runs and compare the bytes of their figures with the committed hashes."""
    from pipeline.collection import document
    from pipeline.kit import verify as kits
    from pipeline.publish import page
    from pipeline.publish import verify as verifying

    every = paths.archived()
    if run and run not in every:
        raise LabError(f"run {run!r} is no archived one; there are: {', '.join(every)}")
    partly = bool(experiments.strip(", "))
    if partly and accept:
        raise LabError("--accept is of all figures of a run; leave --experiments out")
    runs = [run or paths.REFERENCE] if run or partly else every
    for one in runs:
        shutil.rmtree(paths.figures(one), ignore_errors=True)  # what a page draws no more would be taken for drawn
        redraw(one, experiments, fresh=True, pages=False)
    drawn = {} if run or partly else {one: page.of_run(one, []) for one in runs}
    if accept:
        for one in runs:
            verifying.accept(one)
            kits.accept(one)
        if drawn:
            verifying.accept_documents(drawn)
            document.accept()
    differences = [line for one in runs for line in (*verifying.compare(one, partly), *kits.compare(one, partly))]
    if drawn:
        differences += [*verifying.compare_documents(drawn), *document.compare()]
    for line in differences:
        options.console.print(line, soft_wrap=True)
    if differences:
        raise typer.Exit(1)
    count = sum(map(verifying.count, runs))
    which = f"of {experiments} in" if partly else "of"
    where = f"{which} {' and '.join(runs)}"
    options.console.print(f"All {count} figure files {where} are byte-identical to the accepted ones.", soft_wrap=True)


@app.command()
def archive(
    run: options.RunName = "quick",
    name: Annotated[str, typer.Option("--as", help="of the archived run that it becomes")] = paths.REFERENCE,
    coarse: Annotated[bool, typer.Option("--coarse", help="keep values of histograms to 0.8 %: smaller")] = False,
) -> None:
    """Make a run an archived one (data/NAME); then look at its figures and run: lab verify --accept."""
    from pipeline.publish import archive as archiving

    folder, size = archiving.archive(run, name, coarse)
    options.console.print(f"{folder.relative_to(folder.parent.parent)}: {size / 1e6:.1f} MB", soft_wrap=True)
    if size > archiving.LIMIT_BYTES:
        options.console.print(
            f"larger than {archiving.LIMIT_BYTES / 1e6:.0f} MB: archive it with --coarse, or measure fewer blocks"
        )
        raise typer.Exit(1)
