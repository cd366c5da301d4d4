"""An unpacked parcel on a machine whose trials start nothing."""

from __future__ import annotations

import pytest
from fake_machine import Machine

from pipeline.ground import origin, paths
from pipeline.host.load import Load
from pipeline.host.runtimes import Runtime
from pipeline.parcel import host, measuring

ABOUT = {
    "sum": "ab" * 32,
    "git": "0123456789ab",
    "revision": "feedfacecafe",
    "architecture": "x86_64",
    "harness": {"java": "1", "c": "2", "fio": "3", "lab": "4"},
    "takes": {"c": 0.1},
    "jdks": {},
}


@pytest.fixture
def parcel(lab, monkeypatch) -> Machine:
    """An unpacked parcel with the tiny catalogue, on a machine whose trials start nothing."""
    root = lab / "parcel"
    root.mkdir()
    monkeypatch.setattr(paths, "ROOT", root)
    monkeypatch.setattr(origin, "told", lambda: ABOUT)
    monkeypatch.setattr(host.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(measuring.runtimes, "all_runtimes", lambda: {"c": Runtime("c", "cc 12", "C")})
    monkeypatch.setattr(measuring.load, "sample", lambda: Load(1.0, ()))
    return Machine({}).take_over(monkeypatch)
