"""Answers: the comparisons declared for the sentence on a card, each with its interval, and what would settle it."""

from __future__ import annotations

import json

import pandas as pd

from pipeline.analyse import undecided
from pipeline.analyse.claim_test import judge
from pipeline.analyse.selection import Data
from pipeline.catalogue.entry import Experiment
from pipeline.ingest.tables import Tables

NUMBERS = ["estimate", "low", "high", "level", "trials", "looks"]
COLUMNS = ["answer", "scope", "verdict", *NUMBERS, "sources", "why", "advice", "chances", "configurations"]


def answers(
    entry: Experiment, tables: Tables, metrics: pd.DataFrame, cpus: int, looks: tuple[int, ...] = ()
) -> pd.DataFrame:
    """The answers table of docs/formats.md: one row per answer of the entry and runtime that measured both its sides.

    `cpus` and `looks` as for `pipeline.analyse.verdicts.verdicts`; so are `why`, `advice`, `chances` and
    `configurations`. `verdict` is `reproduced` where one side is surely more, or both surely the same
    (`pipeline.catalogue.answers`), else `inconclusive`.
    """
    rows, everywhere = [], Data(entry, tables, metrics, None, cpus, looks)
    for name, answer in entry.answers.items():
        for scope in sorted(set(tables.trials["runtime"])):
            data = everywhere.on(scope)
            judged = judge(answer.effect(name), data)
            if not judged.effect.trials:
                continue
            numbers = {column: getattr(judged.effect, column) for column in NUMBERS}
            sources = json.dumps([source.to_dict() for source in judged.sources])
            row = {"answer": name, "scope": scope, "verdict": judged.verdict, **numbers, "sources": sources}
            rows.append(row | undecided.of(judged, data).columns())
    return pd.DataFrame(rows, columns=COLUMNS)
