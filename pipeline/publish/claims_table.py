"""The published claims: the verdict on each, its effect beside its rule, why, and what it rests on."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.analyse.claim_test import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED
from pipeline.analyse.rules import words
from pipeline.analyse.source import Source
from pipeline.analyse.undecided import BETWEEN
from pipeline.analyse.verdicts import NOT_YET_JUDGED, NOT_YET_TESTED
from pipeline.catalogue.claims import Region
from pipeline.catalogue.selectors import runtime_label
from pipeline.publish.interval_plot import interval_plot
from pipeline.publish.page import raw
from pipeline.words.numbers import counted, interval

DIFFERS = "differs"
# A sign and a word beside the colour: the page must be readable in black and white.
VERDICTS = {REPRODUCED: "✓", NOT_REPRODUCED: "✗", DIFFERS: "±", BETWEEN: "≈", INCONCLUSIVE: "?", NOT_YET_JUDGED: "…"}
VERDICTS |= {NOT_YET_TESTED: "–"}
# What is said of claims, as of a claim asked of several runtimes: holds on all, on none, on some.
STANDING = {
    REPRODUCED: "hold",
    NOT_REPRODUCED: "do not hold",
    DIFFERS: "hold on some JDKs only",
    BETWEEN: "lie between their rules",
    INCONCLUSIVE: "undecided",
    NOT_YET_JUDGED: "not judged so far",
    NOT_YET_TESTED: "not tested here",
}
FILTER = Path(__file__).resolve().parent / "static" / "claims.html"
Row = dict[str, Any]


def standing(verdicts: Sequence[str]) -> str:
    """One verdict on a claim from those on each runtime it was asked of; a doubt on one is a doubt."""
    kinds = set(verdicts)
    if len(kinds) == 1:
        return kinds.pop()
    return DIFFERS if kinds >= {REPRODUCED, NOT_REPRODUCED} else INCONCLUSIVE


def standings(frame: pd.DataFrame) -> dict[str, str]:
    """Claim -> its standing, in the order of the claims."""
    return {name: _standing(rows) for name, rows in _by(frame[["claim", "verdict", "why"]].to_dict("records"), "claim")}


def _by(rows: Sequence[Row], column: str) -> list[tuple[str, list[Row]]]:
    """(value, its rows) in the order of the values of a column."""
    ordered = sorted(rows, key=itemgetter(column))
    return [(str(value), list(same)) for value, same in groupby(ordered, itemgetter(column))]


def _standing(rows: Sequence[Row]) -> str:
    """As `standing`; one that is undecided because its numbers lie between its rules, and for nothing else, is that."""
    kind = standing([row["verdict"] for row in rows])
    whys = {row["why"] for row in rows if row["verdict"] == INCONCLUSIVE}
    return BETWEEN if kind == INCONCLUSIVE and whys == {BETWEEN} else kind


def badge(verdict: str, label: str = "") -> str:
    """A verdict with sign, word and colour."""
    css = verdict.replace(" ", "-")
    return f'<span class="lab-badge {css}">{VERDICTS.get(verdict, "")} {escape(label or verdict)}</span>'


def standing_words(kind: str, count: int) -> str:
    """`5 do not hold`, `1 does not hold`."""
    words = STANDING[kind]
    if count == 1 and kind == BETWEEN:
        words = "lies between its rules"
    elif count == 1:
        words = words.replace("hold", "holds", 1) if words.startswith("hold") else words.replace("do not", "does not")
    return f"{count} {words}"


def badges(standings: Counter) -> str:
    """`✓ 3 hold  ✗ 1 do not hold`: those verdicts that there are, with their numbers."""
    return " ".join(badge(kind, standing_words(kind, standings[kind])) for kind in VERDICTS if standings[kind])


def effect(row: Row) -> str:
    """`0.25 [0.2, 0.3]`, or empty without an effect."""
    if row["effect"] is None or not math.isfinite(row["effect"]):
        return ""
    return f"<b>{escape(interval(row['effect'], row['low'], row['high'], row['unit'], row['level']))}</b>"


def rests_on(run: str, row: Row) -> str:
    """Folded below a verdict: metric, configurations, trials and blocks of its effects, and the command that prints
    them."""
    sources = [Source.of(one) for one in json.loads(row["sources"])]
    if not sources:
        return ""
    items = "".join(f"<li>{escape(source.words())}</li>" for source in sources)
    command = f"lab claims --run {run} --claim {row['claim']}"
    items += f"<li><code>{escape(command)}</code></li>"
    return f'<details class="lab-rests"><summary>rests on</summary><ul>{items}</ul></details>'


def plot(row: Row) -> str:
    """The effect of a verdict beside its rule, as a picture."""
    rule = json.loads(row["rule"])
    told = words([Region(**one) for one in rule], row["unit"]) if rule else ""
    return interval_plot(row, row["unit"], rule, told)


def claim(run: str, rows: Sequence[Row]) -> str:
    """One claim: the post's sentence, and what it comes to on each runtime; what several say is told once."""
    first = rows[0]
    kind = _standing(rows)
    name = escape(first["claim"])
    link = f'<a href="{first["page"]}">{name}</a>' if first.get("page") else name
    alike: dict[tuple, list[Row]] = {}
    for row in rows:
        told = (row["verdict"], row["reason"]) if not effect(row) else (row["scope"],)
        alike.setdefault(told, []).append(row)
    told = "".join(_told(run, same, len(alike) > 1) for same in alike.values())
    searched = escape(f"{first['claim']} {first['topic']} {first['text']}".lower(), quote=True)
    return (
        f'<li class="lab-claim" data-verdict="{kind}" data-text="{searched}">'
        f"<p>{badge(kind, _short(kind))} <b>{link}</b> {escape(first['text'])}</p>{told}</li>"
    )


def _short(kind: str) -> str:
    return {DIFFERS: "differs by JDK", BETWEEN: "between its rules"}.get(kind, kind)


def _told(run: str, rows: Sequence[Row], each: bool) -> str:
    """What is said of the runtimes of `rows`, which all say the same; each: with their own verdict."""
    row = rows[0]
    if row["verdict"] in (NOT_YET_TESTED, NOT_YET_JUDGED):
        return ""
    scope = ", ".join(runtime_label(str(one["scope"] or "")) for one in rows)
    reason = f'<span class="lab-reason">{escape(str(row["reason"] or ""))}</span>' if row["reason"] else ""
    if row.get("advice"):
        reason += f' <span class="lab-advice">{escape(_sentence(row["advice"]))}</span>'
    head = " ".join(
        part
        for part in (f"<b>{escape(scope)}</b>" if scope else "", badge(row["verdict"]) if each else "", effect(row))
        if part
    )
    return f'<div class="lab-told">{plot(row)}<div>{head} {reason}{rests_on(run, row)}</div></div>'


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def listed(run: str, frame: pd.DataFrame) -> str:
    """The claims of `frame` (columns of the verdicts, and where there is one `page`), one below the other."""
    return _listed(run, frame.to_dict("records"))


def _listed(run: str, rows: Sequence[Row]) -> str:
    return f'<ul class="lab-claims">{"".join(claim(run, of_claim) for _, of_claim in _by(rows, "claim"))}</ul>'


def section(run: str, frame: pd.DataFrame, untested: pd.DataFrame) -> str:
    """The section of the page: the claims by topic, folded, and what filters them."""
    every = (
        pd.concat([part for part in (frame, untested) if len(part)], ignore_index=True)
        if len(frame) + len(untested)
        else frame
    )
    if every.empty:
        return ""
    every = every.astype(object).where(every.notna(), None)
    topics = "".join(_topic(run, name, rows) for name, rows in _by(every.to_dict("records"), "topic"))
    kinds = set(standings(every).values())
    if kinds <= {NOT_YET_JUDGED, NOT_YET_TESTED}:
        told = f"<b>All {counted(every['claim'].nunique(), 'published claim')}</b>"
        return "## Published claims\n\n" + raw(f"<details><summary>{told}</summary>{topics}</details>")
    choices = "".join(
        f'<label><input type="checkbox" value="{kind}" checked> {badge(kind, STANDING[kind])}</label>'
        for kind in VERDICTS
        if kind in kinds
    )
    return "## Published claims\n\n" + raw(
        FILTER.read_text(encoding="utf-8").replace("CHOICES", choices).replace("TOPICS", topics)
    )


def _topic(run: str, name: str, rows: Sequence[Row]) -> str:
    counts = Counter(_standing(of_claim) for _, of_claim in _by(rows, "claim"))
    many = counted(counts.total(), "claim")
    head = f"<b>{escape(name.replace('_', ' '))}</b> <small>{many}</small> {badges(counts)}"
    return f'<details class="lab-topic"><summary>{head}</summary>{_listed(run, rows)}</details>'
