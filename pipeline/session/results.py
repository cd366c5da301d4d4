"""What a notebook kept for the pages beside it: estimates, verdicts, sentences and the answer.

What puts a page together reads it in a process that draws nothing: `pipeline.session.save` writes it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.ground import paths
from pipeline.session.answer import Answer
from pipeline.session.finding import Finding

if TYPE_CHECKING:
    import pandas as pd

ESTIMATES, VERDICTS, ANSWERS = "estimates.parquet", "verdicts.parquet", "answers.parquet"
SUMMARY = "summary.json"
VERDICTS_SHOWN = "lab-told-verdicts"  # by this class a report knows the table that it shows in its own way


@dataclass(frozen=True)
class Results:
    """What was kept of one experiment of one run. `verdicts` is None when its notebook never came that far; `so_far`
    is empty when its measuring had ended."""

    estimates: pd.DataFrame | None = None
    verdicts: pd.DataFrame | None = None
    how_it_ended: str = ""
    found: list[Finding] = field(default_factory=list)
    answer: Answer | None = None
    answers: pd.DataFrame | None = None
    so_far: str = ""


def files(run: str, experiment: str) -> list[Path]:
    """The files of the results, whether they exist or not."""
    return [paths.tables(run, experiment) / name for name in (ESTIMATES, VERDICTS, ANSWERS, SUMMARY)]


def read(run: str, experiment: str) -> Results:
    """What `pipeline.session.save` wrote; what is missing, or was written by another version, is empty."""
    import pandas as pd  # a report of which all is up to date reads nothing

    from pipeline.analyse.verdicts import COLUMNS

    *tables, summary = files(run, experiment)
    try:
        told = json.loads(summary.read_text(encoding="utf-8"))
        found = [Finding.of(one) for one in told.get("found", [])]
        answer = Answer.of(told["answer"]) if told.get("answer") else None
        levels, judged, answers = (pd.read_parquet(one) if one.exists() else None for one in tables)
        if judged is not None and not set(COLUMNS) <= set(judged):
            return Results()
        return Results(levels, judged, told.get("how_it_ended", ""), found, answer, answers, told.get("so_far", ""))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Results()
