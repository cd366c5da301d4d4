"""The report's first page: what was found, figures, claims with their verdicts, noise, and the host in words."""

from __future__ import annotations

import json
from collections import Counter
from html import escape
from pathlib import Path

import pandas as pd

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.host import fingerprint
from pipeline.measure import noise
from pipeline.publish import claims_table, doubts, host_facts
from pipeline.publish.claims_table import VERDICTS, badge
from pipeline.publish.html_tables import table
from pipeline.publish.page import Page, raw
from pipeline.words import LEVEL, counted, number, percent

SENTENCES = 4  # of every experiment; its own page has them all


def verdicts(pages: list[Page]) -> pd.DataFrame:
    """The verdicts of all experiments, with their page; empty without any."""
    frames = []
    for page in pages:
        if page.kept.verdicts is not None:
            frames.append(page.kept.verdicts.assign(page=page.href, experiment=page.entry.title))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["claim", "verdict"])


def _failures(pages: list[Page]) -> str:
    failed = [page for page in pages if page.result.failed]
    if not failed:
        return ""
    items = "".join(
        f'<li><a href="{p.href}">{escape(p.entry.title)}</a>: {escape(p.result.failed)}</li>' for p in failed
    )
    many = f"{counted(len(failed), 'notebook')} failed"
    return raw(f'<div class="admonition error"><p class="admonition-title">{many}</p><ul>{items}</ul></div>')


def _changes(bundle: Bundle) -> str:
    """A warning when the host was not in one state throughout the run."""
    told = journal.told(bundle.journal())
    if not told:
        return ""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in told)
    title = "The host changed during this run: trials before and after may differ for that reason"
    return raw(f'<div class="admonition warning"><p class="admonition-title">{title}</p><ul>{items}</ul></div>')


def _summary(bundle: Bundle, pages: list[Page], trials: int, counts: Counter) -> str:
    info = bundle.info
    words = [
        f"Run <b>{escape(info['name'])}</b> of {info['created'][:10]}, profile {escape(info['profile'])}, on "
        f"<b>{escape(fingerprint.sentence(info['host']))}</b>: {counted(len(pages), 'experiment')}, {trials:,} trials, "
        "each in a process of its own."
    ]
    if any(n for verdict, n in counts.items() if verdict != "not yet tested"):
        words.append(
            f"Verdicts on published claims: {counts['reproduced']} reproduced here, {counts['not reproduced']} not, "
            f"{counts['inconclusive']} that this host or this run cannot decide."
        )
    words += [by_chance(pages), "Noisy trials are kept and drawn hollow."]
    chips = "".join(f"<li>{badge(verdict)} <b>{counts[verdict]}</b></li>" for verdict in VERDICTS)
    return raw(f'<p class="lab-summary">{" ".join(words)}</p>\n<ul class="lab-counts">{chips}</ul>')


def by_chance(pages: list[Page]) -> str:
    """How many intervals the run has, estimates' and verdicts', and how many of them miss by chance."""
    frames = [frame for page in pages for frame in (page.kept.estimates, page.kept.verdicts) if frame is not None]
    levels = [level for frame in frames if "level" in frame for level in frame["level"].dropna()]
    if not levels:
        return ""
    missing = sum(1 - level for level in levels)
    lower = " (lower where trials are few, and told there)" if min(levels) < LEVEL else ""
    return (
        f"Intervals are over trials, of {percent(LEVEL)}{lower}, and speak of this run. It has {len(levels):,}, "
        f"of which about {number(missing)} miss their true value by chance alone: one just clear of a limit is "
        "a hint, not a proof. Ratio figures mark what stands when their number is taken into account."
    )


def _found(pages: list[Page]) -> str:
    """The first SENTENCES of what each notebook says that it found; empty where none says anything."""
    text = ""
    for page in pages:
        found = page.kept.found
        if found and not page.result.failed:
            items = "".join(f"<li>{one.html()}</li>" for one in found[:SENTENCES])
            if len(found) > SENTENCES:
                items += f'<li><a href="{page.href}">{len(found) - SENTENCES} more</a></li>'
            text += f"[{page.entry.title}]({page.entry.name}): {page.entry.question}\n\n"
            text += raw(f'<ul class="lab-found">{items}</ul>') + "\n"
    return f"## What was found\n\n{text}" if text else ""


def _noise(bundle: Bundle, pages: list[Page]) -> tuple[str, int]:
    """The table of experiments with how noisy they were and how measuring ended; and the number of trials."""
    lines, rows, total = bundle.journal(), [], 0
    for page in pages:
        measured = [line for line in journal.trials(lines, page.entry.name) if line["status"] == journal.MEASURED]
        noisy = sum(map(bool, noise.judged(measured).values()))
        total += len(measured)
        share = f"{noisy} ({100 * noisy / len(measured):.0f} %)" if measured else ""
        ended = f"failed: {page.result.failed}" if page.result.failed else page.kept.how_it_ended
        title = f'<a href="{page.href}">{escape(page.entry.title)}</a><br><small>{escape(page.entry.question)}</small>'
        rows.append([title, f"{len(measured):,}", share, escape(ended)])
    return raw(table(["Experiment", "Trials", "Noisy", "How measuring ended"], rows, "lab-experiments")), total


def _gallery(pages: list[Page], figures: Path) -> str:
    cards = []
    for page in pages:
        for name in page.figures:
            words = json.loads((figures / f"{name}.json").read_text(encoding="utf-8"))
            alt = escape(words["alt"], quote=True)
            images = f'<img class="only-light" src="figures/{name}.svg" alt="{alt}">'
            images += f'<img class="only-dark" src="figures/{name}-dark.svg" alt="{alt}">'
            title = escape(words.get("title") or words["caption"])
            cards.append(
                f'<a class="lab-card" href="{page.href}">{images}<span>{title}'
                f"<small>{escape(page.entry.title)}</small></span></a>"
            )
    return "## Figures\n\n" + raw(f'<div class="lab-gallery">{"".join(cards)}</div>') if cards else ""


def write(bundle: Bundle, pages: list[Page], untested: pd.DataFrame, figures: Path) -> str:
    """The page as MyST Markdown. `untested` has the columns claim, topic and text; `figures`: where files are."""
    found = verdicts(pages)
    counts = Counter(found["verdict"])
    counts["not yet tested"] += len(untested)
    noise, trials = _noise(bundle, pages)
    names = "\n".join(page.entry.name for page in pages)
    parts = [
        "# Mechanical Sympathy Lab\n",
        doubts.banners(bundle),
        _failures(pages),
        _changes(bundle),
        _summary(bundle, pages, trials, counts),
        f"```{{toctree}}\n:hidden:\n\n{names}\n```\n",
        _found(pages),
        "## Experiments\n\n" + noise,
        claims_table.section(bundle.name, found, untested),
        _gallery(pages, figures),
        host_facts.section(bundle),
    ]
    return "\n".join(part for part in parts if part)
