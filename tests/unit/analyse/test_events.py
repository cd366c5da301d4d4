"""Numbers of pauses: events of a size that begin inside the iterations a metric is about."""

import pytest
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.analyse import metrics
from pipeline.analyse.too_few_samples import withheld
from pipeline.analyse.trials import Trials
from pipeline.ground.errors import LabError

pytestmark = pytest.mark.thorough

# Iterations of 100 ns from 1000 on: two of warm-up, then 1200 to 1600. Between two of them nothing is measured.
ITERATIONS = [
    *costs_to_iterations("t0", [1, 1], "warmup"),
    ("t0", 2, "measured", "late", 1200, 100, 10, 10),
    ("t0", 2, "measured", "control.late", 1190, 100, 1, 1),
    ("t0", 3, "measured", "late", 1400, 100, 10, 10),
    ("t0", 3, "measured", "control.late", 1410, 100, 1, 1),
]


def pause(t_ns, size, kind="safepoint_gc", method="G1CollectForAllocation", reaching=1, trial="t0"):
    return trial, t_ns, kind, method, 0, size, f"reaching={reaching} at={size - reaching}", ""


PAUSES = [
    pause(1150, 99),  # warm-up
    pause(1200, 10),  # at its very beginning
    pause(1299, 40, reaching=7),
    pause(1300, 77),  # at the end of one, which is between two
    pause(1450, 30, reaching=2),
    pause(1460, 20, reaching=3),
    pause(1461, 88, kind="safepoint_other", method="ThreadDump"),
    pause(1590, 66),
]
GC = {"where": {"kind": "safepoint_gc"}, "series": "late"}


def value(metric: dict, rows=({},), events=PAUSES, iterations=ITERATIONS):
    found = metrics.compute(entry({"m": metric}), tables(list(rows), events=events, iterations=iterations))
    return dict(zip(found["trial"], found["value"], strict=True))


@pytest.mark.parametrize(
    ("percentile", "size"), [(100, 40), (76, 40), (75, 30), (50.1, 30), (50, 20), (25, 10), (0, 10)]
)
def test_a_percentile_of_events_is_the_nearest_rank_of_those_that_begin_in_an_iteration(percentile, size):
    assert value({"kind": "event_percentile", "percentile": percentile} | GC) == {"t0": size}


def test_their_total_may_be_per_the_time_that_was_watched():
    assert value({"kind": "event_total"} | GC) == {"t0": 100}
    assert value({"kind": "event_total", "per": "watched_ns", "scale": 100} | GC) == {"t0": 50}
    # Of all series an iteration lasts from the first start to the last end: 110 ns each, and 10 ns earlier or later.
    assert value({"kind": "event_total", "per": "watched_ns"} | GC | {"series": "*"}) == {
        "t0": pytest.approx(100 / 220)
    }


def test_the_phase_chooses_and_a_count_that_is_not_timed_is_of_the_whole_process():
    for kind in ({"kind": "event_percentile", "percentile": 100}, {"kind": "event_total"}):
        assert value(kind | GC | {"series": "*", "phase": "warmup"}) == {"t0": 99}
    assert value({"kind": "events"} | GC) == {"t0": 7}
    assert value({"kind": "events", "timed": True} | GC) == {"t0": 4}
    assert value({"kind": "events", "timed": True, "phase": "*"} | GC | {"series": "*"}) == {"t0": 5}


def test_the_iterations_are_those_of_the_steady_part_and_of_last():
    costs = [8] * 15 + [4] * 35  # 800 ns each, then 400 ns from 13,000 on
    rows = costs_to_iterations("t0", costs)
    events = [pause(12_900, 50), pause(13_000, 20), pause(26_700, 10)]
    longest = {"kind": "event_percentile", "percentile": 100, "where": {"kind": "safepoint_gc"}}
    assert value(longest, events=events, iterations=rows) == {"t0": 20}
    assert value(longest | {"last": 1}, events=events, iterations=rows) == {"t0": 10}
    total = {"kind": "event_total", "per": "watched_ns", "where": {"kind": "safepoint_gc"}}
    assert value(total, events=events, iterations=rows) == {"t0": pytest.approx(30 / (35 * 400))}


def test_a_percentile_of_too_few_events_is_no_number_and_the_page_is_told_how_many_there_were():
    longest = {"kind": "event_percentile", "percentile": 100} | GC
    assert value(longest | {"fewest": 4}) == {"t0": 40}
    assert value(longest | {"fewest": 5}) == {}
    rows, iterations = [{}, {}, {}], [(trial, *rest) for trial in ("t0", "t1", "t2") for _, *rest in ITERATIONS]
    data = tables(rows, events=[*PAUSES, pause(1210, 5, trial="t1")], iterations=iterations)
    assert value(longest | {"fewest": 1}, rows, data.events, iterations) == {"t0": 40, "t1": 5}  # none is no 0
    found = withheld(Trials(entry({"m": longest | {"fewest": 4}}), data))
    told = found[["metric", "why", "instead", "trials", "of"]].values.tolist()
    assert told == [["m", "fewer than 4 pauses in a trial", "1 pause", 2, 3]]


def test_a_log_that_stops_before_the_collectors_own_words_has_no_number_of_them():
    """ZGC told its part of a pause among the phases, which were not in the logs once: that is not a collection of 0."""
    longest = {"kind": "event_percentile", "percentile": 100, "where": {"kind": "collection"}, "series": "late"}
    told = ("t1", 1210, "collection", "Mark Start", 0, 4, "gc=0", "")
    iterations = [(trial, *rest) for trial in ("t0", "t1", "t2") for _, *rest in ITERATIONS]
    events = [pause(1210, 5), pause(1210, 6, trial="t1"), told]
    assert value(longest, [{}, {}, {}], events, iterations) == {"t1": 4, "t2": 0}


def test_what_a_runtime_does_not_tell_of_its_events_is_no_number():
    leaving = {"kind": "event_percentile", "percentile": 100, "name": "leaving"} | GC
    events = [("t0", 1210, "safepoint_gc", "A", 0, 9, "reaching=1 at=? leaving=?", "")]
    events += [("t1", 1210, "safepoint_gc", "A", 0, 9, "reaching=1 at=5 leaving=3", "")]
    iterations = [(trial, *rest) for trial in ("t0", "t1") for _, *rest in ITERATIONS]
    assert value(leaving, [{}, {}], events, iterations) == {"t1": 3}


def test_a_number_of_the_detail_may_take_the_place_of_the_size():
    metric = {"kind": "event_percentile", "percentile": 100, "name": "reaching"} | GC
    assert value(metric) == {"t0": 7}
    assert value(metric | {"kind": "event_total", "percentile": None}) == {"t0": 13}
    with pytest.raises(LabError, match="metric 'm': an event has no ching=<number> in its detail"):
        value(metric | {"name": "ching"})  # `reaching` ends so


@pytest.mark.parametrize("kind", [{"kind": "event_percentile", "percentile": 50}, {"kind": "event_total"}])
def test_no_event_is_zero_where_the_log_was_written_and_nothing_was_lost(kind):
    rows = [{}, {}, {"variant": "native", "runtime": "c"}, {}]
    iterations = [(trial, *rest) for trial in ("t0", "t1", "t2", "t3") for _, *rest in ITERATIONS]
    events = [pause(1210, 5), pause(1220, 6, trial="t1"), ("t1", 9999, "log_dropped", "", 0, 12, "", "")]
    assert value(kind | GC, rows, events, iterations) == {"t0": 5, "t3": 0}
    assert value(kind | GC, rows, events[:1], iterations[:6]) == {"t0": 5}  # no iteration was measured in the others
    assert value(kind | GC, rows, [], iterations) == {"t0": 0, "t1": 0, "t3": 0}
    assert value(kind | GC, rows, [], []) == {}


def test_a_count_is_no_number_where_lines_were_lost():
    lost = ("t0", 1, "log_dropped", "", 0, 12, "", "")
    assert value({"kind": "events"} | GC, events=[*PAUSES, lost]) == {}


def test_a_difference_is_of_two_metrics_of_the_same_trial():
    declared = {
        "longest": {"kind": "event_percentile", "percentile": 100} | GC,
        "least": {"kind": "event_percentile", "percentile": 0, "scale": 2} | GC,
        "excess": {"kind": "difference", "of": ["longest", "least"], "scale": 10},
    }
    found = metrics.compute(entry(declared), tables([{}, {}], events=PAUSES, iterations=ITERATIONS), ["excess"])
    assert found[["trial", "metric", "value"]].values.tolist() == [["t0", "excess", 200.0]]
