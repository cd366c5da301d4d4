"""The frame of a collection's pages, in their style."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pipeline.render import html

STYLE = Path(__file__).with_name("page.css")


def page(title: str, body: Iterable[str]) -> str:
    return html.page(title, body, STYLE)
