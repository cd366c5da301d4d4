"""verify: are the figures of an archived run, and the documents made of them, the same bytes as the committed ones?

Compared are the hashes of all figure files of a run, docs/gallery.md, and the figures that it shows.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from pipeline.draw.similarity import DIGITS, numbers_digest
from pipeline.draw.style import DARK
from pipeline.ground import durable, paths
from pipeline.ground.errors import LabError
from pipeline.publish import gallery
from pipeline.publish.gallery import Pages


def hashes_file(run: str) -> Path:
    return paths.archive(run) / "figures.sha256"


def hashes(run: str) -> dict[str, str]:
    """File name -> SHA-256 of every figure file drawn from an archived run under build/."""
    folder = paths.figures(run)
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.glob("*")) if p.is_file()}


def numbers_file(run: str) -> Path:
    return paths.archive(run) / "figures.numbers"


def numbers(run: str) -> dict[str, str]:
    """Figure -> digest of its data and words with all numbers rounded (`pipeline.draw.similarity`)."""
    folder = paths.figures(run)
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
        run = file.parent.name
        raise LabError(f"run {run!r} has no {file.name}; restore data/{run}, or lab verify --accept") from None
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def count(run: str) -> int:
    return sum(one.is_file() for one in paths.figures(run).glob("*"))


def compare(run: str, partly: bool = False) -> list[str]:
    """One line per figure file of an archived run that differs, is missing or is new; empty when all agree. `partly`:
    only some were drawn, and none is missing.

    A file of a figure whose data and words are the same but for last digits is told as such: it differs, and shows
    nothing else.
    """
    expected, drawn = committed(hashes_file(run)), hashes(run)
    known, found = committed(numbers_file(run)), numbers(run)
    lines = []
    for name in sorted(name for name in expected.keys() & drawn.keys() if expected[name] != drawn[name]):
        figure = Path(name).stem.removesuffix(f"-{DARK.name}")
        alike = figure in found and known.get(figure) == found[figure]
        lines.append(f"{DIGITS if alike else 'differs'}: {run}/{name}")
    if not partly:
        lines += [f"missing: {run}/{name}" for name in sorted(expected.keys() - drawn.keys())]
    lines += [f"new: {run}/{name}" for name in sorted(drawn.keys() - expected.keys())]
    return lines


def accept(run: str) -> None:
    """Write what `compare` expects: done when a figure was changed on purpose and looked at."""
    for file, digests in ((hashes_file(run), hashes(run)), (numbers_file(run), numbers(run))):
        durable.write(file, "".join(f"{digest}  {name}\n" for name, digest in digests.items()))


def compare_documents(drawn: Pages) -> list[str]:
    """One line per document, or figure of one, that differs from the drawn pages of all archived runs."""
    lines = []
    for file, source in _shown(drawn).items():
        if not file.exists() or not source or not source.exists() or file.read_bytes() != source.read_bytes():
            lines.append(f"differs: {file.relative_to(paths.ROOT)}")
    page = paths.docs() / gallery.PAGE
    if not page.exists() or page.read_text(encoding="utf-8") != gallery.text(drawn):
        lines.append(f"differs: {page.relative_to(paths.ROOT)}")
    return lines


def accept_documents(drawn: Pages) -> None:
    """Write what `compare_documents` expects."""
    for file, source in _shown(drawn).items():
        if source and source.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, file)
        else:
            file.unlink(missing_ok=True)
    durable.write(paths.docs() / gallery.PAGE, gallery.text(drawn))


def _shown(drawn: Pages) -> dict[Path, Path | None]:
    """Figure of the gallery -> the drawn one, of the run that it shows its experiment of; None for one in its folder
    that it shows no more."""
    own = {gallery.file(page): paths.figures(run) for run, page in gallery.chosen(drawn)}
    there = (paths.docs() / gallery.FOLDER).glob("*.svg")
    return {file: own[file] / file.name if file in own else None for file in sorted({*own, *there})}
