"""Many differences at once: which of them stand when their number is taken into account."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtr

FALSE_SHARE = 0.05
FEWEST = 3  # ratios that a p-value needs


def ratio_p(ratios) -> float:
    """The p-value of paired ratios being 1 (shape (n,), one per block): Student's t of their logarithms, two-sided.

    What pairs of the same thing give is symmetric about 1, whatever the distribution of its trials, and that is what t
    needs here. The sign test of n ratios cannot be below 2^(1-n), 0.031 for 6, so that of ten ratios none could ever
    stand. 1 where a ratio is no positive number, or is infinite; nan below FEWEST ratios.
    """
    ratios = np.asarray(ratios, dtype=float)
    if len(ratios) < FEWEST:
        return float("nan")
    if not (np.isfinite(ratios).all() and (ratios > 0).all()):
        return 1.0
    logs = np.log(ratios)
    mean, error = float(logs.mean()), float(logs.std(ddof=1)) / np.sqrt(len(logs))
    if not error:
        return 1.0 if not mean else 0.0
    return float(2 * stdtr(len(logs) - 1, -abs(mean) / error))


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
