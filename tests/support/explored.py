"""A made-up run to look into: two variants on two runtimes, with one and two threads, in a few trials."""

from __future__ import annotations

import json
import lzma
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from jsonschema import Draft7Validator
from laboratory import DATA

from pipeline.catalogue import check
from pipeline.explore.selection import Opened
from pipeline.explore.timeline_chart import STRETCH
from pipeline.hdr.counts import Geometry
from pipeline.ingest.buckets import Buckets
from pipeline.ingest.tables import Tables
from pipeline.session.session import Session

PROFILE = {
    "min_blocks": 3,
    "max_blocks": 3,
    "budget_s": 1,
    "sweeps": [{"variants": ["early", "late"], "axes": {"threads": [1, 2]}}],
}
ENTRY = check.experiment(
    dict(
        name="toy",
        number=1,
        title="A toy",
        question="Which?",
        value="time of one operation",
        posts=[],
        axes={"threads": "int"},
        variants={
            "early": {"label": "Early & <bold>", "harness": "java", "runs": "early"},
            "late": {"label": "Late", "harness": "java", "runs": "late"},
        },
        profiles=dict.fromkeys(("smoke", "quick", "full"), PROFILE),
        metrics={
            "cost": {"kind": "cost", "unit": "ns", "label": "Cost per operation", "series": "t*", "better": "lower"},
            "rate": {"kind": "rate", "unit": "ops/s", "label": "Throughput", "series": "t*"},
            "p50": {"kind": "percentile", "percentile": 50, "unit": "ns", "label": "Median", "series": "t*"},
        },
        headlines=[{"metric": "cost", "where": {"threads": 2}}],
    )
)
ITERATIONS, SAMPLES = 6, 400


def opened(run: str = "one", blocks: int = 3, slower: float = 1.0) -> Opened:
    """An experiment of a run; `slower` multiplies the times of the variant `late`."""
    made = Opened.__new__(Opened)
    made.run, made.experiment, made._merged = run, ENTRY.name, {}
    made.lab = session(run, blocks, slower)
    return made


def session(run: str, blocks: int, slower: float) -> Session:
    lab = Session.__new__(Session)
    lab.entry, lab.tables = ENTRY, tables(blocks, slower)
    finished = {"event": "finished", "experiment": ENTRY.name, "ended_by": "blocks", "blocks": blocks, "spent_s": 1.0}
    info = {"name": run, "seed": 1, "host": {"cpu": {"cpus": 2}}}
    lab.bundle = SimpleNamespace(name=run, info=info, journal=lambda: [finished])
    return lab


@cache
def tables(blocks: int, slower: float) -> Tables:
    """Made once: nobody changes them."""
    trials, iterations, buckets, events = [], [], [], []
    random = np.random.default_rng(7)
    for variant in ENTRY.variants:
        for runtime in ("jdk17", "jdk25"):
            for threads in (1, 2):
                for block in range(1, blocks + 1):
                    name = f"{variant}-{runtime}-threads={threads}-b{block:02}"
                    trials.append(_trial(name, variant, runtime, threads, block))
                    scale = 100 * threads * (slower if variant == "late" else 1)
                    for number in range(ITERATIONS):
                        for thread in range(threads):
                            place = {"trial": name, "iteration": number, "series": f"t{thread}"}
                            iterations.append(place | _iteration(number, scale))
                            buckets += [place | one for one in _buckets(random, scale)]
                    events.append({"trial": name, "t_ns": 1_500_000, "kind": "compile", "method": "toy.Toy::run"})
    every = pd.DataFrame(buckets)
    rows = pd.DataFrame(iterations)
    phases = every.merge(rows[["trial", "iteration", "series", "phase"]], on=["trial", "iteration", "series"])
    keys = ["trial", "phase", "series", "low_ns", "width_ns"]
    merged = phases[phases["phase"] != "warmup"].groupby(keys)["count"].sum().reset_index()
    measures = pd.DataFrame({"trial": trials[0]["trial"], "iteration": [-1], "series": [""], "name": ["clock_read"]})
    happened = pd.DataFrame(events).assign(level=4, size=1, detail="", compilation="1")
    empty = pd.DataFrame(columns=["trial", "name"])
    return Tables(
        trials=pd.DataFrame(trials),
        iterations=rows,
        buckets=Buckets(every),
        trial_buckets=merged,
        readings=empty,
        measures=measures.assign(value=150.0),
        events=happened,
        checks=empty,
        facts=empty,
    )


def _trial(name: str, variant: str, runtime: str, threads: int, block: int) -> dict[str, Any]:
    noisy = block == 1 and threads == 2
    place = {"trial": name, "experiment": "toy", "variant": variant, "runtime": runtime, "threads": threads}
    doubts = {"noisy": noisy, "noise_reasons": "steal 12 %" if noisy else "", "steal_pct": 12.0 if noisy else 0.0}
    facts = {"foreign_pct": 1.0, "cycle_ns": 0.5, "hiccup_p99_ns": 2000.0, "way": -1, "core": -1}
    return place | {"block": block, "order": block, "attempt": 1, "status": "measured", "reason": ""} | doubts | facts


def _iteration(number: int, scale: float) -> dict[str, Any]:
    start, phase = 1_000_000 * (number + 1), "warmup" if number == 0 else "measured"
    elapsed = round(SAMPLES * scale)
    return {"phase": phase, "start_ns": start, "elapsed_ns": elapsed, "operations": SAMPLES, "samples": SAMPLES}


def _buckets(random: np.random.Generator, scale: float) -> list[dict[str, int]]:
    values = (scale * random.lognormal(0, 0.8, SAMPLES)).astype(np.int64) + 1
    geometry = Geometry.of(3, 1)
    low, width = geometry.buckets(geometry.index(values))
    found, first, counts = np.unique(low, return_index=True, return_counts=True)
    return [
        {"low_ns": int(a), "width_ns": int(width[b]), "count": int(c)}
        for a, b, c in zip(found, first, counts, strict=True)
    ]


@cache
def schema() -> Draft7Validator:
    """Of the Vega-Lite that JupyterLab contains."""
    with lzma.open(DATA / "vega" / "vega-lite-5.6.1.json.xz") as file:
        return Draft7Validator(json.load(file))


def rows_of(spec: Any) -> int:
    """How many rows of data a chart holds."""
    return sum(len(values) for values in _values(spec))


def without_rows(spec: Any) -> Any:
    """The chart with two rows of each table: what the schema says of a row it says of all."""
    if isinstance(spec, dict):
        return {name: part[:2] if _is_table(name, part) else without_rows(part) for name, part in spec.items()}
    return [without_rows(part) for part in spec] if isinstance(spec, list) else spec


def _values(spec: Any) -> list[list]:
    if isinstance(spec, dict):
        own = [part for name, part in spec.items() if _is_table(name, part)]
        return own + [one for name, part in spec.items() if not _is_table(name, part) for one in _values(part)]
    return [one for part in spec for one in _values(part)] if isinstance(spec, list) else []


def _is_table(name: str, part: Any) -> bool:
    return name in ("values", STRETCH) and isinstance(part, list) and bool(part) and isinstance(part[0], dict)
