"""The trials of a latency curve by load: their scatter, where the latency is least, where a curve leaves them.

All on logarithms, for latencies scatter by a factor. Tests are at 1 % over all comparisons (Bonferroni), and what is
not relevant is not told however sure it is: a fall of 5 %, a curve that is off by a quarter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from pipeline.ground.errors import LabError
from pipeline.models.bootstrap import MIN_TRIALS

TOP_LOAD = 120.0  # percent: what can have been asked for
MOST_LATENCY = 1e200
OFF = math.log(1.25)  # a curve that leaves the measured one by more is no description of it
RELEVANT = math.log(1.05)  # a smaller fall is no bathtub
SIGNIFICANCE = 0.01
ASSUMED_SCATTER = 0.05  # of a trial, where no load has a second one


@dataclass(frozen=True)
class Points:
    """Trials by load: `load` nominal (percent, ascending) and `rho` (share), one per load; of every trial the index
    `group` of its load, the logarithm of its latency and its block, if any."""

    load: np.ndarray
    rho: np.ndarray
    group: np.ndarray
    logs: np.ndarray
    blocks: np.ndarray | None

    @classmethod
    def of(cls, load, latency, blocks, utilisation) -> Points:
        columns = {"load": load, "latency": latency} | ({} if utilisation is None else {"measured load": utilisation})
        columns = {name: np.atleast_1d(np.asarray(one, dtype=np.float64)) for name, one in columns.items()}
        blocks = None if blocks is None else np.unique(np.asarray(blocks), return_inverse=True)[1]
        lengths = {one.shape for one in columns.values()} | (set() if blocks is None else {blocks.shape})
        if len(lengths) > 1 or columns["load"].ndim != 1 or not columns["load"].size:
            raise LabError(f"j-curve: every trial needs its {' and '.join(columns)}; remove incomplete trials")
        for name, one in columns.items():
            if not (np.isfinite(one).all() and one.min() > 0 and one.max() <= MOST_LATENCY):
                raise LabError(f"j-curve: {name} must be positive and finite in every trial; remove incomplete trials")
        top = columns["load"].max()
        if top > TOP_LOAD or top <= 1:
            raise LabError(f"j-curve: loads go up to {top:g}; give percent of capacity, up to {TOP_LOAD:g}")
        values, group = np.unique(columns["load"], return_inverse=True)
        known = columns.get("measured load", columns["load"] / 100)
        rho = np.array([np.median(known[group == i]) for i in range(len(values))])
        return cls(values, rho, group, np.log(columns["latency"]), blocks)

    def kept(self, which: np.ndarray) -> Points:
        """The points of some of the loads."""
        rows = which[self.group]
        group = (np.cumsum(which) - 1)[self.group[rows]]
        blocks = None if self.blocks is None else self.blocks[rows]
        return replace(
            self, load=self.load[which], rho=self.rho[which], group=group, logs=self.logs[rows], blocks=blocks
        )

    @property
    def x(self) -> np.ndarray:
        return self.rho / (1 - self.rho)

    @property
    def size(self) -> np.ndarray:
        """Trials by load."""
        return np.bincount(self.group, minlength=len(self.load))

    @property
    def sums(self) -> np.ndarray:
        """Sums of the logarithms by load."""
        return np.bincount(self.group, self.logs, minlength=len(self.load))

    @property
    def means(self) -> np.ndarray:
        return self.sums / self.size

    @property
    def deviations(self) -> np.ndarray:
        """From the load's mean, by trial, widened to the spread of those they are drawn from."""
        size = self.size[self.group]
        return (self.logs - self.means[self.group]) * np.sqrt(size / np.maximum(size - 1, 1))

    def noise(self, comparisons: int) -> np.ndarray:
        """How far the mean of each load may be off, at 1 % over all comparisons."""
        tail, df = SIGNIFICANCE / (2 * comparisons), len(self.logs) - len(self.load)
        if df < MIN_TRIALS:
            return -special.ndtri(tail) * ASSUMED_SCATTER / np.sqrt(self.size)
        scatter = np.sqrt(((self.logs - self.means[self.group]) ** 2).sum() / df)
        return -special.stdtrit(df, tail) * scatter / np.sqrt(self.size)

    def minimum(self) -> int:
        """Index of the load at which the latency is least, 0 unless it falls up to there by more than noise and 5 %."""
        lowest = int(self.means.argmin()) if len(self.load) else 0
        if not lowest:
            return 0
        noise = self.noise(len(self.load) * (len(self.load) - 1) // 2)
        fall = self.means[:lowest] - self.means[lowest]
        return lowest * bool((fall > np.maximum(np.hypot(noise[:lowest], noise[lowest]), RELEVANT)).any())

    def off(self, curve: np.ndarray) -> str | None:
        """Says where the means leave the curve by more than noise and a quarter; None when nowhere.

        Where no load has a second trial, noise and curve cannot be told apart; then their mean square must not be more.
        """
        deviation = self.means - curve
        if len(self.logs) - len(self.load) < MIN_TRIALS:
            rms = math.sqrt((deviation**2).sum() / (len(deviation) - 2))
            return f"the best curve misses the latencies by {100 * math.expm1(rms):.0f} %" if rms > OFF else None
        beyond = np.abs(deviation) - self.noise(len(self.load))
        worst = int(beyond.argmax())
        if beyond[worst] <= OFF:
            return None
        return f"latency at {self.load[worst]:g} % is {math.exp(deviation[worst]):.2g} times that of the best curve"
