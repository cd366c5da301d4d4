"""The preview page of a kit: the figure in both themes, the card, and every text with a button that copies it.

It opens from disk. Images that a button copies are in the page itself, for a browser lets no page read files.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from itertools import groupby

from pipeline.draw.style import DARK, LIGHT
from pipeline.kit import targets
from pipeline.kit.citation import Citation
from pipeline.kit.figure_files import Drawn
from pipeline.kit.targets import TARGETS


def page(figure: Drawn, citation: Citation, texts: Mapping[str, str], files: Mapping[str, bytes]) -> str:
    """The page as HTML; files: those of the kit so far."""
    name, told = figure.name, figure.words
    pictures = {
        what: f"data:image/png;base64,{base64.b64encode(files[f'{name}{ending}']).decode()}"
        for what, ending in (("light", ".png"), ("dark", "-dark.png"), ("card", "-card.png"))
    }
    families = groupby(TARGETS.values(), key=lambda target: target.family)
    return targets.preview(
        name=name,
        title=told["title"],
        brief=told["brief"],
        citation=citation.text(name),
        adaptive=f"{name}.svg" in files,
        pictures=pictures,
        themes=(LIGHT, DARK),
        files=sorted(path for path in files if "/" not in path),
        families=[(family, [(one, texts[one.name]) for one in group]) for family, group in families],
    )
