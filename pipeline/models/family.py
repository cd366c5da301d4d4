"""Does a table belong to the family linear, Amdahl, USL at all?

Two tests, because a curve through the wrong family is worse than none.

Dip: every member rises to at most one peak and then falls, so throughput that falls and rises again is outside for
any parameters. With repeats, both changes must be significant against the scatter of the trials (t test, Bonferroni
over all pairs of thread counts, 1 %) and larger than 5 %. Without repeats the scatter is unknown and taken as 3 % a
trial, which asks for 14 % with 8 thread counts and 17 % with 24.

Lack of fit: with repeats, the F test of the deviations of the thread counts' means from the curve against the trials'
scatter around their means (Draper and Smith 1998, section 2.1), at 1 %; very repeatable trials reject any model, so the
root mean square deviation must exceed 5 % too.
"""

import numpy as np
from scipy import special

from pipeline.models.least_squares import FREE, Table

SIGNIFICANCE = 0.01
RELEVANT = 0.05
ASSUMED_SCATTER = 0.03
MIN_PURE_ERROR_DF = 3


def outside(table: Table, theta: np.ndarray, model: str) -> str | None:
    """A clause that says why `model` with `theta` cannot describe the table, or None."""
    return dip(table) or lack_of_fit(table, theta, model)


def _pure_error(table: Table) -> tuple[np.ndarray, float, int]:
    """(means of log x by group, sum of squares within groups, degrees of freedom)."""
    logs = np.log(table.x)
    means = np.bincount(table.group, logs) / table.size
    return means, float(((logs - means[table.group]) ** 2).sum()), len(logs) - len(means)


def dip(table: Table) -> str | None:
    """The deepest fall that is followed by a rise, in words; None when there is none worth the name."""
    means, within, df = _pure_error(table)
    level = means + np.log(table.threads)
    groups = len(level)
    if groups < 3:
        return None
    change = level[:, None] - level[None, :]
    tail = SIGNIFICANCE / (groups * (groups - 1))  # two-sided, over all pairs
    if df >= MIN_PURE_ERROR_DF:
        noise = -special.stdtrit(df, tail) * np.sqrt(within / df)
    else:
        noise = -special.ndtri(tail) * ASSUMED_SCATTER
    needed = np.maximum(noise * np.sqrt(1 / table.size[:, None] + 1 / table.size[None, :]), np.log1p(RELEVANT))
    excess = np.where(change > needed, change, 0.0)
    before = np.tril(excess.T, -1)  # row j, column i < j: how far throughput fell from i to j
    after = np.triu(excess.T, 1)  # row j, column k > j: how far it rose from j to k
    depth = np.minimum(before.max(axis=1), after.max(axis=1))
    j = int(depth.argmax())
    if depth[j] == 0:
        return None
    i, k = int(before[j].argmax()), int(after[j].argmax())
    fall, rise = 1 - np.exp(-before[j, i]), np.expm1(after[j, k])
    first, bottom, last = (f"N = {table.threads[one]:g}" for one in (i, j, k))
    fallen = f"throughput falls by {100 * fall:.0f} % from {first} to {bottom}"
    return f"{fallen} and rises by {100 * rise:.0f} % from there to {last}"


def lack_of_fit(table: Table, theta: np.ndarray, model: str) -> str | None:
    """The F test in words; None when it does not reject, is not relevant, or there are too few repeats for it."""
    means, within, df = _pure_error(table)
    free = len(means) - FREE[model]
    if df < MIN_PURE_ERROR_DF or free < 1:
        return None
    between = float((table.size * (means + np.log(table.z @ theta)) ** 2).sum())
    rms = np.sqrt(between / table.size.sum())
    if rms <= RELEVANT:
        return None
    ratio = (between / free) / (within / df) if within > 0 else np.inf
    if special.fdtrc(free, df, ratio) >= SIGNIFICANCE:
        return None
    return f"the best curve misses the means by {100 * rms:.0f} % (root mean square), far more than the trials scatter"
