"""Open every page of a report from disk in headless Chromium and say what a reader would find broken.

    python tests/browser_check.py build/report

A page is in order when it asks for nothing but files, nothing fails to load, the console shows no error, and every
image is drawn, has something on it and says in words what it shows, in one breath; of a picture in two themes, one is
seen. On a laptop and on a phone, in the light and the dark theme, nothing scrolls sideways and every word stands out
from what is behind it (WCAG 2.2, 1.4.3: a contrast of 4.5, of large letters 3).
What a page asks the network for is told and refused. The browser is the system's, driven by Playwright.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Route, WebSocketRoute, sync_playwright
from playwright.sync_api import Error as BrowserError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "page check: no Chromium (Debian: apt-get install chromium)"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--allow-file-access-from-files",
    # Chromium connects to the address of a frame before it asks whether it may load it.
    "--host-resolver-rules=MAP * ~NOTFOUND",
]
NETWORK = re.compile(r"^(?!file:|data:|blob:|about:)", re.IGNORECASE)
PATIENCE_MS = 300_000
# Pixels of every image on a small canvas: a blank one has a single value.
IMAGES = """
async () => {
  const problems = [];
  for (const image of document.images) {
    const name = image.alt.slice(0, 60) || image.src.slice(0, 80);
    if (!image.alt.trim()) problems.push(`image ${name} has no alternative text`);
    const long = image.alt.length;
    if (long > 250) problems.push(`image ${name} has an alternative text of ${long} characters`);
    if (image.loading === "lazy") image.loading = "eager";
    try { await image.decode(); } catch (error) { problems.push(`image ${name} cannot be decoded`); continue; }
    if (!image.complete || image.naturalWidth === 0) { problems.push(`image ${name} is not loaded`); continue; }
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 64;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, 64, 64);
    const pixels = new Set(new Uint32Array(context.getImageData(0, 0, 64, 64).data.buffer));
    if (pixels.size < 8) problems.push(`image ${name} is blank`);
  }
  return problems;
}
"""
THEMES = """
() => [...document.querySelectorAll(".lab-figure, .lab-thumb")].filter(
  (figure) => [...figure.querySelectorAll("img")].filter((image) => image.offsetWidth > 0).length !== 1
).map((figure) => figure.textContent.trim().slice(0, 60))
"""


WIDTHS = {1280: 800, 390: 844}  # a laptop's and a phone's window
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"
# Colours are blended as they are seen: text over the backgrounds and through the opacity of all around it. What is
# drawn over a picture, code in its many colours and what is hidden are left out.
CONTRAST = """
() => {
  const parse = (text) => {
    const found = text.match(/-?[\\d.]+/g).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return [...found.slice(0, 3).map((value) => value * scale), found.length > 3 ? found[3] : 1];
  };
  const over = (top, share, under) => [0, 1, 2].map((at) => top[at] * share + under[at] * (1 - share));
  const linear = (of255) => {
    const value = of255 / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = (rgb) => 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
  const told = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("pre, script, style, noscript, svg, math")) continue;
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const around = [];
    for (let one = element; one; one = one.parentElement) around.unshift(getComputedStyle(one));
    if (around.some((style) => style.backgroundImage !== "none")) continue;
    let behind = [255, 255, 255], share = 1;
    for (const style of around) {
      const colour = parse(style.backgroundColor);
      share *= Number(style.opacity);
      behind = over(colour, colour[3] * share, behind);
    }
    const style = around.at(-1), colour = parse(style.color);
    const levels = [luminance(over(colour, colour[3] * share, behind)), luminance(behind)].sort((a, b) => b - a);
    const ratio = (levels[0] + 0.05) / (levels[1] + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const words = `${node.textContent.trim().slice(0, 40)} (${ratio.toFixed(2)})`;
    if (ratio < (large ? 3 : 4.5)) told.set(`${style.color}${behind}`, words);
  }
  return [...told.values()];
}
"""


def browser() -> str | None:
    """The Chromium to use, None when there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def _page(context: BrowserContext, file: Path) -> list[str]:
    problems: list[str] = []

    def refuse(route: Route) -> None:
        problems.append(f"asks the network for {route.request.url}")
        route.abort()

    def refuse_socket(socket: WebSocketRoute) -> None:
        problems.append(f"asks the network for {socket.url}")
        socket.close()

    def failed(request: Request) -> None:
        if not NETWORK.match(request.url):  # what was refused has been told
            problems.append(f"cannot load {request.url}: {request.failure}")

    def console(message: ConsoleMessage) -> None:
        if message.type in ("error", "assert"):
            problems.append(f"console error: {message.text}")

    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.route(NETWORK, refuse)
    page.route_web_socket(re.compile(""), refuse_socket)
    page.on("requestfailed", failed)
    page.on("console", console)
    page.on("pageerror", lambda error: problems.append(f"script error: {error.name}: {error.message}"))
    page.on("crash", lambda _: problems.append("the page crashed"))
    try:
        page.goto(file.resolve().as_uri(), wait_until="load")
        problems += page.evaluate(IMAGES)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            problems += [f"{name!r} does not show one picture in the {theme} theme" for name in page.evaluate(THEMES)]
            problems += [f"contrast is too low in the {theme} theme: {words}" for words in page.evaluate(CONTRAST)]
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            if page.evaluate(SIDEWAYS):
                problems.append(f"scrolls sideways in a window of {width} pixels")
    except BrowserError as error:
        problems.append(f"cannot be checked: {error.message.splitlines()[0]}")
    page.close()
    return [f"{file.name}: {problem}" for problem in problems]


@contextmanager
def opened(file: Path, width: int = 1280, theme: str = "light") -> Iterator[Page]:
    """A page in a window, for a test to read and to press keys in. RuntimeError without Chromium."""
    if (program := browser()) is None:
        raise RuntimeError(MISSING)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=PATIENCE_MS)
        page = chromium.new_page(viewport={"width": width, "height": WIDTHS[width]}, color_scheme=theme)
        page.goto(file.resolve().as_uri(), wait_until="load")
        yield page
        chromium.close()


def check(report: Path, program: str | None = None) -> list[str]:
    """Everything that is wrong with the pages of a report, each as `page: problem`. RuntimeError without Chromium."""
    program = program or browser()
    if program is None:
        raise RuntimeError(MISSING)
    files = sorted(report.rglob("*.html"))
    if not files:
        return [f"{report}: there is no page"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=PATIENCE_MS)
        context = chromium.new_context(service_workers="block")
        problems = [problem for file in files for problem in _page(context, file)]
        chromium.close()
    return problems


if __name__ == "__main__":
    found = check(Path(sys.argv[1] if len(sys.argv) > 1 else "build/report"))
    print("\n".join(found) or "Every page is in order.")
    sys.exit(bool(found))
