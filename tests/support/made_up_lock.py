"""A session with a lock whose times are known: threads that come back after work outside, and one thread alone."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
from analyse_tables import entry

from pipeline.analyse import estimates
from pipeline.catalogue.entry import Variant
from pipeline.models import closed_queue
from pipeline.session.session import Session

SECTION, HANDOVER, LONGEST = 20.0, 180.0, 10_000
METRICS = {"throughput": "ops/s", "outside_time": "ns", "service_free": "ns", "service_queued": "ns"}
AXES = {"threads": "int", "outside": "int", "outside_law": "str"}
FACTORS = (0.98, 1.0, 1.0, 1.0, 1.0, 1.02)  # of the trials of a configuration


def session(threads=(2, 4), outside=(300, 1000, LONGEST)) -> Session:
    """Six trials of each configuration. Throughput is that of the queue with a hand-over for each that waited."""
    rows = [_at("kept", "jdk25", 1, None, "throughput", 1e9 / SECTION)]
    for count in threads:
        for work in outside:
            x = closed_queue.repairman(count, 1.1 * work, SECTION + HANDOVER, free_ns=SECTION)[0]
            values = {"throughput": x, "outside_time": 1.1 * work}
            values |= {"service_free": SECTION, "service_queued": SECTION + HANDOVER}
            for name, runtime in (("kept_outside", "jdk17"), ("kept_outside", "jdk25"), ("other_outside", "c")):
                rows += [_at(name, runtime, count, work, metric, value) for metric, value in values.items()]
    lab = Session.__new__(Session)
    lab.entry = entry({name: {"kind": "cost", "unit": unit} for name, unit in METRICS.items()})
    lab.entry = replace(lab.entry, axes=AXES, variants=_variants())
    every = [
        {**row, "value": row["value"] * factor, "block": block, "trial": f"{number}-{block}", "noisy": False}
        for number, row in enumerate(rows)
        for block, factor in enumerate(FACTORS, 1)
    ]
    lab.metrics = pd.DataFrame(every).assign(steady=True)
    lab.estimates = estimates.compute(lab.entry, lab.metrics)
    lab.bundle = SimpleNamespace(name="r", info={"seed": 1, "host": {"cpu": {"cpus": 4}}})
    return lab


def _at(variant, runtime, threads, outside, metric, value) -> dict:
    law = None if outside is None else "exponential"
    where = {"variant": variant, "runtime": runtime, "threads": threads, "outside": outside, "outside_law": law}
    return {**where, "metric": metric, "value": value}


def _variants() -> dict[str, Variant]:
    known = {"kept": ("java", "kept"), "kept_outside": ("java", "kept"), "other_outside": ("c", "other")}
    return {name: Variant(label=name.replace("_", " "), harness=one, runs=runs) for name, (one, runs) in known.items()}
