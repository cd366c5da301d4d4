"""The browser check finds what is broken."""

import browser_check
import pytest

needs_browser = pytest.mark.skipif(browser_check.browser() is None, reason="no Chromium found")
BROKEN_PAGES = {
    '<img src="missing.png" alt="a">': "cannot load",
    '<img src="picture.svg" alt=" ">': "has no alternative text",
    '<img src="blank.svg" alt="a">': "is blank",
    '<script src="http://127.0.0.1:9/a.js"></script>': "asks the network for http://127.0.0.1:9/a.js",
    "<script>toy.play()</script>": "script error: ReferenceError",
    '<script>console.error("broken toy")</script>': "console error: broken toy",
    '<div class="lab-card"><img src="picture.svg" alt="a"><img src="picture.svg" alt="b"></div>': "one picture",
    '<img src="picture.svg" alt="a circle">': "",
}


@needs_browser
def test_the_browser_check_finds_what_is_broken(tmp_path):
    circle = '<circle cx="30" cy="30" r="20" fill="red"/>'
    for name, inside in (("picture.svg", circle), ("blank.svg", "")):
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="99" height="60">{inside}</svg>'
        (tmp_path / name).write_text(svg)
    for number, html in enumerate(BROKEN_PAGES):
        (tmp_path / f"page{number}.html").write_text(f'<meta charset="utf-8"><link rel="icon" href="data:,">{html}')
    found = browser_check.check(tmp_path)
    for number, problem in enumerate(BROKEN_PAGES.values()):
        told = [line for line in found if line.startswith(f"page{number}.html: ")]
        assert any(problem in line for line in told) if problem else not told, (number, problem, told)


def test_a_folder_without_pages_is_no_report(tmp_path):
    assert browser_check.check(tmp_path, "unused") == [f"{tmp_path}: there is no page"]
