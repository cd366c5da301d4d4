"""What a trial was asked to do, from its command lines, and its metrics as both sides of a comparison take them."""

from __future__ import annotations

import os

import pandas as pd
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.analyse import refused, result_cache
from pipeline.compare.measured import FLAG, Run, parameters
from pipeline.ground import arithmetic
from pipeline.ingest.tables import Tables

JAVA = ["{jdk17}", "-XX:+UseSerialGC", "-Dlab.native=build/lib.so", "-jar", "lab.jar", "pause"]
PART = ["{c}", "clock", "--variant", "sleeper", "--warmup", "4", "--part", "1/2", "--out", "raw/x-b01.control.hlog"]
OWN = ["--variant", "paced", "--period-us", "10", "--out", "raw/x-b01.hlog"]


def test_parameters_are_options_and_flags_of_every_part_without_places():
    line = {"experiment": "pause", "command": [*JAVA, *OWN], "parts": {"control": {"command": PART}}}
    own = (f"{FLAG}-XX:+UseSerialGC", "--variant paced", "--period-us 10")
    assert parameters(line) == (*own, "--variant sleeper", "--warmup 4", "--part 1/2")
    assert parameters({"experiment": "pause", "command": [*JAVA, *OWN]}) == own


def test_another_block_of_a_configuration_has_the_same_parameters():
    blocks = [
        {"command": OWN, "parts": {"control": {"command": [*PART[:-1], f"raw/x-b0{block}.hlog"]}}} for block in "12"
    ]
    assert parameters(blocks[0]) == parameters(blocks[1])


def test_two_sides_of_one_run_compute_its_metrics_once_and_have_them_in_the_order_asked_for(tmp_path, monkeypatch):
    for name, value in arithmetic.environment(os.environ).items():
        monkeypatch.setenv(name, value)
    known = entry({"cost": {"kind": "cost"}, "rate": {"kind": "rate", "unit": "ops/s"}, "total": {"kind": "cost"}})
    rows = [*costs_to_iterations("t0", [1]), *costs_to_iterations("t1", [2])]
    of, computed = tables([{}, {}], iterations=rows).but(ingested=(tmp_path, "stamp")), []
    compute = refused.compute
    monkeypatch.setattr(result_cache.refused, "compute", lambda *asked: computed.append(asked) or compute(*asked))
    for names in (["rate", "cost"], ["cost", "rate"]):
        found = _run(of).metrics(known, names)
        assert found["metric"].tolist() == [name for name in names for _ in "01"]
        pd.testing.assert_frame_equal(found[[*compute(known, of, names)]], compute(known, of, names))
    assert len(computed) == 1
    assert _run(of).metrics(known, []).empty


def _run(of: Tables) -> Run:
    """A run of these tables, whose journal is gone."""
    run = Run.__new__(Run)
    run.lines, run._metrics, run.tables = [], {}, lambda entry: of
    return run
