"""Saturated lock, or contended cache line: X = B / (B s + h).

An owner takes the lock B times in a row (the measured mean run length) at the local cost s, then the lock moves at the
handover cost h. The same holds of a cache line that a core keeps for B operations before another takes it. So one
operation takes 1 / X = s + h / B: with B and s measured, every trial gives its own h; where B varies enough between
trials, s and h both follow from a line through (1 / B, 1 / X), which needs no s and checks it.
"""

import numpy as np

from pipeline.bootstrap import MIN_TRIALS, bootstrap_median
from pipeline.errors import LabError
from pipeline.models.fit import Estimate, Fit
from pipeline.models.linear import fit_line

NS = 1e9


def handover(throughput, run_length, local_ns, seed: int = 1, moved: str = "lock") -> Fit:
    """h in ns from X (operations per second), B (operations) and s (ns), one of each per trial; s may be one number.

    `moved` names in the sentence what is passed on.

    Median over trials with its bootstrap interval; below 3 trials there is no interval and it is not identified.
    LabError when a value is not positive and finite.
    """
    throughput, run_length, local_ns = (
        _positive(values, name)
        for values, name in ((throughput, "throughput"), (run_length, "run length"), (local_ns, "local cost"))
    )
    costs = np.atleast_1d(run_length * (NS / throughput - local_ns))
    h = Estimate(*bootstrap_median(costs, seed))
    trials = len(costs)
    if trials < MIN_TRIALS:
        sentence = f"Too few trials ({trials}) for an interval: the handover cost cannot be identified here."
    elif h.high <= 0:
        sentence = "An operation takes no longer than the local cost alone: no handover cost is visible."
    else:
        sentence = f"Moving the {moved} to another owner costs {h.estimate:.4g} ns [{h.low:.4g}, {h.high:.4g}]."
    interval = "bootstrap over trials" if trials >= MIN_TRIALS else "none"
    identified = trials >= MIN_TRIALS and h.high > 0
    return Fit("handover", {"h": h}, interval, identified, sentence, {"rows": trials})


def handover_line(throughput, run_length, seed: int = 1) -> Fit:
    """s and h in ns from X and B alone, by the line 1 / X = s + h (1 / B) over trials.

    Not identified when B varies by less than a factor of 1.5: the line would then extrapolate to both.
    """
    throughput, run_length = _positive(throughput, "throughput"), _positive(run_length, "run length")
    line = fit_line(1 / np.atleast_1d(run_length), NS / np.atleast_1d(throughput), seed)
    s, h = line.parameters["a"], line.parameters["b"]
    spread = float(np.max(run_length) / np.min(run_length))
    identified = line.identified and spread >= 1.5
    if identified:
        sentence = (
            f"Local cost {s.estimate:.4g} ns [{s.low:.4g}, {s.high:.4g}],"
            f" handover {h.estimate:.4g} ns [{h.low:.4g}, {h.high:.4g}], from throughput against run length."
        )
    else:
        sentence = f"Run lengths differ by a factor of {spread:.3g} only: s and h cannot be told apart here."
        s = h = Estimate(float("nan"))
    details = {"rows": int(np.size(throughput)), "run_length_spread": spread}
    interval = line.interval if identified else "none"
    return Fit("handover" if identified else None, {"s": s, "h": h}, interval, identified, sentence, details)


def _positive(values, name: str) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if not values.size or not np.isfinite(values).all() or (values <= 0).any():
        raise LabError(f"handover: {name} must be positive and finite in every trial; remove incomplete trials")
    return values
