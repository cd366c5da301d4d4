"""A picture of the explorer in JupyterLab, as the README shows it.

    python tests/explorer_picture.py OUT.png [--view percentiles] [--dark]

The archived run is opened in a JupyterLab of its own on loopback; what is in the picture is decided here alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))

from jupyter_lab import jupyter_lab, notebook, page, picture  # noqa: E402

from pipeline.explore.state import VIEWS  # noqa: E402

EXPERIMENT = "lock_scaling"
STATE = {
    "variants": ["monitor", "reentrant_lock", "pthread_mutex", "spin_ttas"],
    "runtimes": ["jdk25", "c"],
    "axes": {"threads": 2, "outside": None, "outside_law": None},
    "limits": "99: 5 us",
}
CELL = """from pipeline.explore.explorer import Explorer

Explorer("reference", {experiment!r}, state={state!r})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--view", choices=VIEWS, default="percentiles")
    parser.add_argument("--dark", action="store_true")
    told = parser.parse_args()
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shown").mkdir()
        state = STATE | {"view": told.view}
        (folder / "shown" / "picture.ipynb").write_text(notebook(CELL.format(experiment=EXPERIMENT, state=state)))
        with jupyter_lab(folder, folder / "shown") as address, page(problems) as looked:
            told.out.write_bytes(picture(looked, address, told.dark))
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
