"""Lateness as it was measured, beside what the pauses of the same trial predict."""

import numpy as np
import pytest
from analyse_tables import entry, tables

from pipeline.analyse.pauses import MEASURED, PREDICTED, Words, lengths, overlay, per_trial
from pipeline.draw.percentile import percentile_curve
from pipeline.ground.errors import LabError
from pipeline.hdr import histograms, percentiles
from pipeline.hdr.counts import Geometry
from pipeline.models.lindley import lindley

pytestmark = pytest.mark.thorough

MS = 1_000_000
TAU, SERVICE, ITERATIONS = 10_000, 500, 20  # ns; a load of 5 %, of 100 ms each
PAUSES = {2: 4 * MS, 7: 9 * MS}  # iteration -> a pause in the middle of it
WORDS = Words("late_max", "pause_max", "service_p50")
DECLARED = {
    "late_max": {"kind": "percentile", "percentile": 99, "series": "late"},
    "pause_max": {"kind": "event_percentile", "percentile": 100, "series": "late", "where": {"kind": "safepoint_gc"}},
    "service_p50": {"kind": "percentile", "percentile": 50, "series": "service"},
}


def buckets(trial, number, series, values):
    geometry = Geometry.of(histograms.DIGITS, histograms.LOWEST_NS)
    at, count = np.unique(geometry.index(np.asarray(values, np.int64)), return_counts=True)
    return [(trial, number, series, *row) for row in zip(*geometry.buckets(at), count, strict=True)]


def measured(trial="t0", pauses=PAUSES, told=PAUSES):
    """Rows of a trial with these pauses, of which the log tells some."""
    rows, found, log = [], [], []
    for number in range(ITERATIONS):
        start = number * 200 * MS
        due = np.arange(10_000) * float(TAU)
        arrivals, times = due, np.full(len(due), float(SERVICE))
        if number in pauses:
            arrivals, times = np.append(due, 50 * MS - 1.0), np.append(times, pauses[number])
        order = np.argsort(arrivals)
        late = lindley(arrivals[order], times[order])[order < len(due)]
        rows += [(trial, number, "measured", name, start, 100 * MS, 10_000, 10_000) for name in ("late", "service")]
        found += buckets(trial, number, "late", np.rint(late)) + buckets(trial, number, "service", [SERVICE] * 10_000)
        if number in told:
            log.append((trial, start + 50 * MS, "safepoint_gc", "G1CollectForAllocation", 0, told[number], "", ""))
    log.append((trial, 150 * MS, "safepoint_gc", "G1CollectForAllocation", 0, 80 * MS, "", ""))  # between two
    return {"iterations": rows, "buckets": found, "events": log}


def both(*parts):
    return {name: [row for part in parts for row in part[name]] for name in ("iterations", "buckets", "events")}


def test_what_the_log_explains_is_predicted():
    data = tables([{}], **measured())
    (row,) = per_trial(entry(DECLARED), data, data.trials, WORDS, ["variant", "runtime"]).to_dict("records")
    assert (row["trial"], row["variant"], row["runtime"], row["block"]) == ("t0", "fast", "jdk17", 1)
    # One in 1,000 of 2 s are the operations due in 2 ms: the first ones of the longer pause, up to 9 - 2 (1 - 0.05) ms.
    assert row["predicted"] == pytest.approx(7.1 * MS + SERVICE, rel=1e-9)
    assert row["measured"] == pytest.approx(row["predicted"], rel=2e-3)
    assert row["pauses"] == 2


def test_the_lengths_are_those_of_the_pauses_inside_iterations():
    data = tables([{}, {"variant": "slow"}], **both(measured(), measured("t1", told={2: 4 * MS})))
    found = lengths(entry(DECLARED), data, data.trials, "pause_max", ["variant"])
    assert found.values.tolist() == [["t0", "fast", 1, 4 * MS], ["t0", "fast", 1, 9 * MS], ["t1", "slow", 1, 4 * MS]]
    assert lengths(entry(DECLARED), data, data.trials.head(0), "pause_max", ["variant"]).empty


def test_a_pause_that_the_log_does_not_have_is_not_predicted():
    data = tables([{}, {}], **both(measured(told={2: 4 * MS}), measured("t1", told={})))
    rows = per_trial(entry(DECLARED), data, data.trials, WORDS, ["variant"])
    assert rows["predicted"].tolist() == [pytest.approx(2.1 * MS + SERVICE), SERVICE]
    assert rows["measured"].tolist() == pytest.approx([7.1 * MS] * 2, rel=2e-3)


def test_the_predicted_histogram_lies_on_the_measured_one():
    data = tables([{}, {"variant": "slow"}], **both(measured(), measured("t1")))
    chosen = data.trials[data.trials["variant"] == "fast"]
    found, trials = overlay(entry(DECLARED), data, chosen, WORDS)
    assert trials["variant"].tolist() == [MEASURED, PREDICTED] and set(trials["runtime"]) == {"jdk17"}
    drawn = histograms.by_trial(found, found["trial"].cat.categories)
    one, other = drawn.values()
    assert one.total == other.total == 200_000
    for percent in (50, 99, 99.5, 99.9, 99.99):
        assert percentiles.percentile(one, percent) == pytest.approx(percentiles.percentile(other, percent), rel=5e-3)
    # As many operations wait: 13 ms / 0.95 of a pace of 10 us.
    for counts in (one, other):
        assert counts.count[counts.low > 10_000].sum() == pytest.approx(13 * MS / 0.95 / TAU, rel=5e-3)
    figure = percentile_curve(found, trials, name="tail", label="Lateness", names=[MEASURED, PREDICTED])
    assert set(figure.data["series"]) == {MEASURED, PREDICTED}


def test_trials_without_a_whole_log_or_enough_operations_have_no_prediction():
    parts = both(measured(), measured("t1"), measured("t2"))
    lost = ("t1", 1, "log_dropped", "", 0, 3, "", "")
    data = tables([{}, {}, {"variant": "native", "runtime": "c"}], **parts | {"events": [*parts["events"], lost]})
    declared = entry(DECLARED)
    assert per_trial(declared, data, data.trials, WORDS, ["variant"])["trial"].tolist() == ["t0"]
    assert set(overlay(declared, data, data.trials, WORDS)[1]["trial"]) == {f"t0 {MEASURED}", f"t0 {PREDICTED}"}
    short = {name: [row for row in rows if name == "events" or row[1] == 2] for name, rows in measured().items()}
    few = {**short, "buckets": [(*row[:5], row[5] // 2) for row in short["buckets"]]}
    for rows, trials in ((short, 1), (few, 0)):
        data = tables([{}], **rows)
        assert len(per_trial(declared, data, data.trials, WORDS, ["variant"])) == trials


def test_nothing_chosen_is_empty_a_pace_without_room_too_and_an_unknown_metric_is_named():
    data = tables([{}], **measured())
    assert all(frame.empty for frame in overlay(entry(DECLARED), data, data.trials.head(0), WORDS))
    columns = ["trial", "variant", "block", "noisy", "predicted", "measured", "pauses"]
    assert list(per_trial(entry(DECLARED), data, data.trials.head(0), WORDS, ["variant"])) == columns
    slow = {name: one | ({"scale": 20} if name == "service_p50" else {}) for name, one in DECLARED.items()}
    assert per_trial(entry(slow), data, data.trials, WORDS, ["variant"]).empty
    with pytest.raises(LabError, match="unknown metric 'pauses'"):
        overlay(entry(DECLARED), data, data.trials, Words("late_max", "pauses", "service_p50"))
