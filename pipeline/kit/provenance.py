"""Where a file comes from, written into the file itself: by whom, of which run, and how to make it again.

There is no date but the run's, so the same figure has the same bytes every time.
"""

from __future__ import annotations

import html
import io
import json
import re
from pathlib import Path
from typing import Any

from PIL import Image, PngImagePlugin

KEY = "lab"
SVG_RECORD = re.compile(rb"<lab:provenance>(.*?)</lab:provenance>", re.DOTALL)
MOST_BYTES = 50_000_000
NEEDED = ("content_id", "run", "experiment", "figure", "file", "settings", "width")


def written(record: dict[str, Any]) -> str:
    """The record as text, always the same."""
    return json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def png(content: bytes, texts: dict[str, str]) -> bytes:
    """The same picture with texts (keyword -> text) in iTXt chunks; an empty one is left out."""
    image = Image.open(io.BytesIO(content))
    chunks = PngImagePlugin.PngInfo()
    for keyword, text in texts.items():
        if text:
            chunks.add_itxt(keyword, text)
    out = io.BytesIO()
    image.save(out, "png", pnginfo=chunks, dpi=image.info.get("dpi"), compress_level=6)
    return out.getvalue()


def read(file: Path) -> dict[str, Any] | None:
    """The record in a PNG, an SVG or a NAME.json of a kit; None where there is none, or it is not one of ours.

    The file may come from anywhere: of an SVG nothing is interpreted, of a PNG only what stands before the pixels.
    """
    if file.stat().st_size > MOST_BYTES:
        return None
    content = file.read_bytes()
    try:
        record = json.loads(_found(content))
    except (ValueError, TypeError, RecursionError):
        return None
    return record if isinstance(record, dict) and all(name in record for name in NEEDED) else None


def _found(content: bytes) -> str:
    if content.startswith(b"\x89PNG"):
        try:
            return str(Image.open(io.BytesIO(content)).info.get(KEY, ""))
        except (OSError, SyntaxError, Image.DecompressionBombError) as error:
            raise ValueError(str(error)) from None
    if found := SVG_RECORD.search(content):
        return html.unescape(found[1].decode("utf-8"))
    told = json.loads(content)
    return written(told[KEY]) if isinstance(told, dict) and KEY in told else ""
