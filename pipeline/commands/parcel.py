"""`lab parcel`: one file that measures where nothing can be installed (docs/parcel.md)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import console
from pipeline.ground import paths
from pipeline.words.numbers import quantity

app = typer.Typer()


def _say(words: str) -> None:
    console.print(words, highlight=False, soft_wrap=True)


@app.command()
def parcel(
    jdks: Annotated[
        str, typer.Option("--jdks", help="home:home of those that go along, or none; empty: all that are found here")
    ] = "",
    out: Annotated[Path | None, typer.Option("--out", help="the file; default: build/parcel/lab-SUM.run")] = None,
) -> None:
    """Write one file that measures where nothing can be installed: harnesses, cut JDKs, and what plans and measures.

    There: sh lab-SUM.run measure --profile quick. It writes RUN.lab, which lab
    import takes here.
    """
    from pipeline.parcel import contents, packing

    folder = paths.build() / "parcel"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="making-", dir=folder) as scratch:
        held = contents.collect(jdks, Path(scratch), _say)
        path = packing.write(held.files, held.about, out, folder)
    for name, about in held.about["jdks"].items():
        _say(f"{name}: {about['vendor']} {about['build'] or about['version']}")
    _say(f"{path} ({quantity(path.stat().st_size, 'bytes')}): sh {path.name} --help")
