"""A figure's PNG, drawn of its SVG: the picture that matplotlib itself draws, twice as wide as a blog shows it."""

import io

import numpy as np
import pytest
from figures import case, draw
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from pipeline.draw import style
from pipeline.draw.style import LIGHT, THEMES
from pipeline.kit import raster

pytestmark = pytest.mark.thorough

BACKGROUNDS = {"light": (255, 255, 255), "dark": (0x13, 0x14, 0x16)}


def pixels(content: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(content)), dtype=int)


@pytest.mark.parametrize("name", ["near_one", "agree"])  # the second has clouds of points
def test_it_is_twice_as_wide_as_a_blog_covers_its_ground_and_repeats(name):
    figure = case(name)
    for theme in THEMES:
        content = raster.png(figure.svg(theme))
        shown = Image.open(io.BytesIO(content))
        assert (shown.mode, shown.width) == ("RGB", 1400) and "Software" not in shown.info
        assert shown.getpixel((0, 0)) == BACKGROUNDS[theme.name] and pixels(content).std() > 10
    raster.png.cache_clear()
    assert raster.png(figure.svg(theme)) == content


@pytest.mark.parametrize(("name", "most"), [("near_one", 2), ("percentiles", 2), ("agree", 4)])  # clouds are coarser
def test_it_is_the_picture_that_matplotlib_draws(name, most):
    figure = case(name)
    with style.context(LIGHT, name):
        canvas = FigureCanvasAgg(draw(figure))
        canvas.figure.set_dpi(raster.DPI)
        canvas.draw()
        theirs = np.asarray(canvas.buffer_rgba())[..., :3].astype(int)
    ours = pixels(raster.png(figure.svg(LIGHT)))
    height = min(len(ours), len(theirs))  # a fraction of a pixel is a row for the one, and none for the other
    apart = np.abs(ours[:height] - theirs[:height])
    assert abs(len(ours) - len(theirs)) <= 1 and apart.mean() < most and (apart.max(axis=2) > 128).mean() < most / 400
