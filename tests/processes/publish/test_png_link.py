"""A figure's PNG, which the browser draws when a reader of a page asks for it."""

from __future__ import annotations

import io

import pytest
from browser_check import FLAGS, MISSING, PATIENCE_MS, browser
from figures import case
from PIL import Image
from playwright.sync_api import sync_playwright

from pipeline.draw.style import THEMES
from pipeline.kit import raster
from pipeline.publish.site import STATIC

PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="{css}">
<body data-theme="{theme}"><style>body[data-theme="light"] .only-dark, body[data-theme="dark"] .only-light
{{display: none !important}} body[data-theme="dark"] .only-dark {{display: block !important}}</style>
{figure}<script src="{js}"></script>"""


@pytest.mark.skipif(browser() is None, reason=MISSING)
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_link_saves_the_picture_that_is_shown(theme, tmp_path):
    figure = case("near_one")
    page = tmp_path / "page.html"
    static = {"css": (STATIC / "lab.css").as_uri(), "js": (STATIC / "png.js").as_uri()}
    page.write_text(PAGE.format(theme=theme.name, figure=figure._repr_html_(), **static), encoding="utf-8")
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=browser(), args=FLAGS)
        shown = chromium.new_page()
        shown.set_default_timeout(PATIENCE_MS)
        shown.goto(page.as_uri())
        with shown.expect_download() as saving:
            shown.get_by_role("link", name="PNG").click()
        saved = saving.value
        content = Image.open(saved.path()).convert("RGB")
        name = saved.suggested_filename
        chromium.close()
    ours = Image.open(io.BytesIO(raster.png(figure.svg(theme))))
    assert name == {"light": "near_one.png", "dark": "near_one-dark.png"}[theme.name]
    assert content.width == ours.width and abs(content.height - ours.height) <= 1
    assert content.getpixel((2, 2)) == ours.getpixel((2, 2))
