"""The page check notices what is broken, each kind of problem on a page of its own."""

from __future__ import annotations

import base64
import socket
from pathlib import Path

import browser_check
import pytest

needs_browser = pytest.mark.skipif(browser_check.browser() is None, reason=browser_check.MISSING)

CARD = '<div class="lab-thumb">{}</div>'
CIRCLE = '<img src="picture.svg" alt="a circle">'
# The only themed picture: seen when the reader's theme is dark.
DARK = f"<style>@media (prefers-color-scheme: light) {{ img {{ display: none }} }}</style>{CARD.format(CIRCLE)}"
BROKEN_PAGES = {
    "missing image": ('<img src="missing.png" alt="a">', "cannot load"),
    "damaged image": ('<img src="damaged.png" alt="a">', "cannot be decoded"),
    "blank image": ('<img src="blank.svg" alt="a">', "image a is blank"),
    "no alternative text": ('<img src="picture.svg">', "has no alternative text"),
    "empty alternative text": ('<img src="picture.svg" alt=" ">', "has no alternative text"),
    "missing script": ('<script src="missing.js"></script>', "cannot load"),
    "missing style": ('<link rel="stylesheet" href="missing.css">', "cannot load"),
    "script error": ("<script>toy.play()</script>", "script error: ReferenceError: toy is not defined"),
    "rejected promise": ("<script>Promise.reject(new Error('toy'))</script>", "script error: Error: toy"),
    "console error": ('<script>console.error("broken toy")</script>', "console error: broken toy"),
    "failed assertion": ('<script>console.assert(false, "no toy")</script>', "console error: no toy"),
    "two pictures in one theme": (CARD.format(CIRCLE * 2), "does not show one picture in the light theme"),
    "wordy alternative text": (f'<img src="picture.svg" alt="{"a" * 251}">', "an alternative text of 251 characters"),
    "pale words": ('<p style="color: #999">pale</p>', "contrast is too low in the light theme: pale (2.85)"),
    "faint words": ('<p style="opacity: 0.5">faint</p>', "contrast is too low in the dark theme: faint ("),
    "wide box": ('<div style="width: 800px">wide</div>', "scrolls sideways in a window of 390 pixels"),
    "no picture in one theme": (DARK, "does not show one picture in the light theme"),
}
# ADDRESS is where a server would answer, were it asked.
ASKING_PAGES = {
    "script": '<script src="http://ADDRESS/a.js"></script>',
    "image": '<img src="http://ADDRESS/a.png" alt="a">',
    "font": "<style>@font-face { font-family: a; src: url(http://ADDRESS/a.woff) }</style><p style='font-family: a'>a",
    "fetch": '<script>fetch("http://ADDRESS/a.json").catch(() => 0)</script>',
    "frame": '<iframe src="http://ADDRESS/a.html"></iframe>',
    "socket": '<script>new WebSocket("ws://ADDRESS/a")</script>',
    "unknown host": '<script src="https://lab.invalid/a.js"></script>',
}


def write(folder: Path, pages: dict[str, str]) -> Path:
    circle = '<circle cx="30" cy="30" r="20" fill="red"/>'
    for name, inside in (("picture.svg", circle), ("blank.svg", "")):
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="99" height="60">{inside}</svg>'
        (folder / name).write_text(svg)
    (folder / "damaged.png").write_bytes(base64.b64decode("iVBORw0KGgo="))
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(f'<meta charset="utf-8"><link rel="icon" href="data:,">{html}')
    return folder


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> list[str]:
    """What the check says about all broken pages and one in order."""
    pages = {name: html for name, (html, _) in BROKEN_PAGES.items()}
    return browser_check.check(
        write(tmp_path_factory.mktemp("broken"), pages | {"in order": CIRCLE + CARD.format(CIRCLE)})
    )


@needs_browser
@pytest.mark.parametrize("name", BROKEN_PAGES)
def test_a_broken_page_is_noticed(name, found):
    told = [line for line in found if line.startswith(f"{name}.html: ")]
    assert any(BROKEN_PAGES[name][1] in line for line in told), told


@needs_browser
def test_a_page_in_order_is_not_complained_of(found):
    assert [line for line in found if line.startswith("in order.html")] == []


@needs_browser
def test_a_page_that_asks_the_network_is_noticed_and_gets_no_answer(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        found = browser_check.check(
            write(tmp_path, {name: html.replace("ADDRESS", address) for name, html in ASKING_PAGES.items()})
        )
        server.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has called
            server.accept()
    for name in ASKING_PAGES:
        where = "https://lab.invalid/" if name == "unknown host" else f"://{address}/a"
        told = [line for line in found if line.startswith(f"{name}.html: asks the network for ")]
        assert len(told) == 1 and where in told[0], (name, found)


def test_a_folder_without_pages_is_no_report(tmp_path):
    assert browser_check.check(tmp_path, "unused") == [f"{tmp_path}: there is no page"]
