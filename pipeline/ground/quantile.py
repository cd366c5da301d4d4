"""Quantiles, as NumPy has them: what measures does without NumPy, and its numbers stay what they were."""

from __future__ import annotations

from collections.abc import Sequence


def quantile(ascending: Sequence[float], share: float) -> float:
    """The value below which a share (0 to 1) of some values in order lies, between two of them by their distance."""
    at = (len(ascending) - 1) * share
    below = int(at)
    low, high = float(ascending[below]), float(ascending[min(below + 1, len(ascending) - 1)])
    part = at - below
    return high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part
