"""The published claims on the first page: the verdict on each, why, and what it rests on."""

from __future__ import annotations

import json
import math
from html import escape

import pandas as pd

from pipeline.analyse.source import Source
from pipeline.draw.style import runtime_label
from pipeline.publish.html_tables import table
from pipeline.publish.page import raw
from pipeline.words import interval

# A sign and a word beside the colour: the table must be readable in black and white.
VERDICTS = {"reproduced": "✓", "not reproduced": "✗", "inconclusive": "?", "not yet tested": "–"}


def badge(verdict: str) -> str:
    """A verdict with sign, word and colour."""
    css = verdict.replace(" ", "-")
    return f'<span class="lab-badge {css}">{VERDICTS.get(verdict, "")} {escape(verdict)}</span>'


def effect(row: dict) -> str:
    """`0.25 [0.2, 0.3]`, or empty without an effect."""
    if row["effect"] is None or not math.isfinite(row["effect"]):
        return ""
    return f"<b>{escape(interval(row['effect'], row['low'], row['high'], row['unit'], row['level']))}</b>"


def rests_on(run: str, row: dict) -> str:
    """Folded below a verdict: metric, configurations, trials and blocks of its effects, and the command that prints
    them."""
    sources = [Source(**one) for one in json.loads(row["sources"])]
    if not sources:
        return ""
    items = "".join(f"<li>{escape(source.words())}</li>" for source in sources)
    command = f"lab claims --run {run} --claim {row['claim']}"
    items += f"<li><code>{escape(command)}</code></li>"
    return f'<details class="lab-rests"><summary>rests on</summary><ul>{items}</ul></details>'


def _by_topic(frame: pd.DataFrame) -> str:
    """The number of verdicts of each kind by topic: a claim asked of two runtimes counts twice."""
    counts = pd.crosstab(frame["topic"], frame["verdict"])
    kinds = [verdict for verdict in VERDICTS if verdict in counts]
    rows = [[escape(topic), *(str(counts.loc[topic, kind]) for kind in kinds)] for topic in counts.index]
    return table(["Topic", *(badge(kind) for kind in kinds)], rows, "lab-topics")


def section(run: str, frame: pd.DataFrame, untested: pd.DataFrame) -> str:
    """The section of the page: verdicts by topic, each of `frame`, and folded those that nothing tests yet."""
    rows = [
        [
            f'<a href="{row["page"]}">{escape(row["claim"])}</a>',
            f"{escape(row['text'])}<br><small>{escape(str(row['reason'] or ''))}</small>{rests_on(run, row)}",
            escape(runtime_label(str(row["scope"] or ""))),
            badge(row["verdict"]),
            effect(row),
        ]
        for row in frame.to_dict("records")
    ]
    text = "## Published claims\n\n"
    if rows:
        text += raw(_by_topic(frame))
        text += raw(
            table(
                ["Claim", "What was published, and why the verdict", "Scope", "Verdict", "Effect here"],
                rows,
                "lab-claims",
            )
        )
    if len(untested):
        rest = [
            [escape(row["claim"]), escape(row["topic"]), escape(row["text"])] for row in untested.to_dict("records")
        ]
        rest_table = table(["Claim", "Topic", "What was published"], rest)
        text += raw(
            f"<details><summary>{len(rest)} published claims are not yet tested by this report</summary>"
            f"{rest_table}</details>"
        )
    return text if rows or len(untested) else ""
