"""The SVG files of a kit: with words and origin inside, and one that is light or dark as its reader is.

matplotlib writes every colour as `style="fill: #rrggbb"`; in the adaptive file it is a variable that one style sheet
sets for each theme. The background stays painted: a page whose own switch disagrees with the system is readable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from pipeline.draw import files
from pipeline.draw.style import DARK

METADATA = """<metadata>
<rdf:RDF xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:cc="http://creativecommons.org/ns#" \
xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:lab="urn:mechanical-sympathy-lab">
<cc:Work>
<dc:type rdf:resource="http://purl.org/dc/dcmitype/StillImage"/>
<dc:format>image/svg+xml</dc:format>
{fields}
</cc:Work>
</rdf:RDF>
</metadata>"""
REFERENCES = re.compile(r'\bid="(?=[^"])|xlink:href="#|url\(#')
INLINE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)


def dressed(content: bytes, *, title: str, brief: str, alt: str, fields: Mapping[str, str]) -> bytes:
    """A drawn SVG that says in itself what it shows; fields: element -> text of its metadata."""
    said = "\n".join(f"<{name}>{escape(text, quote=False)}</{name}>" for name, text in fields.items() if text)
    told = f"<title>{escape(title)}</title>\n<desc>{escape(alt)}</desc>\n{METADATA.format(fields=said)}"
    text = content.decode()
    text = re.sub(r"<svg\b", lambda _: f'<svg role="img" aria-label="{escape(brief, quote=True)}"', text, count=1)
    return re.sub(r"<metadata>.*?</metadata>", lambda _: told, text, count=1, flags=re.DOTALL).encode()


def adaptive(content: bytes, name: str) -> bytes | None:
    """The light SVG as one in both themes, every identifier of its own; None where part of it is pixels."""
    if b"<image" in content:
        return None
    dark = files.counterparts(DARK)
    light = list(dark)
    root = f"lab-{name}"

    def variables(found: re.Match) -> str:
        return re.sub(
            r"#[0-9a-f]{6}\b", lambda one: f"var(--i{light.index(one[0])})" if one[0] in dark else one[0], found[0]
        )

    text = re.sub(r'\bstyle="[^"]*"', variables, content.decode())
    text = REFERENCES.sub(lambda found: f"{found[0]}{root}-", text)
    text = re.sub(r"<svg\b", f'<svg id="{root}"', text, count=1)
    used = [number for number in range(len(light)) if f"var(--i{number})" in text]
    declared = [";".join(f"--i{number}:{ink[number]}" for number in used) for ink in (light, list(dark.values()))]
    style = (
        f"#{root}{{{declared[0]}}}@media (prefers-color-scheme: dark){{#{root}{{{declared[1]}}}}}"
        f"#{root} *{{stroke-linejoin: round; stroke-linecap: butt}}"
    )
    return re.sub(r'(<style type="text/css">)[^<]*', lambda found: found[1] + style, text, count=1).encode()


def inline(content: bytes) -> str:
    """An SVG for the middle of a page: without what stands before its root."""
    return INLINE.sub("", content.decode(), count=1).strip()
