"""A comparison as data: CSV of its rows, JSON of everything; numbers as they are, a missing one is empty or null."""

from __future__ import annotations

import json
import math
from typing import Any

from pipeline.compare import text, uncertainty
from pipeline.compare.comparison import Comparison
from pipeline.compare.rows import ASIDE
from pipeline.words.numbers import places


def csv(found: Comparison) -> str:
    """The rows of `Comparison.table`; axes as words."""
    table = found.table.drop(columns=ASIDE)
    return table.assign(axes=table["axes"].map(places)).to_csv(index=False, lineterminator="\n")


def document(found: Comparison) -> dict[str, Any]:
    """Everything, as docs/formats.md describes it."""
    sides = text.sides(found)
    return {
        "format": 1,
        **{name: {"runs": list(side.runs), "runtime": side.runtime, "host": host} for name, side, host in sides},
        "way": found.way,
        "margin": found.margin,
        "answer": text.answer(found),
        "changed": [vars(fact) for fact in found.changed],
        "controls": {"words": uncertainty.controls(found), "rows": _records(found.controls)},
        "counts": found.counts,
        "rows": _records(found.table.drop(columns=ASIDE)),
        "missing": _records(found.missing),
        "notes": text.notes(found),
    }


def as_json(found: Comparison) -> str:
    return json.dumps(document(found), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _records(table) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_dict("records")]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
