"""Both ends of what trials that did not settle can say of an effect: with the more and the less of their regimes.

A trial that does not settle (`pipeline.analyse.steady`) has change points, and between them regimes. A cost, a rate, a
percentile, a mean of the whole trial lies between those of its regimes. So an effect that is computed twice, once with
each such trial at the end that makes it least, once at the other, has the effect of whole trials between the two, block
by block; a verdict that both give does not depend on how long each regime lasted. It errs no oftener than the verdict
of whole trials would.

Only for effects in which every configuration pulls one way: a level, a ratio, a difference, a rank. A trial that is
unsteady for another reason stays so.
"""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.by_iteration import apart
from pipeline.analyse.metrics import compute
from pipeline.analyse.selection import Data, Missing
from pipeline.analyse.steady import regimes
from pipeline.analyse.trials import PHASE, Trials, numbers
from pipeline.catalogue import claims
from pipeline.catalogue.claims import Selection
from pipeline.catalogue.entry import Experiment
from pipeline.ingest.tables import Tables

# Kinds of which a whole trial lies between its parts.
BETWEEN = ("rate", "cost", "percentile", "mean")


def ends(effect: claims.Judged, data: Data) -> tuple[Data, Data] | None:
    """The data with which the effect is least and greatest: metrics of unsteady trials are those of one regime, and
    count as steady. None for an effect, or a metric, for which that cannot be said."""
    pulls = _pulls(effect, data)
    lower, upper = data.metrics, data.metrics
    for selection, up in pulls:
        metric = data.entry.metrics[selection["metric"]]
        if metric.of or metric.kind not in BETWEEN or metric.phase != PHASE:
            return None
        try:
            rows = data.rows(selection)
        except Missing:
            return None
        found = bounds(data.entry, data.tables, rows[~rows["steady"].astype(bool)])
        lower = _with(lower, selection["metric"], found["least" if up else "most"])
        upper = _with(upper, selection["metric"], found["most" if up else "least"])
    return (data.of(lower), data.of(upper)) if pulls else None


def bounds(entry: Experiment, tables: Tables, unsteady: pd.DataFrame) -> pd.DataFrame:
    """By trial the `least` and the `most` that its regimes make of a metric; rows of a metrics table, all of one.

    A trial without change points, or with a regime that has no such number, is missing.
    """
    nothing = pd.DataFrame({"least": [], "most": []}, dtype=float)
    if unsteady.empty:
        return nothing
    name = str(unsteady["metric"].iloc[0])
    tables = tables.only(set(unsteady["trial"]))
    kept, counts = _owners(entry, tables, name)
    if kept.empty:
        return nothing
    values = compute(entry, apart(tables, kept), [name]).set_index("trial")["value"]
    trial = kept.drop_duplicates("owner").set_index("owner")["trial"].reindex(values.index).astype(str)
    each = values.groupby(trial.to_numpy()).agg(["min", "max", "size"])
    whole = each[each["size"] == counts.reindex(each.index)]
    return whole.rename(columns={"min": "least", "max": "most"})[["least", "most"]]


def _owners(entry: Experiment, tables: Tables, name: str) -> tuple[pd.DataFrame, pd.Series]:
    """The iterations that a metric selects of the trials, `owner` the regime that each belongs to, and by trial the
    number of its regimes, where it has several."""
    trials, metric = Trials(entry, tables), entry.metrics[name]
    selected, parts, counts = set(numbers(trials.selected(metric))), [], {}
    for number, costs in trials.costs(metric.operations or metric.series).items():
        trial = trials.table["trial"].iloc[number]
        found = regimes(costs.to_numpy())
        if len(found) < 2:
            continue
        counts[trial] = len(found)
        for at, (low, high) in enumerate(found):
            rows = pd.DataFrame({"trial": number, "iteration": costs.index[low:high]})
            rows = rows[[one in selected for one in numbers(rows)]]
            parts.append(rows.assign(trial=trial, owner=f"{trial}/{at}"))
    frame = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["trial", "iteration", "owner"])
    return frame, pd.Series(counts, dtype=float)


def _with(metrics: pd.DataFrame, name: str, values: pd.Series) -> pd.DataFrame:
    """Metrics in which one of these trials has this value, and is steady."""
    here = (metrics["metric"] == name) & metrics["trial"].isin(values.index)
    value = metrics["value"].where(~here, metrics["trial"].map(values).astype(float))
    return metrics.assign(value=value, steady=metrics["steady"].astype(bool) | here)


def _pulls(effect: claims.Judged, data: Data) -> list[tuple[Selection, bool]]:
    """The configurations of an effect, and whether more of each makes it more; empty where it has no such order."""
    match effect:
        case claims.Level():
            return [(data.scoped(one), True) for one in effect.selections()]
        case claims.Ratio() | claims.Difference():
            of, to = effect.selections()
            return [(data.scoped(of), True), (data.scoped(to), False)]
        case claims.Rank():
            items = [effect.of_item(part) for part in effect.over]
            up = [data.entry.metrics[item[0]["metric"]].better != "lower" for item in items]
            several = [
                (one, (at == 0) == more) for item, more in zip(items, up, strict=True) for at, one in enumerate(item)
            ]
            return [(data.scoped(one), more) for one, more in several]
    return []
