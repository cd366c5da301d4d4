"""place: where a host stands among hosts of its kind, and what is odd about it, worst first.

An anomaly is a number of this host that lies far from its peers', or a setting that is known to move numbers. Each is
one sentence with the number, the peers and what to try. One run of each host decides nothing about two hosts: what is
said is where a number lies, not that the hosts differ for good.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse import distance_summary, distances
from pipeline.analyse.distances import Compared
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.placement import AXIS
from pipeline.catalogue.selectors import runtime_label
from pipeline.collection import anomalies, headlines
from pipeline.collection import hosts as hosts_
from pipeline.collection.anomalies import Anomaly
from pipeline.collection.hosts import Host
from pipeline.compare import verdicts
from pipeline.host import topology
from pipeline.words.numbers import about, counted, estimated, quantity

MOST = 10  # sentences
FAR = 1.5  # times the peers' median, from which on a number is odd
RESTLESS = 1.5  # of an interval's ends, from which on a number jumps between levels
LEAST_NS = 0.1  # less than anything takes that a CPU does: what an operation costs of a loop that was folded
ALIKE = 0.5  # the weight of distances that the kernel tells and no pair shows
KINDS = 2  # peers of its kind that are enough to be compared with them alone
# What moves numbers of a class (`pipeline.catalogue.classes`).
TRY = {
    "uncontended": "look at the CPU's frequency (governor, turbo, heat) and at the JDK's build",
    "contended": "look at which CPUs talk: two hardware threads of a core, two sockets, or a guest whose CPUs move",
    "woken": "look at how an idle CPU sleeps: idle states, the idle governor, and polling before a halt",
    "io": "look at the disk, the file system and its mount options",
}


def peers(mine: Host, hosts: Sequence[Host]) -> tuple[list[Host], str]:
    """The machines to compare with, and what they are called: those of its vendor, virtualised or not as it is, where
    there are at least KINDS of them, else all others."""
    others = [host for host in hosts if host.machine != mine.machine]
    kind = [host for host in others if (host.vendor, host.virtualised) == (mine.vendor, mine.virtualised)]
    if len(kind) < KINDS:
        return others, "other hosts"
    return kind, f"{mine.vendor} {'guests' if mine.virtualised else 'hosts without a hypervisor'}"


def told(mine: Host, hosts: Sequence[Host]) -> list[str]:
    """Where the host stands in a sentence or two, then at most MOST anomalies, worst first."""
    others, called = peers(mine, hosts)
    own, theirs = (hosts_.table(some, "estimates", headline=True) for some in ([mine], others))
    rows = pd.DataFrame([row for entry in catalogue.load().values() for row in _compared(own, theirs, entry)])
    apart = _apart(mine)
    found = [*anomalies.of_host(mine, others), *_distances(apart)]
    if not rows.empty:
        found += [*_far(rows), *_restless(rows)]
    worst = sorted(found, key=lambda one: (-one.weight, one.sentence))[:MOST]
    as_told = [distance_summary.sentence(apart)] if apart.measured.enough and apart.as_told else []
    return [" ".join([_standing(mine, others, called, rows), *as_told]), *(one.sentence for one in worst)]


def _apart(mine: Host) -> Compared:
    """How far apart the host's CPUs are, by the headline's number of the configuration that has the most pairs of them,
    next to what its kernel tells."""
    every = hosts_.table([mine], "estimates", unit="ns")
    axes = every["axes"].map(json.loads)
    pairs = distances.by_cpus(every.assign(**{AXIS: axes.map(lambda one: one.get(AXIS, ""))}))
    heads = {name: {headline.metric for headline in entry.headlines} for name, entry in catalogue.load().items()}
    named = [metric in heads.get(name, ()) for name, metric in zip(pairs["experiment"], pairs["metric"], strict=True)]
    asked = pairs[pd.Series(named, pairs.index, dtype=bool)]
    groups = [part for _, part in asked.groupby(["experiment", "metric", "variant", "runtime"], sort=True)]
    measured = distances.measured(max(groups, key=len, default=pairs[:0]))
    return distances.compared(measured, topology.of_host(mine.told["host"]["cpu"]))


def _distances(apart: Compared) -> Iterator[Anomaly]:
    """What pairs of CPUs measure and the kernel does not tell, or it tells and they do not measure."""
    if apart.hidden or (apart.measured.enough and not apart.as_told):
        weight = math.log(apart.factor) if apart.factor > 1 else ALIKE
        yield Anomaly(
            weight,
            f"{distance_summary.sentence(apart)} Where it matters which CPUs threads have, name them (placement 0,1).",
        )


def _standing(mine: Host, others: Sequence[Host], called: str, rows: pd.DataFrame) -> str:
    if rows.empty:
        return f"{mine.label} shares no headline with {counted(len(others), 'other host')}: nothing to stand among."
    worse, better = int((rows["share"] == 1).sum()), int((rows["share"] == 0).sum())
    return (
        f"{mine.label} next to {counted(len(others), 'machine')} ({called}): of {counted(len(rows), 'headline')} it is "
        f"last in {worse:,}, first in {better:,}, and the middle one is {_times(rows['bad'].median())} their median."
    )


def _times(ratio: float) -> str:
    return f"{about(ratio)}x"


def _compared(own: pd.DataFrame, theirs: pd.DataFrame, entry: Experiment) -> Iterator[dict[str, Any]]:
    """A row per headline and runtime that a peer has too: `bad`, how many times worse than the peers' median, `share`
    of the peers that are better, and what is needed to say so."""
    own, theirs = (rows[rows["experiment"] == entry.name] for rows in (own, theirs))
    keys = [*headlines.PLACE, "runtime"]
    by_key = theirs.groupby(keys, sort=True).indices
    every, widths = theirs["estimate"].to_numpy(), (theirs["high"] / theirs["low"]).to_numpy()
    for row in own.to_dict("records"):
        places = by_key.get(tuple(row[key] for key in keys), np.empty(0, int))
        metric, part = entry.metrics.get(row["metric"]), every[places]
        if not len(part) or metric is None or not row["estimate"] > 0 or not (part > 0).all():
            continue
        higher = metric.better == "higher"
        middle = float(np.median(part))
        if metric.unit == "ns" and max(row["estimate"], middle) < LEAST_NS:
            continue
        ratio = row["estimate"] / middle
        beats = part > row["estimate"] if higher else part < row["estimate"]
        known = widths[places][~np.isnan(widths[places])]
        yield row | {
            "entry": entry,
            "ratio": ratio,
            "bad": 1 / ratio if higher else ratio,
            "share": float(beats.mean()),
            "middle": middle,
            "peers": len(part),
            "only": theirs["host"].iloc[places[0]] if len(part) == 1 else "",
            "their_width": float(np.median(known)) if len(known) else math.nan,
        }


def _far(rows: pd.DataFrame) -> Iterator[Anomaly]:
    """Of each experiment the headline that lies farthest from the peers, where that is far."""
    for _, part in rows.groupby("experiment", sort=True):
        row = part.iloc[int(np.argmax(np.abs(np.log(part["bad"].to_numpy()))))].to_dict()
        if not 1 / FAR < row["bad"] < FAR:
            way = verdicts.way(row["entry"].metrics[row["metric"]])
            words = way.more if row["ratio"] > 1 else way.less
            factor = max(row["ratio"], 1 / row["ratio"])
            what = f"{_what(row)}: {estimated(row)}, {_times(factor)} {words} than {_whom(row)}"
            if row["bad"] > 1:
                yield Anomaly(math.log(row["bad"]), f"{what}; {_try(row)}.")
            else:
                yield Anomaly(math.log(1 / row["bad"]) / 4, f"{what}.")


def _restless(rows: pd.DataFrame) -> Iterator[Anomaly]:
    """Of each experiment the headline whose trials disagree most, where they do and the peers' do not."""
    for _, part in rows.groupby("experiment", sort=True):
        part = part[part["low"] > 0].assign(width=part["high"] / part["low"])
        part = part[(part["width"] > RESTLESS) & (part["width"] > RESTLESS * part["their_width"])]
        if len(part):
            row = part.iloc[int(np.argmax(part["width"].to_numpy()))].to_dict()
            often = "usually" if row["peers"] > 1 else "there"
            yield Anomaly(
                math.log(row["width"] / row["their_width"]),
                f"{_what(row)} jumps between levels: {estimated(row)}, a factor of {about(row['width'])} from end to "
                f"end, {often} {about(row['their_width'])} ({_whom(row)}); measure again and look at its trials, "
                f"which may fall on different CPUs or frequencies.",
            )


def _what(row: Mapping[str, Any]) -> str:
    """`Lock scaling, synchronized, threads 2 (JDK 25)`"""
    place = headlines.Place(row["metric"], row["variant"], row["axes"])
    return f"{row['entry'].title}, {place.title(row['entry'])} ({runtime_label(row['runtime'])})"


def _whom(row: Mapping[str, Any]) -> str:
    middle = quantity(row["middle"], row["unit"])
    return f"{row['only']} ({middle})" if row["only"] else f"the median of {row['peers']:,} hosts ({middle})"


def _try(row: Mapping[str, Any]) -> str:
    entry: Experiment = row["entry"]
    if entry.instrument:
        return "look at the clock source, and whether its readings leave the process (a hypervisor may force that)"
    return TRY[entry.class_of(row["metric"], row["variant"], json.loads(row["axes"]))]
