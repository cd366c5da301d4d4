"""Two threads by how far apart they are: what a figure of it is of, and where claims are judged."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from pipeline.draw.figure import Figure
from pipeline.host import order
from pipeline.session.figures import TitledFigure
from pipeline.session.two_threads import by_distance, nearest

AT = {None: order.CACHE, "siblings": order.CORE, "far": order.PACKAGES, "kinds": order.CACHE}
NS = {None: 50.0, "siblings": 9.0, "far": 140.0, "kinds": 60.0}


def lab(*places: str | None, elsewhere=("monitor",), usual: str | None = None):
    """Six trials of two variants at each placement; those elsewhere of some variants only. `usual`: the parameter."""
    rows = [
        {"trial": f"{variant}-{place}-{n}", "variant": variant, "runtime": "c", "placement": place, "threads": 2}
        | {"block": n, "noisy": False, "steady": True, "metric": "cost", "unit": "ns", "value": NS[place] + n}
        for place in places
        for variant in ("monitor", "mutex")
        if place is None or variant in elsewhere
        for n in range(6)
    ]
    metrics = pd.DataFrame(rows)
    keys = ["variant", "runtime", "placement", "threads", "metric", "unit"]
    found = metrics.groupby(keys, dropna=False, as_index=False)["value"].median().rename(columns={"value": "estimate"})
    found = found.assign(low=found["estimate"] - 1, high=found["estimate"] + 1, level=0.95, trials=6, blocks=6)
    trials = metrics[["trial", "placement"]].assign(
        apart=metrics["placement"].map(lambda one: AT[None if pd.isna(one) else one]), cpus="0,1"
    )
    if usual:
        metrics, found, trials = (
            rows.assign(placement=rows["placement"].fillna(usual)) for rows in (metrics, found, trials)
        )
    entry = SimpleNamespace(parameters={"placement": usual} if usual else {}, name="e")
    return SimpleNamespace(
        metrics=metrics,
        estimates=found,
        entry=entry,
        bundle=SimpleNamespace(journal=list),
        tables=SimpleNamespace(trials=trials, measured=trials),
        labels=lambda: {"monitor": "Monitor", "mutex": "Mutex"},
        left_out=[],
        nothing="Nothing was measured.",
    )


@pytest.mark.parametrize("usual", [None, "spread"])
def test_distances_are_near_ones_first_and_of_variants_that_were_measured_at_several(usual):
    metrics, found, headings = by_distance(lab(None, "siblings", "far", usual=usual), metric="cost", threads=2)
    assert list(headings) == [order.CORE, order.CACHE, order.PACKAGES]
    assert set(metrics["variant"]) == set(found["variant"]) == {"monitor"}
    ns = dict(zip(found["apart"], found["estimate"], strict=True))
    assert ns == {order.CORE: 11.5, order.CACHE: 52.5, order.PACKAGES: 142.5}
    assert len(metrics) == 18


def test_a_fast_and_a_slow_core_are_a_place_of_their_own_though_they_share_a_cache():
    _, found, headings = by_distance(lab(None, "kinds"), metric="cost")
    assert list(headings) == [order.CACHE, "kinds"] and list(found["apart"]) == ["kinds", order.CACHE]


def test_one_distance_is_said_in_the_figures_place(monkeypatch):
    shown = []
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, *more: shown.append(figure) or figure)
    said = TitledFigure(lab(None), "Two threads", "Caption").by_distance("n", "cost", "Cost", threads=2)
    assert said == "Two threads: measured at one distance here, cores of one cache." and not shown
    nothing = TitledFigure(lab(None), "Two threads", "Caption").by_distance("n", "cost", "Cost", threads=3)
    assert nothing == "Two threads: nothing was measured."
    drawn = TitledFigure(lab(None, "siblings", "far"), "Two threads", "Caption").by_distance(
        "n", "cost", "Cost", threads=2
    )
    assert isinstance(drawn, Figure) and shown == [drawn]
    assert list(dict.fromkeys(drawn.data["across"])) == [order.CACHE, order.CORE, order.PACKAGES]


def test_claims_are_judged_by_the_nearest():
    assert nearest(lab(None, "siblings", "far")).endswith("CPUs of this host: cores of one cache.")
    assert nearest(lab("siblings")) == ""


def test_on_several_nodes_it_is_said_where_the_memory_lay():
    lines = [{"trial": "t", "experiment": "e", "node": 1}, {"trial": "u", "experiment": "e"}]
    held = lab(None)
    held.bundle.journal = lambda: lines
    assert nearest(held).endswith("cores of one cache. What they share lay on NUMA node 1, the first one's.")
