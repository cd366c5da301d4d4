"""A drawing as SVG in every theme, from one drawing and one layout.

Drawing is what costs time, so it is done once, in the light theme; the other themes are the same drawing in other ink.
"""

from __future__ import annotations

import io
import re
from dataclasses import astuple

from matplotlib import colors
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas

from pipeline.draw.style import LIGHT, THEMES, Theme

DPI = 100  # only clouds of points are pixels, one per pixel of a blog's 700
INKED = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")


def pictures(drawing: Canvas) -> dict[str, bytes]:
    """Theme -> SVG, of a drawing made in the light theme; it may end in the ink of another."""
    light = svg(drawing)
    found = {LIGHT.name: light}
    for theme in (theme for theme in THEMES if theme is not LIGHT):
        # The colours of lines are words, those of pixels among them are not: these are drawn again.
        if b"<image" in light:
            ink(drawing, theme)
            found[theme.name] = svg(drawing)
        else:
            found[theme.name] = ink_svg(light, theme)
    return found


def svg(drawing: Canvas) -> bytes:
    """Coordinates to a hundredth of a point (matplotlib writes a millionth), no indentation, no date."""
    drawing.set_dpi(DPI)
    buffer = io.BytesIO()
    FigureCanvasSVG(drawing).print_svg(buffer, metadata={"Date": None, "Creator": None})
    content = re.sub(
        rb'(?<=\s)(?:d|x|y)="[^"]*"', lambda found: re.sub(rb"(\.\d\d)\d+", rb"\1", found[0]), buffer.getvalue()
    )
    return re.sub(rb"\n +", rb"\n", content)


def ink(drawing: Canvas, theme: Theme) -> None:
    """Give a drawing made in the light theme the colours of another; colours of no theme stay."""
    inks = {colors.to_rgb(old): colors.to_rgb(new) for old, new in counterparts(theme).items()}
    for artist in drawing.findobj():
        for part in (part for part in INKED if hasattr(artist, f"get_{part}")):
            old = [tuple(one) for one in colors.to_rgba_array(getattr(artist, f"get_{part}")())]
            new = [(*inks.get(one[:3], one[:3]), one[3]) for one in old]
            if new != old:
                getattr(artist, f"set_{part}")(new if len(new) > 1 else new[0])


def ink_svg(content: bytes, theme: Theme) -> bytes:
    """The same for a drawing written as SVG, without pixels in it."""
    inks = {old.encode(): new.encode() for old, new in counterparts(theme).items()}
    return re.sub(rb"#[0-9a-f]{6}\b", lambda found: inks.get(found[0], found[0]), content)


def counterparts(theme: Theme) -> dict[str, str]:
    """Every ink of the light theme -> that of another, as `#rrggbb`."""
    light, other = ((*astuple(one)[1:-1], *one.series) for one in (LIGHT, theme))
    return dict(zip(light, other, strict=True))
