"""A laboratory of its own for each test, and logs to import into it."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_files import sides


@pytest.fixture
def lab(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    return tmp_path


@pytest.fixture
def logs(lab) -> Path:
    """Three logs on each side, `after` slower by 20 %."""
    return sides(lab / "logs", {"before": 3, "after": 3}, seconds=8)
