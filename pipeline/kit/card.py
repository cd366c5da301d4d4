"""The social card: title and finding in large type, the figure as a thumbnail, host and date."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from PIL import Image

from pipeline.draw import style
from pipeline.draw.style import LIGHT

WIDTH, HEIGHT, MARGIN, DPI = 1200, 630, 48, 100
# Of a card that a feed shows 200 px wide the title can be read: capitals, 0.729 em of the font, are 9 px high there.
TITLE_PT, TEXT_PT, FOOT_PT = 54.0, 23.0, 15.0
LEADING = 1.25
TITLE_LINES = 3


def draw(title: str, sentences: Sequence[str], foot: str, picture: bytes) -> bytes:
    """A PNG of WIDTH by HEIGHT; what does not fit is cut at a word, sentences that do not fit at all are left out."""
    with style.context(LIGHT, "card"):
        card = Canvas(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI, facecolor=LIGHT.background)
        canvas = FigureCanvasAgg(card)
        y = _write(card, title, TITLE_PT, MARGIN, MARGIN, WIDTH - 2 * MARGIN, TITLE_LINES, LIGHT.text)
        bottom = HEIGHT - MARGIN - 2 * _line(FOOT_PT)
        thumbnail = _thumbnail(picture, WIDTH // 2 - MARGIN, int(bottom - y))
        left = WIDTH - MARGIN - thumbnail.width
        _place(card, thumbnail, left, y)
        for sentence in sentences[:2]:
            lines = int((bottom - y) / _line(TEXT_PT))
            if lines > 1:
                y = _write(card, sentence, TEXT_PT, MARGIN, y, left - 2 * MARGIN, lines, LIGHT.text) + MARGIN / 3
        _write(card, foot, FOOT_PT, MARGIN, HEIGHT - MARGIN - _line(FOOT_PT), WIDTH - 2 * MARGIN, 1, LIGHT.muted)
        canvas.draw()
        image = Image.frombytes("RGBA", canvas.get_width_height(), canvas.buffer_rgba()).convert("RGB")
    out = io.BytesIO()
    image.save(out, "png", optimize=True)
    return out.getvalue()


def _line(size: float) -> float:
    return size * DPI / 72 * LEADING


def _write(card: Canvas, words: str, size: float, x: float, y: float, width: float, most: int, colour: str) -> float:
    """Text from (x, y), pixels from the upper left; the y below it."""
    lines = _wrapped(card, words, size, width, most)
    for number, line in enumerate(lines):
        at = 1 - (y + number * _line(size)) / HEIGHT
        card.text(x / WIDTH, at, line, fontsize=size, color=colour, va="top", parse_math=False)
    return y + len(lines) * _line(size) + (MARGIN / 3 if size == TITLE_PT else 0)


def _wrapped(card: Canvas, words: str, size: float, width: float, most: int) -> list[str]:
    lines, line, rest = [], "", words.split()
    while rest:
        longer = f"{line} {rest[0]}".strip()
        if line and _width(card, longer, size) > width:
            lines.append(line)
            line = ""
        else:
            line = longer
            rest.pop(0)
    lines.append(line)
    if len(lines) <= most and all(_width(card, one, size) <= width for one in lines):
        return lines
    kept = lines[:most]
    last = kept[-1].split()
    while len(last) > 1 and _width(card, f"{' '.join(last)} …", size) > width:
        last.pop()
    return [*kept[:-1], f"{' '.join(last)} …"]


def _width(card: Canvas, words: str, size: float) -> float:
    text = card.text(0, 0, words, fontsize=size, parse_math=False)
    width = text.get_window_extent(card.canvas.get_renderer()).width
    text.remove()
    return width


def _thumbnail(picture: bytes, width: int, height: int) -> Image.Image:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.thumbnail((width, height), Image.Resampling.LANCZOS)
    return image


def _place(card: Canvas, image: Image.Image, x: float, y: float) -> None:
    card.figimage(np.asarray(image), x, HEIGHT - y - image.height)
