"""What measures is imported by a Python without any package, also by one of 3.9 where the host has it."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from pipeline.ground import paths

IMPORTING = """
import importlib, sys
from pathlib import Path
root = Path(sys.argv[1])
sys.path.insert(0, str(root))
rooms = ("ground", "words", "host", "catalogue", "plan", "bundle", "measure", "parcel")
files = [file for room in rooms for file in sorted((root / "pipeline" / room).glob("*.py"))]
for file in [*files, root / "pipeline/models/gaps.py"]:
    if file.stem not in ("check", "document"):
        importlib.import_module(".".join(file.relative_to(root).with_suffix("").parts))
print(len(files))
"""


def there(python: str) -> bool:
    """Whether there is such a Python: a shim may stand for one that is not."""
    found = shutil.which(python)
    return bool(found) and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0


PYTHONS = [sys.executable, *filter(there, ["python3.9"])]


@pytest.mark.parametrize("python", PYTHONS)
def test_every_module_that_measures_is_imported_without_a_package(python):
    command = [python, "-I", "-S", "-c", IMPORTING, str(paths.ROOT)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and int(ran.stdout) > 50, ran.stderr
