"""One sentence of what was found: of each runtime its words, and where their numbers come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from pipeline.words.phrases import named


@dataclass(frozen=True)
class Part:
    """What a sentence says of one runtime (or of another `who`): words with numbers, what these rest on, and the
    command that prints them."""

    who: str
    words: str
    sources: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Finding:
    """One sentence: `sentence: words (**who**); words (**who**).`; those that say the same are named together."""

    sentence: str
    parts: list[Part]

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Finding:
        """From plain values, as `dataclasses.asdict` made them."""
        return cls(told["sentence"], [Part(**part) for part in told["parts"]])

    def texts(self) -> list[str]:
        """The sentence as a line, and shorter: without its last part, the last two, ..."""
        said = [f"{words} ({who})" for words, who in self._said()]
        return [f"{self.sentence}: {'; '.join(said[:count])}." for count in range(len(said), 0, -1)]

    def _said(self) -> list[tuple[str, str]]:
        """What is said, and of whom."""
        who: dict[str, list[str]] = {}
        for part in self.parts:
            who.setdefault(part.words, []).append(part.who)
        return [(words, named(of)) for words, of in who.items()]

    def html(self) -> str:
        """The sentence, and folded below it where its numbers come from."""
        said = "; ".join(f"{escape(words)} (<b>{escape(who)}</b>)" for words, who in self._said())
        rows = "".join(
            f"<li><b>{escape(part.who)}</b>: {escape(source)}<br><code>{escape(command)}</code></li>"
            for part in self.parts
            for source, command in zip(part.sources, part.commands, strict=True)
        )
        folded = f'<details class="lab-rests"><summary>rests on</summary><ul>{rows}</ul></details>' if rows else ""
        return f"{escape(self.sentence)}: {said}.{folded}"
