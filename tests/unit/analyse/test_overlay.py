"""Several histograms of the same trials in one figure: what a waiting generator records, corrected, and all of it."""

import pytest
from analyse_tables import entry, tables

from pipeline.analyse.overlay import overlay
from pipeline.draw.percentile import percentile_curve
from pipeline.ground.errors import LabError

pytestmark = pytest.mark.thorough

DECLARED = {
    "sent": {"kind": "percentile", "percentile": 50, "series": "sent"},
    "corrected": {"kind": "corrected", "percentile": 50, "series": "sent", "operations": "c*"},
    "intended": {"kind": "percentile", "percentile": 50, "series": "intended"},
    "cost": {"kind": "cost"},
}
NAMES = {"sent": "as it waits", "corrected": "corrected", "intended": "as intended"}


def measured():
    rows, buckets = [], []
    for trial in ("t0", "t1"):
        rows += [(trial, 0, "warmup", "c0", 0, 100_000, 1000, 0), (trial, 0, "warmup", "sent", 0, 9, 0, 5)]
        rows += [(trial, 1, "measured", name, 0, 100_000, 0, 1000) for name in ("sent", "intended")]
        rows.append((trial, 1, "measured", "c0", 0, 100_000, 1000, 0))
        buckets += [(trial, 1, "sent", 50, 1, 999), (trial, 1, "sent", 1000, 1, 1)]
        buckets += [(trial, 1, "intended", 50, 1, 900), (trial, 1, "intended", 500, 1, 100)]
    return tables([{}, {"variant": "slow"}], iterations=rows, buckets=buckets)


def test_each_histogram_takes_the_place_of_a_variant():
    data = measured()
    chosen = data.trials[data.trials["variant"] == "fast"]
    buckets, trials = overlay(entry(DECLARED), data, chosen, NAMES)
    assert trials["variant"].tolist() == list(NAMES.values()) and trials["runtime"].tolist() == ["jdk17"] * 3
    sums = buckets.groupby("trial", observed=True)["count"].sum()
    # One value of 1000 ns at an interval of 100 ns stands for nine more: 900, 800, ... 100.
    assert [sums[trial] for trial in trials["trial"]] == [1000, 1009, 1000]
    figure = percentile_curve(buckets, trials, name="co", label="Latency", names=list(NAMES.values()))
    assert set(figure.data["series"]) == set(NAMES.values())


def test_nothing_chosen_is_empty_and_a_metric_without_a_histogram_is_refused():
    data = measured()
    assert all(frame.empty for frame in overlay(entry(DECLARED), data, data.trials.head(0), NAMES))
    for name in ("cost", "none"):
        with pytest.raises(LabError, match=f"'{name}' is no metric of a kind that has a histogram"):
            overlay(entry(DECLARED), data, data.trials, {name: "x"})
