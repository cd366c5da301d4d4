"""An experiment at given loads: predictions of a server that is known; trials as fast as possible are left out."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from analyse_tables import entry, tables

from pipeline.models import waiting_times
from pipeline.models.j_curve import fit_j_curve
from pipeline.models.prediction import CONTROL, prediction
from pipeline.session.session import Session
from pipeline.session.under_load import DECIDES, UnderLoad

pytestmark = pytest.mark.thorough

RATIOS = {
    "service_busy": ("busy_ns", "busy_count"),
    "service_busy_square": ("busy_ns2", "busy_count"),
    "service_idle": ("idle_ns", "idle_count"),
    "service_idle_square": ("idle_ns2", "idle_count"),
    "found_idle": ("idle_count", ["busy_count", "idle_count"]),
    "batch_size": ("batch_events", "batches"),
}
DECLARED = {name: {"kind": "measure_ratio", "name": of, "per": per} for name, (of, per) in RATIOS.items()}
DECLARED |= {name: {"kind": "measure", "name": name} for name in ("capacity", "clock_read", "flight")}
DECLARED |= {"throughput_mean": {"kind": "rate", "series": "c*", "estimator": "total", "unit": "events/s"}}
DECLARED |= {"throughput_typical": DECLARED["throughput_mean"] | {"estimator": "median"}}
for name, series in {"sent": "sent", "latency": "intended", "busy": "busy", "idle": "idle"}.items():
    DECLARED[f"{name}_p50"] = {"kind": "percentile", "percentile": 50, "series": series, "operations": "c*"}
    DECLARED[f"{name}_mean"] = {"kind": "mean", "series": series, "operations": "c*"}
DECLARED |= {"sent_typical": DECLARED["sent_p50"] | {"kind": "typical_percentile"}}
SERVICE, CLOCK, CAPACITY, COUNT = 100, 20, 1e7, 1000
SENT, DUE = 150, 180  # at 50 % M/D/1 is 1.5 services in the system, and the generator is 30 ns late


@pytest.fixture
def lab() -> Session:
    """Three blocks of a server that takes 100 ns: of each variant a trial as fast as possible and one at 50 %."""
    trials, iterations, buckets, measures = [], [], [], []
    values = {"sent": SENT, "intended": DUE, "busy": SERVICE + CLOCK, "idle": SERVICE + CLOCK}
    for block in (1, 2, 3):
        for variant, load, work in (("slow", 0, 0), ("slow", 50, 200), ("fast", 50, 0), ("slow", 50, 0)):
            trial = f"{variant}{load}-{work}-{block}"
            trials.append({"trial": trial, "variant": variant, "load": load, "work": work, "block": block})
            iterations.append((trial, 0, "measured", "c0", 0, 1_000_000, 5000, 0))
            if not load:
                continue
            measures += [(trial, -1, "", "capacity", CAPACITY), (trial, -1, "", "clock_read", CLOCK)]
            for name, power in (("count", 0), ("ns", 1), ("ns2", 2)):
                measures += [(trial, 0, "", f"{one}_{name}", COUNT * SERVICE**power) for one in ("busy", "idle")]
            for series, value in values.items():
                iterations.append((trial, 0, "measured", series, 0, 1_000_000, 0, COUNT))
                buckets.append((trial, 0, series, value, 1, COUNT))
    session = Session.__new__(Session)
    session.entry = replace(entry(DECLARED), axes={"load": "int", "work": "int"})
    session.tables = tables(trials, iterations=iterations, buckets=buckets, measures=measures)
    session.bundle = SimpleNamespace(info={"seed": 1})
    return session


def test_what_ran_as_fast_as_possible_is_left_out(lab):
    loaded = UnderLoad(lab)
    assert set(lab.chosen(variant="slow")[0]["load"]) == {0, 50}
    for rows in (*loaded.chosen(variant="slow"), loaded.trials(variant="slow"), loaded.wide("throughput_mean")):
        assert set(rows["load"]) == {50}
    assert set(loaded.wide("throughput_mean", work=200)["variant"]) == {"slow"}


def test_lines_are_of_measured_services_and_by_wish_of_the_capacity_alone(lab):
    known = UnderLoad(lab).lines(variant="fast", to=80)
    assert set(known["model"]) == {"measured services"} and known["measured"].all() and known["load"].max() == 80
    lines = UnderLoad(lab).lines(variant="fast", textbook=True).query("load == 50").set_index("model")
    assert list(lines["measured"]) == [False, False, True]
    assert lines["estimate"]["M/M/1 of the capacity"] == pytest.approx(math.log(2) * 2 * SERVICE)
    constant = float(waiting_times.md1_median(0.5 / SERVICE, SERVICE))
    assert lines["estimate"]["M/D/1 of the capacity"] == pytest.approx(constant)
    assert lines["estimate"]["measured services"] == pytest.approx(constant, rel=0.1)


def test_medians_and_means_are_predicted_for_every_trial_of_a_selection(lab):
    loaded, configuration = UnderLoad(lab), ["variant", "runtime", "load", "work"]
    means, medians = loaded.means(variant="slow"), loaded.medians(variant="slow")
    assert means["predicted"].tolist() == pytest.approx([SENT] * 6)
    assert means["value"].tolist() == pytest.approx([1] * 6)
    assert medians["measured"].tolist() == [SENT] * 6
    constant = float(waiting_times.md1_median(0.5 / SERVICE, SERVICE))
    assert medians["predicted"].tolist() == pytest.approx([constant] * 6, rel=0.1)
    for rows in (means, medians):  # as estimates count trials, so do fits
        assert {*configuration, "trial", "block", "noisy", "steady"} <= set(rows)


@pytest.mark.parametrize("of", [int, float], ids=["every trial has a load", "some have none"])
def test_what_a_latency_is_made_of_is_labelled_in_the_catalogues_order(lab, of):
    for name in ("load", "work"):  # a column in which a value may be missing is one of floats
        lab.tables.trials[name] = lab.tables.trials[name].astype(of)
    rows = UnderLoad(lab).parts()
    assert list(dict.fromkeys(rows["label"])) == ["fast, 50 %", "slow, 50 %", "slow, 50 %, 200 ns"]
    fast = rows[rows["label"] == "fast, 50 %"].set_index("part")["value"]
    assert fast.to_dict() == {"late": DUE - SENT, "service": SERVICE + CLOCK, "waiting": SENT - SERVICE - CLOCK}


def test_the_way_to_the_server_is_in_what_is_predicted_and_in_no_service(lab):
    way = pd.DataFrame({"trial": [f"fast50-0-{block}" for block in (1, 2, 3)], "iteration": -1, "name": "flight"})
    lab.tables.measures = pd.concat([lab.tables.measures, way.assign(series="", value=40.0)], ignore_index=True)
    loaded = UnderLoad(lab)
    assert loaded.means(variant="fast")["predicted"].tolist() == pytest.approx([SENT + 40] * 3)
    constant = float(waiting_times.md1_median(0.5 / SERVICE, SERVICE))
    assert loaded.medians(variant="fast")["predicted"].tolist() == pytest.approx([constant + 40] * 3, rel=0.1)
    assert loaded.means(variant="slow")["predicted"].tolist() == pytest.approx([SENT] * 6)
    parts = loaded.parts(variant="fast").set_index("part")["value"]
    service = SERVICE + CLOCK + 40
    assert parts.to_dict() == {"late": DUE - SENT, "service": service, "waiting": max(0, SENT - service)}


def test_who_is_the_slowest_is_told_by_trial(lab):
    # Sent 30 ns late of 180: more than a tenth. As many events found the server idle as busy.
    told = UnderLoad(lab).bottlenecks()
    assert set(told[DECIDES]) == {"the way to it (3 of 3)"}  # nothing tells how late they were sent
    of = ["latency_p50", "sent_p50"]
    lab.entry.metrics["behind"] = replace(lab.entry.metrics["latency_p50"], kind="quotient", of=of)
    del lab.metrics
    told = UnderLoad(lab).bottlenecks()
    assert set(told[DECIDES]) == {"the generator (3 of 3)"} and len(told) == 3
    assert UnderLoad(lab).bottlenecks(load=0).empty


def test_trials_at_an_absolute_rate_have_no_load(lab):
    lab.entry = replace(lab.entry, axes=lab.entry.axes | {"rate": "int"})
    lab.tables.trials["rate"] = [1000 if one == "fast" else None for one in lab.tables.trials["variant"]]
    assert set(UnderLoad(lab).at_rates()["variant"]) == {"fast"}
    # `rate` is a word of models too: what they say of trials at a load is by trial all the same.
    assert len(UnderLoad(lab).means(variant="slow")) == 6


def test_nothing_at_a_load_is_nothing_predicted(lab):
    loaded = UnderLoad(lab)
    for rows in (loaded.lines(load=0, textbook=True), loaded.means(load=0), loaded.medians(load=0)):
        assert rows.empty
    assert loaded.parts(load=0).empty and loaded.batches(load=0).empty


@pytest.mark.parametrize(("sent", "verdict"), [(150, "explains it"), (120, "no verdict: see the controls")])
def test_a_model_is_judged_where_the_controls_come_out(lab, monkeypatch, sent, verdict):
    """The control is the variant fast, at 50 % and of 100 ns: M/D/1 has a mean of 150 ns and a median near 120."""
    monkeypatch.setattr(Session, "labels", lambda self: {"fast": "fast", "slow": "slow"})
    loaded = UnderLoad(lab)
    median = loaded.medians(variant="slow")["predicted"].iloc[0]
    monkeypatch.setattr(loaded, "medians", lambda **_: ratios(1.0))
    monkeypatch.setattr(loaded, "means", lambda **_: ratios(sent / 150))
    found = loaded.judge("The queue", ["fast"])(ratios(1.0))
    assert median == pytest.approx(waiting_times.md1_median(5e-3, 100.0), rel=0.1)
    assert found.details["verdict"] == verdict
    assert ("mean of fast at 50 %" in found.sentence) == (verdict != "explains it")


def test_what_has_no_controls_is_judged_alone_and_a_control_within_closer_bounds(lab):
    loaded = UnderLoad(lab)
    assert loaded.judge("The queue")(ratios(1.15)) == prediction([1.15] * 3, "The queue")
    assert loaded.judge("The queue")(ratios(1.15)).details["verdict"] == "explains it"
    assert loaded.control("The queue")(ratios(1.15)) == prediction([1.15] * 3, "The queue", CONTROL)
    assert loaded.control("The queue")(ratios(1.15)).details["verdict"] == "does not explain it"


def test_a_capacity_is_known_where_the_generator_of_its_language_is_fast_enough(lab):
    """Alone the generators of Java yield 12 and 14 M events/s, that of C 16."""
    of = [("fast", "jdk17", 12e6), ("fast", "jdk25", 14e6), ("native", "c", 16e6)]
    alone = pd.DataFrame(of, columns=["variant", "runtime", "estimate"]).set_index(["variant", "runtime"])["estimate"]
    lab.level = lambda metric: {"alone": alone, "none": alone[:0]}[metric]
    loaded = UnderLoad(lab)
    rows = {name: ratios(9e6).assign(variant=name) for name in ("slow", "native")}
    assert not loaded.capacity("alone")(rows["slow"]).identified, "12 is not one and a half times 9"
    assert loaded.capacity("alone")(rows["native"]).identified
    assert loaded.capacity("none")(rows["slow"]).identified, "where no generator was measured none is too slow"


def test_a_j_is_fitted_with_the_sessions_seed(lab):
    rows = pd.DataFrame([(at, block) for at in (10, 30, 50, 70, 90) for block in (1, 2, 3)], columns=["load", "block"])
    rows["value"] = 100 + (20 + rows["block"]) * rows["load"] / (100 - rows["load"])
    found = UnderLoad(lab).j_curve(rows)
    assert found == fit_j_curve(rows["load"], rows["value"], rows["block"], seed=1, unit="ns") and found.identified


def ratios(value: float) -> pd.DataFrame:
    """Of three trials of the control."""
    return pd.DataFrame({"variant": "fast", "runtime": "c", "load": 50, "work": 0, "value": [value] * 3})
