"""No page is lost to thin data, seeded cuts of the archived run, nor to zeros: notebooks executed in this process."""

from __future__ import annotations

import json
import random
from functools import cached_property

import numpy as np
import pytest
import thin
import thinning

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.hdr import log
from pipeline.ingest import ingest
from pipeline.session.computed import Computed

pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    for name in ("RUNS", "BUILD"):
        monkeypatch.setenv(f"LAB_{name}", str(tmp_path / name))


@pytest.fixture(scope="module")
def source() -> Bundle:
    return Bundle.open(paths.REFERENCE)


def trials(source: Bundle, seed: int) -> list[dict]:
    return journal.trials(thinning.thinned(source.info, source.journal(), seed).lines)


def test_a_seed_leaves_the_same_every_time_and_another_one_something_else(source):
    assert trials(source, 3) == trials(source, 3) != trials(source, 13)


def test_a_host_with_one_cpu_has_no_pair_of_them_and_says_what_it_left_out(source):
    seed = list(thinning.forms(source.info)).index("one CPU")
    left = thinning.thinned(source.info, source.journal(), seed)
    own = journal.trials(left.lines)
    assert left.info["host"]["cpu"]["cpus"] == 1 and source.info["host"]["cpu"]["cpus"] == 2
    assert own and not [line for line in own if "," in str(line["axes"].get("placement"))]
    told = journal.planned(left.lines, "inter_thread_latency")["left_out"]
    apart = "Not measured: threads on CPUs of their own"
    assert told == [f"{apart}, which needs 2 CPUs; this process may use 1."]


@pytest.mark.parametrize("form", ["no JDK", "no C", "of the JDKs jdk17 alone"])
def test_a_runtime_that_there_is_not_has_no_trial(source, form):
    seed = list(thinning.forms(source.info)).index(form)
    left = thinning.thinned(source.info, source.journal(), seed)
    assert {line["runtime"] for line in journal.trials(left.lines)} <= set(left.info["runtimes"])
    assert set(left.info["runtimes"]) < set(source.info["runtimes"])


@pytest.mark.parametrize("cut", thinning.CUTS)
def test_a_cut_leaves_lines_of_a_run_in_their_order(source, cut):
    lines = journal.trials(source.journal(), "gc_pause")
    order = {line["trial"]: place for place, line in enumerate(lines)}
    every = [thinning.CUTS[cut](lines, random.Random(seed)) for seed in range(40)]
    for left in every:
        places = [order[line["trial"]] for line in left]
        assert places == sorted(places)
    assert any(left != lines for left in every)
    assert thinning.CUTS[cut]([], random.Random(1)) == []


def test_a_trial_that_lacks_series_is_whole_without_them(source, monkeypatch, tmp_path):
    monkeypatch.setattr(thinning.Thinned, "lacks", lambda self, experiment, series: series == "t1")
    monkeypatch.setattr(thinning, "BARE", 1.0)
    wanted = journal.trials(source.journal(), "single_writer")[:6]
    thin.write(0, paths.bundle("thin"), lines=lambda lines: wanted)
    bundle, entry = Bundle.open("thin"), catalogue.experiment("single_writer")
    found = set(ingest.ingest(bundle, entry).iterations["series"])
    assert found and "t1" not in found
    line = journal.trials(bundle.journal())[0]
    name = next(file for file in line["files"] if file.endswith(".hlog"))
    told = json.loads(bundle.read_raw(name.replace(".hlog", ".json")))
    assert len(log.parse_log(bundle.read_raw(name), name).records) == len(told["iterations"]["series"])


@pytest.mark.prove
@pytest.mark.parametrize("seed", range(9))
def test_no_page_is_lost(seed, source):
    """Of the archived run, in each form once; what the harness records by now: tests/processes/publish."""
    assert len(thinning.forms(source.info)) == 9
    assert [one for one in thin.pages(seed) if one["lost"]] == []


@pytest.mark.prove
@pytest.mark.parametrize("name", catalogue.load())
def test_no_page_is_lost_to_zeros(name, monkeypatch):
    """As a coarse clock tells of what takes less than its step, and as counts are: every third metric is 0 in all
    trials, the others in three trials of ten."""
    measured = Computed.metrics.func

    def zeros(self):
        found = measured(self)
        metric = found["metric"].astype("category").cat.codes
        nothing = (metric % 3 == 1) | (np.random.default_rng(1).random(len(found)) < 0.3)
        return found.assign(value=found["value"].mask(nothing, 0.0))

    changed = cached_property(zeros)
    changed.__set_name__(Computed, "metrics")
    monkeypatch.setattr(Computed, "metrics", changed)
    shown = list(thin.shown(catalogue.experiment(name), {"run": paths.REFERENCE, "measuring": False}))
    assert len(shown) > 5
