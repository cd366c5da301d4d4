"""What the tests of models share."""

from __future__ import annotations

import pytest

from pipeline.models import j_curve, linear, scaling


@pytest.fixture
def fewer_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the resamples, for tests of hundreds of fits: the ends of one interval scatter more, but how many of
    all intervals hold the truth stays."""
    for module in (j_curve, linear, scaling):
        monkeypatch.setattr(module, "RESAMPLES", 500)
