"""Siblings: which CPUs are hardware threads of one core, told by how fast two of them hand a word to each other.

They share the core's own caches, so a hand-over between them takes a few nanoseconds, whatever topology a hypervisor
reports. How many depends on clock, fences and host, so a pair is compared with the other pairs of its two CPUs: it is
one core when it takes less than half of the least of them. A core of x86 or ARM has at most two hardware threads: a CPU
has one sibling, and that pair stands alone. The median of all pairs would not do as the measure: where most of them
cross a socket, all others may lie below half of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import pandas as pd

ONE_CORE_NS = 15.0  # one way; two cores of one chip need more, so a pair below it needs no comparison
NEARER = 0.5
FEWEST = 3  # pairs in a comparison, the pair itself included


def by_cpus(rows: pd.DataFrame) -> pd.DataFrame:
    """Those of `rows` whose placement is a pair of CPUs, such as `0,1`, with the CPUs as columns ping and pong."""
    ends = rows["placement"].astype(str).str.extract(r"^(?P<ping>\d+),(?P<pong>\d+)$").dropna().astype(int)
    return rows.join(ends, how="inner")


def siblings(pairs: pd.DataFrame, told: Mapping[str, list[int]]) -> pd.DataFrame:
    """Every pair of CPUs once: do the two share a core, by what the kernel told and by the value?

    pairs: columns ping and pong (numbers of CPUs) and estimate (ns, one way), each ordered pair at most once. told: CPU
    -> the CPUs of its core as reported, `host.cpu.thread_siblings` of run.json.
    Returns the columns cpu, other, one_way (ns, the mean of the directions measured), kernel (`yes`, `no`, `not told`)
    and value (`yes`, `no`, or `cannot be told from one pair`: without two others there is nothing to compare with).
    """
    ends = pd.DataFrame({"cpu": pairs[["ping", "pong"]].min(axis=1), "other": pairs[["ping", "pong"]].max(axis=1)})
    both = ends.assign(one_way=pairs["estimate"]).groupby(["cpu", "other"], as_index=False)["one_way"].mean()
    of_cpu: dict[int, dict[tuple[int, int], float]] = defaultdict(dict)
    for row in both.itertuples():
        for cpu in (row.cpu, row.other):
            of_cpu[cpu][row.cpu, row.other] = row.one_way
    kernel, value = [], []
    for row in both.itertuples():
        known = told.get(str(row.cpu), [])
        kernel.append(("yes" if row.other in known else "no") if known else "not told")
        value.append(_says((row.cpu, row.other), of_cpu[row.cpu] | of_cpu[row.other]))
    return both.assign(kernel=kernel, value=value)


def _says(pair: tuple[int, int], near: Mapping[tuple[int, int], float]) -> str:
    """What the value of a pair says beside those of all pairs, its own included, that share a CPU with it."""
    if near[pair] < ONE_CORE_NS:
        return "yes"
    if len(near) < FEWEST:
        return f"cannot be told from {'one pair' if len(near) == 1 else 'two pairs'}"
    return "yes" if near[pair] < NEARER * min(one for other, one in near.items() if other != pair) else "no"
