"""Many intervals at once: which differences stand when their number is taken into account."""

from __future__ import annotations

import numpy as np

FALSE_SHARE = 0.05


def standing(p_values, share: float = FALSE_SHARE) -> np.ndarray:
    """Which of several hypotheses are refuted when at most `share` of those refuted are expected to be true ones.

    Benjamini and Hochberg (1995): of k p-values the r-th smallest and all below it, for the greatest r whose p-value is
    at most share r / k. One that is nan is not refuted and does not count. Returns booleans, one per p-value.
    """
    p_values = np.asarray(p_values, dtype=float)
    known = np.sort(p_values[~np.isnan(p_values)])
    small = known <= share * np.arange(1, len(known) + 1) / max(1, len(known))
    if not small.any():
        return np.zeros(len(p_values), dtype=bool)
    return p_values <= known[np.flatnonzero(small)[-1]]
