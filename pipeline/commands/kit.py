"""Commands for those who publish a figure: what to paste, how to cite, and whether a figure is what its run says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import RunName, console
from pipeline.ground.errors import LabError

app = typer.Typer()


@app.command()
def kit(
    figures: Annotated[list[str], typer.Argument(metavar="FIGURE...", help="names of figures (or of an experiment)")],
    target: Annotated[str, typer.Option("--for", help="print only the text for this platform")] = "",
    run: RunName = "quick",
    page: Annotated[bool, typer.Option("--page", help="the whole page of an experiment")] = False,
    site: Annotated[str, typer.Option("--site", help="https address below which the files will lie")] = "",
    width: Annotated[int, typer.Option("--width", min=100, max=4000, help="of the picture, pixels")] = 700,
) -> None:
    """Write everything to publish a figure with (build/RUN/kit/FIGURE), and print what to paste."""
    from pipeline.kit import page as pages
    from pipeline.kit import settings, targets
    from pipeline.kit.kit import Kit

    author = settings.read(site=site)
    to = targets.target(target or author.default_target)
    for name in figures:
        if page:
            console.print(str(pages.write(run, name, to, author, width)), soft_wrap=True, highlight=False)
            continue
        made = Kit.of(run, name, author, width)
        folder = made.write()
        if not target:
            print(f"{folder}\n{folder / 'index.html'}: a preview with copy buttons; for {to.name}:\n")
        print(made.texts()[to.name], end="")


@app.command()
def cite(
    run: Annotated[str, typer.Argument(help="name of the run")] = "quick",
    form: Annotated[str, typer.Option("--format", help="text, bibtex, cff or csl")] = "text",
) -> None:
    """Print how a run is cited."""
    from pipeline.bundle.bundle import Bundle
    from pipeline.kit import settings
    from pipeline.kit.citation import FORMATS, Citation

    if form not in FORMATS:
        raise LabError(f"there is no format {form[:40]!r}; there are: {', '.join(FORMATS)}")
    told = getattr(Citation.of(Bundle.open(run), settings.read()), form)()
    print(told.rstrip("\n"))


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="PNG, SVG or JSON files of a kit")],
) -> None:
    """Draw figures anew from their run and compare bytes: 0 the same, 1 differs, 2 no provenance or no such run."""
    from pipeline.explore import export
    from pipeline.kit import check as checking

    status = 0
    for found in checking.check(files, kept=export.again):
        console.print(found.says, soft_wrap=True, highlight=False)
        status = max(status, found.status)
    if status:
        raise typer.Exit(status)
