"""A figure that leaves as SVG, PNG, CSV and JSON, in a light and a dark theme, with the same bytes every time."""

from __future__ import annotations

import base64
import html
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Canvas

from pipeline.draw import style
from pipeline.draw.style import DARK, LIGHT, THEMES, Theme
from pipeline.errors import LabError

# Without a site theme the light picture is shown, in JupyterLab the one that suits its theme. Nothing here is
# !important, so a site theme that knows the classes only-light and only-dark (Furo) has the last word.
STYLE = (
    ".lab-figure{margin:1em 0}.lab-figure img{max-width:100%;height:auto}.lab-figure .only-dark{display:none}"
    '[data-jp-theme-light="false"] .lab-figure .only-dark{display:block}'
    '[data-jp-theme-light="false"] .lab-figure .only-light{display:none}'
)
# PNG at twice the blog's 700 px; in an SVG only clouds of points are pixels, one per pixel of the blog.
DPI = {"svg": 100, "png": 200}
METADATA = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}


@dataclass
class Figure:
    """What is published: the drawing, the data in it and the words about it.

    name: file name without suffix. alt: the figure in words, for those who cannot see it. caption: for all.
    data: every mark that is drawn, in the tables' own units. provenance: run, host, date, profile, git.
    draw: makes the drawing in a theme; it is called inside the Lab's style.
    """

    name: str
    alt: str
    caption: str
    data: pd.DataFrame
    provenance: dict[str, Any]
    draw: Callable[[Theme], Canvas]
    title: str = ""
    _rendered: dict[tuple[str, str], bytes] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", self.name):
            raise LabError(f"figure name {self.name!r}: use lower-case letters, digits, _ and -; it names the files")
        if not self.alt.strip():
            raise LabError(f"figure {self.name}: alt is empty; describe the figure in words")

    def render(self, theme: Theme, kind: str) -> bytes:
        """The figure as `svg` or `png`, both from one drawing and always in one order: its layout is frozen."""
        if (theme.name, kind) not in self._rendered:
            with style.context(theme, self.name):
                drawing = self.draw(theme)
                for one in METADATA:
                    buffer = io.BytesIO()
                    drawing.savefig(buffer, format=one, dpi=DPI[one], metadata=METADATA[one])
                    content = buffer.getvalue()
                    self._rendered[theme.name, one] = _compact(content) if one == "svg" else content
        return self._rendered[theme.name, kind]

    def save(self, folder: Path) -> list[Path]:
        """Write NAME.svg, NAME-dark.svg, NAME.png, NAME-dark.png, NAME.csv and NAME.json; their paths."""
        files = {}
        for theme in THEMES:
            suffix = "" if theme is LIGHT else f"-{theme.name}"
            for kind in METADATA:
                files[f"{self.name}{suffix}.{kind}"] = self.render(theme, kind)
        files[f"{self.name}.csv"] = self.data.to_csv(index=False, lineterminator="\n").encode()
        words = {"name": self.name, "title": self.title, "alt": self.alt, "caption": self.caption,
                 "provenance": self.provenance}  # fmt: skip
        files[f"{self.name}.json"] = (json.dumps(words, indent=2, ensure_ascii=False) + "\n").encode()
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return [folder / name for name in files]

    def _repr_html_(self) -> str:
        """The figure for a notebook or a page: both themes, the caption, and links to its files in `figures/`."""
        alt = html.escape(self.alt, quote=True)
        images = "".join(
            f'<img class="only-{theme.name}" alt="{alt}" src="data:image/svg+xml;base64,'
            f'{base64.b64encode(self.render(theme, "svg")).decode()}">'
            for theme in (LIGHT, DARK)
        )
        links = " · ".join(
            f'<a href="figures/{self.name}.{kind}">{kind.upper()}</a>' for kind in ("svg", "png", "csv", "json")
        )
        caption = f"{html.escape(self.caption)} " if self.caption else ""
        return (
            f'<style>{STYLE}</style><figure class="lab-figure">{images}'
            f'<figcaption>{caption}<span class="lab-downloads">{links}</span></figcaption></figure>'
        )


def _compact(svg: bytes) -> bytes:
    """Coordinates to a hundredth of a point (matplotlib writes a millionth) and no indentation."""
    svg = re.sub(rb'(?<=\s)(?:d|x|y)="[^"]*"', lambda found: re.sub(rb"(\.\d\d)\d+", rb"\1", found[0]), svg)
    return re.sub(rb"\n +", rb"\n", svg)
