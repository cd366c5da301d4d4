"""How large what a queue is told may be: rates and times up to 1e100, variances and squares up to their square."""

from __future__ import annotations

import pytest

from pipeline.ground.errors import LabError
from pipeline.models import queueing


@pytest.mark.parametrize("value", [0.0, 1e100, 1e150, 1e200])
def test_a_variance_may_be_the_square_of_the_greatest_time(value):
    assert queueing._at_least_0("variance", value) == value


@pytest.mark.parametrize("value", [-1e-300, 1.1e200, float("nan"), float("inf")])
def test_beyond_it_is_no_variance(value):
    with pytest.raises(LabError, match="variance"):
        queueing._at_least_0("variance", value)


@pytest.mark.parametrize(
    ("value", "taken"), [(1e-100, True), (9e-101, False), (1e100, True), (1.1e100, False), (0, False)]
)
def test_a_rate_has_a_least_and_a_greatest(value, taken):
    if taken:
        assert queueing._above_0("rate", value) == value
    else:
        with pytest.raises(LabError, match="rate"):
            queueing._above_0("rate", value)
