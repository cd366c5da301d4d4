"""A made-up machine, as files of its kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.host import quota, settings


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], None]:
    """Writes files of a machine below a root that is looked at in place of the real one."""
    for module in (settings, quota):
        monkeypatch.setattr(module, "ROOT", tmp_path)

    def write(files: dict[str, str]) -> None:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)

    return write
