"""The kit of one figure: every file and text that leaves with it. The same figure gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.kit import card, escapes, figure_files, meta, preview, provenance, svg, tables, targets
from pipeline.kit.citation import Citation, measured_on
from pipeline.kit.figure_files import Drawn
from pipeline.kit.settings import Settings
from pipeline.kit.targets import TARGETS, Words

# ending in a kit -> ending of the published file that it is drawn of, of the pictures
SVGS = {"-light.svg": ".svg", "-dark.svg": "-dark.svg"}
PNGS = {".png": ".svg", "-dark.png": "-dark.svg"}
WIDTH = 700


@dataclass(frozen=True)
class Kit:
    """A figure, how its run is cited, how wide it is shown (pixels), and, where no page has it but the explorer drew
    it, of which choice (`pipeline.explore.state`)."""

    figure: Drawn
    citation: Citation
    width: int = WIDTH
    state: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, run: str, name: str, settings: Settings, width: int = WIDTH) -> Kit:
        """Raises LabError where there is no such figure."""
        return cls(figure_files.read(run, name), Citation.of(Bundle.open(run), settings), width)

    @property
    def name(self) -> str:
        return self.figure.name

    @property
    def settings(self) -> Settings:
        return self.citation.settings

    @property
    def base(self) -> str:
        """The address below which the kit's files will lie, ending in a slash; empty without a site."""
        return self.citation.url

    def record(self, file: str) -> dict[str, Any]:
        """What a file says of itself: enough to make it again."""
        origin = self.figure.words["provenance"]
        return (
            {
                "content_id": self.citation.content_id,
                "run": origin["run"],
                "experiment": origin["experiment"],
                "figure": self.name,
                "file": file,
                "settings": self.settings.model_dump(exclude={"default_target"}),
                "width": self.width,
            }
            | ({} if self.state is None else {"state": self.state})
            | ({"fit": origin["fit"]} if "fit" in origin else {})
        )

    def texts(self) -> dict[str, str]:
        """Target -> text to paste."""
        words = self.words()
        return {name: targets.text(target, words) for name, target in TARGETS.items()}

    def words(self) -> Words:
        told, origin = self.figure.words, self.figure.words["provenance"]
        return Words(
            name=self.name,
            title=told["title"],
            brief=told["brief"],
            alt=told["alt"],
            caption=told["caption"],
            measured=f"{measured_on(origin)}: {told['rests_on']}.",
            citation=self.citation.text(self.name),
            licence=self.settings.licence,
            base=self.base,
            adaptive=svg.inline(self.adaptive) if self.adaptive else "",
            found=told["found"],
            width=self.width,
            linked=meta.linked(self.figure, self.citation) if self.base else None,
            **told["table"],
        )

    @cached_property
    def adaptive(self) -> bytes | None:
        """The SVG in both themes; None where part of the figure is pixels."""
        return svg.adaptive(self._svg(".svg", f"{self.name}.svg"), self.name)

    def files(self) -> dict[str, bytes]:
        """Path within the kit -> content, of everything."""
        name, told = self.name, self.figure.words
        found = {f"{name}{ending}": self._svg(source, f"{name}{ending}") for ending, source in SVGS.items()}
        found |= {
            f"{name}{ending}": provenance.png(self.figure.pixels(source), self._chunks(f"{name}{ending}"))
            for ending, source in PNGS.items()
        }
        if self.adaptive:
            found[f"{name}.svg"] = self.adaptive
        found[f"{name}-card.png"] = self._card()
        found[f"{name}.csv"] = self.figure.read(".csv")
        table = told["table"]
        found[f"{name}-table.md"] = f"{tables.pipe(table['columns'], table['rows'])}\n".encode()
        found[f"{name}-table.html"] = f"{tables.html(table['columns'], table['rows'])}\n".encode()
        found |= {"CITATION.cff": self.citation.cff().encode(), f"{name}.bib": self.citation.bibtex().encode()}
        texts = self.texts()
        found |= {f"paste/{to}.{TARGETS[to].ending}": text.encode() for to, text in texts.items()}
        if self.base:
            found["meta.html"] = meta.tags(self.figure, self.citation).encode()
        found["index.html"] = preview.page(self.figure, self.citation, texts, found).encode()
        found[f"{name}.json"] = self._json(found)
        return found

    def write(self) -> Path:
        """Write the kit anew; its folder."""
        folder = paths.build() / self.figure.run / "kit" / self.name
        files = self.files()
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return folder

    def _svg(self, source: str, file: str) -> bytes:
        told = self.figure.words
        fields = {
            "dc:title": told["title"],
            "dc:description": told["brief"],
            "dc:creator": self.settings.author,
            "dc:date": told["provenance"]["date"],
            "dc:rights": self.settings.licence,
            "dc:source": self.citation.text(self.name),
            "lab:provenance": provenance.written(self.record(file)),
        }
        words = {one: escapes.plain(told[one]) for one in ("title", "brief", "alt")}
        plain = {element: escapes.plain(text) for element, text in fields.items()}
        return svg.dressed(self.figure.read(source), **words, fields=plain)

    def _chunks(self, file: str) -> dict[str, str]:
        told = self.figure.words
        texts = {
            "Title": told["title"],
            "Author": self.settings.author,
            "Description": told["brief"],
            "Copyright": self.settings.licence,
            "Source": self.citation.text(self.name),
            provenance.KEY: provenance.written(self.record(file)),
        }
        return {keyword: escapes.plain(text) for keyword, text in texts.items()}

    def _card(self) -> bytes:
        told = self.figure.words
        foot = f"{self.citation.host} · {self.citation.date} · run {self.citation.content_id}"
        picture = card.draw(told["title"], told["found"] or [told["caption"]], foot, self.figure.pixels(".svg"))
        return provenance.png(picture, self._chunks(f"{self.name}-card.png"))

    def _json(self, found: dict[str, bytes]) -> bytes:
        told = self.figure.words | {
            "content_id": self.citation.content_id,
            "citation": self.citation.text(self.name),
            "licence": self.settings.licence,
            "permalink": f"{self.base}{self.name}.svg" if self.base else "",
            "files": {path: hashlib.sha256(content).hexdigest() for path, content in sorted(found.items())},
            provenance.KEY: self.record(f"{self.name}.json"),
        }
        return (json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode()
