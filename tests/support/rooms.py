"""The modules of the pipeline, room by room."""

from __future__ import annotations

from pathlib import Path


def modules(package: Path) -> dict[str, Path]:
    """Dotted name -> file of every module below `package`; a package is called as its folder."""
    files = sorted(file for file in package.rglob("*.py") if "__pycache__" not in file.parts)
    names = {file: [package.name, *file.relative_to(package).with_suffix("").parts] for file in files}
    return {".".join(name[:-1] if name[-1] == "__init__" else name): file for file, name in names.items()}


def inside(module: str) -> str:
    """A module's name without the package's: `ground.errors`."""
    return module.partition(".")[2]
