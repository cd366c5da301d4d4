"""A figure that leaves as SVG, CSV and JSON, in a light and a dark theme, with the same bytes every time."""

from __future__ import annotations

import base64
import html
import json
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure as Canvas

from pipeline.draw import files, layout, style
from pipeline.draw.style import DARK, LIGHT, THEMES, Theme
from pipeline.ground.errors import LabError

# Without a site theme the light picture is shown, in JupyterLab the one that suits its theme. Nothing here is
# !important, so a site theme that knows the classes only-light and only-dark (Furo) has the last word.
STYLE = (
    ".lab-figure{margin:1em 0}.lab-figure img{max-width:100%;height:auto}.lab-figure .only-dark{display:none}"
    '[data-jp-theme-light="false"] .lab-figure .only-dark{display:block}'
    '[data-jp-theme-light="false"] .lab-figure .only-light{display:none}'
)
BRIEF = 250  # characters: what a screen reader says in one go
Drawing = tuple[Canvas, list[Artist]]  # the panels, and the entries of the legend


@dataclass
class Figure:
    """What is published: the drawing, the data in it and the words about it.

    name: file name without suffix. alt: the figure in words with its numbers, for those who cannot see it.
    data: every mark that is drawn, in the tables' own units.
    draw: makes the panels in a theme, and the legend's entries; it is called inside the Lab's style. Between themes
    only the theme's colours may differ: a figure is drawn once and the other themes are that drawing in other ink.
    title, caption, provenance (run, host, date, profile, git): added where the figure is shown (`titled`), and with
    them brief: what is shown and the main finding in at most BRIEF characters, otherwise the beginning of `alt`; and
    about: what else NAME.json says, for those who hand the figure on (`pipeline.session.figure_summary.about`).
    """

    name: str
    alt: str
    data: pd.DataFrame
    draw: Callable[[Theme], Drawing]
    title: str = ""
    caption: str = ""
    provenance: dict[str, Any] = field(default_factory=dict)
    brief: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    _rendered: dict[str, bytes] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", self.name):
            raise LabError(f"figure name {self.name!r}: use lower-case letters, digits, _ and -; it names the files")
        if not self.alt.strip():
            raise LabError(f"figure {self.name}: alt is empty; describe the figure in words")
        self.brief = self.brief or textwrap.shorten(self.alt, BRIEF, placeholder=" …")
        if len(self.brief) > BRIEF:
            raise LabError(f"figure {self.name}: brief has {len(self.brief)} characters; {BRIEF} are read in one go")

    def titled(
        self,
        title: str,
        caption: str,
        provenance: Mapping[str, Any],
        *,
        brief: str = "",
        about: Mapping[str, Any] | None = None,
    ) -> Figure:
        """The same figure with its title, caption, origin and, where there is one, what it comes to in brief."""
        words = {"title": title, "caption": caption, "brief": brief or self.brief}
        return replace(self, provenance=dict(provenance), about=dict(about or {}), **words)

    def svg(self, theme: Theme) -> bytes:
        """The figure as SVG: all themes are one drawing."""
        if not self._rendered:
            with style.context(LIGHT, self.name):
                canvas, handles = self.draw(LIGHT)
                layout.finish(canvas, LIGHT, title=self.title, handles=handles, provenance=self.provenance)
                self._rendered = files.pictures(canvas)
        return self._rendered[theme.name]

    def save(self, folder: Path) -> list[Path]:
        """Write NAME.svg, NAME-dark.svg, NAME.csv and NAME.json; their paths."""
        contents = {}
        for theme in THEMES:
            suffix = "" if theme is LIGHT else f"-{theme.name}"
            contents[f"{self.name}{suffix}.svg"] = self.svg(theme)
        contents[f"{self.name}.csv"] = self.data.to_csv(index=False, lineterminator="\n").encode()
        words = {
            "name": self.name,
            "title": self.title,
            "brief": self.brief,
            "alt": self.alt,
            "caption": self.caption,
            "provenance": self.provenance,
        } | self.about
        contents[f"{self.name}.json"] = (json.dumps(words, indent=2, ensure_ascii=False) + "\n").encode()
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
        return [folder / name for name in contents]

    def _repr_html_(self) -> str:
        """The figure for a notebook or a page: both themes, the caption, links to its files in `figures/`, and folded
        the long description and how to publish it."""
        alt = html.escape(self.brief, quote=True)
        images = "".join(
            f'<img class="only-{theme.name}" alt="{alt}" src="data:image/svg+xml;base64,'
            f'{base64.b64encode(self.svg(theme)).decode()}">'
            for theme in (LIGHT, DARK)
        )
        links = " · ".join(
            f'<a href="figures/{self.name}.{kind}">{kind.upper()}</a>' for kind in ("svg", "csv", "json")
        )
        caption = f"{html.escape(self.caption)} " if self.caption else ""
        return (
            f'<style>{STYLE}</style><figure class="lab-figure">{images}'
            f'<figcaption>{caption}<span class="lab-downloads">{links}</span>'
            f'<details class="lab-description"><summary>Description</summary>{html.escape(self.alt)}</details>'
            f"{self._kit()}</figcaption></figure>"
        )

    def _kit(self) -> str:
        """Folded, the command that prints what to paste of the figure; nothing where there is no kit of it."""
        if "table" not in self.about:
            return ""
        command = html.escape(f"lab kit {self.name} --run {self.provenance['run']} --for hugo")
        return (
            f'<details class="lab-kit"><summary>Kit</summary><code>{command}</code> prints what to paste into a post, '
            "here for Hugo; without <code>--for</code> it writes the texts for all platforms and the files.</details>"
        )
