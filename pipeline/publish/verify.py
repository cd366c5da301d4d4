"""verify: are the figures of the archived run, and the documents made of them, the same bytes as the committed ones?

Compared are the hashes of all figure files, docs/gallery.md, and every figure under docs/ (it is called as the figure).
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from pipeline.draw.likeness import DIGITS, numbers_digest
from pipeline.draw.style import DARK
from pipeline.ground import durable, paths
from pipeline.ground.errors import LabError
from pipeline.publish import gallery
from pipeline.publish.page import Page


def hashes_file() -> Path:
    return paths.bundle(paths.REFERENCE) / "figures.sha256"


def hashes() -> dict[str, str]:
    """File name -> SHA-256 of every figure file drawn from the reference run under build/."""
    folder = paths.figures(paths.REFERENCE)
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.glob("*")) if p.is_file()}


def numbers_file() -> Path:
    return paths.bundle(paths.REFERENCE) / "figures.numbers"


def numbers() -> dict[str, str]:
    """Figure -> digest of its data and words with all numbers rounded (`pipeline.draw.likeness`)."""
    folder = paths.figures(paths.REFERENCE)
    return {
        file.stem: numbers_digest(
            file.read_bytes(), *(one.read_bytes() for one in [file.with_suffix(".csv")] if one.exists())
        )
        for file in sorted(folder.glob("*.json"))
    }


def committed(file: Path) -> dict[str, str]:
    """The committed digests of a file (format of sha256sum); LabError when there are none."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise LabError(f"the reference run has no {file.name}; restore data/reference") from None
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def count() -> int:
    return len(committed(hashes_file()))


def compare(pages: Sequence[Page]) -> list[str]:
    """One line per file that differs, is missing or is new; empty when all agree. `pages`: of the archived run.

    A file of a figure whose data and words are the same but for last digits is told as such: it differs, and shows
    nothing else.
    """
    expected, drawn = committed(hashes_file()), hashes()
    known, found = committed(numbers_file()), numbers()
    lines = []
    for name in sorted(name for name in expected.keys() & drawn.keys() if expected[name] != drawn[name]):
        figure = Path(name).stem.removesuffix(f"-{DARK.name}")
        alike = figure in found and known.get(figure) == found[figure]
        lines.append(f"{DIGITS if alike else 'differs'}: {name}")
    lines += [f"missing: {name}" for name in sorted(expected.keys() - drawn.keys())]
    lines += [f"new: {name}" for name in sorted(drawn.keys() - expected.keys())]
    for file, source in _shown(pages).items():
        if not file.exists() or not source.exists() or file.read_bytes() != source.read_bytes():
            lines.append(f"differs: {file.relative_to(paths.ROOT)}")
    page = paths.docs() / gallery.PAGE
    if not page.exists() or page.read_text(encoding="utf-8") != gallery.text(pages):
        lines.append(f"differs: {page.relative_to(paths.ROOT)}")
    return lines


def accept(pages: Sequence[Page]) -> None:
    """Write what `compare` expects: done when a figure was changed on purpose and looked at."""
    for file, digests in ((hashes_file(), hashes()), (numbers_file(), numbers())):
        durable.write(file, "".join(f"{digest}  {name}\n" for name, digest in digests.items()))
    for file, source in _shown(pages).items():
        if source.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, file)
        else:
            file.unlink(missing_ok=True)
    durable.write(paths.docs() / gallery.PAGE, gallery.text(pages))


def _shown(pages: Sequence[Page]) -> dict[Path, Path]:
    """Figure in docs/ -> the drawn one of the same name: those that are there, and those that the gallery shows."""
    drawn = (file for file in paths.docs().rglob("*.svg") if file.parent.name != "hosts")  # those are a collection's
    files = {*drawn, *(gallery.file(page) for page in pages if page.figures)}
    return {file: paths.figures(paths.REFERENCE) / file.name for file in sorted(files)}
