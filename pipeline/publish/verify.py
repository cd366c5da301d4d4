"""verify: are the reference run's figures, redrawn here, the same bytes as the committed ones?"""

from __future__ import annotations

import hashlib
from pathlib import Path

from pipeline import durable, paths
from pipeline.errors import LabError


def hashes_file() -> Path:
    return paths.bundle(paths.REFERENCE) / "figures.sha256"


def hashes() -> dict[str, str]:
    """File name -> SHA-256 of every figure file drawn from the reference run under build/."""
    folder = paths.figures(paths.REFERENCE)
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.glob("*")) if p.is_file()}


def committed() -> dict[str, str]:
    """The committed hashes (format of sha256sum); LabError when there are none."""
    try:
        lines = hashes_file().read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise LabError("the reference run has no figures.sha256; restore data/reference") from None
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def count() -> int:
    return len(committed())


def compare() -> list[str]:
    """One line per figure file that differs, is missing or is new; empty when all bytes agree."""
    expected, drawn = committed(), hashes()
    lines = [f"differs: {name}" for name in sorted(expected.keys() & drawn.keys()) if expected[name] != drawn[name]]
    lines += [f"missing: {name}" for name in sorted(expected.keys() - drawn.keys())]
    return lines + [f"new: {name}" for name in sorted(drawn.keys() - expected.keys())]


def accept() -> Path:
    """Write the hashes of the figures as drawn now: done when a figure was changed on purpose and looked at."""
    durable.write(hashes_file(), "".join(f"{digest}  {name}\n" for name, digest in hashes().items()))
    return hashes_file()
