"""How long an event is on its way to a consumer: measured by both load generators, and part of what is predicted."""

from __future__ import annotations

import itertools
import re
import time

import numpy as np
import pytest
from living import PATIENCE_S

from pipeline.analyse import precision
from pipeline.analyse.metrics import compute
from pipeline.analyse.resampled import Services
from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.host import cpus, runtimes
from pipeline.ingest import read
from pipeline.measure import run as measuring
from pipeline.plan import plan
from pipeline.plan.overrides import Overrides
from pipeline.session.under_load import SERVICES

# A fifth of what the consumer can do: some events find it idle, and others wait.
SMOKE = """  smoke:
    min_blocks: 1
    max_blocks: 1
    budget_s: 30
    parameters: {warmup: 12, iterations: 8, iteration-ms: 50, sample-every: 1}
    sweeps:
      - {variants: [disruptor_spin, c_spsc, c_mutex], axes: {rate: [200000], work: [1000]}}
  quick:"""


@pytest.mark.skipif(len(cpus.usable()) < 2, reason="a consumer that never sleeps needs a CPU of its own")
@pytest.mark.parametrize(("harness", "variant"), [("jdk", "disruptor_spin"), ("c", "c_spsc")])
def test_trials_of_both_harnesses_have_the_way_and_what_is_predicted_has_it_too(lab, harness, variant):
    text = (paths.ROOT / "catalogue" / "queues.yaml").read_text()
    (lab / "catalogue" / "queues.yaml").write_text(re.sub(r"(?ms)^  smoke:.*?^  quick:", SMOKE, text, count=1))
    entry, found = catalogue.experiment("queues"), runtimes.all_runtimes()
    runtime = min(name for name in found if name.startswith(harness))
    planned = plan.make(entry, "smoke", found, Overrides(runtimes=(runtime,)))
    # Where other programs use the CPUs too, both sides may long not have theirs at once.
    until = time.monotonic() + PATIENCE_S
    for run in itertools.count():
        tables = read.read(measuring.measure(f"r{run}", [planned], precision.widest), entry)
        metrics = compute(entry, tables)
        way = metrics["metric"].eq("flight")
        told = set(metrics.loc[way, "trial"].map(tables.measured.set_index("trial")["variant"].astype(str)))
        if told or time.monotonic() > until:
            break
    assert told == {variant} and (metrics.loc[way, "value"] >= 0).all()

    def predicted(metrics):
        services = Services(entry, tables, metrics, SERVICES)
        one = services.table["trial"].isin(metrics.loc[way, "trial"])
        return np.array([services.predicted([at], services.rate[at], 50) for at in np.flatnonzero(one)])

    farther = metrics.assign(value=metrics["value"].where(~way, metrics["value"] + 500))
    more = predicted(farther) - predicted(metrics)  # of each trial, and of a noisy one measured again
    assert len(more) and more == pytest.approx(np.full(len(more), 500.0))
