"""Lines as the figure of a fit takes them, on points that lie on one."""

import numpy as np
import pandas as pd
import pytest

from pipeline.analyse.lines import curves


def points(x, a, b):
    return pd.DataFrame({"variant": "ring", "runtime": "c", "at": x, "value": a + b * np.array(x)})


@pytest.mark.parametrize(
    ("x_unit", "name", "estimate", "unit"), [("bytes", "1/b", 0.5e9, "bytes/s"), ("ns", "b", 2, "1")]
)
def test_the_slope_is_a_bandwidth_over_bytes_and_a_number_over_a_time(x_unit, name, estimate, unit):
    curve, parameters = curves(points([100, 150, 200, 400], 30, 2), "at", 1, x_unit)
    assert (curve["at"].min(), curve["at"].max()) == pytest.approx((100, 400))
    assert curve["estimate"].to_numpy() == pytest.approx(30 + 2 * curve["at"].to_numpy())
    found = parameters.set_index("name")
    assert (found.loc["a", "estimate"], found.loc["a", "unit"]) == (pytest.approx(30), "ns")
    assert (found.loc[name, "estimate"], found.loc[name, "unit"]) == (pytest.approx(estimate), unit)
    assert found.loc[name, "low"] <= found.loc[name, "high"]


def test_what_lies_at_one_place_has_no_line():
    curve, parameters = curves(points([60, 60, 60], 30, 2), "at", 1)
    assert curve.empty and parameters.empty and "estimate" in curve


def test_a_bandwidth_that_the_times_do_not_bound_is_unbounded():
    rows = points([60, 60, 1000, 1000], 30, 0)
    _, parameters = curves(rows.assign(value=[28, 32, 27, 33]), "at", 1)
    assert parameters.set_index("name").loc["1/b", "high"] == float("inf")


def test_a_line_may_begin_at_nothing():
    curve, _ = curves(points([0, 100, 200, 400], 30, 2), "at", 1, "ns")
    assert (curve["at"].min(), curve["at"].max()) == (0, 400)
    assert curve["estimate"].to_numpy() == pytest.approx(30 + 2 * curve["at"].to_numpy())
