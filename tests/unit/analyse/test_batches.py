"""Sums of batches by trial, of its measured iterations alone."""

import numpy as np
import pandas as pd
import pytest
from analyse_tables import tables

from pipeline.analyse.batches import SUMS, cost, costs, sums


def measured(trials=3, a=40.0, b=10.0):
    rows, measures = [], []
    for trial in (f"t{number}" for number in range(trials)):
        rows += [(trial, 0, "capacity", "c0", 0, 9, 9, 0), (trial, 1, "measured", "c0", 10, 9, 9, 0)]
        rows.append((trial, 1, "measured", "p0", 10, 9, 9, 0))
        sizes = np.repeat([1, 4, 16], 40).astype(float)
        took = a + b * sizes
        values = (len(sizes), sizes.sum(), took.sum(), (sizes**2).sum(), (sizes * took).sum())
        measures += [(trial, 1, "", name, value) for name, value in zip(SUMS, values, strict=True)]
        measures += [(trial, 1, "", f"batch_size_{size}", 40.0) for size in (1, 4, 16)]
        measures += [(trial, 0, "", name, 1e6) for name in SUMS]  # of another phase
    return tables([{}] * (trials + 1), iterations=rows, measures=measures)  # the last one has no batches


def test_a_line_through_the_sums_is_the_cost_of_a_batch_and_of_an_event():
    found = measured()
    rows = sums(found, found.measured)
    assert rows["batches"].tolist() == [120.0] * 3
    fit = cost(rows)
    assert fit.parameters["a"].estimate == pytest.approx(40) and fit.parameters["b"].estimate == pytest.approx(10)


def test_trials_without_batches_are_none():
    found = tables([{}], iterations=[("t0", 1, "measured", "c0", 0, 9, 9, 0)])
    assert sums(found, found.measured).empty


def test_a_batch_that_the_host_stopped_spoils_one_iteration_and_no_more():
    found = measured()
    again = [found.measures[found.measures["iteration"] == 1].assign(iteration=number) for number in (2, 3)]
    stopped = again[1].assign(value=again[1]["value"].where(again[1]["name"] != "batch_ns", again[1]["value"] + 1e6))
    rows = found.iterations[found.iterations["iteration"] == 1]
    more = [rows.assign(iteration=number) for number in (2, 3)]
    found = found.but(
        measures=pd.concat([found.measures, again[0], stopped]).astype({"trial": "category", "name": "category"}),
        iterations=pd.concat([found.iterations, *more]).astype({"trial": "category"}),
    )
    assert costs(found).loc["t0"].tolist() == pytest.approx([40, 10])


def test_iterations_with_hardly_a_batch_of_several_events_do_not_tell_what_each_costs():
    found = measured()
    one = found.measures["name"].astype(str).isin(["batch_n2", "batch_events"])
    alone = found.measures.assign(value=found.measures["value"].where(~one, 120.0))
    assert costs(found.but(measures=alone)).isna().all(axis=None)
    assert costs(tables([{}], iterations=[("t0", 1, "measured", "c0", 0, 9, 9, 0)])).empty
