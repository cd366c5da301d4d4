"""Names out of other people's files, as they may be shown."""

from __future__ import annotations

from collections.abc import Iterator

# Columns that the tables of a run have: an axis is not called so.
TAKEN = ("trial", "variant", "runtime", "block", "metric", "unit", "value", "estimate", "low", "high", "level")
TAKEN += ("order", "noisy", "steady", "panel", "series", "iteration", "phase")
LONGEST = 200  # characters of a name out of a file


def shown(name: str) -> str:
    """A name out of a file as it may be shown: no line end, nothing that moves a terminal, no formula, not too long."""
    told = "".join(one if one.isprintable() else " " for one in name.replace("$", ".")).strip()
    return told if len(told) <= LONGEST else told[: LONGEST - 1] + "…"


def listed(names: Iterator[str] | list[str], most: int = 5) -> str:
    """The first of some names, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(shown, names[:most])) + more
