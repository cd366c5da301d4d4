"""Rows of columns, and quantiles as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground.columns import rows
from pipeline.ground.quantile import quantile


def test_columns_are_of_one_length():
    assert list(rows([1, 2], "ab")) == [(1, "a"), (2, "b")] and list(rows()) == []
    with pytest.raises(ValueError, match="columns of different lengths: 2, 1"):
        rows([1, 2], [1])


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50), st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.99, 1.0]))
def test_a_quantile_is_numpys_to_the_last_bit(values, share):
    assert quantile(sorted(values), share) == np.quantile(values, share)
