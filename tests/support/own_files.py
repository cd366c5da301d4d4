"""Files of other tools, made up: histogram logs of load tests, as their writers lay them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from hdr_logs import counts_of

from pipeline.hdr import encode
from pipeline.hdr.reader import Record

STRESS = "#Logging op latencies for Cassandra Stress\n"
BEGUN = 1_700_000_000.0


def latencies(seed: int, size: int, median_ns: float = 2e6, spread: float = 0.6) -> np.ndarray:
    """Times in ns with a long tail."""
    return np.random.default_rng(seed).lognormal(np.log(median_ns), spread, size).astype(np.int64)


def records(
    seed: int,
    seconds: int = 30,
    rate: int = 400,
    factor: float = 1.0,
    tags: Iterable[str | None] = (None,),
    ns: int = 1,
) -> list[Record]:
    """A log's intervals of a second each, for each tag; factor: by how much slower; ns: of the unit of the values."""
    made = []
    for second in range(seconds):
        for at, tag in enumerate(tags):
            values = latencies(1000 * seed + 10 * second + at, rate) * factor / ns
            made.append(Record(tag, float(second), 1.0, 0.0, counts_of(np.maximum(values, 1).astype(np.int64))))
    return made


def hlog(file: Path, made: list[Record], head: str = STRESS, begun: float = BEGUN) -> Path:
    """A log as Java's writer makes it, behind a head that tells who wrote it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(head + encode.log_text(begun, made), encoding="utf-8")
    return file


def sides(folder: Path, sessions: Mapping[str, int], factor: float = 1.2, **how) -> Path:
    """`before` and `after` with so many logs each, after slower by `factor`."""
    for at, (group, count) in enumerate(sessions.items()):
        for number in range(1, count + 1):
            made = records(100 * at + number, factor=factor if at else 1.0, **how)
            hlog(folder / group / f"r{number}.hlog", made, begun=BEGUN + 100 * (2 * number + at))
    return folder
