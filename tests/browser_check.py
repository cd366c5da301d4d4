"""Open every page of a report from disk in headless Chromium and say what a reader would find broken.

    python tests/browser_check.py build/report

A page is in order when it asks for nothing but files, nothing fails to load, the console shows no error, and every
image is drawn, has something on it and says in words what it shows; of a picture in two themes, one is seen.
The browser is driven through the DevTools protocol over a pipe: no port and no further package is needed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update",
    "--disable-background-networking", "--disable-sync", "--disable-default-apps", "--disable-extensions",
    "--disable-dev-shm-usage", "--allow-file-access-from-files", "--remote-debugging-pipe",
]  # fmt: skip
LOCAL = ("file:", "data:", "blob:", "about:")
PATIENCE_S = 60
# Pixels of every image on a small canvas: a blank one has a single value.
IMAGES = """
(async () => {
  const problems = [];
  for (const image of document.images) {
    const name = image.alt.slice(0, 60) || image.src.slice(0, 80);
    if (!image.alt.trim()) problems.push(`image ${name} has no alternative text`);
    try { await image.decode(); } catch (error) { problems.push(`image ${name} cannot be decoded`); continue; }
    if (!image.complete || image.naturalWidth === 0) { problems.push(`image ${name} is not loaded`); continue; }
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 64;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, 64, 64);
    const pixels = new Set(new Uint32Array(context.getImageData(0, 0, 64, 64).data.buffer));
    if (pixels.size < 8) problems.push(`image ${name} is blank`);
  }
  return JSON.stringify(problems);
})()
"""
THEMES = """
JSON.stringify([...document.querySelectorAll(".lab-figure, .lab-card")].filter(
  (figure) => [...figure.querySelectorAll("img")].filter((image) => image.offsetWidth > 0).length !== 1
).map((figure) => figure.textContent.trim().slice(0, 60)))
"""


def browser() -> str | None:
    """The Chromium to use, None when there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class DevTools:
    """The DevTools protocol: JSON messages, each ended by a zero byte, over two pipes."""

    def __init__(self, write: int, read: int) -> None:
        self._out, self._messages, self._number = os.fdopen(write, "wb", 0), queue.Queue(), 0
        self.events: list[dict[str, Any]] = []
        threading.Thread(target=self._listen, args=[read], daemon=True).start()

    def _listen(self, read: int) -> None:
        rest = b""
        with contextlib.suppress(OSError):
            while chunk := os.read(read, 1 << 16):
                *complete, rest = (rest + chunk).split(b"\0")
                for message in complete:
                    self._messages.put(json.loads(message))
        os.close(read)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that arrive meanwhile are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        self._out.write(json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0")
        while True:
            answer = self._messages.get(timeout=PATIENCE_S)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method: str, session: str) -> None:
        """Wait until an event has arrived."""
        while not any(event["method"] == method and event.get("sessionId") == session for event in self.events):
            self.events.append(self._messages.get(timeout=PATIENCE_S))

    def close(self) -> None:
        self._out.close()


@contextlib.contextmanager
def devtools(program: str) -> Iterator[DevTools]:
    """A browser with a fresh profile, ended afterwards."""
    commands, to_browser = os.pipe()
    from_browser, answers = os.pipe()
    with tempfile.TemporaryDirectory(prefix="lab-browser-", ignore_cleanup_errors=True) as profile:
        # The browser reads commands from descriptor 3 and writes answers to descriptor 4.
        script = f'exec 3<&{commands} 4>&{answers}; exec "$@"'
        command = ["bash", "-c", script, "bash", program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, pass_fds=(commands, answers), start_new_session=True, **quiet)
        os.close(commands)
        os.close(answers)
        tools = DevTools(to_browser, from_browser)
        try:
            yield tools
        finally:
            tools.close()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            process.wait()


def _complaint(event: dict[str, Any], urls: dict[str, str]) -> str | None:
    """What an event says is wrong, None when nothing is."""
    method, told = event["method"], event.get("params", {})
    if method == "Network.requestWillBeSent":
        urls[told["requestId"]] = url = told["request"]["url"]
        return None if url.startswith(LOCAL) else f"asks the network for {url}"
    if method == "Network.loadingFailed":
        return f"cannot load {urls.get(told['requestId'], '?')}: {told['errorText']}"
    if method == "Runtime.exceptionThrown":
        return f"script error: {told['exceptionDetails'].get('exception', {}).get('description', 'unknown')}"
    if method == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert"):
        return f"console error: {' '.join(str(a.get('value', a.get('description'))) for a in told['args'])}"
    if method == "Log.entryAdded" and told["entry"]["level"] == "error":
        return f"console error: {told['entry']['text']}"
    return None


def _page(tools: DevTools, page: Path) -> list[str]:
    target = tools.call("Target.createTarget", url="about:blank")["targetId"]
    session = tools.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    tools.events.clear()

    def evaluate(script: str) -> list[str]:
        answer = tools.call("Runtime.evaluate", session, expression=script, awaitPromise=True, returnByValue=True)
        return json.loads(answer["result"]["value"])

    for domain in ("Page", "Network", "Runtime", "Log"):
        tools.call(f"{domain}.enable", session)
    tools.call("Page.navigate", session, url=page.resolve().as_uri())
    tools.wait_for("Page.loadEventFired", session)
    problems = evaluate(IMAGES)
    for theme in ("light", "dark"):
        scheme = [{"name": "prefers-color-scheme", "value": theme}]
        tools.call("Emulation.setEmulatedMedia", session, features=scheme)
        problems += [f"{name!r} does not show one picture in the {theme} theme" for name in evaluate(THEMES)]
    tools.call("Target.closeTarget", targetId=target)
    urls: dict[str, str] = {}
    problems += [
        told for event in tools.events if event.get("sessionId") == session and (told := _complaint(event, urls))
    ]
    return [f"{page.name}: {problem}" for problem in problems]


def check(report: Path, program: str | None = None) -> list[str]:
    """Everything that is wrong with the pages of a report, each as `page: problem`. RuntimeError without Chromium."""
    program = program or browser()
    if program is None:
        raise RuntimeError("no Chromium found; install one (Debian: chromium)")
    pages = sorted(report.rglob("*.html"))
    if not pages:
        return [f"{report}: there is no page"]
    with devtools(program) as tools:
        return [problem for page in pages for problem in _page(tools, page)]


if __name__ == "__main__":
    found = check(Path(sys.argv[1] if len(sys.argv) > 1 else "build/report"))
    print("\n".join(found) or "Every page is in order.")
    sys.exit(bool(found))
