"""A figure as pixels, drawn of its SVG where a platform takes nothing else: no page needs it, no report waits for it.

resvg draws the same pixels on any machine, and asks it for no font: the glyphs of our figures are paths.
"""

from __future__ import annotations

import io
from functools import lru_cache

from PIL import Image

DPI = 200  # 1400 pixels wide: twice what a blog shows


@lru_cache(maxsize=8)  # a card and a picture are of the same figure
def png(svg: bytes) -> bytes:
    """The PNG of an SVG that covers its own ground, without transparency."""
    import resvg_py  # only a kit asks for it

    drawn = resvg_py.svg_to_bytes(svg_string=svg.decode(), dpi=DPI, skip_system_fonts=True)
    out = io.BytesIO()
    Image.open(io.BytesIO(drawn)).convert("RGB").save(out, "png", dpi=(DPI, DPI), compress_level=3)
    return out.getvalue()
