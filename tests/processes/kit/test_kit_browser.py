"""What a reader's browser makes of a kit: the adaptive SVG in both themes, and the preview page's buttons."""

from __future__ import annotations

import base64
import io
import shutil

import browser_check
import pytest
from figures import case
from kit_toy import draw
from PIL import Image, ImageChops
from playwright.sync_api import sync_playwright

from pipeline.draw.style import THEMES
from pipeline.kit import svg
from pipeline.kit.targets import TARGETS

needs_browser = pytest.mark.skipif(browser_check.browser() is None, reason=browser_check.MISSING)

LOOKS = 10
READ_IMAGE = """
async () => {
  const [item] = await navigator.clipboard.read();
  const bytes = new Uint8Array(await (await item.getType("image/png")).arrayBuffer());
  return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
}
"""


@pytest.fixture
def chromium():
    with sync_playwright() as playwright:
        program = browser_check.browser()
        browser = playwright.chromium.launch(
            executable_path=program, args=browser_check.FLAGS, timeout=browser_check.PATIENCE_MS
        )
        yield browser
        browser.close()


def shot(page, folder, body: str) -> Image.Image:
    (folder / "page.html").write_text(f'<meta charset="utf-8"><body style="margin:0">{body}')
    page.goto((folder / "page.html").as_uri())
    seen = [page.screenshot()]
    while len(seen) < LOOKS and seen[-1] not in seen[:-1]:  # on a busy host a part may be drawn a moment later
        seen.append(page.screenshot())
    return Image.open(io.BytesIO(seen[-1])).convert("RGB")


@needs_browser
def test_an_adaptive_figure_is_pixel_by_pixel_that_of_the_readers_theme(chromium, tmp_path):
    figure = case("near_one")
    adaptive = svg.adaptive(figure.svg(THEMES[0]), "near_one")
    (tmp_path / "adaptive.svg").write_bytes(adaptive)
    seen = []
    for theme in THEMES:
        (tmp_path / f"{theme.name}.svg").write_bytes(figure.svg(theme))
        page = chromium.new_page(viewport={"width": 720, "height": 500}, color_scheme=theme.name)
        ours, fixed = (shot(page, tmp_path, f'<img src="{name}.svg">') for name in ("adaptive", theme.name))
        inline = [shot(page, tmp_path, svg.inline(one)) for one in (adaptive, figure.svg(theme))]
        assert len(ours.getcolors(2**24)) > 20
        assert ImageChops.difference(ours, fixed).getbbox() is None
        assert ImageChops.difference(*inline).getbbox() is None
        seen.append(ours)
    assert ImageChops.difference(*seen).getbbox()


@needs_browser
def test_the_preview_asks_for_nothing_and_every_image_of_it_is_drawn_and_described(monkeypatch, tmp_path):
    folder = draw(monkeypatch, tmp_path).write()
    shutil.rmtree(folder / "paste")  # its texts are parts of pages
    assert browser_check.check(folder) == []


@needs_browser
def test_every_button_of_the_preview_copies_what_it_stands_beside(chromium, monkeypatch, tmp_path):
    kit = draw(monkeypatch, tmp_path)
    folder = kit.write()
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto((folder / "index.html").as_uri())
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for name, target in TARGETS.items():
        page.click(f'[data-text="{name}"]')
        page.wait_for_function(f"""document.querySelector('[data-text="{name}"]').textContent === "Copied" """)
        pasted = page.evaluate("navigator.clipboard.readText()")
        assert pasted == (folder / "paste" / f"{name}.{target.ending}").read_text(encoding="utf-8"), name
    for which, ending in {"light": "", "dark": "-dark", "card": "-card"}.items():
        page.click(f'[data-image="{which}"]')
        page.wait_for_function(f"""document.querySelector('[data-image="{which}"]').textContent === "Copied" """)
        copied, ours = (
            Image.open(io.BytesIO(one)).convert("RGB")
            for one in (base64.b64decode(page.evaluate(READ_IMAGE)), (folder / f"near_one{ending}.png").read_bytes())
        )
        assert copied.size == ours.size and ImageChops.difference(copied, ours).getbbox() is None
