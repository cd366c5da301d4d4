"""How a run is cited: a line of text, CITATION.cff (1.2.0), BibTeX and CSL-JSON. A run is a data set."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from pipeline.bundle.bundle import Bundle
from pipeline.bundle.content_id import content_id
from pipeline.host import fingerprint
from pipeline.kit.settings import Settings

LAB = "Mechanical Sympathy Lab"
FORMATS = ("text", "cff", "bibtex", "csl")
LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


@dataclass(frozen=True)
class Citation:
    """Of a run: its content id, its name, the day it was begun (2026-11-21) and the host in a sentence."""

    content_id: str
    run: str
    date: str
    host: str
    settings: Settings

    @classmethod
    def of(cls, bundle: Bundle, settings: Settings) -> Citation:
        info = bundle.info
        host = fingerprint.sentence(info["host"])
        return cls(content_id(bundle), info["name"], info["created"][:10], host, settings)

    @property
    def title(self) -> str:
        return f"{LAB}, run {self.content_id} ({self.run})"

    @property
    def url(self) -> str:
        return self.settings.at(self.content_id)

    def text(self, figure: str = "") -> str:
        """A line; of one figure where it is named."""
        parts = [self.settings.author, self.title, f"figure {figure}" if figure else "", self.date]
        line = ", ".join(part for part in parts if part)
        address = f"{self.url}{figure}.svg" if self.url and figure else self.url
        return " ".join(part for part in (f"{line}.", address, f"{self.settings.licence}.") if part)

    def cff(self) -> str:
        """CITATION.cff: the run as a data set, the Lab as what it was made with."""
        author = {"name": self.settings.author or LAB}
        if self.settings.orcid and self.settings.author:
            author["orcid"] = f"https://orcid.org/{self.settings.orcid}"
        told: dict[str, Any] = {
            "cff-version": "1.2.0",
            "message": "If you use these measurements, please cite them.",
            "type": "dataset",
            "title": self.title,
            "version": self.content_id,
            "abstract": f"Measured on {self.host}." if self.host else "Measured elsewhere, and imported.",
            "authors": [author],
            **({"date-released": self.date} if self.date else {}),
            "license": self.settings.licence,
            "references": [{"type": "software", "title": LAB, "authors": [{"name": LAB}], "license": "Apache-2.0"}],
        }
        return yaml.safe_dump(told | ({"url": self.url} if self.url else {}), sort_keys=False, allow_unicode=True)

    def bibtex(self) -> str:
        """An entry `@misc`, which every style knows."""
        fields = {
            "author": f"{{{_latex(self.settings.author or LAB)}}}",
            "title": f"{{{_latex(self.title)}}}",
            **({"year": self.date[:4], "month": str(int(self.date[5:7]))} if self.date else {}),
            "note": _latex(f"Data set, version {self.content_id}{f', measured on {self.host}' if self.host else ''}"),
        } | ({"url": self.url} if self.url else {})
        body = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items())
        return f"@misc{{lab-{self.content_id},\n{body}\n}}\n"

    def csl(self) -> str:
        """CSL-JSON, as Zotero and Pandoc read it."""
        told = {
            "id": f"lab-{self.content_id}",
            "type": "dataset",
            "title": self.title,
            "version": self.content_id,
            "author": [{"literal": self.settings.author or LAB}],
            **({"issued": {"date-parts": [[int(part) for part in self.date.split("-")]]}} if self.date else {}),
        } | ({"URL": self.url} if self.url else {})
        return json.dumps([told], indent=1, ensure_ascii=False) + "\n"


def measured_on(origin: Mapping[str, str]) -> str:
    """`Measured on <host>, <date>` of a figure's provenance; of an imported run as much as is known."""
    known = ", ".join(part for part in (origin["host"], origin["date"]) if part)
    return f"Measured on {known}" if origin["host"] else ", ".join(filter(None, ["Measured elsewhere", known]))


def _latex(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda found: LATEX.get(found[0], f"\\{found[0]}"), text)
