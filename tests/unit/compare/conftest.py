"""Comparisons of runs that nobody measured."""

from __future__ import annotations

from collections.abc import Callable

import compared
import pytest

from pipeline.catalogue import catalogue
from pipeline.compare import comparison
from pipeline.compare.notebook import Comparison


@pytest.fixture
def against(monkeypatch) -> Callable[..., Comparison]:
    """A comparison of FakeRuns by name: `against("a", "b", runs, **how)`."""
    entry = compared.entry()
    monkeypatch.setattr(catalogue, "load", lambda: {entry.name: entry})
    monkeypatch.setattr(catalogue, "experiment", lambda name: {entry.name: entry}[name])

    def made(before: str, after: str, runs: list[compared.FakeRun], **how) -> Comparison:
        known = {run.bundle.name: run for run in runs}
        monkeypatch.setattr(comparison, "Run", known.__getitem__)
        return Comparison(before, after, **how)

    return made
