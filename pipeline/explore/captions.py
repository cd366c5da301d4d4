"""Captions below a chart: tables, sentences about what is not seen, and errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import pandas as pd

from pipeline.analyse.limits import limits
from pipeline.draw.percentile import NINES
from pipeline.explore.data import Shown
from pipeline.explore.state import State
from pipeline.ground import paths
from pipeline.words.numbers import quantity

MOST_ROWS = 300
STYLE = (
    "<style>.widget-html-content{min-width:0}.lab-explore{border-collapse:collapse;font-size:11px;line-height:1.6}"
    ".lab-explore td,.lab-explore th{padding:1px 6px 1px 0;text-align:left;vertical-align:top}"
    ".lab-explore .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".lab-explore :is(th,td:first-child){white-space:nowrap}</style>"
)
HOW = "Drag moves, Ctrl + wheel zooms, double click resets; a click in the legend picks a curve (Shift: several)."
BRUSH = "Drag in the upper chart to choose a stretch: the percentiles below are those of its samples alone."


def box(message: str) -> str:
    """An error, as the command line says it."""
    css = "border:1px solid #c62828;border-left-width:5px;padding:6px 10px;max-width:60em"
    return f'<div role="alert" style="{css}">{escape(message)}</div>'


def kept(folders: Sequence[Path]) -> str:
    """Where figures have been saved, and how their texts are had."""
    named = ", ".join(f"<code>{escape(_near(folder / 'index.html'))}</code>" for folder in folders)
    css = "border:1px solid #2e7d32;border-left-width:5px;padding:6px 10px;max-width:60em;overflow-wrap:anywhere"
    told = f"Kept, with what to paste of it on each platform: {named}. The run is as it was."
    return f'<div role="status" style="{css}">{told}</div>'


def _near(file: Path) -> str:
    return str(file.relative_to(paths.home()) if file.is_relative_to(paths.home()) else file)


def notes(sentences: Iterable[str]) -> str:
    told = " ".join(escape(one) for one in sentences if one)
    return f'<p style="max-width:62em;line-height:1.4;font-size:12px;margin:4px 0">{told}</p>' if told else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool]) -> str:
    """Words in columns, numbers on the right."""
    css = [' class="n"' if one else "" for one in numeric]
    head = "".join(f"<th{one}>{escape(text)}</th>" for text, one in zip(heads, css, strict=True))
    body = "".join(f"<tr>{''.join(_cell(text, one) for text, one in zip(row, css, strict=True))}</tr>" for row in rows)
    scrolls = '<div style="overflow-x:auto"><table class="lab-explore">'
    return f"{STYLE}{scrolls}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _cell(text: str, css: str) -> str:
    return f"<td{css}>{escape(text)}</td>"


def percentile_table(shown: Shown, state: State) -> str:
    """The percentiles of each curve, and whether it keeps to the limits."""
    rows = shown.tables["nines"]
    asked = limits(state.limits)
    nines = [one for one in (f"p{percent:.7g}" for percent in NINES[1:]) if rows[one].notna().any()]
    heads = [
        "",
        "trials",
        "samples",
        *nines,
        "greatest",
        *(f"p{percent:.7g} ≤ {quantity(most, 'ns')}" for percent, most in asked),
    ]
    lines = []
    for row in rows.to_dict("records"):
        values = [quantity(row[name], state.unit) for name in (*nines, "greatest")]
        kept = ["kept" if one else "✗ missed" for one in row["kept"]]
        lines.append([row["curve"], f"{row['trials']}", f"{row['samples']:,}", *values, *kept])
    return table(heads, lines, [False, *(True for _ in heads[1 : len(heads) - len(asked)]), *(False for _ in asked)])


def trials_table(rows: pd.DataFrame, unit: str, label: str) -> str:
    """A line per trial: its name, which says what it was of, its number, and what was wrong."""
    several = rows["run"].nunique() > 1
    heads = ["trial", *(["run"] if several else []), "status", label, "steal", "others' CPU", "in doubt"]
    lines = []
    for row in rows.head(MOST_ROWS).to_dict("records"):
        steady = ["not steady"] if row["steady"] in (False,) else []
        lines.append(
            [
                row["trial"],
                *([row["run"]] if several else []),
                f"{row['status'].replace('_', ' ')}: {row['reason']}" if row["reason"] else row["status"],
                quantity(row["value"], unit),
                _percent(row["steal_pct"]),
                _percent(row["foreign_pct"]),
                "; ".join([*(one.partition(":")[0] for one in row["noise_reasons"].split("; ") if one), *steady]),
            ]
        )
    numeric = [head in (label, "steal", "others' CPU") for head in heads]
    rest = f"The first {MOST_ROWS} of {len(rows):,} trials: choose fewer variants." if len(rows) > MOST_ROWS else ""
    return notes([rest]) + table(heads, lines, numeric)


def _percent(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.1f} %"
