"""What a notebook keeps for the pages beside it: estimates, verdicts, sentences and the answer."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.analyse.verdicts import COLUMNS
from pipeline.ground import durable, paths
from pipeline.session.answer import Answer
from pipeline.session.ending import how_it_ended
from pipeline.session.finding import Finding
from pipeline.session.findings import Findings
from pipeline.session.session import Session

ESTIMATES, VERDICTS, ANSWERS = "estimates.parquet", "verdicts.parquet", "answers.parquet"
SUMMARY = "summary.json"


@dataclass(frozen=True)
class Results:
    """What was kept of one experiment of one run. `verdicts` is None when its notebook never came that far."""

    estimates: pd.DataFrame | None = None
    verdicts: pd.DataFrame | None = None
    how_it_ended: str = ""
    found: list[Finding] = field(default_factory=list)
    answer: Answer | None = None
    answers: pd.DataFrame | None = None


def files(run: str, experiment: str) -> list[Path]:
    """The files of the results, whether they exist or not."""
    return [paths.tables(run, experiment) / name for name in (ESTIMATES, VERDICTS, ANSWERS, SUMMARY)]


def keep(lab: Session, findings: Findings | None = None) -> None:
    """Write the estimates, the verdicts, the answer's comparisons, what was found and the answer in one sentence."""
    estimates, verdicts, answers, summary = files(lab.run, lab.entry.name)
    lab.estimates.to_parquet(estimates, index=False)
    lab.verdicts.to_parquet(verdicts, index=False)
    lab.answers.to_parquet(answers, index=False)
    told: dict[str, Any] = {"how_it_ended": how_it_ended(lab), "found": [], "answer": None}
    if findings:
        told["found"] = [asdict(one) for one in findings.found]
        told["answer"] = asdict(findings.answer) if findings.answer else None
    durable.write(summary, json.dumps(told) + "\n")


def read(run: str, experiment: str) -> Results:
    """What `keep` wrote; what is missing, or was written by another version, is empty."""
    *tables, summary = files(run, experiment)
    try:
        told = json.loads(summary.read_text(encoding="utf-8"))
        found = [Finding.of(one) for one in told.get("found", [])]
        answer = Answer.of(told["answer"]) if told.get("answer") else None
        levels, judged, answers = (pd.read_parquet(one) if one.exists() else None for one in tables)
        if judged is not None and not set(COLUMNS) <= set(judged):
            return Results()
        return Results(levels, judged, told.get("how_it_ended", ""), found, answer, answers)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Results()
