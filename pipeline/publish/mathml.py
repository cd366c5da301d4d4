"""Formulas as MathML, which browsers draw themselves; Sphinx's own renderers need a network script or LaTeX."""

from __future__ import annotations

import html

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def mathml(tex: str, block: bool) -> str:
    """A formula as an element of HTML."""
    try:
        return tex2mathml(tex, as_block=block)
    except Exception:  # a formula beyond docutils' LaTeX is shown as it was written
        return f"<code>{html.escape(tex)}</code>"


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), block=False))
    raise nodes.SkipNode


def _display(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(f'<div class="math">{mathml(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
