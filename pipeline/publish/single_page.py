"""The page of an imported run: its notebook executed, as a site of one page that opens from disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from rich.console import Console

from pipeline.bundle import entries
from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.publish import notebooks, page, page_sources, site


def build(run: str, console: Console | None = None) -> Path:
    """Execute the notebook of an imported run, unless nothing it depends on has changed, and build its page,
    build/<run>/report/index.html; its path.

    LabError (status 1) where the notebook fails.
    """
    console = console or Console()
    bundle = Bundle.open(run)
    (entry,) = entries.of(bundle).values()
    profile = bundle.info["profile"]
    result = notebooks.up_to_date(entry, run, profile, {}) or notebooks.execute(entry, run, profile)
    if result.failed:
        raise LabError(f"the page of run {run!r} failed: {result.failed}", 1)
    out = paths.build() / run / "report"
    if result.up_to_date and (out / "index.html").exists():
        return out / "index.html"
    made = page.of(run, entry, result)
    source = paths.build() / run / "site"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    page_sources.write(made, bundle, source)
    (source / f"{entry.name}.ipynb").rename(source / "index.ipynb")
    site.one(source, out, [made], console)
    return out / "index.html"
