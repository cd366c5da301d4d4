"""What a model takes and refuses at the edges of its ranges, and small cases whose answers are known by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.ground.errors import LabError
from pipeline.models import (
    closed_queue,
    handover,
    j_curve,
    lindley,
    multiplicity,
    pauses,
    retries,
    scaling_intervals,
    service_costs,
    steps,
)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pauses.later(0, [1.0], watched=10, load=1.0),
        lambda: pauses.later(0, [1.0], watched=10, load=1.5),
        lambda: pauses.later(0, [1.0], watched=10, load=-0.1),
        lambda: pauses.later(0, [1.0], watched=0, load=0.5),
        lambda: pauses.later(0, [-1.0], watched=10, load=0.5),
        lambda: lindley.schedule(0.0, 3),
        lambda: lindley.gamma(1.0, 0.0),
        lambda: lindley.gamma(0.0, 1.0),
        lambda: lindley.sampled([1.0, 2.0], [0, 0]),
        lambda: retries.retries([0.0], [1.0], [0.0]),
        lambda: retries.retries([1.0], [0.0], [0.0]),
        lambda: retries.retries([1.0], [1.0], [-0.5]),
        lambda: steps.segments([1.0, 0.0, 1.0]),
        lambda: closed_queue.judge([0.0], [0.0], [1.0], [1.0]),
    ],
)
def test_what_lies_outside_of_a_range_is_refused(call):
    with pytest.raises(LabError):
        call()


@pytest.mark.parametrize("name", ["cost", "run_length", "local"])
def test_a_handover_of_nothing_is_refused(name):
    columns = {"trial": ["a"], "cost": [5.0], "run_length": [4.0], "runs": [10]}
    local = {"a": 2.0}
    handover.handover_by_trial(pd.DataFrame(columns), pd.Series(local))
    if name == "local":
        local["a"] = 0.0
    else:
        columns[name] = [0.0]
    with pytest.raises(LabError, match="must be positive and finite"):
        handover.handover_by_trial(pd.DataFrame(columns), pd.Series(local))


def test_a_handover_is_what_a_run_takes_beyond_the_local_cost():
    """Runs of 4 operations at 5 ns each, of which 2 ns are local: 4 * (5 - 2) ns; nothing more is none."""
    turns = pd.DataFrame({"trial": list("abcdef"), "cost": 5.0, "run_length": 4.0, "runs": 10})
    found = handover.handover(turns, [2.0] * 6)
    assert found.parameters["h"].estimate == pytest.approx(12) and "nothing else was measured" in found.short
    none = handover.handover(turns.assign(cost=2.0), [2.0] * 6)
    assert none.short == "no handover cost is visible" and none.parameters["h"].estimate == pytest.approx(0)


def test_operations_that_meet_a_pause_are_later_by_what_is_left_of_it():
    """One pause of 2 in a time of 10 at no load: a tenth is later than 1, none later than 2; at half load twice it."""
    assert pauses.later([0, 1, 2, 3], [2.0], 10, 0.0) == pytest.approx([0.2, 0.1, 0, 0])
    assert pauses.later([0, 1], [2.0], 10, 0.5) == pytest.approx([0.4, 0.2])
    assert pauses.later([0, 1, 3], [2.0, 4.0], 10, 0.0) == pytest.approx([0.6, 0.4, 0.1])
    assert pauses.lateness([0.6, 0.4, 0.1, 0.0], [2.0, 4.0], 10, 0.0) == pytest.approx([0, 1, 3, 4])
    assert pauses.later(0, [20.0], 10, 0.0) == pytest.approx(1), "never more than all"


def test_an_even_schedule_has_one_gap():
    assert lindley.schedule(4.0, 3, "even") == pytest.approx([0.25, 0.5, 0.75])
    gaps = np.diff(lindley.schedule(4.0, 200_000))
    assert gaps.mean() == pytest.approx(0.25, rel=0.02) and gaps.std() == pytest.approx(0.25, rel=0.02)


def test_the_first_of_a_busy_time_takes_its_own_service():
    """Arrivals at 0, 1 and 10; service 3, first service 5: the second waits till 5 and takes 3."""
    arrivals, busy, first = np.array([0.0, 1.0, 10.0]), lindley.constant(3.0), lindley.constant(5.0)
    assert lindley.resampled(arrivals, busy) == pytest.approx([3, 5, 3])
    assert lindley.resampled(arrivals, busy, first) == pytest.approx([5, 7, 5])


def test_of_many_hypotheses_few_stand_at_a_share_of_one_in_twenty():
    assert multiplicity.FALSE_SHARE == 0.05, "what the pages say"
    assert multiplicity.standing([0.04]).tolist() == [True] and multiplicity.standing([0.06]).tolist() == [False]
    assert multiplicity.standing([0.02, 0.04, 0.9]).tolist() == [False] * 3
    assert multiplicity.standing([0.016, 0.033, 0.9]).tolist() == [True, True, False]


def test_a_series_of_two_segments_may_step_and_a_shorter_one_is_one():
    two = [1.0] * 10 + [2.0] * 10
    assert [(one.start, one.end, one.level) for one in steps.segments(two, min_segment=10)] == [(0, 10, 1), (10, 20, 2)]
    assert [(one.start, one.end, one.level) for one in steps.segments(two, min_segment=11)] == [(0, 20, 1.5)]
    assert [(one.start, one.end) for one in steps.segments(two[9:], min_segment=6)] == [(0, 11)]


def test_a_batch_costs_a_and_every_event_in_it_b():
    """Batches of 1, 2, 4 and 8 events that take 10 + 3 n ns, a hundred of each in every trial."""
    sizes = np.array([1, 2, 4, 8])
    sums = [100 * np.array([float(one)] * 6) for one in (4, 15, (10 + 3 * sizes).sum(), (sizes**2).sum())]
    product = np.array([100.0 * (sizes * (10 + 3 * sizes)).sum()] * 6)
    counts = np.full((6, 4), 100.0)
    found = service_costs.batch_cost(*sums, product, counts)
    assert (found.parameters["a"].estimate, found.parameters["b"].estimate) == pytest.approx(
        (10, 3)
    ) and found.identified


@pytest.mark.parametrize(
    ("ratio", "short"), [(1.0, "explains it"), (1.09, "explains it"), (1.2, "does not explain it at 100 ns")]
)
def test_a_queue_explains_what_lies_within_a_tenth(ratio, short):
    outside, predicted = np.repeat([0.0, 100.0], 6), np.full(12, 2e6)
    measured = predicted * np.where(outside > 0, ratio, 1.0)
    found = closed_queue.judge(outside, measured, predicted, 2 * predicted)
    assert found.short == short and found.identified
    assert [one.estimate for one in found.parameters.values()] == pytest.approx([1, ratio])
    assert not closed_queue.judge(outside, measured, predicted, predicted).identified, "threads that never meet"


def test_the_error_of_a_curve_is_what_its_points_scatter_by():
    """Latencies a tenth above and below a curve, in logarithms, are off by a tenth in root mean square."""
    load = np.repeat([10.0, 20.0, 40.0, 60.0, 80.0, 90.0], 2)
    fit = j_curve.fit_j_curve(load, j_curve.j_curve(load, 5.0, 2.0) * np.exp(np.tile([0.1, -0.1], 6)))
    assert fit.details["rms_error"] == pytest.approx(0.1, rel=0.01)


def test_without_retrograde_scaling_the_throughput_has_a_limit_and_no_peak():
    """N / X = 0.5 + 0.05 (N - 1) tends to 20 per unit of time; with c = 0.005 the peak lies at N = sqrt(90)."""
    assert [float(one) for one in scaling_intervals.quantities(np.array([0.5, 0.05, 0.0]))] == [2, 0.1, 0, np.inf, 20]
    *_, peak, top = scaling_intervals.quantities(np.array([0.5, 0.05, 0.005]))
    assert peak == pytest.approx(np.sqrt(90)) and top == pytest.approx(
        peak / (0.5 + 0.05 * (peak - 1) + 0.005 * peak * (peak - 1))
    )
