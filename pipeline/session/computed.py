"""What there is of one experiment of one run before anything is chosen of it: its trials, numbers and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import pandas as pd

from pipeline.analyse import (
    advice,
    answers,
    compiled,
    estimates,
    precision,
    rates,
    refused,
    result_cache,
    sequential_test,
    state_labels,
)
from pipeline.analyse import verdicts as claims
from pipeline.analyse.frames import joined
from pipeline.analyse.too_few_samples import withheld
from pipeline.analyse.trials import Trials
from pipeline.bundle import entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.draw import style
from pipeline.ground import paths
from pipeline.host import fingerprint, order, topology
from pipeline.host import runtimes as installed
from pipeline.host.topology import Topology
from pipeline.ingest import ingest
from pipeline.ingest.tables import Tables
from pipeline.measure import states
from pipeline.measure.run import measure
from pipeline.measure.states import States
from pipeline.plan import plan
from pipeline.plan.overrides import Overrides
from pipeline.session import progress


class Computed:
    """One experiment of one run, measured or opened, and all that is computed of it.

    `variants` and `runtimes` (empty: all), `axes` (axis -> values) and `parameters` (harness parameter -> value)
    narrow or change the profile's sweep. With `measuring` off an incomplete run is reported as it stands.
    """

    def __init__(
        self,
        experiment: str,
        run: str = "quick",
        profile: str = "quick",
        variants: list[str] | None = None,
        runtimes: list[str] | None = None,
        axes: dict[str, list] | None = None,
        parameters: dict | None = None,
        measuring: bool = True,
    ) -> None:
        self.entry = entries.experiment(experiment, run)
        plan.profile_of(self.entry, profile)
        if not measuring or paths.is_archived(run):
            self.bundle = Bundle.open(run)
            return
        overrides = Overrides(
            tuple(variants or ()),
            tuple(runtimes or ()),
            {name: tuple(values) for name, values in (axes or {}).items() if values},
            dict(parameters or {}),
        )
        planned = plan.make(self.entry, profile, installed.all_runtimes(), overrides)
        self.bundle = measure(run, [planned], precision.widest)

    @property
    def run(self) -> str:
        return self.bundle.name

    @property
    def cpus(self) -> int:
        """CPUs of the host that was measured; 0 where they are not known."""
        return int(self.bundle.info["host"]["cpu"]["cpus"])

    @cached_property
    def places(self) -> Topology:
        """Where the CPUs of the host that was measured lie; no place of one that tells nothing of them."""
        return topology.of_host(self.bundle.info["host"]["cpu"])

    @property
    def steps(self) -> list[tuple[int, str]]:
        """Where along a number of threads something new begins on that host (`pipeline.host.order.steps`)."""
        return order.steps(self.places)

    @property
    def seed(self) -> int:
        """Seeds the bootstraps of models, so that the same bundle gives the same intervals."""
        return int(self.bundle.info["seed"])

    @property
    def provenance(self) -> dict[str, str]:
        """What a figure's footer and JSON say about where it comes from."""
        info = self.bundle.info
        return {
            "run": info["name"],
            "host": fingerprint.sentence(info["host"]) + (", contributed" if "shared" in info else ""),
            "date": info["created"][:10],
            "profile": "" if entries.own(self.bundle) else info["profile"],
            "git": info["git"],
            "experiment": self.entry.name,
        } | ({"so_far": self.so_far} if self.so_far else {})

    @cached_property
    def so_far(self) -> str:
        """`so far, 1 of at least 6 blocks`; empty once measuring has ended."""
        return progress.so_far(self.bundle, self.entry)

    @property
    def left_out(self) -> list[str]:
        """What the plan left out on the host that was measured, in sentences (`pipeline.plan.left_out`)."""
        line = journal.planned(self.bundle.journal(), self.entry.name) or {}
        return line.get("left_out", [])

    @property
    def nothing(self) -> str:
        """What stands where nothing of a selection was measured: only the profile full asks all that a page shows."""
        profiles, profile = self.entry.profiles, self.bundle.info["profile"]
        more = f"; its profile is {profile}, and full measures more" if profiles[profile] != profiles["full"] else ""
        apart = "" if self.apart.empty else ", or its threads did not run together"
        return f"Nothing of this was measured in this run{apart}{more}."

    @property
    def bare(self) -> bool:
        """Whether the host that was measured left nothing of the plan."""
        line = journal.finished(self.bundle.journal(), self.entry.name)
        return line is not None and line["ended_by"] == "left_out"

    @cached_property
    def costs(self) -> dict[tuple[str, str], float]:
        """Seconds that a trial of each configuration takes (`pipeline.bundle.journal.costs`)."""
        return journal.costs(self.bundle.journal())

    @cached_property
    def clock(self) -> float:
        """What one clock reading cost, in nanoseconds: the median over the trials, each of which measures it."""
        measures = self.tables.measures
        return float(measures.loc[measures["name"] == "clock_read", "value"].median())

    @cached_property
    def tables(self) -> Tables:
        """The tidy tables, ingested from the raw files."""
        return ingest.ingest(self.bundle, self.entry)

    @cached_property
    def trials(self) -> Trials:
        """The measured trials, as everything that is computed of all of them looks at them."""
        return Trials(self.entry, self.tables)

    @property
    def parts(self) -> Iterator[Trials]:
        """The measured trials part by part (`Tables.parts`): all at once, but for a run that is very long."""
        for part in self.tables.parts():
            yield self.trials if part is self.tables else Trials(self.entry, part)

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """One number per trial and metric, without those that the entry refuses (`pipeline.analyse.refused`)."""
        return result_cache.metrics(self.entry, self.tables, self.parts)

    @cached_property
    def apart(self) -> pd.DataFrame:
        """The trials that yield no rate, for their threads did not run together (`pipeline.analyse.window`)."""
        return rates.apart(self.trials)

    @cached_property
    def compiled(self) -> list[str]:
        """Sentences about iterations in which something was compiled (`pipeline.analyse.compiled`)."""
        return compiled.sentences(self.tables.iterations, self.tables.measures)

    @cached_property
    def withheld(self) -> pd.DataFrame:
        """Metrics that some configurations have too few samples for (`pipeline.analyse.too_few_samples`), or that the
        entry refuses."""
        return joined([withheld(self.trials), refused.told(self.metrics, self.entry)], [])

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """Median over trials with its interval and the interval's level, per configuration and metric."""
        return estimates.compute(self.entry, self.metrics)

    @cached_property
    def states(self) -> States:
        """The states that the CPUs of the whole run were in."""
        return states.of(self.bundle.journal())

    @cached_property
    def moved(self) -> bool:
        """Whether trials of the experiment were in other states than the one that is meant."""
        return state_labels.several(self.tables.measured)

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """The experiment's published claims, each with its verdict here, and what to do where it is undecided; none is
        judged (`pipeline.analyse.verdicts.later`) of a run that is not complete, and of one of a single block."""
        why = progress.unjudged(self.bundle, self.entry)
        return claims.later(self.judgements, why) if why else self.judgements

    @cached_property
    def judgements(self) -> pd.DataFrame:
        """The verdicts as far as the run goes, whether they are told or not."""
        return self._judged("verdicts", claims.verdicts, lambda row: f" CLAIMS={row['claim']}")

    @cached_property
    def answers(self) -> pd.DataFrame:
        """The comparisons that the entry declares for its card's answer (`pipeline.analyse.answers`)."""
        return self._judged("answers", answers.answers)

    def _judged(
        self, name: str, judge: Callable[..., pd.DataFrame], only: Callable[[dict], str] = lambda row: ""
    ) -> pd.DataFrame:
        """Verdicts or answers with what to do where they are undecided; only: of a row, what else the command takes."""
        cost, ends = self.costs, sequential_test.ends(self.bundle.journal(), self.entry.name)
        run, experiment = "" if paths.is_archived(self.run) else self.run, self.entry.name

        def compute() -> pd.DataFrame:
            rows = judge(self.entry, self.tables, self.metrics, self.cpus, ends)
            every = rows.to_dict("records")
            rows = rows.assign(advice=[advice.of_row(row, run, experiment, cost, only(row)) for row in every])
            stated = self.moved and "reason" in rows
            return state_labels.said(rows, self.states, self.metrics) if stated else rows

        of = str(self.cpus), repr((ends, cost)), *([repr(self.states)] if self.moved else [])
        return result_cache.table(name, self.entry, self.tables, compute, self.run, *of)

    @property
    def jdks(self) -> list[str]:
        """The JDKs of this run, oldest first."""
        return sorted(name for name in set(self.tables.trials["runtime"]) if name.startswith("jdk"))

    def labels(self, variants: list[str] | None = None) -> dict[str, str]:
        """Variant -> label; all or some. The order of all fixes a variant's looks in every figure of the experiment."""
        every = style.variants(self.entry)
        return every if variants is None else {name: label for name, label in every.items() if name in variants}
