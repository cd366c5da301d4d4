"""Every kind of figure from tables as a run gives them, modelled on the published numbers.

No randomness from outside.
"""

from functools import cache

import numpy as np
import pandas as pd
from compare_figures import changes, shifted
from matplotlib.figure import Figure as Canvas
from response_figures import agree, by_rate, j_curve, parts
from trial_rows import estimates, trial_rows

from pipeline.catalogue import catalogue
from pipeline.draw import layout, published, style
from pipeline.draw.bars import levels
from pipeline.draw.figure import Figure
from pipeline.draw.fit import line_fit
from pipeline.draw.matrix import matrix
from pipeline.draw.percentile import percentile_curve
from pipeline.draw.ratios import paired_ratios
from pipeline.draw.scaling import scaling_curve
from pipeline.draw.style import LIGHT, Theme
from pipeline.draw.timeline import timeline
from pipeline.ground import paths

PROVENANCE = {
    "host": "Example CPU 2.8 GHz, 2 CPUs, Linux 6.1",
    "date": "2026-11-21",
    "run": "reference",
    "profile": "quick",
    "git": "0123abc",
}


@cache
def locks(trials=5):
    table = pd.read_csv(paths.published() / "locks.csv")
    seen = published.overlay(table, catalogue.experiment("lock_scaling").published["locks.csv"], axis="threads")
    nehalem = seen[seen["source"].str.startswith("Nehalem")]
    rows = [
        ({"variant": row.variant, "runtime": runtime, "threads": row.threads}, "throughput", row.value * faster)
        for row in nehalem.itertuples()
        for runtime, faster in (("jdk17", 1), ("jdk25", 1.3))
    ]
    for variant, first in (("pthread_mutex", 4e7), ("spin_ttas", 6e7), ("mcs", 5e7)):
        rows += [({"variant": variant, "runtime": "c", "threads": n}, "throughput", first / n) for n in range(1, 9)]
    metrics = trial_rows(rows, trials)
    return metrics, estimates(metrics, ["variant", "runtime", "threads"], "ops/s"), seen


def lock_figure(name, **changes):
    metrics, medians, seen = locks()
    names = style.variants(catalogue.experiment("lock_scaling"))
    given = {"metric": "throughput", "label": "Throughput", "cpus": 2, "variants": names, "published": seen}
    return scaling_curve(
        changes.pop("metrics", metrics), changes.pop("estimates", medians), name=name, **given | changes
    )


def fitted():
    metrics, medians, _ = locks()
    threads = np.linspace(1, 8, 30)
    curves = []
    for variant, first, model in (("pthread_mutex", 4e7, "USL"), ("spin_ttas", 6e7, "handover")):
        fit = {"variant": variant, "runtime": "c", "model": model, "threads": threads, "estimate": first / threads}
        curves.append(pd.DataFrame(fit | {"low": 0.9 * first / threads, "high": 1.1 * first / threads}))
    c = [frame[frame["runtime"] == "c"] for frame in (metrics, medians)]
    return lock_figure("fitted", metrics=c[0], estimates=c[1], fits=pd.concat(curves), published=None)


def queue():
    """Two locks by the work outside them, with a prediction that leaves the last one out."""
    rows, curves, knees = [], [], []
    for variant, runtime, service in (("monitor", "jdk17", 60), ("monitor", "jdk25", 90), ("mcs", "c", 40)):
        keys = {"variant": variant, "runtime": runtime}
        for outside in (50, 300, 1000, 10_000):
            rate = 2e9 / (outside + service)
            rows.append((keys | {"outside": outside}, "throughput", rate))
            if outside < 10_000:
                curve = {"model": "M/M/1//N", "outside": outside, "estimate": 0.9 * rate}
                curves.append(keys | curve | {"low": 0.85 * rate, "high": 0.95 * rate})
        knees.append(keys | {"outside": service})
    metrics = trial_rows(rows)
    medians = estimates(metrics, ["variant", "runtime", "outside"], "ops/s")
    how = {"axis": "outside", "axis_label": "Work outside the lock", "axis_unit": "ns", "fitted": "prediction"}
    how |= {"fits": pd.DataFrame(curves), "knees": pd.DataFrame(knees), "panels": "variant", "cpus": None}
    return lock_figure("queue", metrics=metrics, estimates=medians, published=None, **how)


LADDER = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192)
STEPS = [(17, "next cache"), (49, "next package"), (97, "hardware threads")]


@cache
def ladder(cpus, beyond):
    """Five locks in C, two of them on two JDKs, by threads up to the CPUs and a number beyond them."""
    falls = {"monitor": 12, "reentrant_lock": 2, "pthread_mutex": 5, "spin_ttas": 18, "mcs": 13}
    rows = [
        ({"variant": variant, "runtime": runtime, "threads": n}, "throughput", 5e7 / (1 + (fall - 1) * (1 - 1 / n)))
        for variant, fall in falls.items()
        for runtime in (("jdk17", "jdk25") if variant in ("monitor", "reentrant_lock") else ("c",))
        for n in (*(n for n in LADDER if n <= cpus), beyond)
    ]
    metrics = trial_rows(rows)
    return metrics, estimates(metrics, ["variant", "runtime", "threads"], "ops/s")


def many_cpus(name="many_cpus", cpus=192, steps=STEPS, **changes):
    metrics, medians = ladder(cpus, 2 * cpus)
    given = {"metrics": metrics, "estimates": medians, "cpus": cpus, "steps": steps, "published": None}
    return lock_figure(name, **given | changes)


@cache
def several():
    """Two locks by the work outside them and by threads, with a prediction that leaves the longest work out."""
    rows, curves, knees = [], [], []
    for variant, runtime in (("monitor", "jdk17"), ("monitor", "jdk25"), ("mcs", "c")):
        for threads in (2, 4, 16):
            keys = {"variant": variant, "runtime": runtime, "threads": threads}
            for outside in (50, 300, 10_000):
                rate = min(1e9 * threads / (outside + 60), 1e9 / 60)
                rows.append((keys | {"outside": outside}, "throughput", rate))
                if outside < 10_000:
                    curve = {"model": "M/M/1//N", "outside": outside, "estimate": 0.9 * rate}
                    curves.append(keys | curve | {"low": 0.85 * rate, "high": 0.95 * rate})
            knees.append(keys | {"outside": 60 * (threads - 1)})
    metrics = trial_rows(rows)
    medians = estimates(metrics, ["variant", "runtime", "threads", "outside"], "ops/s")
    return {"metrics": metrics, "estimates": medians, "fits": pd.DataFrame(curves), "knees": pd.DataFrame(knees)}


def several_axes(name="several_axes", **changes):
    how = {"axis": "outside", "axis_label": "Work outside the lock", "axis_unit": "ns", "fitted": "prediction"}
    how |= {"panels": "variant", "cpus": None, "published": None, "others": {"threads": "{} threads"}}
    return lock_figure(name, **several() | how | changes)


@cache
def files():
    """metrics, estimates, published and referee values of sequential IO."""
    speeds = {
        "random_access_file": (4e8, 1.4e9),
        "buffered_stream": (1e8, 2.8e8),
        "file_channel": (4.2e8, 1.5e9),
        "buffered_stream_biased": (1.6e8, 3.6e8),
        "mapped": (7e8, 2.1e9),
        "c_write_read": (5.5e8, 1.4e9),
    }
    rows = [
        ({"variant": v + suffix, "runtime": runtime, "regime": regime}, metric, speed / slower)
        for v, pair in speeds.items()
        for metric, speed in zip(("write_total", "read_total"), pair, strict=True)
        for runtime in (["c"] if v.startswith("c_") else ["jdk17", "jdk25"])
        for suffix, regime, slower in (("", "cached", 1), ("_starved", "starved", 6))
        if not (suffix and v.startswith("buffered"))
    ]
    metrics = trial_rows(rows)
    table = pd.read_csv(paths.published() / "io.csv")
    names = catalogue.experiment("sequential_io").published["io.csv"]
    seen = [
        published.overlay(table[table["threads_or_size"] == "400MB"], names, metric=f"{side}_throughput").assign(
            metric=f"{side}_total", regime="cached"
        )
        for side in ("write", "read")
    ]
    referee = pd.DataFrame(
        [
            ("c_write_read", "cached", "write_total", 5e8, "fio psync"),
            ("c_write_read", "cached", "read_total", 1.27e9, "fio psync"),
        ],
        columns=["variant", "regime", "metric", "value", "source"],
    )
    return metrics, estimates(metrics, ["variant", "runtime", "regime"], "bytes/s"), pd.concat(seen), referee


def io_levels(reverse=False, log=None):
    metrics, medians, seen, referee = (frame[:: -1 if reverse else 1] for frame in files())
    heads = {"write_total": "Write", "read_total": "Read", "cached": "Cached", "starved": "Starved of cache"}
    names = style.variants(catalogue.experiment("sequential_io"))
    both = ["write_total", "read_total"]
    return levels(
        metrics,
        medians,
        name="levels",
        metric=both,
        label="Throughput",
        names=names,
        across="metric",
        down="regime",
        headings=heads,
        published=seen,
        referees=referee,
        log=log,
    )


def few_levels(**how):
    metrics, medians, _, _ = files()
    keep = ["mapped", "c_write_read"]
    return levels(
        metrics[metrics["variant"].isin(keep)],
        medians[medians["variant"].isin(keep)],
        name="few_levels",
        metric="read_total",
        label="Read throughput",
        **how,
    )


@cache
def pairs():
    ratios = pd.DataFrame(
        [
            ("biased / unbiased, 1 thread", "jdk17", 8.2, 7.7, 8.9, 0.95, 10, 0.002),
            ("biased / unbiased, 2 threads", "jdk17", 1.02, 0.93, 1.11, 0.95, 10, 0.3),
            ("ReentrantLock / monitor, 2 threads", "jdk17", 0.55, 0.5, 0.61, 0.95, 10, 0.04),
            ("ReentrantLock / monitor, 2 threads", "jdk25", 0.97, 0.8, 1.15, 0.9375, 5, 0.6),
        ],
        columns=["label", "panel", "estimate", "low", "high", "level", "trials", "p"],
    )
    random = np.random.default_rng(5)
    points = pd.DataFrame(
        [
            (row.label, row.panel, block, row.estimate * np.exp(random.normal(0, 0.1)), block == 3)
            for row in ratios.itertuples()
            for block in range(row.trials)
        ],
        columns=["label", "panel", "block", "value", "noisy"],
    )
    seen = pd.DataFrame(
        {
            "label": ["biased / unbiased, 1 thread"],
            "panel": ["jdk17"],
            "value": [8.46],
            "source": ["Nehalem 2.8 GHz, 2011"],
        }
    )
    return ratios, points, seen


def ratio_figure(reverse=False):
    ratios, points, seen = pairs()
    points = points[:: -1 if reverse else 1]
    return paired_ratios(ratios, name="ratios", label="Ratio of throughputs", points=points, published=seen)


def near_one():
    ratios = pairs()[0].iloc[[1]].drop(columns="panel").assign(low=0.99, high=1.05)
    return paired_ratios(ratios, name="near_one")


@cache
def histograms():
    random = np.random.default_rng(3)
    trials, buckets = [], []
    for variant, median, samples in (
        ("random_access_file", 1200, 20000),
        ("mapped", 600, 20000),
        ("c_write_read", 900, 40000),
    ):
        for runtime in ["c"] if variant.startswith("c_") else ["jdk17", "jdk25"]:
            for block in range(4):
                value = median * np.exp(random.normal(0, 0.2, samples))
                slow = random.random(samples) < 0.002
                value[slow] *= 1 + 10 * random.pareto(1.2, slow.sum())
                value = value.astype(np.int64)
                width = 1 << np.maximum(np.log2(value).astype(int) - 10, 0)
                low, count = np.unique(value // width * width, return_counts=True)
                trial = f"{variant}-{runtime}-b{block}"
                trials.append((trial, variant, runtime, False))
                width = 1 << np.maximum(np.log2(low).astype(int) - 10, 0)
                made = {
                    "trial": trial,
                    "iteration": 0,
                    "series": "write",
                    "low_ns": low,
                    "width_ns": width,
                    "count": count,
                }
                buckets.append(pd.DataFrame(made))
    trials = pd.DataFrame(trials, columns=["trial", "variant", "runtime", "noisy"])
    return pd.concat(buckets).astype({"trial": "category", "series": "category"}), trials


def percentile_figure(reverse=False):
    buckets, trials = histograms()
    return percentile_curve(
        buckets[:: -1 if reverse else 1],
        trials,
        name="percentiles",
        label="Duration of one block",
        names=style.variants(catalogue.experiment("sequential_io")),
    )


@cache
def steps(trials=3, each=10):
    """iterations and events of one receiver per trial: three passes over four classes, a step at every first one."""
    random = np.random.default_rng(7)
    speed = {"inc7": 2.4e9, "dec3": 2.2e9, "inc1": 1.4e8, "dec1": 1.1e8}
    iterations, events = [], []
    for block in range(trials):
        trial, now, number = f"steps-b{block}", 10**12 * (block + 1), 0
        for phase in ("loop0", "loop1", "loop2"):
            for series, first in speed.items():
                for at in range(each):
                    rate = (first if phase == "loop0" else 1.12e8) * np.exp(random.normal(0, 0.03))
                    elapsed = int(5e6 / rate * 1e9)
                    iterations.append((trial, number, phase, series, now, elapsed, 5_000_000, 50))
                    if phase == "loop0" and at == 0:
                        events += (
                            [(trial, now + elapsed // 3, "made_not_entrant", "lab.Dispatch::opRun")]
                            * (series != "inc7")
                            * 2
                        )
                        events += [
                            (trial, now + elapsed // 2, "compile_osr", "lab.Dispatch::opRun"),
                            (trial, now + elapsed // 2, "compile", f"lab.{series}::map"),
                        ]
                    now, number = now + elapsed + 2000, number + 1
    columns = ["trial", "iteration", "phase", "series", "start_ns", "elapsed_ns", "operations", "samples"]
    frame = pd.DataFrame(iterations, columns=columns).astype(
        {"trial": "category", "phase": "category", "series": "category"}
    )
    return frame, pd.DataFrame(events, columns=["trial", "t_ns", "kind", "method"])


def step_figure(name="steps", reverse=False, **changes):
    iterations, events = (frame[:: -1 if reverse else 1] for frame in steps())
    table = pd.read_csv(paths.published() / "dispatch.csv")
    seen = published.sequence(table, catalogue.experiment("dispatch").published["dispatch.csv"])
    found = pd.DataFrame({"first": [0, 10, 20, 30], "last": [9, 19, 29, 119], "level": [2.4e9, 2.2e9, 1.4e8, 1.12e8]})
    given = {
        "unit": "ops/s",
        "label": "Throughput",
        "events": events,
        "levels": found,
        "published": seen,
        "names": ["inc7", "dec3", "inc1", "dec1"],
    }
    return timeline(iterations, name=name, **given | changes)


def fit_figure():
    random = np.random.default_rng(9)
    points, curves, parameters = [], [], []
    for variant, runtime, a, b in (("c_write_read", "c", 700, 0.25), ("file_channel", "jdk17", 1100, 0.27)):
        for size in (512, 4096, 65536, 1048576):
            for k, spread in enumerate(np.exp(random.normal(0, 0.08, 4))):
                points.append((f"{variant}-{k}", variant, runtime, size, (a + b * size) * spread, k == 1))
        sizes = np.geomspace(512, 1048576, 40)
        y = a + b * sizes
        curves.append(
            pd.DataFrame(
                {
                    "variant": variant,
                    "runtime": runtime,
                    "block_size": sizes,
                    "estimate": y,
                    "low": 0.93 * y,
                    "high": 1.08 * y,
                }
            )
        )
        parameters += [
            (variant, runtime, "a", a, 0.9 * a, 1.1 * a, "ns"),
            (variant, runtime, "1/b", 1e9 / b, 0.95e9 / b, 1.06e9 / b, "bytes/s"),
        ]
    points = pd.DataFrame(points, columns=["trial", "variant", "runtime", "block_size", "value", "noisy"])
    columns = ["variant", "runtime", "name", "estimate", "low", "high", "unit"]
    return line_fit(
        points,
        pd.concat(curves),
        pd.DataFrame(parameters, columns=columns),
        name="fit",
        x="block_size",
        unit="ns",
        label="Time per block",
        x_label="Block size",
        names=style.variants(catalogue.experiment("sequential_io")),
    )


def matrix_figure():
    cells = pd.DataFrame(
        [(i, j, 40 + 60 * abs(i - j) ** 0.5) for i in range(8) for j in range(8) if i != j],
        columns=["from", "to", "value"],
    )
    return matrix(
        cells,
        name="matrix",
        row="from",
        column="to",
        unit="ns",
        label="Median hop",
        row_label="From CPU",
        column_label="To CPU",
    )


def many_pairs(name="many_pairs", of_one=False):
    """From every CPU to every other one, or from and to CPU 0 alone: 8 caches in two packages, one pair far off."""
    pairs = [(a, b) for a in range(64) for b in range(64) if a != b and (not of_one or 0 in (a, b))]
    rows = [(a, b, 20 if a // 8 == b // 8 else 50 + (a * b) % 7 if a // 32 == b // 32 else 120) for a, b in pairs]
    cells = pd.DataFrame(rows, columns=["from", "to", "value"])
    cells.loc[50, "value"] = 120 if of_one else 4000
    return matrix(
        cells,
        name=name,
        row="from",
        column="to",
        unit="ns",
        label="One way",
        row_label="From CPU",
        column_label="To CPU",
        groups={
            word: {cpu: cpu // size for cpu in range(64)} for word, size in (("next package", 32), ("next cache", 8))
        },
        from_zero=True,
    )


CASES = {
    "by_runtime": lambda: lock_figure("by_runtime"),
    "by_variant": lambda: lock_figure("by_variant", panels="variant"),
    "fitted": fitted,
    "queue": queue,
    "many_cpus": many_cpus,
    "some_cpus": lambda: many_cpus(
        "some_cpus", 24, [(9, "next cache"), (13, "hardware threads"), (17, "slower cores")]
    ),
    "several_axes": several_axes,
    "levels": io_levels,
    "few_levels": few_levels,
    "ratios": ratio_figure,
    "near_one": near_one,
    "percentiles": percentile_figure,
    "steps": step_figure,
    "steps_time": lambda: step_figure("steps_time", x="time", published=None),
    "fit": fit_figure,
    "matrix": matrix_figure,
    "many_pairs": many_pairs,
    "pairs_of_one": lambda: many_pairs("pairs_of_one", of_one=True),
    "j_curve": j_curve,
    "by_rate": by_rate,
    "agree": agree,
    "parts": parts,
    "forest": changes,
    "shift": shifted,
}

TITLES = {
    "by_runtime": "One shared counter behind a lock",
    "by_variant": "One shared counter behind a lock",
    "fitted": "One shared counter behind a lock",
    "queue": "Throughput with work outside the lock",
    "many_cpus": "One shared counter behind a lock",
    "some_cpus": "One shared counter behind a lock",
    "several_axes": "Throughput with work outside the lock",
    "levels": "Ways to write and read a file in order",
    "ratios": "Which lock is faster, and by how much",
    "percentiles": "Write latency",
    "steps": "A call site slows down",
    "steps_time": "A call site slows down",
    "fit": "Time per block = a + b · size",
    "matrix": "Handing a cache line over",
    "many_pairs": "Handing a cache line over",
    "pairs_of_one": "Handing a cache line over",
    "j_curve": "Latency against load, each queue up to its own capacity",
    "by_rate": "The same against events per second",
    "agree": "What the models say, and what was measured",
    "parts": "Where the time of an event goes",
    "forest": "After against before",
    "shift": "After against before, where in the distribution",
}
# One case of every kind of figure.
KINDS = ("by_runtime", "levels", "ratios", "percentiles", "steps", "fit", "matrix", "j_curve", "agree", "parts")
KINDS += ("forest", "shift")


def case(name: str, **how) -> Figure:
    """A case with its title and origin, as a page shows it; `how` goes to its maker."""
    return CASES[name](**how).titled(TITLES.get(name, ""), "", PROVENANCE)


def draw(figure: Figure, theme: Theme = LIGHT) -> Canvas:
    """The whole figure in a theme, as `Figure.render` makes it."""
    with style.context(theme, figure.name):
        canvas, handles = figure.draw(theme)
        return layout.finish(canvas, theme, title=figure.title, handles=handles, provenance=figure.provenance)
