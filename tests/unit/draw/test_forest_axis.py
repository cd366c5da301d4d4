"""The axis of a figure of ratios: all of few intervals, or what changed and most of what did not."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.draw import forest
from pipeline.draw.style import LIGHT


@pytest.fixture
def rows() -> pd.DataFrame:
    rows = {"panel": "p", "line": ["a", "b"], "label": ["a", "b"], "value": [0.95, 1.01], "low": [0.7, 1.0]}
    return pd.DataFrame(rows | {"high": [1.2, 1.02], "level": 0.95, "verdict": "undecided", "position": [0, 1]})


def test_an_axis_holds_every_interval_and_the_margin_where_that_is_asked_for(rows):
    assert forest._limits(rows) == (0.95, 1.01) and forest._all(rows, 0.05) == (0.7, 1.2)
    assert forest._all(rows.iloc[1:], 0.05) == (pytest.approx(1 / 1.05), 1.05)


def test_an_interval_that_goes_on_beyond_the_axis_ends_in_an_arrow(rows):
    for whole, arrows in ((False, ["<", ">", ">"]), (True, [])):
        figure, handles = forest._draw(
            rows.assign(height=0.5), LIGHT, label="times", margin=0.05, noun="row", whole=whole
        )
        assert [line.get_marker() for line in figure.axes[0].lines if line.get_label() == "beyond"] == arrows
        assert ("beyond the axis" in [handle.get_label() for handle in handles]) == bool(arrows)
