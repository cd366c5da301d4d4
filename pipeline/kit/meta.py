"""What a page says of its figure to machines: Open Graph, Twitter cards and JSON-LD. Addresses there are absolute."""

from __future__ import annotations

from typing import Any

from pipeline.kit import card, escapes
from pipeline.kit.citation import Citation, measured_on
from pipeline.kit.figure_files import Drawn


def linked(figure: Drawn, citation: Citation) -> dict[str, Any]:
    """The figure as an image of a data set (schema.org)."""
    told, origin = figure.words, figure.words["provenance"]
    author = {"@type": "Person", "name": citation.settings.author} if citation.settings.author else None
    image = {
        "@context": "https://schema.org",
        "@type": "ImageObject",
        "name": told["title"],
        "description": told["brief"],
        "caption": told["caption"],
        "contentUrl": f"{citation.url}{figure.name}.png",
        "license": citation.settings.licence,
        "creditText": citation.text(figure.name),
        "isPartOf": {
            "@type": "Dataset",
            "name": citation.title,
            "description": f"{measured_on(origin)}.",
            "identifier": citation.content_id,
            "url": citation.url,
            "distribution": {"@type": "DataDownload", "contentUrl": f"{citation.url}{figure.name}.csv"},
        },
    }
    return image | ({"creator": author} if author else {})


def tags(figure: Drawn, citation: Citation) -> str:
    """The elements for a page's head."""
    told = figure.words
    image = f"{citation.url}{figure.name}-card.png"
    properties = {
        "og:title": told["title"],
        "og:description": told["brief"],
        "og:image": image,
        "og:image:width": str(card.WIDTH),
        "og:image:height": str(card.HEIGHT),
        "og:image:alt": told["brief"],
    }
    names = {"twitter:card": "summary_large_image", "twitter:image": image, "twitter:image:alt": told["brief"]}
    lines = [f'<meta property="{one}" content="{escapes.html(text)}">' for one, text in properties.items()]
    lines += [f'<meta name="{one}" content="{escapes.html(text)}">' for one, text in names.items()]
    return "\n".join(
        [*lines, f'<script type="application/ld+json">\n{escapes.script(linked(figure, citation))}\n</script>', ""]
    )
