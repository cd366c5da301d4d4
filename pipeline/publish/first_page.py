"""The report's first page: host and noise, how many claims hold, a card per experiment; claims and trials below."""

from __future__ import annotations

import json
from collections import Counter
from html import escape
from pathlib import Path

import pandas as pd

from pipeline.analyse import advice
from pipeline.analyse.claim_test import INCONCLUSIVE
from pipeline.analyse.undecided import BETWEEN
from pipeline.analyse.verdicts import NOT_YET_JUDGED, NOT_YET_TESTED
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.host import fingerprint
from pipeline.measure import noise
from pipeline.publish import cards, caveats, claims_table, host_facts, states_strip
from pipeline.publish.claims_table import DIFFERS, VERDICTS
from pipeline.publish.html_tables import table
from pipeline.publish.page import Page, raw
from pipeline.words.numbers import LEVEL, counted, number, percent


def verdicts(pages: list[Page]) -> pd.DataFrame:
    """The verdicts of all experiments, with their page; empty without any, as where every notebook failed."""
    frames = []
    for page in pages:
        if page.kept.verdicts is not None:
            frames.append(page.kept.verdicts.assign(page=page.href, experiment=page.entry.name))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["claim", "verdict", "why"])


def _so_far(pages: list[Page]) -> str:
    """`: so far, 1 of at least 6 blocks` where all pages say that, `: so far` where some page says such a thing."""
    told = {page.kept.so_far for page in pages}
    return f": {told.pop() if len(told) == 1 else 'so far'}" if told - {""} else ""


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
    title = "The host changed during this run: trials before and after may differ for that reason"
    return caveats.banner("warning", title, told) if told else ""


def _head(bundle: Bundle, pages: list[Page], standings: Counter, found: pd.DataFrame) -> str:
    """The host in a sentence, quiet or noisy, how many of the published claims hold, and what to do about the rest."""
    info = bundle.info
    by = escape(info.get("shared", {}).get("by", "") or "its owner")
    origin = f"Contributed by {by} and checked for consistency: measured" if "shared" in info else "Measured"
    host = (
        f'{origin} on <a href="#host"><b>{escape(fingerprint.sentence(info["host"]))}</b></a>, {info["created"][:10]}, '
        f"{counted(len(pages), 'experiment')}, run <b>{escape(info['name'])}</b> ({escape(info['profile'])})."
    )
    pictures = f"{host_facts.picture(info['host'])}\n{states_strip.strip(bundle.journal())}".strip()
    told = f"{_standing(standings, found)}\n{_undecided(bundle, pages, found)}"
    return raw(f'<p class="lab-host">{host} {caveats.sign(bundle)}.</p>\n{pictures}\n{told}')


def _undecided(bundle: Bundle, pages: list[Page], found: pd.DataFrame) -> str:
    """Why claims are undecided, and what more measuring would decide; empty where none is."""
    kinds = claims_table.standings(found)
    open_ = found[found["claim"].map(kinds) == INCONCLUSIVE]
    if open_.empty or not (why := advice.reasons(open_)):
        return ""
    run = "" if paths.is_archived(bundle.name) else bundle.name
    sentence, _, command = advice.outlook(found, run, journal.costs(bundle.journal())).partition(": ")
    how = f": <code>{escape(command)}</code>" if command else ""
    more = f" <b>{escape(sentence)}</b>{how}." if sentence else ""
    answers = advice.open_answers(page.kept.answers for page in pages if page.kept.answers is not None)
    told = f"Of the undecided claims {escape(why)}.{more}{f' {answers}' if answers else ''}"
    return f'<p class="lab-undecided">{told}</p>'


def _standing(standings: Counter, found: pd.DataFrame) -> str:
    """How many of the published claims hold: a sentence, and a bar of all of them."""
    every, later = sum(standings.values()), standings[NOT_YET_JUDGED]
    if later and later + standings[NOT_YET_TESTED] == every:
        whys = dict.fromkeys(found.loc[found["verdict"] == NOT_YET_JUDGED, "reason"])
        told = f"{counted(later, 'published claim')}: {escape('; '.join(whys))}."
        return f'<p class="lab-standing">{told} <a href="#published-claims">All claims</a></p>'
    verb = "holds" if standings["reproduced"] == 1 else "hold"
    held = f"<b>{standings['reproduced']} of the {every} published claims {verb} here</b>"
    split = standings[DIFFERS] and f"{standings[DIFFERS]} on some JDKs only"
    rest = [split] + [
        f"{standings[kind]} {words}"
        for kind, words in (
            ("not reproduced", "does not" if standings["not reproduced"] == 1 else "do not"),
            (BETWEEN, "lies between its rules" if standings[BETWEEN] == 1 else "lie between their rules"),
            ("inconclusive", "this run cannot decide"),
            (NOT_YET_JUDGED, "not judged so far"),
            (NOT_YET_TESTED, "it does not test"),
        )
        if standings[kind]
    ]
    told = ", ".join(part for part in rest if part)
    said = (
        f'<p class="lab-standing">{held}{f"; {told}" if told else ""}. <a href="#published-claims">All claims</a></p>'
    )
    parts = "".join(
        f'<span class="{kind.replace(" ", "-")}" style="flex-grow:{standings[kind]}">{VERDICTS[kind]}</span>'
        for kind in VERDICTS
        if standings[kind]
    )
    return f'{said}<div class="lab-bar" aria-hidden="true">{parts}</div>'


def by_chance(pages: list[Page]) -> str:
    """How many intervals the run has, estimates' and verdicts', and how many of them miss by chance."""
    frames = [frame for page in pages for frame in (page.kept.estimates, page.kept.verdicts) if frame is not None]
    levels = [level for frame in frames if "level" in frame for level in frame["level"].dropna()]
    if not levels:
        return ""
    missing = sum(1 - level for level in levels)
    lower = " (lower where trials are few, and marked so)" if min(levels) < LEVEL else ""
    return (
        f"Intervals are over trials, of {percent(LEVEL)}{lower}, and speak of this run. It has {len(levels):,}, "
        f"of which about {number(missing)} miss their true value by chance alone: one just clear of a limit is "
        "a hint, not a proof. Figures of ratios mark which differences stand when that is taken into account."
    )


def _reading(pages: list[Page], trials: int) -> str:
    words = [
        f"The run has {trials:,} trials, each in a process of its own; noisy ones are kept and drawn hollow.",
        "What is 12 % slower takes 12 % longer for the same work; what is 12 % faster does 12 % more in the same time. "
        "Where a page shows no difference, it says which one it would have shown.",
        by_chance(pages),
    ]
    items = "".join(f"<p>{escape(one)}</p>" for one in words if one)
    return raw(f'<details class="lab-reading"><summary>How to read these numbers</summary>{items}</details>')


def _noise(bundle: Bundle, pages: list[Page]) -> tuple[str, int]:
    """The table of experiments with how noisy they were and how measuring ended; and the number of trials."""
    lines, rows, total = bundle.journal(), [], 0
    endings = [page.kept.how_it_ended.partition(". ")[0] for page in pages if not page.result.failed]
    alike = endings[0] if len(endings) > 1 and endings[0] and len(set(endings)) == 1 else ""
    for page in pages:
        measured = [line for line in journal.trials(lines, page.entry.name) if line["status"] == journal.MEASURED]
        noisy = sum(map(bool, noise.judged(measured).values()))
        total += len(measured)
        share = f"{noisy} ({100 * noisy / len(measured):.0f} %)" if measured else ""
        ended = f"failed: {page.result.failed}" if page.result.failed else page.kept.how_it_ended
        ended = ended.removeprefix(f"{alike}. ") if alike else ended
        title = f'<a href="{page.href}">{escape(page.entry.title)}</a>'
        rows.append([title, f"{len(measured):,}", share, _folded(ended)])
    heading = "How it went" if alike else "How measuring ended"
    told = table(["Experiment", "Trials", "Noisy", heading], rows, "lab-experiments")
    every = f"<p>{escape(alike)}, in every experiment.</p>" if alike else ""
    return raw(every + told), total


def _folded(sentences: str) -> str:
    """The first sentence, the others folded below it."""
    first, stop, rest = sentences.partition(". ")
    more = f"<details><summary>more</summary>{escape(rest)}</details>" if rest else ""
    return f"{escape(first)}{stop.strip()}{more}"


def _gallery(pages: list[Page], figures: Path) -> str:
    """Every figure, folded: its title and page."""
    items = []
    for page in pages:
        for name in page.figures:
            words = json.loads((figures / f"{name}.json").read_text(encoding="utf-8"))
            alt = escape(cards.brief(words), quote=True)
            images = f'<img class="only-light" loading="lazy" src="figures/{name}.svg" alt="{alt}">'
            images += f'<img class="only-dark" loading="lazy" src="figures/{name}-dark.svg" alt="{alt}">'
            title = escape(words.get("title") or words["caption"])
            items.append(
                f'<a class="lab-thumb" href="{page.href}">{images}<span>{title}'
                f"<small>{escape(page.entry.title)}</small></span></a>"
            )
    if not items:
        return ""
    shown = f'<div class="lab-gallery">{"".join(items)}</div>'
    folded = f"<details><summary>All {counted(len(items), 'figure')}</summary>{shown}</details>"
    return "## Figures\n\n" + raw(folded)


def write(bundle: Bundle, pages: list[Page], untested: pd.DataFrame, figures: Path) -> str:
    """The page as MyST Markdown. `untested` has the columns of the verdicts; `figures`: where files are."""
    found = verdicts(pages)
    standings = Counter(claims_table.standings(pd.concat([found, untested])).values())
    trials_table, trials = _noise(bundle, pages)
    names = "\n".join(page.entry.name for page in pages)
    parts = [
        f"---\nhide-toc: true\n---\n# Mechanical Sympathy Lab{_so_far(pages)}\n",
        caveats.banners(bundle),
        _failures(pages),
        _changes(bundle),
        _head(bundle, pages, standings, found),
        f"```{{toctree}}\n:hidden:\n\n{names}\n```\n",
        raw(cards.cards(pages, figures)),
        _reading(pages, trials),
        claims_table.section(bundle.name, found, untested),
        "## Trials and noise\n\n" + trials_table,
        _gallery(pages, figures),
        host_facts.section(bundle),
    ]
    return "\n".join(part for part in parts if part)
