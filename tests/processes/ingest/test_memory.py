"""Ingest takes the memory of a row group, not of a run."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from hdr_logs import encode
from publish_toy import HOST, trial

from pipeline.bench import scale
from pipeline.bundle.bundle import Bundle
from pipeline.hdr.counts import Geometry

EXPERIMENT = "lock_scaling"
ITERATIONS, BUCKETS = 400, 100
FEW, MANY = 4, 60  # trials: 160,000 buckets fill two row groups, 2,400,000 are 90 MB


@pytest.fixture
def made(lab, monkeypatch):
    """A bundle of so many trials, in the layout that `scale.ingest_apart` expects."""
    monkeypatch.setattr(scale.fingerprint, "take", lambda folder: HOST)
    source = Bundle(lab / "measured", {"name": "measured"})
    raw = source.folder / "raw" / EXPERIMENT
    raw.mkdir(parents=True)
    lows = Geometry.of(3, 1).buckets(np.arange(2048, 2048 + BUCKETS))[0]
    payload = encode(lows.tolist())
    log = "#[Histogram log format version 1.3]\n" + f"Tag=t0,0.000,0.001,0.1,{payload}\n" * ITERATIONS
    columns = {"iteration": list(range(ITERATIONS)), "phase": ["measured"] * ITERATIONS, "series": ["t0"] * ITERATIONS}
    columns |= {name: [1] * ITERATIONS for name in ("start_ns", "elapsed_ns", "operations")}
    measures = {"iteration": [], "series": [], "name": [], "value": []}
    told = {"runtime": {}, "clock": {}, "iterations": columns, "measures": measures, "checks": []}
    files = {}
    for suffix, content in (("hlog", log), ("json", json.dumps(told))):
        (raw / f"one.{suffix}").write_text(content)
        files[f"raw/{EXPERIMENT}/one.{suffix}"] = hashlib.sha256(content.encode()).hexdigest()
    line = trial(1, 1) | {"trial": "one", "experiment": EXPERIMENT, "files": files}

    def make(trials: int) -> str:
        scale.repeated(source, line, trials, lab / "runs" / f"of{trials}", {})
        return f"of{trials}"

    return make


def test_the_peak_does_not_grow_with_the_number_of_histograms(lab, made):
    few, many = (scale.ingest_apart(lab, made(trials), EXPERIMENT) for trials in (FEW, MANY))
    assert few["rows"] == FEW * ITERATIONS * BUCKETS and many["rows"] == MANY * ITERATIONS * BUCKETS
    assert many["peak_bytes"] < 1.2 * few["peak_bytes"]
