"""What the trials of the A/A study say: false differences, the power to see a true one, and limits of noise.

Each comparison takes the next `pairs` blocks; it is false when the 95 % interval of the paired ratio A / B excludes 1.
An interval that keeps its promise is wrong in 5 % of comparisons; how surely, the exact interval of the share tells,
which takes some 200 comparisons.

Power, the other half: the same trials with B made slower by a known factor, as if it had reported fewer operations in
the same time (`SLOWDOWN`). Such a difference must be found, in the right direction, by 90 % of comparisons.

The same trials are judged again under each pair of limits (steal, drift of the calibration floor): a pair counts only
when both of its trials pass. So the study says for every limit what it buys (fewer false differences) and what it
costs (the share of trials it condemns, and comparisons left with too few pairs to say anything).

Trials are tables with the columns kernel, block, side (A, B), value, better, steal_pct and drift_pct.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pandas as pd
from scipy import stats

from pipeline.analyse import sequential_test
from pipeline.models.median_interval import FEWEST, median_interval

A, B = "A", "B"
STEAL_PCT = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, None)
DRIFT_PCT = (2.0, 5.0, 10.0, 20.0, None)
TARGET = 0.05
SLOWDOWN = 1.10  # of B in the power part: its cost times, its throughput divided by it
POWER = 0.90
# A rule under which fewer than half of the comparisons can still be made says nothing.
FEWEST_DECIDED = 0.5


def complete_pairs(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials whose twin of the same kernel and block was measured as well."""
    return trials[trials.groupby(["kernel", "block"])["side"].transform("nunique") == 2].reset_index(drop=True)


def falsehoods(trials: pd.DataFrame, pairs: int) -> tuple[int, int]:
    """(false differences, comparisons decided) over the complete pairs of one kernel.

    Blocks are cut into comparisons of `pairs`; one with fewer than 3 pairs left decides nothing.
    """
    found = _intervals(trials, pairs)
    return sum(not low <= 1 <= high for low, high in found), len(found)


def detections(trials: pd.DataFrame, pairs: int) -> tuple[int, int]:
    """(comparisons that find B slower by SLOWDOWN, comparisons decided); `better` is the metric's direction."""
    slower = 1 / SLOWDOWN if (trials["better"] == "higher").all() else SLOWDOWN
    values = trials["value"].where(trials["side"] == A, trials["value"] * slower)
    found = _intervals(trials.assign(value=values), pairs)
    return sum(low > 1 if slower < 1 else high < 1 for low, high in found), len(found)


def _intervals(trials: pd.DataFrame, pairs: int) -> list[tuple[float, float]]:
    """(low, high) of the paired ratio A / B of every comparison that has FEWEST pairs left."""
    if trials.empty:
        return []
    values = trials.pivot(index="block", columns="side", values="value")
    ratios = values[A] / values[B]
    return [median_interval(mine)[1:3] for _, mine in ratios.groupby(ratios.index // pairs) if len(mine) >= FEWEST]


def looked(trials: pd.DataFrame, pairs: int, first: int) -> tuple[int, int, int]:
    """(A is more, B is more, comparisons) over the complete pairs of one kernel, each judged twice as a claim of a run
    with a sitting is (`pipeline.analyse.sequential_test`): after its first so many pairs and after all. Neither is
    true."""
    values = trials.pivot(index="block", columns="side", values="value")
    ratios = values[A] / values[B]
    above = below = count = 0
    for _, mine in ratios.groupby(ratios.index // pairs):
        if len(mine) < pairs:
            continue
        low, high = -math.inf, math.inf
        for look, seen in enumerate((mine.iloc[:first], mine), 1):
            found = median_interval(seen.to_numpy(), sequential_test.level(look))
            low, high = max(low, found.low), min(high, found.high)
        above, below, count = above + (low > 1), below + (high < 1), count + 1
    return above, below, count


def looked_words(counts: Sequence[tuple[int, int, int]], pairs: int, first: int) -> str:
    """The sum of `looked` over kernels, in a line."""
    above, below, count = (sum(column) for column in zip(*counts, strict=True))
    most = int(stats.binom.ppf(0.95, count, TARGET)) if count else 0
    return (
        f"judged twice, after {first} and after {pairs} pairs: A is more in {above} of {count} comparisons, "
        f"B in {below}; "
        f"an end that errs in {TARGET:.0%} has more than {most} in one study of twenty"
    )


def shares(counts: Sequence[tuple[str, int, int, int]]) -> list[dict]:
    """Of (kernel, false, seen, decided), and of all together: both shares with their exact 95 % intervals."""
    every = ("all", *(sum(column) for column in list(zip(*counts, strict=True))[1:]))
    return [
        {"kernel": kernel, "decided": decided, "false": false, "seen": seen}
        | {
            f"{name}_{end}": value
            for name, k in (("false", false), ("seen", seen))
            for end, value in zip(("share", "low", "high"), exact_share(k, decided), strict=True)
        }
        for kernel, false, seen, decided in [*counts, every]
    ]


def exact_share(hits: int, of: int) -> tuple[float | None, float | None, float | None]:
    """A share with the ends of its 95 % interval (Clopper and Pearson 1934); None where there was nothing to count."""
    if not of:
        return None, None, None
    low, high = stats.binomtest(hits, of).proportion_ci()
    return hits / of, float(low), float(high)


def share_words(one: dict) -> str:
    """The two shares of `shares` in a line."""
    if not one["decided"]:
        return "no comparison has enough pairs"
    false, seen = (
        f"{one[name]} of {one['decided']} (95 %: {one[f'{name}_low']:.1%} to {one[f'{name}_high']:.1%})"
        for name in ("false", "seen")
    )
    verdict = "" if one["seen_share"] >= POWER else f", fewer than the {POWER:.0%} asked for"
    return f"false differences in {false}; a slowdown by {SLOWDOWN - 1:.0%} found in {seen}{verdict}"


def rules(trials: pd.DataFrame, pairs: int) -> pd.DataFrame:
    """One row per kernel (and `all`) and pair of limits: false differences, comparisons decided and possible, the rate
    of false ones with its exact 95 % interval, and the share of trials condemned.

    A limit of None lets every trial pass. `trials` are complete pairs.
    """
    rows = []
    for steal, drift in itertools.product(STEAL_PCT, DRIFT_PCT):
        noisy = pd.Series(False, index=trials.index)
        if steal is not None:
            noisy |= trials["steal_pct"] > steal
        if drift is not None:
            noisy |= trials["drift_pct"] > drift
        quiet = complete_pairs(trials[~noisy])
        rule = {"steal_pct": steal, "drift_pct": drift}
        mine = []
        for kernel, of_kernel in trials.groupby("kernel", sort=False):
            false, decided = falsehoods(quiet[quiet["kernel"] == kernel], pairs)
            possible = falsehoods(of_kernel, pairs)[1]
            condemned = float(noisy[of_kernel.index].mean())
            mine.append(rule | _rates(kernel, false, decided, possible, condemned))
        false, decided, possible = (sum(row[key] for row in mine) for key in ("false", "decided", "possible"))
        rows += [*mine, rule | _rates("all", false, decided, possible, float(noisy.mean()))]
    return pd.DataFrame(rows)


def _rates(kernel: str, false: int, decided: int, possible: int, condemned: float) -> dict:
    rate, low, high = exact_share(false, decided)
    return {
        "kernel": kernel,
        "false": false,
        "decided": decided,
        "possible": possible,
        "rate": rate,
        "low": low,
        "high": high,
        "condemned": condemned,
    }


def recommend(found: pd.DataFrame) -> str:
    """One line: the limits to use, from the `all` rows of `rules`.

    Among the rules under which at least half of the comparisons can still be made: the one that condemns the fewest
    trials of those with at most 5 % false differences, at equal shares the strictest, for that costs nothing. When none
    gets there, limits do not cure the differences; then it is the rule with the lowest rate, and the line says so.
    """
    usable = found[(found["kernel"] == "all") & (found["decided"] > 0)]
    usable = usable[usable["decided"] >= FEWEST_DECIDED * usable["possible"]]
    if usable.empty:
        return "no recommendation: too few pairs were measured"
    strict = usable.assign(
        steal=usable["steal_pct"].fillna(float("inf")), drift=usable["drift_pct"].fillna(float("inf"))
    )
    good = strict[strict["rate"].astype(float) <= TARGET]
    if len(good):
        best = good.sort_values(["condemned", "steal", "drift"]).iloc[0]
        return f"recommended limits: {_words(best)}"
    best = strict.sort_values(["rate", "condemned", "steal", "drift"]).iloc[0]
    return f"no limits bring false differences to {TARGET:.0%}; the best are {_words(best)}"


def _words(row: pd.Series) -> str:
    def limit(value: float | None) -> str:
        return "none" if pd.isna(value) else f"{value:g} %"

    return (
        f"steal {limit(row['steal_pct'])}, drift {limit(row['drift_pct'])}: {row['false']} of {row['decided']} "
        f"comparisons false (95 %: {row['low']:.0%} to {row['high']:.0%}), {row['condemned']:.0%} of trials "
        "condemned"
    )
