"""The pictures in the README, of the archived run: its first page and a view of the explorer.

    python tests/readme_pictures.py     # after: make figures RUN=reference

Each says inside which run it shows (PNG text `lab`: the content id), and a test compares that with the archived run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from browser_check import FLAGS, browser
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import sync_playwright

from pipeline.bundle.bundle import Bundle
from pipeline.bundle.content_id import content_id
from pipeline.ground import paths

RUN = "reference"
FIRST_PAGE, EXPLORER = (paths.ROOT / "docs" / f"{name}.png" for name in ("first_page", "explorer"))
SIZE = {"width": 1280, "height": 800}  # a laptop's: what stands above the fold


def shown(picture: Path) -> str:
    """The content id of the run that a picture shows."""
    with Image.open(picture) as opened:
        return opened.text["lab"]


def _keep(taken: Path, picture: Path) -> None:
    """With few colours, which text and figures have, and the run that it shows."""
    told = PngInfo()
    told.add_text("lab", content_id(Bundle.open(RUN)))
    with Image.open(taken) as opened:
        opened.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(picture, pnginfo=told, optimize=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        taken = Path(name) / "taken.png"
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser(), args=FLAGS)
            page = chromium.new_page(viewport=SIZE)
            page.goto((paths.report() / "index.html").resolve().as_uri(), wait_until="load")
            page.screenshot(path=taken)
            chromium.close()
        _keep(taken, FIRST_PAGE)
        subprocess.run([sys.executable, Path(__file__).with_name("explorer_picture.py"), taken], check=True)
        _keep(taken, EXPLORER)


if __name__ == "__main__":
    main()
