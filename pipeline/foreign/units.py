"""In what unit are the values of a file? It says so, its writer is known, or the user says it; nothing is guessed.

Who has to say it gets a hint that rests on physics: by Little's law rate times mean time is how many requests were in
flight, and no request takes longer than the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts
from pipeline.words.numbers import number

FACTORS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}  # of ns
WORDS = {"nanosecond": "ns", "microsecond": "us", "millisecond": "ms", "second": "s"}
ALSO = {"µs": "us", "μs": "us", "usec": "us", "msec": "ms", "sec": "s", "nsec": "ns"}
TOLD = re.compile(r"values?\b.*?\b(nano|micro|milli|)(seconds?)\b", re.I)
# Words of a log's head by which its writer is known -> the unit in which that writer records.
WRITERS = {
    "Logging op latencies for Cassandra Stress": ("ns", "cassandra-stress"),
    "Logged with jHiccup": ("ns", "jHiccup"),
    "Logging for: ": ("us", "YCSB"),
}


def factor(unit: str, what: str = "--unit") -> int:
    """Nanoseconds of a unit; LabError for one that is none."""
    name = ALSO.get(unit, unit)
    if name not in FACTORS:
        raise LabError(f"{what} {unit[:20]!r}: no unit of time; give one of {', '.join(FACTORS)}")
    return FACTORS[name]


def plain(unit: str) -> str:
    """A unit under the name that is used here."""
    factor(unit)
    return ALSO.get(unit, unit)


def of_head(comments: Iterable[str]) -> tuple[str, str, str]:
    """(unit, how it is known, the writer) from the comments of a log; empty where they do not tell."""
    unit, how, writer = "", "", ""
    for line in comments:
        for words, (its, name) in WRITERS.items():
            if words in line and not writer:
                unit, how, writer = its, f"{name} records in {its}", name
        if (told := TOLD.search(line)) and not how.startswith("the file"):
            unit, how = WORDS[f"{told[1]}{told[2].rstrip('s')}".lower()], "the file says so"
    return unit, how, writer


def agreed(name: str, told: str, how: str, asked: str) -> tuple[str, str]:
    """(unit, how it is known), of what the file tells and what --unit says; both empty where neither does.

    LabError where they contradict each other."""
    asked = plain(asked) if asked else ""
    if told and asked and told != asked:
        raise LabError(f"{name}: its values are in {told} ({how}); leave out --unit {asked}")
    return (told, how) if told else (asked, "--unit" if asked else "")


def unknown(name: str, counts: Counts, seconds: float) -> LabError:
    """The refusal of a file whose unit nobody tells, with what each unit would mean.

    counts: of all of its values; seconds: how long it recorded, 0 where that is not known.
    """
    text = f"{name}: the unit of its values is not told; give --unit ns, us, ms or s"
    if not counts.total or seconds <= 0:
        return LabError(text)
    total = float(np.dot(counts.low + (counts.width - 1) / 2, counts.count)) * counts.ratio
    longest = float(counts.low[-1]) * counts.ratio
    flight = {unit: total * ns / 1e9 / seconds for unit, ns in FACTORS.items() if longest * ns <= 1e9 * seconds}
    if not flight:
        return LabError(f"{text}: even in ns its longest value is longer than the log")
    # Nearest to ten in flight first: a load test has some, not a thousandth of one and no million.
    order = sorted(flight, key=lambda unit: abs(np.log10(max(flight[unit], 1e-30) / 10)))
    told = ", ".join(
        f"in {unit} {number(flight[unit])}{' requests were in flight on average' if at == 0 else ''}"
        for at, unit in enumerate(order)
    )
    return LabError(f"{name}: the unit of its values is not told; give --unit: {told}")


def scaled(counts: Counts, ns: int) -> Counts:
    """Counts of a unit of `ns` nanoseconds as counts of ns, so that lowest and highest value of each bucket are `ns`
    times what they were."""
    if counts.ratio != 1:
        return _doubles(counts, ns * counts.ratio)
    if ns == 1:
        return counts
    return Counts(counts.low * ns, (counts.width - 1) * ns + 1, counts.count, 0, 1, counts.highest * ns)


def fits(counts: Counts, ns: int) -> bool:
    """Whether the values are within 64 bits in ns."""
    return not len(counts.low) or (int(counts.low[-1]) + int(counts.width[-1])) * ns * counts.ratio < 1 << 62


def _doubles(counts: Counts, ns: float) -> Counts:
    """Counts of multiples of `ns` nanoseconds, which may be a part of one, in whole ns: the lowest and highest value of
    a bucket within 1 ns. Where several buckets are within one ns they become one. The same for the same `ns`."""
    if ns >= 1:
        low = np.floor(counts.low * ns + 0.5).astype(np.int64)
        high = np.floor((counts.low + counts.width - 1) * ns + 0.5).astype(np.int64)
    else:
        wide = counts.width * ns >= 1
        low = np.where(wide, np.ceil(counts.low * ns), np.floor((counts.low + counts.width - 1) * ns)).astype(np.int64)
        high = np.where(wide, np.ceil((counts.low + counts.width) * ns) - 1, low).astype(np.int64)
    firsts = np.flatnonzero(np.diff(low, prepend=-1))
    count = np.add.reduceat(counts.count, firsts) if len(firsts) else counts.count
    highest = int(high[-1]) if len(high) else 1
    return Counts(low[firsts], (high - low + 1)[firsts], count, 0, 1, highest)
