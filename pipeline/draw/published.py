"""Published values (data/published) as the kinds of figure take them: our variant, place, value and source."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pipeline.ground.errors import LabError


def overlay(
    table: pd.DataFrame, names: Mapping[str, str], *, metric: str = "throughput", axis: str | None = None
) -> pd.DataFrame:
    """Columns variant, value, source (`Nehalem 2.8 GHz, 2011`), trial, size, year and, when named, the axis.

    table: a file of data/published. names: published variant -> ours (the catalogue's `published`); the
    others are left out. size: `threads_or_size` as text.
    axis: the name under which `threads_or_size` becomes a whole-number column (`>=3` is drawn at 3). LabError when
    nothing is left.
    """
    rows = table[(table["metric"] == metric) & table["variant"].isin(list(names))]
    if rows.empty:
        raise LabError(f"published: no {metric!r} of {', '.join(names)}; check the metric and the variants' names")
    found = pd.DataFrame(
        {
            "variant": rows["variant"].map(dict(names)),
            "value": rows["value"].astype(float),
            "source": sources(rows),
            "trial": rows["trial"],
            "size": rows["threads_or_size"].astype(str),
            "year": rows["year"],
        }
    )
    if axis:
        found[axis] = rows["threads_or_size"].astype(str).str.removeprefix(">=").astype(int)
    return found.reset_index(drop=True)


def percentiles(table: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Published percentiles, for a percentile curve: columns variant, percentile, value, source and size.

    Metrics p50, p99.9 and the like; max, where the count of samples is published too, is the percentile of the last
    sample: of 16,000 the 99.99375th. names: published variant -> ours. LabError when nothing is left.
    """
    rows = table[table["variant"].isin(list(names))]
    keys = ["variant", "machine", "threads_or_size"]
    counts = rows[rows["metric"] == "count"].set_index(keys)["value"].rename("count")
    rows = rows.join(counts, on=keys)
    last = (100 * (1 - 1 / rows["count"])).where(rows["metric"] == "max")
    rows = rows.assign(percentile=pd.to_numeric(rows["metric"].str.extract(r"^p([\d.]+)$")[0]).fillna(last))
    rows = rows.dropna(subset=["percentile"])
    if rows.empty:
        raise LabError(f"published: no percentile of {', '.join(names)}; check the variants' names")
    return pd.DataFrame(
        {
            "variant": rows["variant"].map(dict(names)),
            "percentile": rows["percentile"],
            "value": rows["value"].astype(float),
            "source": sources(rows),
            "size": rows["threads_or_size"].astype(str),
        }
    ).reset_index(drop=True)


def sequence(table: pd.DataFrame, names: Mapping[str, str], *, metric: str = "throughput") -> pd.DataFrame:
    """Published trials in order, for a timeline: columns phase, series, trial, value, source.

    A published variant is `<class>|<phase>` here; names: class -> our series.
    """
    split = table["variant"].str.split("|", n=1, expand=True)
    rows = table[(table["metric"] == metric) & split[0].isin(list(names))]
    if rows.empty or split.shape[1] != 2:
        raise LabError(f"published: no {metric!r} of <class>|<phase> with a class of {', '.join(names)}")
    return pd.DataFrame(
        {
            "phase": split.loc[rows.index, 1],
            "series": split.loc[rows.index, 0].map(dict(names)),
            "trial": rows["trial"].astype(int),
            "value": rows["value"].astype(float),
            "source": sources(rows),
        }
    ).reset_index(drop=True)


def sources(table: pd.DataFrame) -> list[str]:
    """How a legend calls the machine and year of every row of a table of published values."""
    return [source(machine, year) for machine, year in zip(table["machine"], table["year"], strict=True)]


def source(machine: str, year: int) -> str:
    """`Intel Sandy Bridge 2.4GHz; Linux 3.3.2`, 2012 -> `Sandy Bridge 2.4 GHz, 2012`; `Linux (x)` -> `Linux, 2012`.

    A system named before the processor tells machines apart and is kept, behind it: `Nehalem 2.8 GHz, Windows 7, 2011`.
    """
    parts = [part.strip() for part in machine.split(";")]
    at = next((at for at, part in enumerate(parts) if part.endswith("GHz")), 0)
    name = parts[at].split(" (")[0].removeprefix("Intel ").replace("GHz", " GHz").replace("  ", " ")
    systems = [part.removesuffix(" 64-bit") for part in parts[:at]]
    return ", ".join([name, *systems, str(year)])
