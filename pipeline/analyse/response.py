"""Response times of open queues: what a model says of each iteration from its own arrivals and services, beside what
was measured there.

A stolen millisecond is in an iteration's service times and in its waiting times, so prediction and measurement are of
the same iteration, their ratio too; of a trial it is the median over its iterations, and intervals are over trials.
Models (`pipeline.models.queueing`) take arrays; times are ns, and rates events per ns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from pipeline.analyse import states
from pipeline.analyse.by_iteration import by_iteration
from pipeline.analyse.distributions import MOST
from pipeline.analyse.frames import joined
from pipeline.catalogue.entry import Experiment
from pipeline.ingest.tables import Tables
from pipeline.models.median_interval import median_interval
from pipeline.models.prediction import where_steady

Model = Callable[..., np.ndarray]
COLUMNS = ["variant", "runtime", "model", "load", "estimate", "low", "high"]  # of a predicted curve
SQUARES = {"service_square": ("service", "variance"), "first_square": ("first", "first_variance")}
# Shares of events of which no service need be known: of those that waited it is hardly another than of the others, of
# those that found the server idle it may have a wake-up in it, fifty times as long.
FEW_WAITED, FEW_IDLE = 0.2, 0.05
# What a latency is made of, in the order in which an event meets it, and what a reader calls it.
PARTS = {"late": "late sending", "service": "service and the way to it", "waiting": "waiting behind others"}


def responses(entry: Experiment, tables: Tables, metrics: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """The rows of `by_iteration` with the metrics under the words of models: `names` says which metric is which.

    rate (of arrivals, events/s) and capacity (events/s); service and first (mean service time of an event that waited,
    and of one that found the server idle, ns), service_square and first_square (means of their squares); any other word
    (idle: share of events that found the server idle; flight: what each is on its way to it, which no service has in
    it, ns; mean, p50, p99: time in the system) is taken as it is.
    Adds, of what is there: `variance` and `first_variance` (ns^2), `slot` (ns per event at capacity) and `utilisation`
    (rate x service). `rate` comes back in events per ns.
    """
    rows = by_iteration(entry, tables, metrics, list(dict.fromkeys(names.values())))
    rows = rows.assign(**{word: rows[metric].astype(float) for word, metric in names.items()})
    for square, (mean, variance) in SQUARES.items():
        if square in names and mean in names:
            rows[variance] = (rows[square] - rows[mean] ** 2).clip(lower=0)
    if "capacity" in names:
        rows["slot"] = 1e9 / rows["capacity"]
    rows["rate"] = rows["rate"] / 1e9
    if "service" in names:
        rows["utilisation"] = rows["rate"] * rows["service"]
    return rows


def predict(rows: pd.DataFrame, model: Model, *arguments: str) -> pd.Series:
    """The model's answer for every row, from the columns that are its `arguments`: rate and service time first.

    NaN where one of them is missing or not positive as the model needs it, and where arrivals keep the server busy.
    """
    values = rows[list(arguments)].to_numpy(dtype=float, copy=True)
    values[~np.isfinite(values)] = np.nan
    values[:, :2][values[:, :2] <= 0] = np.nan  # an iteration without an arrival, or without a service that was timed
    return pd.Series(where_steady(model, *values.T), index=rows.index)


def per_trial(rows: pd.DataFrame, predicted: str, measured: str, keys: Sequence[str]) -> pd.DataFrame:
    """A row per trial with a prediction: trial, `keys` (variant, runtime, axes, ...), block, noisy, steady, iterations
    (that have both), predicted, measured, and `value`, predicted / measured, each the median over iterations. A trial
    of which fewer than half the iterations have both has no row: those that do were chosen by chance.
    """
    both = rows.dropna(subset=[predicted, measured])
    both = both[both[measured] > 0]
    both = both.assign(predicted=both[predicted], measured=both[measured], value=both[predicted] / both[measured])
    about = [*dict.fromkeys(["trial", *keys, "block", "noisy", "steady", *states.columns(both)])]
    groups = both.groupby(about, dropna=False, observed=True, sort=False)
    found = groups[["predicted", "measured", "value"]].median().assign(iterations=groups.size()).reset_index()
    every = rows.groupby("trial").size().reindex(found["trial"])
    return found[found["iterations"].to_numpy() >= MOST * every.to_numpy()].reset_index(drop=True)


def parts(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """What a latency from the due time is made of, for each combination of `keys`: columns keys, part, value (ns).

    PARTS: late (due until sent), service (with the way to a server that was idle) and waiting (behind others), each the
    median over trials of the median over iterations. rows: `responses` with due (from the due time), mean (from the
    sending), service, first (all of one kind: means, or medians), idle and flight (NaN: none is known). Where so few
    events waited, or found the server idle, that theirs is not known, that of the others stands for it. Of a trial with
    all parts in fewer than half the iterations there is none, as in `per_trial`: a stall makes events wait.
    """
    idle = rows["idle"]
    own = rows["service"].where(idle < 1, rows["first"])
    own = own.fillna(rows["first"].where(idle >= 1 - FEW_WAITED))
    first = rows["first"].where(idle > 0, own)
    first = first.fillna(own.where(idle <= FEW_IDLE))
    service = idle * first + (1 - idle) * own + rows["flight"].fillna(0)
    made = {"late": rows["due"] - rows["mean"], "service": service, "waiting": rows["mean"] - service}
    found = rows[[*keys, "trial"]].assign(**{name: part.clip(lower=0) for name, part in made.items()})
    groups = found.dropna(subset=list(made)).groupby([*keys, "trial"], observed=True, sort=False)[list(made)]
    of_trials, every = groups.median(), found.groupby("trial", observed=True).size()
    enough = groups.size().to_numpy() >= MOST * every.reindex(of_trials.index.get_level_values("trial")).to_numpy()
    medians = of_trials[enough].groupby(level=list(keys), sort=False).median()
    return medians.rename_axis("part", axis=1).stack().rename("value").reset_index()


def curves(rows: pd.DataFrame, name: str, model: Model, *arguments: str, at: Sequence[float]) -> pd.DataFrame:
    """What a model says at the loads `at` (percent of capacity) of each variant and runtime, from what was measured at
    the loads of a block: variant, runtime, model (`name`), load, estimate, low, high (over blocks).

    Between measured loads the arguments are interpolated (on logarithms: moments span decades), beyond them the nearest
    ones hold; the rate is that share of the block's capacity. Where that keeps the server busy the curve ends.
    """
    parts, at = [], np.asarray(at, dtype=float)
    wanted = [*dict.fromkeys(one for one in (*arguments, "capacity") if one != "rate")]
    for (variant, runtime), own in rows[rows["load"] > 0].groupby(["variant", "runtime"], observed=True, sort=False):
        found = [_curve(block, model, arguments, wanted, at) for _, block in own.groupby("block")]
        values = np.array([one for one in found if one is not None])
        if not len(values):
            continue
        reached = np.isfinite(values).all(axis=0)
        estimate, low, high, _ = median_interval(values[:, reached])
        whose = {"variant": variant, "runtime": runtime, "model": name}
        parts.append(pd.DataFrame(whose | {"load": at[reached], "estimate": estimate, "low": low, "high": high}))
    return joined(parts, COLUMNS)


def _curve(block: pd.DataFrame, model: Model, arguments, wanted, at: np.ndarray) -> np.ndarray | None:
    known = block.groupby("load")[wanted].median().dropna()
    if known.empty:
        return None
    here = pd.DataFrame({name: _between(at, known.index.to_numpy(float), known[name].to_numpy()) for name in wanted})
    return predict(here.assign(rate=at / 100 * here["capacity"] / 1e9), model, *arguments).to_numpy()


def _between(at: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
    if (values > 0).all():
        return np.exp(np.interp(at, places, np.log(values)))
    return np.interp(at, places, values)
