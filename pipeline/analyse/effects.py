"""Effects: what a claim can be about, as kinds. Each gives one number with its 95 % interval over trials.

kind        fields                       number
level       of                           the metric
ratio       of, to                       of / to: median of the ratios of the same block
difference  of, to                       of - to, likewise
slope       of, by                       least-squares slope of the metric by the axis `by`, at least 3 values of it
spread      over (list)                  largest / smallest median
steps       over (ordered list)          how many of the next intervals lie wholly below the one before
jump        over (ordered list)          largest ratio of one median to the one before
growth      of, to, over (ordered list)  least factor by which the ratio of / to grows from one item to the next
rank        subject, rivals, against,    subject against the nearest rival, above 1 when the subject is better;
            over (list)                  `against` the best rival or the worst; several `over`: geometric mean of ratios
fact        of, name, equals             1 when the runtime fact has the value in every trial, 0 when in none

A selection (`of`, `to`, an item of `over`) is a mapping of metric, variant, runtime and axes to values; `metric` and
`where` of the effect complete it, in `growth` the item too. It must select one configuration (for `slope`: one per
value of `by`). In `rank` the names of subject and rivals replace {} in the item's variant ({} when it has none). A
value of an axis may be relative to the host that was measured: `cpus`, `2*cpus`.

Trials are matched by block, so that drift of the host cancels; of a block's repeated trials the quietest counts. Which
blocks count follows pipeline.analyse.estimates: quiet and steady ones when there are at least 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse import estimates
from pipeline.bundle.journal import MEASURED
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import absolute
from pipeline.errors import LabError
from pipeline.ingest.tables import Tables
from pipeline.models.bootstrap import MIN_TRIALS, RESAMPLES, bootstrap_median, bootstrap_ratio, percentile_interval
from pipeline.words import number

NAN = float("nan")


@dataclass(frozen=True)
class Effect:
    """A number with its interval (NaN below 3 trials), and the trials (blocks) it rests on, doubtful ones among them.

    `detail` says what the number is of, or why there is none (`estimate` NaN and `trials` 0).
    """

    estimate: float
    low: float
    high: float
    unit: str
    trials: int
    noisy: int
    unsteady: int = 0
    detail: str = ""


class Missing(Exception):
    """There is nothing to compute an effect from; the message says why."""


@dataclass(frozen=True)
class Data:
    """What effects are computed from. `runtime` restricts every selection that names none; `cpus`: of the host."""

    entry: Experiment
    tables: Tables
    metrics: pd.DataFrame
    seed: int
    runtime: str | None = None
    cpus: int | None = None

    @property
    def keys(self) -> list[str]:
        return ["variant", "runtime", *self.entry.axes, "metric"]

    def rows(self, selection: Mapping[str, Any]) -> pd.DataFrame:
        """The metric rows of a selection; Missing with the reason when there is none."""
        if selection.get("metric") not in self.entry.metrics:
            raise LabError(f"{self.entry.name}: a claim names the unknown metric {selection.get('metric')!r}")
        selection = self._scoped(selection)
        rows = estimates.select(self.metrics, selection)
        if rows.empty:
            raise Missing(self._absence(selection))
        return rows

    def one(self, selection: Mapping[str, Any]) -> pd.DataFrame:
        """The metric rows of the one configuration of a selection."""
        rows = self.rows(selection)
        several = rows[self.keys].drop_duplicates()
        if len(several) > 1:
            differing = [key for key in self.keys if several[key].nunique(dropna=False) > 1]
            raise Missing(f"{self.describe(selection)} is {len(several)} configurations that differ in {differing[0]}")
        return rows

    def trials(self, selection: Mapping[str, Any]) -> pd.DataFrame:
        """The measured trials of a selection; Missing with the reason when there is none."""
        selection = self._scoped(selection)
        trials = estimates.select(self.tables.measured, selection)
        if trials.empty:
            raise Missing(self._absence(selection))
        return trials

    def describe(self, selection: Mapping[str, Any]) -> str:
        """A selection in words: `variant monitor (threads 2) on jdk17`."""
        if (variant := selection.get("variant")) not in self.entry.variants:
            raise LabError(f"{self.entry.name}: a claim names the unknown variant {variant!r}")
        axes = ", ".join(f"{axis} {selection[axis]}" for axis in self.entry.axes if axis in selection)
        runtime = f" on {selection['runtime']}" if "runtime" in selection else ""
        return f"variant {variant}{f' ({axes})' if axes else ''}{runtime}"

    def _scoped(self, selection: Mapping[str, Any]) -> dict[str, Any]:
        scope = {} if self.runtime is None else {"runtime": self.runtime}
        axes = {axis: absolute(selection[axis], self.cpus) for axis in self.entry.axes if axis in selection}
        return scope | dict(selection) | axes

    def _absence(self, selection: Mapping[str, Any]) -> str:
        where = {key: value for key, value in selection.items() if key != "metric"}
        trials = estimates.select(self.tables.trials, where)
        if trials.empty:
            return f"{self.describe(selection)} was not measured in this run"
        failed = trials[trials["status"] != MEASURED]
        if len(failed) == len(trials):
            status = failed["status"].iloc[0].replace("_", " ")
            return f"{self.describe(selection)}: {status}: {failed['reason'].iloc[0] or 'no reason given'}"
        return f"{self.describe(selection)} was measured but has no {selection['metric']}"


@dataclass(frozen=True)
class Blocks:
    """Values by block (rows) and selection (columns), with the doubtful blocks counted."""

    values: np.ndarray
    noisy: int
    unsteady: int

    def effect(self, numbers: tuple[float, float, float], unit: str, detail: str = "") -> Effect:
        return Effect(*numbers, unit, len(self.values), self.noisy, self.unsteady, detail)


def compute(effect: Mapping[str, Any], data: Data) -> Effect:
    """The effect that a claim declares. What cannot be computed is an Effect of NaN whose `detail` says why.

    Raises LabError for an unknown kind, field, metric, variant or axis: the claim itself is wrong.
    """
    kind = KINDS.get(effect.get("kind"))
    if kind is None:
        raise LabError(
            f"{data.entry.name}: unknown kind of effect {effect.get('kind')!r}; use one of: {', '.join(KINDS)}"
        )
    function, fields = kind
    if lacking := [field for field in fields if field not in effect]:
        raise LabError(f"{data.entry.name}: an effect of kind {effect['kind']} lacks {lacking[0]!r}")
    try:
        return function(effect, data)
    except Missing as reason:
        return Effect(NAN, NAN, NAN, "", 0, 0, 0, str(reason))


def _selection(effect: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    common = {"metric": effect["metric"]} if "metric" in effect else {}
    return common | effect.get("where", {}) | part


def _unit(effect: Mapping[str, Any], data: Data) -> str:
    return data.entry.metrics[_selection(effect, effect["of"])["metric"]].unit


def _by_block(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per block: the median of its least doubtful trials."""
    doubt = rows["noisy"].astype(int) + (~rows["steady"].astype(bool)).astype(int)
    best = rows[doubt == doubt.groupby(rows["block"]).transform("min")]
    return best.groupby("block").agg(value=("value", "median"), noisy=("noisy", "all"), steady=("steady", "any"))


def _shared(columns: list[pd.DataFrame]) -> Blocks:
    """The blocks that all columns have, those that count, as a matrix."""
    blocks = [_by_block(rows) for rows in columns]
    values = pd.concat([one["value"] for one in blocks], axis=1, join="inner")
    if values.empty:
        raise Missing("the configurations share no block")
    doubts = pd.DataFrame(
        {
            "noisy": pd.concat([one["noisy"] for one in blocks], axis=1, join="inner").any(axis=1),
            "steady": pd.concat([one["steady"] for one in blocks], axis=1, join="inner").all(axis=1),
        }
    )
    keep = estimates.admissible(*estimates.doubts(doubts))
    used = doubts[keep]
    return Blocks(values.to_numpy(dtype=float)[keep], int(used["noisy"].sum()), int((~used["steady"]).sum()))


def _resampled(blocks: Blocks, statistic: Callable[[np.ndarray], np.ndarray], seed: int) -> tuple[float, float, float]:
    """Statistic of the columns' medians and its interval, blocks resampled whole.

    `statistic` maps medians of shape (n, columns) to n numbers.
    """
    count = len(blocks.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = float(statistic(np.median(blocks.values, axis=0)[None, :])[0])
        if count < MIN_TRIALS:
            return estimate, NAN, NAN
        drawn = np.random.default_rng(seed).integers(0, count, (RESAMPLES, count))
        resampled = statistic(np.median(blocks.values[drawn], axis=1))
    return (estimate, *percentile_interval(resampled))


def _level(effect: Mapping[str, Any], data: Data) -> Effect:
    rows = data.one(_selection(effect, effect["of"]))
    used = rows[estimates.admissible(*estimates.doubts(rows))]
    numbers = bootstrap_median(used["value"].to_numpy(), data.seed)
    noisy, unsteady = int(used["noisy"].sum()), int((~used["steady"].astype(bool)).sum())
    return Effect(*numbers, _unit(effect, data), len(used), noisy, unsteady)


def pairs(effect: Mapping[str, Any], data: Data) -> pd.DataFrame:
    """Every block's own ratio of an effect of kind ratio: columns block, value, noisy."""
    of, to = (_by_block(data.one(_selection(effect, effect[side]))) for side in ("of", "to"))
    both = of.join(to, lsuffix="_of", rsuffix="_to", how="inner")
    value = both["value_of"] / both["value_to"]
    return pd.DataFrame({"block": both.index, "value": value, "noisy": both["noisy_of"] | both["noisy_to"]})


def _ratio(effect: Mapping[str, Any], data: Data) -> Effect:
    blocks = _shared([data.one(_selection(effect, effect[side])) for side in ("of", "to")])
    above, below = blocks.values.T
    if (below == 0).any():
        # A count of 0 (no context switch at all) has no ratio of its own; the medians may.
        numbers = _resampled(blocks, lambda medians: medians[:, 0] / medians[:, 1], data.seed)
        if np.isnan(numbers[0]):
            raise Missing("both sides of the ratio are 0")
        return blocks.effect(numbers, "ratio")
    return blocks.effect(bootstrap_ratio(above, below, paired=True, seed=data.seed), "ratio")


def _difference(effect: Mapping[str, Any], data: Data) -> Effect:
    blocks = _shared([data.one(_selection(effect, effect[side])) for side in ("of", "to")])
    return blocks.effect(bootstrap_median(blocks.values[:, 0] - blocks.values[:, 1], data.seed), _unit(effect, data))


def _slope(effect: Mapping[str, Any], data: Data) -> Effect:
    by, selection = effect["by"], _selection(effect, effect["of"])
    if by not in data.entry.axes:
        raise LabError(f"{data.entry.name}: a slope is by the unknown axis {by!r}")
    places = np.array(sorted(data.rows(selection)[by].dropna().unique()), dtype=float)
    if len(places) < MIN_TRIALS:
        raise Missing(f"{data.describe(selection)} has {len(places)} values of {by}; a slope needs {MIN_TRIALS}")
    blocks = _shared([data.one(selection | {by: place}) for place in places])
    weights = (places - places.mean()) / ((places - places.mean()) ** 2).sum()
    unit = f"{_unit(effect, data)} per {by.removesuffix('s')}"
    return blocks.effect(_resampled(blocks, lambda medians: medians @ weights, data.seed), unit)


def _over(effect: Mapping[str, Any], data: Data) -> Blocks:
    return _shared([data.one(_selection(effect, part)) for part in effect["over"]])


def _spread(effect: Mapping[str, Any], data: Data) -> Effect:
    blocks = _over(effect, data)
    return blocks.effect(_resampled(blocks, lambda m: m.max(axis=1) / m.min(axis=1), data.seed), "ratio")


def _jump(effect: Mapping[str, Any], data: Data) -> Effect:
    blocks = _over(effect, data)
    numbers = _resampled(blocks, lambda medians: (medians[:, 1:] / medians[:, :-1]).max(axis=1), data.seed)
    return blocks.effect(numbers, "ratio")


def _growth(effect: Mapping[str, Any], data: Data) -> Effect:
    columns = [data.one(_selection(effect, effect[side] | part)) for part in effect["over"] for side in ("of", "to")]
    blocks = _shared(columns)

    def least(medians: np.ndarray) -> np.ndarray:
        ratios = medians[:, ::2] / medians[:, 1::2]
        return (ratios[:, 1:] / ratios[:, :-1]).min(axis=1)

    return blocks.effect(_resampled(blocks, least, data.seed), "ratio")


def _steps(effect: Mapping[str, Any], data: Data) -> Effect:
    blocks = _over(effect, data)
    levels = [bootstrap_median(column, data.seed) for column in blocks.values.T]
    shown = "levels " + ", ".join("{} [{}, {}]".format(*map(number, level)) for level in levels)
    pairs = zip(levels, levels[1:], strict=False)
    steps = float(sum(after[2] < before[1] for before, after in pairs))
    known = NAN if len(blocks.values) < MIN_TRIALS else steps
    return blocks.effect((steps, known, known), "steps", shown)


def _rank(effect: Mapping[str, Any], data: Data) -> Effect:
    if effect["against"] not in ("best", "worst"):
        raise LabError(f"{data.entry.name}: rank against {effect['against']!r}; use best or worst")
    names, columns, signs = [effect["subject"], *effect["rivals"]], [], []
    for part in effect["over"]:
        selection = _selection(effect, part)
        template = selection.get("variant", "{}")
        columns += [data.one(selection | {"variant": template.replace("{}", name)}) for name in names]
        signs.append(-1.0 if data.entry.metrics[selection["metric"]].better == "lower" else 1.0)
    blocks = _shared(columns)

    def against_each(medians: np.ndarray) -> np.ndarray:
        logs = np.log(medians).reshape(len(medians), len(signs), len(names))
        gains = (logs[:, :, :1] - logs[:, :, 1:]) * np.array(signs)[None, :, None]
        return np.exp(gains.mean(axis=1))

    choose = np.min if effect["against"] == "best" else np.max
    each = against_each(np.median(blocks.values, axis=0)[None, :])[0]
    nearest = effect["rivals"][int(np.flatnonzero(each == choose(each))[0])]
    numbers = _resampled(blocks, lambda medians: choose(against_each(medians), axis=1), data.seed)
    return blocks.effect(numbers, "ratio", f"{effect['against']} rival {nearest}")


def _fact(effect: Mapping[str, Any], data: Data) -> Effect:
    selection = _selection(effect, effect["of"])
    trials = data.trials(selection)
    facts = data.tables.facts[data.tables.facts["trial"].isin(trials["trial"])]
    # A runtime that tells other facts of the family lacks this one; one that tells none cannot be asked.
    family = effect["name"].split(".")[0]
    told = set(facts.loc[facts["name"].astype(str).str.startswith(family), "trial"])
    if not told:
        raise Missing(f"{data.describe(selection)} tells no {family}")
    named = facts[facts["name"] == effect["name"]]
    equal = int((named["value"] == str(effect["equals"])).sum())
    shown = ", ".join(sorted(set(named["value"]))) or "absent"
    unanimous = equal in (0, len(told))
    numbers = (equal / len(told), *((equal / len(told),) * 2 if unanimous else (0.0, 1.0)))
    return Effect(*numbers, "yes/no", len(told), 0, 0, f"{effect['name']} is {shown}")


KINDS: dict[str, tuple[Callable[[Mapping[str, Any], Data], Effect], tuple[str, ...]]] = {
    "level": (_level, ("of",)),
    "ratio": (_ratio, ("of", "to")),
    "difference": (_difference, ("of", "to")),
    "slope": (_slope, ("of", "by")),
    "spread": (_spread, ("over",)),
    "steps": (_steps, ("over",)),
    "jump": (_jump, ("over",)),
    "growth": (_growth, ("of", "to", "over")),
    "rank": (_rank, ("subject", "rivals", "against", "over")),
    "fact": (_fact, ("of", "name", "equals")),
}
