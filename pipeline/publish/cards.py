"""An experiment at a glance: question, answer in a sentence, figure, two or three numbers, verdicts."""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from html import escape
from pathlib import Path

from pipeline.publish import claims_table
from pipeline.publish.page import Page

BRIEF = 250  # characters that a screen reader reads in one go
VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
TALL = 0.8  # of the width
UNANSWERED = "This run has not measured enough of it for an answer."


def cards(pages: list[Page], figures: Path) -> str:
    """The grid of all experiments."""
    return f'<div class="lab-cards">{"".join(card(page, figures) for page in pages)}</div>'


def card(page: Page, figures: Path) -> str:
    """One experiment, as a card of the first page."""
    link = f'<h3><a href="{page.href}">{escape(page.entry.title)}</a></h3>'
    if page.result.failed:
        told = f'<p class="lab-answer">Its notebook failed: {escape(page.result.failed)}</p>'
        return f'<article class="lab-card failed">{link}{question(page)}{told}</article>'
    return (
        f'<article class="lab-card">{link}{so_far(page)}{answer(page)}{picture(page, figures)}{facts(page)}'
        f"{question(page)}{verdicts(page)}</article>"
    )


def top(page: Page, figures: Path) -> str:
    """The same at the top of the experiment's own page, where its numbers also say where they come from."""
    shown = picture(page, figures, f"<figcaption>{_title(page, figures)} It is explained below.</figcaption>")
    rests = "".join(
        f"<li><b>{escape(fact.label)}</b>, {escape(fact.who)}: {escape(fact.source)}<br>"
        f"<code>{escape(fact.command)}</code></li>"
        for fact in (page.kept.answer.facts if page.kept.answer else [])
        if fact.source
    )
    folded = f'<details class="lab-rests"><summary>rests on</summary><ul>{rests}</ul></details>' if rests else ""
    parts = so_far(page), question(page), answer(page), facts(page), folded, verdicts(page), shown
    return f'<div class="lab-top">{"".join(parts)}</div>'


def so_far(page: Page) -> str:
    """How far measuring has come, where it has not ended."""
    told = page.kept.so_far
    return f'<p class="lab-so-far">{escape(told[:1].upper() + told[1:])}</p>' if told else ""


def question(page: Page) -> str:
    return f'<p class="lab-question">{escape(page.entry.question)}</p>'


def answer(page: Page) -> str:
    text = page.kept.answer.text if page.kept.answer else UNANSWERED
    return f'<p class="lab-answer">{escape(text)}</p>'


def facts(page: Page) -> str:
    """The numbers of the answer with their intervals; each says on demand what it rests on."""
    if not page.kept.answer:
        return ""
    items = "".join(
        f'<li title="{escape(fact.source, quote=True)}"><span>{escape(fact.label)}</span> <b>{escape(fact.head)}</b> '
        f"<small>{escape(' · '.join(part for part in (fact.bracket, fact.who) if part))}</small></li>"
        for fact in page.kept.answer.facts
    )
    return f'<ul class="lab-facts-short">{items}</ul>'


def verdicts(page: Page) -> str:
    """How many of the claims that the experiment tests hold."""
    if page.kept.verdicts is None or page.kept.verdicts.empty:
        return ""
    standings = Counter(claims_table.standings(page.kept.verdicts).values())
    return f'<p class="lab-verdicts">Published claims: {claims_table.badges(standings)}</p>'


def picture(page: Page, figures: Path, caption: str = "") -> str:
    """The headline figure in both themes; empty without one."""
    name = headline(page)
    if not name:
        return ""
    alt = escape(brief(_words(name, figures)), quote=True)
    images = "".join(
        f'<img class="only-{theme}" src="figures/{name}{suffix}.svg" alt="{alt}">'
        for theme, suffix in (("light", ""), ("dark", "-dark"))
    )
    css = "lab-figure" if caption or not _tall(figures / f"{name}.svg") else "lab-figure tall"
    return f'<figure class="{css}">{images}{caption}</figure>'


def _tall(svg: Path) -> bool:
    """Whether a figure is higher than a card has room for: a card then shows its upper part."""
    size = VIEW.search(svg.read_text(encoding="utf-8")[:2000]) if svg.exists() else None
    return bool(size) and float(size[2]) > TALL * float(size[1])


def headline(page: Page) -> str:
    """The figure that the answer names, otherwise the page's first; empty without any."""
    named = page.kept.answer.figure if page.kept.answer else ""
    return named if named in page.figures else (page.figures or [""])[0]


def brief(words: dict[str, str]) -> str:
    """A figure in at most BRIEF characters, for those who cannot see it."""
    return words.get("brief") or textwrap.shorten(words["alt"], BRIEF, placeholder=" …")


def _title(page: Page, figures: Path) -> str:
    name = headline(page)
    words = _words(name, figures) if name else {}
    return f"{escape(words.get('title') or words.get('caption', ''))}." if words else ""


def _words(name: str, figures: Path) -> dict[str, str]:
    return json.loads((figures / f"{name}.json").read_text(encoding="utf-8"))
