"""Limits that a latency is to keep (of a service level agreement): percentiles with the time each may take."""

from __future__ import annotations

from pipeline.ground.errors import LabError

FACTORS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}


def limits(text: str) -> list[tuple[float, float]]:
    """`99.9: 2 us, 99: 500 ns` as (percent, ns); LabError says what is wrong."""
    found = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        percent, _, value = part.partition(":")
        words = value.split()
        try:
            number, unit = float(words[0]), words[1] if len(words) == 2 else ""
            found.append((float(percent.strip(" %")), number * FACTORS[unit]))
        except (ValueError, IndexError, KeyError):
            raise LabError(
                f"limit {part!r} is not PERCENTILE: VALUE UNIT, such as 99.9: 2 us; units: {', '.join(FACTORS)}"
            ) from None
        if not (0 < found[-1][0] < 100 and 0 < found[-1][1] < float("inf")):
            raise LabError(f"limit {part!r}: a percentile lies between 0 and 100, and a value above 0")
    return found
