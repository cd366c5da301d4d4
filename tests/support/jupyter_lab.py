"""JupyterLab as `make lab` starts it, in folders and on a port of a test's own, and a page of Chromium to look at it.

What the page asks another host for is told and refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from browser_check import FLAGS, PATIENCE_MS
from browser_check import browser as chromium
from living import PATIENCE_S
from playwright.sync_api import Locator, Page, Route, WebSocketRoute, sync_playwright

from pipeline.ground import paths

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*token=\w+")
STRANGE = re.compile(r"^(?!(http|ws)://127\.0\.0\.1[:/]|data:|blob:|about:)", re.IGNORECASE)
ELSEWHERE = re.compile(r"^wss?://(?!127\.0\.0\.1[:/])", re.IGNORECASE)
SIZE = {"width": 1280, "height": 800}
# No name is looked up, and no address but our own is reached.
OWN_FLAGS = [f"{flag}, EXCLUDE 127.0.0.1" if flag.startswith("--host-resolver-rules") else flag for flag in FLAGS]
OTHER_CHART = """(before) => {
  const chart = document.querySelector(".vega-embed [role='graphics-document']");
  return chart && chart.querySelector("svg") && chart.getAttribute("aria-label") !== before;
}"""
SETTLED_MS = 600  # after the last change, so that a chart has been drawn


@contextlib.contextmanager
def jupyter_lab(
    folder: Path, notebooks: Path | None = None, project: Path = paths.ROOT, **environment: str
) -> Iterator[str]:
    """The address of a JupyterLab that ends with the block; what it writes of its own is below `folder`.

    notebooks: what it shows, in place of the project's. project: where it is started.
    """
    own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("RUNTIME", "DATA", "CONFIG")}
    own["JUPYTERLAB_WORKSPACES_DIR"], own["JUPYTERLAB_SETTINGS_DIR"] = str(folder / "spaces"), str(folder / "settings")
    log = folder / "lab.log"
    with log.open("w") as out:
        shown = f" --notebook-dir={notebooks}" if notebooks else ""
        command = ["make", "-s", "lab", f"LAB_OPTIONS=--no-browser --port=0{shown}"]
        server = subprocess.Popen(
            command,
            cwd=project,
            env=os.environ | own | {"IPYTHONDIR": str(folder / "ipython")} | environment,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        yield _address(log, server)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, 15)
        server.wait(30)


def _address(log: Path, server: subprocess.Popen) -> str:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and server.poll() is None:
        if found := ADDRESS.search(log.read_text()):
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()}")


@contextlib.contextmanager
def page(problems: list[str]) -> Iterator[Page]:
    """A page of Chromium; what is wrong with it is added to `problems`."""

    def refuse(route: Route) -> None:
        problems.append(f"asks for {route.request.url}")
        route.abort()

    def refuse_socket(socket: WebSocketRoute) -> None:
        problems.append(f"asks for {socket.url}")
        socket.close()

    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=chromium(), args=OWN_FLAGS, timeout=PATIENCE_MS)
        looked = program.new_context(viewport=SIZE, service_workers="block").new_page()
        looked.set_default_timeout(PATIENCE_MS / 2)
        looked.route(STRANGE, refuse)
        looked.route_web_socket(ELSEWHERE, refuse_socket)
        looked.on("console", lambda one: problems.append(f"console: {one.text}") if one.type == "error" else None)
        looked.on("pageerror", lambda error: problems.append(f"script error: {error.message}"))
        yield looked
        program.close()


def run_all(looked: Page, address: str, notebook: str) -> None:
    """Open a notebook below notebooks/, run all of its cells, and wait for the first chart."""
    base, _, token = address.partition("/lab")
    looked.goto(f"{base}/lab/tree/{notebook}{token[token.index('?') :]}")
    looked.locator(".jp-Notebook .jp-Cell").first.wait_for()
    looked.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for()
    looked.get_by_role("menuitem", name="Run", exact=True).click()
    looked.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    chart(looked).wait_for()
    looked.wait_for_timeout(SETTLED_MS)


def chart(looked: Page) -> Locator:
    """The drawing of the explorer."""
    return looked.locator(".vega-embed svg").first


def view(looked: Page, name: str) -> None:
    """Choose a view, and wait for its chart."""
    before = described(looked)
    looked.get_by_role("button", name=name, exact=True).click()
    looked.wait_for_function(OTHER_CHART, arg=before)
    looked.wait_for_timeout(SETTLED_MS)


def described(looked: Page) -> str:
    """What a screen reader says of the chart."""
    return looked.locator(".vega-embed [role='graphics-document']").first.get_attribute("aria-label") or ""


def theme(looked: Page, dark: bool) -> None:
    """Switch JupyterLab's theme by its menu."""
    looked.get_by_role("menuitem", name="Settings", exact=True).click()
    looked.locator(".lm-Menu-itemLabel", has_text="Theme").first.click()
    looked.locator(".lm-Menu-itemLabel", has_text="JupyterLab Dark" if dark else "JupyterLab Light").first.click()
    looked.wait_for_function(f"document.body.dataset.jpThemeLight === '{str(not dark).lower()}'")
    looked.wait_for_timeout(SETTLED_MS)


def notebook(code: str) -> str:
    """A notebook of one cell, as JSON."""
    cell = {"cell_type": "code", "execution_count": None, "id": "cell", "metadata": {}, "outputs": [], "source": code}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})


def picture(looked: Page, address: str, dark: bool) -> bytes:
    """What the first notebook's cell shows, as PNG."""
    looked.set_viewport_size({"width": 1280, "height": 1100})
    run_all(looked, address, "picture.ipynb")
    if dark:
        theme(looked, True)
        looked.get_by_role("menuitem", name="Run", exact=True).click()
        looked.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        looked.wait_for_timeout(10 * SETTLED_MS)
    return looked.locator(".jp-OutputArea-output .widget-hbox").first.screenshot()
