"""The kits of an archived run: are their texts and adaptive pictures the same bytes as when they were accepted?

A line of kit.sha256 per figure is the digest of its adaptive SVG and all its texts. PNGs and the card are drawn of what
`lab verify` compares already.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from pipeline.bundle.bundle import Bundle
from pipeline.ground import durable, paths
from pipeline.kit import figure_files
from pipeline.kit.citation import Citation
from pipeline.kit.kit import Kit
from pipeline.kit.settings import Settings


def hashes_file(run: str) -> Path:
    return paths.archive(run) / "kit.sha256"


def hashes(run: str) -> dict[str, str]:
    """Figure -> digest of what an author pastes of it, of the drawn figures of an archived run."""
    citation = Citation.of(Bundle.open(run), Settings())
    found = {}
    for name in figure_files.names(paths.figures(run)):
        kit = Kit(figure_files.read(run, name), citation)
        digest = hashlib.sha256(kit.adaptive or b"")
        for to, text in sorted(kit.texts().items()):
            digest.update(f"\0{to}\0{text}".encode())
        found[name] = digest.hexdigest()
    return found


def compare(run: str, partly: bool = False) -> list[str]:
    """One line per figure whose kit differs, is missing or new; empty when all agree. `partly`: only some were drawn,
    and none is missing."""
    try:
        lines = hashes_file(run).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return [f"missing: kit.sha256 of {run}; lab verify --accept writes it"]
    expected = {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}
    made = hashes(run)
    differing = (name for name in sorted(made if partly else expected | made) if expected.get(name) != made.get(name))
    return [f"differs: kit of {run}/{name}" for name in differing]


def accept(run: str) -> None:
    """Write what `compare` expects."""
    durable.write(hashes_file(run), "".join(f"{digest}  {name}\n" for name, digest in hashes(run).items()))
