"""Results saved at the end of a notebook: estimates, verdicts, sentences and the answer, for the pages beside it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from pipeline.ground import durable
from pipeline.session.completion import how_it_ended
from pipeline.session.findings import Findings
from pipeline.session.results import files
from pipeline.session.session import Session


def keep(lab: Session, findings: Findings | None = None) -> None:
    """Write the estimates, the verdicts, the answer's comparisons, what was found and the answer in one sentence."""
    estimates, verdicts, answers, summary = files(lab.run, lab.entry.name)
    lab.estimates.to_parquet(estimates, index=False)
    lab.verdicts.to_parquet(verdicts, index=False)
    lab.answers.to_parquet(answers, index=False)
    # What the plan left out stands on the experiment's page, in the plan's own words.
    ended = how_it_ended(lab, left_out=False)
    told: dict[str, Any] = {"how_it_ended": ended, "so_far": lab.so_far, "found": [], "answer": None}
    if findings:
        told["found"] = [asdict(one) for one in findings.found]
        told["answer"] = asdict(findings.answer) if findings.answer else None
    durable.write(summary, json.dumps(told) + "\n")
