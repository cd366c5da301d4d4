"""What a page says of its figure to machines: Open Graph, Twitter cards and JSON-LD. Addresses there are absolute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.kit import card, escapes

if TYPE_CHECKING:
    from pipeline.kit.kit import Kit


def linked(kit: Kit) -> dict[str, Any]:
    """The figure as an image of a data set (schema.org)."""
    told, origin = kit.figure.words, kit.figure.words["provenance"]
    author = {"@type": "Person", "name": kit.settings.author} if kit.settings.author else None
    image = {
        "@context": "https://schema.org",
        "@type": "ImageObject",
        "name": told["title"],
        "description": told["brief"],
        "caption": told["caption"],
        "contentUrl": f"{kit.base}{kit.name}.png",
        "license": kit.settings.licence,
        "creditText": kit.citation.text(kit.name),
        "isPartOf": {
            "@type": "Dataset",
            "name": kit.citation.title,
            "description": f"Measured on {kit.citation.host}, {origin['date']}.",
            "identifier": kit.citation.content_id,
            "url": kit.base,
            "distribution": {"@type": "DataDownload", "contentUrl": f"{kit.base}{kit.name}.csv"},
        },
    }
    return image | ({"creator": author} if author else {})


def tags(kit: Kit) -> str:
    """The elements for a page's head."""
    told = kit.figure.words
    image = f"{kit.base}{kit.name}-card.png"
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
    return "\n".join([*lines, f'<script type="application/ld+json">\n{escapes.script(linked(kit))}\n</script>', ""])
