"""Queues under load as a run gives them: metrics, estimates, models and predictions, all made up from formulas."""

from functools import cache

import numpy as np
import pandas as pd
from trial_rows import estimates, trial_rows

from pipeline.draw.agreement import agreement
from pipeline.draw.response import response_curve
from pipeline.draw.stacked import stacked

LOADS = (10, 30, 50, 70, 80, 90, 95)
NAMES = {
    "disruptor_spin": "Disruptor, spinning",
    "abq_block": "ArrayBlockingQueue, blocking",
    "abq_spin": "ArrayBlockingQueue, spinning",
    "c_sequenced": "Sequenced ring (C)",
}
# ns at an idle queue, ns per event, ns of a wake-up
QUEUES = {
    "disruptor_spin": (120, 12, 0),
    "abq_block": (300, 140, 5000),
    "abq_spin": (180, 110, 0),
    "c_sequenced": (90, 8, 0),
}


def runtimes(variant: str) -> dict[str, float]:
    return {"c": 1.0} if variant.startswith("c_") else {"jdk17": 1.0, "jdk25": 0.85}


def latency(variant: str, load, slower: float = 1.0):
    fixed, each, wake = QUEUES[variant]
    rho = np.asarray(load, float) / 100
    return slower * (fixed + each * rho / (1 - rho) + wake * (1 - rho) ** 2)


@cache
def loads():
    rows = []
    for variant in QUEUES:
        for runtime, slower in runtimes(variant).items():
            for load in LOADS:
                keys = {"variant": variant, "runtime": runtime, "load": load}
                middle = latency(variant, load, slower)
                rate = load / 100 * 1e9 / (QUEUES[variant][1] * slower)
                tail = middle * (4 + 8 * (load / 100) ** 4)
                rows += [(keys, "latency_p50", middle), (keys, "latency_p99", tail), (keys, "throughput", rate)]
    metrics = trial_rows(rows)
    # One trial has all three metrics: they are named by their configuration, not by their row.
    metrics["trial"] = [
        f"{row.variant}-{row.runtime}-{row.load}-b{row.block}" for row in metrics.itertuples(index=False)
    ]
    metrics["noisy"] = metrics.groupby("trial")["noisy"].transform("any")
    middles = pd.concat(
        [
            estimates(part, ["variant", "runtime", "load"], "events/s" if metric == "throughput" else "ns")
            for metric, part in metrics.groupby("metric")
        ]
    )
    return metrics, middles


def model_lines():
    at = np.arange(2, 97, 2.0)
    parts = []
    for variant, (_, each, _) in QUEUES.items():
        for runtime, slower in runtimes(variant).items():
            rho, keys = at / 100, {"variant": variant, "runtime": runtime, "load": at}
            alone = {"M/M/1": 1 / (1 - rho), "M/D/1": 1 + rho / (2 * (1 - rho))}
            for model, factor in alone.items():
                parts.append(
                    pd.DataFrame(keys | {"model": model, "estimate": each * slower * factor, "measured": False})
                )
            own = latency(variant, at, slower) * 1.05
            told = {"model": "M/G/1 with wake-up", "estimate": own, "low": 0.9 * own, "high": 1.1 * own}
            parts.append(pd.DataFrame(keys | told | {"measured": True}))
    return pd.concat(parts, ignore_index=True)


def knees():
    rows = [("disruptor_spin", "jdk17", 91), ("disruptor_spin", "jdk25", 91), ("abq_spin", "jdk17", 62)]
    return pd.DataFrame([*rows, ("c_sequenced", "c", 92)], columns=["variant", "runtime", "load"])


def j_curve(reverse=False, **changes):
    metrics, medians = (frame[:: -1 if reverse else 1] for frame in loads())
    given = {"metric": ["latency_p50", "latency_p99"], "label": "Latency", "names": {"variant": NAMES}}
    given |= {"lines": model_lines(), "knees": knees(), "name": "j_curve"}
    return response_curve(metrics, medians, **given | changes)


def by_rate(**changes):
    metrics, medians = loads()
    given = {"metric": "latency_p50", "label": "Median latency", "x": "throughput", "x_label": "Rate"}
    given |= {"x_unit": "events/s", "panels": "runtime", "series": "variant", "names": {"variant": NAMES}}
    return response_curve(metrics, medians, name="by_rate", **given | changes)


@cache
def predictions():
    """Predicted and measured means and tails of every trial, two controls among them."""
    random = np.random.default_rng(11)
    rows = []
    for variant in (*QUEUES, "control_constant", "control_exponential"):
        for load in (10, 50, 80, 90):
            control = variant.startswith("control")
            measured = 1000 / (1 - load / 100) if control else float(latency(variant, load))
            off = 1.0 if control else {"disruptor_spin": 0.95, "abq_block": 0.6}.get(variant, 1.15)
            for block in range(5):
                for statistic, factor in (("mean", 1.0), ("p99", 6.0)):
                    keys = {"trial": f"{variant}-{load}-b{block}", "variant": variant, "runtime": "c", "load": load}
                    numbers = factor * measured * np.exp(random.normal(0, 0.06, 2)) * [1, off]
                    told = {"measured": numbers[0], "predicted": numbers[1], "noisy": block == 3}
                    rows.append(keys | told | {"statistic": statistic})
    return pd.DataFrame(rows)


def agree(reverse=False, **changes):
    names = NAMES | {"control_constant": "Constant service", "control_exponential": "Exponential service"}
    given = {"name": "agree", "unit": "ns", "label": "Time in the system", "by": ["variant", "runtime", "load"]}
    given |= {"panels": "statistic", "headings": {"mean": "Mean", "p99": "99th percentile"}, "names": names}
    given |= {"controls": ["control_constant", "control_exponential"]}
    return agreement(predictions()[:: -1 if reverse else 1], **given | changes)


def parts(**changes):
    rows, totals = [], []
    for variant, label in NAMES.items():
        fixed, each, wake = QUEUES[variant]
        for load in (10, 80):
            rho = load / 100
            whole = {
                "fixed": fixed + wake * (1 - rho) ** 2,
                "waiting": each * rho**2 / (1 - rho),
                "service": each * rho,
            }
            rows += [{"label": label, "load": load, "part": part, "value": value} for part, value in whole.items()]
            total = sum(whole.values())
            totals.append({"label": label, "load": load, "estimate": total, "low": 0.9 * total, "high": 1.1 * total})
    given = {"name": "parts", "unit": "ns", "label": "Mean latency", "panels": "load", "totals": pd.DataFrame(totals)}
    given |= {"parts": {"fixed": "hop or wake-up", "waiting": "waiting", "service": "service"}}
    given |= {"headings": {"10": "10 % load", "80": "80 % load"}}
    return stacked(pd.DataFrame(rows), **given | changes)
