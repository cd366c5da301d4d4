"""Experiments at given loads: what queues predict of a latency, from what was measured apart from it.

Such an experiment has the axes `load` (percent of a trial's own capacity, 0: as fast as possible) and `work` (ns that
handling takes), its harness measures what harness/README.md says of loads, and its entry calls the metrics as here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import pandas as pd

from pipeline.analyse import batches, resampled, response
from pipeline.analyse.frames import framed
from pipeline.analyse.resampled import Services, Words
from pipeline.models import queueing, service_costs, waiting_times
from pipeline.models.fit import Fit
from pipeline.models.j_curve import fit_j_curve
from pipeline.models.prediction import CONTROL, prediction
from pipeline.session.session import Session
from pipeline.words.numbers import place

SERVICES = Words(
    "busy_p50", "idle_p50", "capacity", "throughput_typical", "sent_typical", "clock_read", "timed", "flight"
)
MEANS = {
    "rate": "throughput_mean",
    "capacity": "capacity",
    "service": "service_busy",
    "service_square": "service_busy_square",
    "first": "service_idle",
    "first_square": "service_idle_square",
    "idle": "found_idle",
    "flight": "flight",
    "mean": "sent_mean",
    "due": "latency_mean",
}
MEDIANS = MEANS | {"service": "busy_p50", "first": "idle_p50", "mean": "sent_p50", "due": "latency_p50"}
TEXTBOOK = {"M/M/1 of the capacity": waiting_times.mm1_median, "M/D/1 of the capacity": waiting_times.md1_median}
LOADS = (5, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 93, 95)
KEYS = ["variant", "runtime", "load", "work"]
DECIDES = "what decides the latency, in how many trials"
LATE = 0.1  # of a median latency, the generator's median lateness at most


class UnderLoad:
    """The trials of a session at given loads: each method leaves out those as fast as possible."""

    PARTS = response.PARTS  # of a latency, in their order, as `TitledFigure.stacked` takes them
    LAW = ("in_system", "throughput_mean", "sent_mean")  # the metrics of Little's law, as `Display.little` takes them
    batch_cost = staticmethod(batches.cost)  # of rows of `batches`, as `Display.fits` takes it

    def __init__(self, lab: Session) -> None:
        self.lab = lab

    def chosen(self, **where) -> tuple[pd.DataFrame, pd.DataFrame]:
        """As `Session.chosen`."""
        metrics, estimates = map(_loaded, self.lab.chosen(**where))
        return metrics, estimates

    def trials(self, **where) -> pd.DataFrame:
        """As `Session.chosen_trials`."""
        return _loaded(self.lab.chosen_trials(**where))

    def wide(self, *names: str, **where) -> pd.DataFrame:
        """As `Session.wide`."""
        return _loaded(self.lab.wide(*names, **where))

    def at_rates(self, **where) -> pd.DataFrame:
        """The estimates of trials at an absolute rate of arrivals (axis `rate`, events/s), which no capacity scales."""
        estimates = self.lab.chosen(**where)[1]
        return estimates[estimates["rate"].notna()]

    def bottlenecks(self, **where) -> pd.DataFrame:
        """By variant, runtime, work and load what decided the median latency in how many of the trials: the generator,
        where its lateness is more than LATE of it; else the server, where most events found it busy; else the way to a
        server that waits."""
        names = ["behind", "late_share", "found_idle"]
        rows = self.chosen(metric=names, **where)[0]
        about = ["trial", *KEYS]
        if rows.empty:
            return framed((), ["variant", "runtime", "work", "load", DECIDES])
        values = rows.pivot_table(index=about, columns="metric", values="value", observed=True, aggfunc="first")
        values = values.reindex(columns=names)
        late = (values["behind"] > 1 / (1 - LATE)) | (values["late_share"] > LATE)
        who = (values["found_idle"] < 0.5).map({True: "the server", False: "the way to it"}).mask(late, "the generator")
        counts = who.rename("who").reset_index().groupby(KEYS, observed=True)["who"]
        told = counts.agg(
            lambda one: ", ".join(f"{name} ({n} of {len(one)})" for name, n in one.value_counts().items())
        )
        found = self.lab.ordered(told.rename(DECIDES).reset_index(), ["work", "variant", "load"])
        return found[["variant", "runtime", "work", "load", DECIDES]]

    def lines(self, *, textbook: bool = False, to: float = LOADS[-1], **where) -> pd.DataFrame:
        """Medians by load, predicted for the figure of a response: from the measured services, and by `textbook` also
        what M/M/1 and M/D/1 say that know nothing but the capacity."""
        at = [load for load in LOADS if load <= to]
        known = resampled.curves(self.services, self.trials(**where), "measured services", at=at).assign(measured=True)
        if not textbook:
            return known
        rows = self._responses(MEANS, where)
        by_capacity = [
            response.curves(rows, name, model, "rate", "slot", at=at).assign(measured=False)
            for name, model in TEXTBOOK.items()
        ]
        return pd.concat([*by_capacity, known])

    def medians(self, **where) -> pd.DataFrame:
        """The median from the sending to the end, predicted with services of another load, and measured, and `value`,
        the ratio, of each trial (`pipeline.analyse.resampled.per_trial`)."""
        return self._medians[self._medians["trial"].isin(self.trials(**where)["trial"])].reset_index(drop=True)

    def means(self, **where) -> pd.DataFrame:
        """The same of the mean, by the formula of Pollaczek and Khinchine with a first service of its own, and the way
        to the server (`pipeline.analyse.response.per_trial`)."""
        rows = self._responses(MEANS, where)
        predicted = response.predict(rows, queueing.mg1_first, "rate", "service", "variance", "first", "first_variance")
        rows = rows.assign(predicted=predicted + rows["flight"].fillna(0))
        return response.per_trial(rows, "predicted", "mean", self._configuration)

    def judge(self, model: str, controls: Sequence[str] | None = None) -> Callable[[pd.DataFrame], Fit]:
        """What `Display.fits` takes: the verdict on a model, with `controls` withheld unless both the median and the
        mean of each of these variants come out as they must."""
        if controls is None:
            return lambda own: prediction(own["value"], model)
        judged = {}
        for what, rows in (("median", self.medians), ("mean", self.means)):
            for (variant, load), own in rows(variant=list(controls)).groupby(["variant", "load"], observed=True):
                own = self.lab.counted(own)
                name = f"{what} of {self.lab.labels()[variant]} at {load} %"
                judged[name] = prediction(own["value"], name, CONTROL)
        return lambda own: prediction(own["value"], model, controls=judged)

    def control(self, model: str) -> Callable[[pd.DataFrame], Fit]:
        """What `Display.fits` takes of variants that are controls themselves: whether they come out as they must."""
        return lambda own: prediction(own["value"], model, CONTROL)

    def capacity(self, generator: str) -> Callable[[pd.DataFrame], Fit]:
        """What `Display.fits` takes of capacities (events/s): whether each is known, beside the least that the load
        generator of the same language does alone, its metric `generator` (`pipeline.models.service_costs.capacity`)."""
        language = {name: one.harness for name, one in self.lab.entry.variants.items()}
        alone = self.lab.level(generator).groupby(level="variant").min().rename(language).groupby(level=0).min()
        return lambda own: service_costs.capacity(own["value"], alone.get(language[own["variant"].iloc[0]]))

    def j_curve(self, own: pd.DataFrame) -> Fit:
        """Two numbers of a J, of latencies in ns by load (`pipeline.models.j_curve`), as `Display.fits` takes them."""
        return fit_j_curve(own["load"], own["value"], own["block"], seed=self.lab.seed, unit="ns")

    def parts(self, **where) -> pd.DataFrame:
        """What median latencies are made of (`pipeline.analyse.response.parts`), with a label for each variant, load
        and work, as the figure of stacked bars takes it."""
        rows = self.lab.ordered(response.parts(self._responses(MEDIANS, where), KEYS), ["work", "variant", "load"])
        names = self.lab.labels()
        works = [f", {place(work)} ns" if work else "" for work in rows["work"]]
        which = zip(rows["variant"], rows["load"], works, strict=True)
        return rows.assign(label=[f"{names[variant]}, {place(load)} %{work}" for variant, load, work in which])

    def batches(self, **where) -> pd.DataFrame:
        """Sums of what consumers took at once (`pipeline.analyse.batches`)."""
        return batches.sums(self.lab.tables, self.trials(**where))

    @cached_property
    def services(self) -> Services:
        """The service times of all trials, from which medians are predicted."""
        return Services(self.lab.entry, self.lab.tables, self.lab.metrics, SERVICES, self.lab.seed)

    @cached_property
    def _medians(self) -> pd.DataFrame:
        """Of all trials: a page asks for the controls' again for each verdict."""
        return resampled.per_trial(self.services, self.trials(), self._configuration)

    @property
    def _configuration(self) -> list[str]:
        # An axis called as a word of models (`rate`) has the value of that in its column; at a load it has none itself.
        return ["variant", "runtime", *(axis for axis in self.lab.entry.axes if axis not in MEANS)]

    def _responses(self, names: Mapping[str, str], where: Mapping[str, Any]) -> pd.DataFrame:
        tables = self.lab.tables.but(trials=self.trials(**where))
        return response.responses(self.lab.entry, tables, self.lab.metrics, names)


def _loaded(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["load"] > 0]
