"""The row of the table `trials` that a line of the journal becomes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pipeline.bundle import placement
from pipeline.catalogue.entry import Experiment, parameter_of
from pipeline.host.topology import Topology

NOISE = (
    "steal_pct",
    "foreign_pct",
    "foreign_error_pct",
    "psi_pct",
    "voluntary",
    "involuntary",
    "floor_before_ns",
    "floor_after_ns",
    "cycle_ns",
    "hiccup_p99_ns",
    "hiccup_max_ns",
    "cpus_steal_pct",
    "cpus_foreign_pct",
    "cpus_error_pct",
    "sibling_foreign_pct",
    "run_delay_pct",
)
NO_NOISE = {name: np.nan for name in NOISE} | {"voluntary": 0, "involuntary": 0}


def trial_row(
    line: dict,
    entry: Experiment,
    clock: dict,
    given: dict,
    reasons: list[str],
    topology: Topology,
    state: Mapping[str, int],
) -> dict:
    """A row of the trials table. An axis that the entry had not when the trial was planned has the value of the
    parameter that the harness told (`given`)."""
    facts = NO_NOISE | (line.get("noise") or {})
    return {
        "trial": line["trial"],
        "experiment": line["experiment"],
        "variant": line["variant"],
        "runtime": line["runtime"],
        **{axis: line["axes"].get(axis, given.get(parameter_of(axis))) for axis in entry.axes},
        "block": line["block"],
        "order": line["order"],
        "attempt": line["attempt"],
        "status": line["status"],
        "reason": line["reason"],
        "wall_s": line["wall_s"],
        "cpus": ",".join(map(str, placement.cpus(line))),
        "apart": placement.distance(line, topology),
        **{name: facts[name] for name in NOISE},
        **state,
        "noisy": bool(reasons),
        "noise_reasons": "; ".join(reasons),
        "monotonic_ns": clock.get("monotonic_ns", 0),
        "epoch_ms": clock.get("epoch_ms", 0),
    }
