"""Medians predicted from histograms of service times, against queues whose answers are known."""

import numpy as np
import pandas as pd
import pytest
from analyse_tables import entry, tables

from pipeline.analyse import resampled
from pipeline.analyse.batches import SUMS
from pipeline.analyse.metrics import compute
from pipeline.catalogue import catalogue
from pipeline.ingest.buckets import Buckets, joined
from pipeline.models import lindley, waiting_times
from pipeline.session.under_load import SERVICES

pytestmark = pytest.mark.thorough

DECLARED = {
    "busy": {"kind": "percentile", "percentile": 50, "series": "busy", "operations": "c*"},
    "idle": {"kind": "percentile", "percentile": 50, "series": "idle", "operations": "c*"},
    "capacity": {"kind": "measure", "name": "capacity", "unit": "events/s"},
    "rate": {"kind": "rate", "series": "c*", "estimator": "total", "unit": "events/s"},
    "p50": {"kind": "percentile", "percentile": 50, "series": "sent", "operations": "c*"},
    "clock": {"kind": "measure", "name": "clock_read"},
}
DECLARED["timed"] = {"kind": "measure", "name": "timed"}
DECLARED["flight"] = {"kind": "measure", "name": "flight"}
WORDS = resampled.Words("busy", "idle", "capacity", "rate", "p50", "clock", "timed", "flight")
CLOCK = 20


def measured(
    loads=(10, 80), busy=100, idle=100, capacity=1e7, blocks=(1, 2, 3), samples=1000, sent=100, flight=None, timed=None
):
    """Trials of a load each, in which every event that waited took `busy` ns (one number, or by load) and every other
    `idle` ns, timed with a clock whose reading is in each."""
    rows, buckets, measures, trials = [], [], [], []
    for block in blocks:
        for load in loads:
            trial = f"{load}-{block}"
            trials.append({"trial": trial, "load": load, "block": block})
            measures.append((trial, -1, "", "capacity", capacity))
            measures.append((trial, -1, "", "clock_read", CLOCK))
            measures += [] if flight is None else [(trial, -1, "", "flight", flight)]
            measures += [] if timed is None else [(trial, -1, "", "timed", timed)]
            took = busy[load] if isinstance(busy, dict) else busy
            rows.append((trial, 0, "measured", "c0", 0, 1_000_000, round(load * capacity / 1e5), 0))
            for series, value in (("busy", took + CLOCK), ("idle", idle + CLOCK), ("sent", sent)):
                rows.append((trial, 0, "measured", series, 0, 1_000_000, 0, samples))
                buckets.append((trial, 0, series, value, 1, samples))
    return tables(trials, iterations=rows, buckets=buckets, measures=measures)


def in_batches(found, a, b, sizes=(1, 2, 4)):
    """The same, of a consumer whose batches of n events take a + b n ns, timed with the clock."""
    size = np.repeat(sizes, 40).astype(float)
    took = a + CLOCK + b * size
    values = (len(size), size.sum(), took.sum(), (size**2).sum(), (size * took).sum())
    trials = found.measured["trial"]
    rows = [(trial, 0, "", name, value) for trial in trials for name, value in zip(SUMS, values, strict=True)]
    more = pd.DataFrame(rows, columns=["trial", "iteration", "series", "name", "value"])
    return found.but(measures=pd.concat([found.measures, more]).astype({"trial": "category"}))


def services(found):
    return resampled.Services(entry(DECLARED), found, compute(entry(DECLARED), found), WORDS)


def curve(found, at=(10, 50, 80)):
    return resampled.curves(services(found), found.measured, "model", at=at)


def test_constant_services_are_m_d_1():
    rows = curve(measured())
    assert rows["load"].tolist() == [10, 50, 80]
    rho = rows["load"] / 100
    expected = waiting_times.md1_median(rho / 100, 100.0)
    assert rows["estimate"].to_numpy() == pytest.approx(expected, rel=0.1)


def test_a_sleeper_costs_most_where_it_sleeps():
    rows = curve(measured(idle=5000), at=(10, 80))
    assert rows["estimate"].iloc[0] > 2500
    assert rows["estimate"].iloc[1] < rows["estimate"].iloc[0]


def test_where_services_keep_the_server_busy_the_curve_ends():
    assert curve(measured(busy=130))["load"].tolist() == [10, 50]


def test_too_few_samples_are_no_histogram_to_draw_from():
    assert curve(measured(samples=resampled.FEWEST - 1)).empty
    assert not curve(measured(samples=resampled.FEWEST)).empty


def test_a_service_as_short_as_the_clock_is_not_measured_by_it():
    assert curve(measured(busy=resampled.CLOCKS * CLOCK - 1)).empty
    assert not curve(measured(busy=resampled.CLOCKS * CLOCK)).empty


def test_a_trial_is_predicted_at_its_own_rate():
    found = measured(loads=(50,), sent=200)
    rows = resampled.per_trial(services(found), found.measured, ["variant", "runtime"])
    assert rows["measured"].tolist() == [200, 200, 200]
    assert rows["predicted"].to_numpy() == pytest.approx(waiting_times.md1_median(0.5 / 100, 100.0), rel=0.1)
    assert (rows["value"] == rows["predicted"] / rows["measured"]).all()
    assert list(rows)[:6] == ["trial", "variant", "runtime", "block", "noisy", "steady"] and rows["steady"].all()


def test_without_another_load_each_iteration_is_predicted_from_its_own_services():
    """Two speeds of a host: of both kinds of services together comes the latency of neither."""
    took = {0: 60, 1: 90, 2: 90, 3: 60, 4: 90}
    medians = {one: float(waiting_times.md1_median(0.9 / 100, float(one))) for one in (60, 90)}
    rows, buckets, trials, measures = [], [], [], []
    for trial in ("a", "b", "c"):
        trials.append({"trial": trial, "load": 90, "block": ord(trial)})
        measures += [(trial, -1, "", "capacity", 1e7), (trial, -1, "", "clock_read", 0), (trial, -1, "", "flight", 0)]
        for at, service in took.items():
            rows.append((trial, at, "measured", "c0", at * 1_000_000, 1_000_000, 9_000, 0))
            for series, value in (("busy", service), ("idle", service), ("sent", round(medians[service]))):
                rows.append((trial, at, "measured", series, at * 1_000_000, 1_000_000, 0, 1000))
                buckets.append((trial, at, series, value, 1, 1000))
    found = tables(trials, iterations=rows, buckets=buckets, measures=measures)
    rows = resampled.per_trial(services(found), found.measured, ["variant", "load"])
    assert rows["trial"].tolist() == ["a", "b", "c"] and rows["measured"].tolist() == [round(medians[90])] * 3
    assert rows["value"].median() == pytest.approx(1, abs=0.07)


def test_a_prediction_is_as_doubtful_as_what_it_is_made_of():
    found = measured(loads=(50,))
    metrics = compute(entry(DECLARED), found)
    metrics.loc[(metrics["trial"] == "50-2") & (metrics["metric"] == "rate"), "steady"] = False
    metrics.loc[(metrics["trial"] == "50-3") & (metrics["metric"] == "busy"), "steady"] = False
    rows = resampled.per_trial(
        resampled.Services(entry(DECLARED), found, metrics, WORDS), found.measured, ["variant", "runtime"]
    )
    assert rows.set_index("trial")["steady"].to_dict() == {"50-1": True, "50-2": False, "50-3": True}


def test_blocks_give_the_interval():
    assert curve(measured(blocks=(1, 2))).empty  # too few for an interval
    rows = curve(measured())
    assert (rows["low"] == rows["estimate"]).all()  # alike blocks
    assert (rows["model"] == "model").all()


def test_where_hardly_an_event_finds_the_server_idle_the_others_tell():
    found = measured()
    buckets = joined(found.buckets.parts(["a"]))
    found.buckets = Buckets(buckets[buckets["series"] != "idle"])
    assert curve(found)["estimate"].tolist() == curve(measured())["estimate"].tolist()


def test_a_load_is_predicted_from_services_of_another():
    """Its own are differences of the latencies that they would predict: at 80 % those of 50 %, there those of 80 %."""
    found = measured(loads=(10, 50, 80), busy={10: 110, 50: 100, 80: 60}, flight=0)
    rows = resampled.per_trial(services(found), found.measured, ["variant", "load"])
    expected = {10: (0.1, 100), 50: (0.5, 60), 80: (0.8, 100)}
    for load, (rho, service) in expected.items():
        median = waiting_times.md1_median(rho / 100, float(service))
        assert rows.loc[rows["load"] == load, "predicted"].to_numpy() == pytest.approx(median, rel=0.1)


def test_what_arrivals_scatter_by_is_in_the_interval_over_trials():
    """With the same arrivals for all, six trials at 90 % would agree on a median that is off by a tenth."""
    found = measured(loads=(90,), blocks=range(6), flight=0)
    rows = resampled.per_trial(services(found), found.measured, ["variant", "load"])
    assert rows["predicted"].nunique() == 6
    assert rows["predicted"].median() == pytest.approx(waiting_times.md1_median(0.9 / 100, 100.0), rel=0.05)


def test_what_a_sleeper_costs_at_a_low_load_is_not_known_from_a_high_one():
    found = measured(busy=100, idle=5000)
    buckets = joined(found.buckets.parts(["a"]))
    found.buckets = Buckets(buckets[(buckets["series"] != "idle") | ~buckets["trial"].astype(str).str.startswith("80")])
    rows = resampled.per_trial(services(found), found.measured, ["variant", "load"])
    assert set(rows["load"]) == {80} and (rows["predicted"] > 100).all()


def test_an_events_way_delays_it_and_occupies_nobody():
    found = measured(busy=100, idle=400, flight=300)
    rows = resampled.per_trial(services(found), found.measured, ["variant", "load"])
    for load in (10, 80):
        median = 300 + waiting_times.md1_median(load / 1e4, 100.0)
        assert rows.loc[rows["load"] == load, "predicted"].to_numpy() == pytest.approx(median, rel=0.1)


@pytest.mark.parametrize(("timed", "service"), [(1.0, 120.0), (1 / 16, 102.5), (0.0, 100.0)])
def test_of_the_clock_as_much_stays_in_a_service_as_the_server_reads(timed, service):
    found = measured(loads=(50,), timed=timed)
    rows = resampled.per_trial(services(found), found.measured, ["variant", "runtime"])
    assert rows["predicted"].median() == pytest.approx(waiting_times.md1_median(0.5 / 100, service), rel=0.03)


@pytest.mark.parametrize("name", ["queues", "executor"])
def test_rate_and_measured_median_are_of_a_typical_iteration(name):
    """In an iteration that the host stops for a millisecond half of the events wait for that."""
    metrics = catalogue.experiment(name).metrics
    assert metrics[SERVICES.measured].kind == "typical_percentile" and metrics[SERVICES.rate].estimator == "median"
    assert all(one in metrics for one in vars(SERVICES).values())


def test_a_consumer_that_takes_all_it_finds_is_predicted_batch_by_batch():
    """60 ns for a batch and 80 for an event: with a service of 140 it could not bear 80 % of ten million a second."""
    found = in_batches(measured(loads=(10, 80), busy=140, flight=30), 60.0, 80.0)
    rows = resampled.per_trial(services(found), found.measured, ["variant", "load"])
    for load in (10, 80):
        arrivals = lindley.schedule(load / 1e4, 200_000, seed=9)
        expected = 30 + np.median(lindley.batched(arrivals, 60.0, 80.0)[0])
        assert rows.loc[rows["load"] == load, "predicted"].to_numpy() == pytest.approx(expected, rel=0.1)
    assert curve(found)["load"].tolist() == [10, 50, 80]
    assert curve(in_batches(measured(), 60.0, 130.0), at=(10, 50, 80))["load"].tolist() == [10, 50]


def test_without_batches_of_several_events_the_services_tell():
    found = in_batches(measured(busy=90), 60.0, 80.0, sizes=(1,))
    assert curve(found)["estimate"].tolist() == curve(measured(busy=90))["estimate"].tolist()
