"""Anomalies of a host by itself: how quiet it was, whether its CPUs were moved, and its owner's settings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.collection.hosts import Host
from pipeline.host import fingerprint, quota
from pipeline.words.numbers import counted, number, quantity

NOISY_PCT = 5.0
MOVED_SHARE = 0.05  # of the time in another state of the CPUs than is meant
CLOCKS = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen", "hyperv_clocksource_msr"}
SLOW_GOVERNORS = {"powersave", "ondemand", "conservative", "schedutil"}


@dataclass(frozen=True, order=True)
class Anomaly:
    """A sentence, and how far from usual what it says is (a logarithm; settings have one of their own)."""

    weight: float
    sentence: str


def of_host(mine: Host, others: Sequence[Host]) -> Iterator[Anomaly]:
    """All anomalies of a host by itself, next to others."""
    yield from _settings(mine, others)
    yield from _noise(mine, others)
    yield from _moved(mine)


def _noise(mine: Host, others: Sequence[Host]) -> Iterator[Anomaly]:
    """How quiet the run was, and how often its CPUs were taken away."""
    if mine.noisy_pct > NOISY_PCT:
        peers_ = f", {number(np.median([host.noisy_pct for host in others]))} % elsewhere" if others else ""
        yield Anomaly(
            math.log(mine.noisy_pct),
            f"{number(mine.noisy_pct)} % of the trials are noisy{peers_}; stop other work, or let the run wait for a "
            f"quiet host (--wait).",
        )
    for name, words in (("hiccup_p99_ns", "the pauses that 1 % exceed"), ("hiccup_worst_ns", "the longest pause")):
        own = mine.told["noise"].get(name)
        theirs = [value for host in others if (value := host.told["noise"].get(name))]
        if own and theirs and own > 2 * np.median(theirs):
            middle = float(np.median(theirs))
            yield Anomaly(
                math.log(own / middle) / 2,
                f"Hiccups: {words} of a thread that only reads the clock last {quantity(own, 'ns')}, "
                f"{quantity(middle, 'ns')} elsewhere ({counted(len(theirs), 'host')}); look for interrupts, timers and "
                f"a hypervisor that takes the CPU away.",
            )


def _moved(mine: Host) -> Iterator[Anomaly]:
    """What the workers read of where their CPUs were, where that changed during the run."""
    what = {
        "way": "two of the CPUs were farther apart than otherwise, or on one core",
        "core": "somebody else worked on a core of ours",
    }
    for name, share in mine.moved.items():
        if share >= MOVED_SHARE:
            yield Anomaly(
                2 * share,
                f"For {number(100 * share)} % of the time {what[name]}, and numbers are of the rest: a hypervisor "
                "moves these CPUs; cores of one's own, or a guest whose CPUs are pinned, take fewer minutes.",
            )


def _settings(mine: Host, others: Sequence[Host]) -> Iterator[Anomaly]:
    """Settings of the owner's that are known to move numbers; what cannot be seen is not guessed."""
    host, cpu = mine.told["host"], mine.told["host"]["cpu"]
    if host["clocksource"] in CLOCKS:
        yield Anomaly(
            3.0,
            f"The clock source is {host['clocksource']}, which is read in the kernel; {_share(others, 'clocksource')} "
            "tsc or its like: try clocksource=tsc on the kernel's command line.",
        )
    if (granted := quota.of(host.get("cpu_limit", ""))) is not None and granted < cpu["cpus"] + 1:
        limit = f"A control group limits this to the time of {quota.words(granted)}"
        if granted < cpu["cpus"]:
            yield Anomaly(2.5, f"{limit}: raise it, or every thread waits for it.")
        else:
            yield Anomaly(0.9, f"{limit}, so no more threads ran at a time: raise it if the machine has more CPUs.")
    if cpu["governor"] in SLOW_GOVERNORS:
        yield Anomaly(
            1.0,
            f"The frequency governor is {cpu['governor']}, which lets the clock fall between trials: try performance.",
        )
    pages = host["transparent_huge_pages"]
    if "[never]" in pages:
        yield Anomaly(0.8, "Huge pages are never used: try madvise, which large heaps and buffers ask for.")
    if host.get("numa_balancing") not in ("0", fingerprint.UNKNOWN, None) and cpu["numa_nodes"] not in ("1", "?"):
        yield Anomaly(0.7, "The kernel moves memory between NUMA nodes by itself: try numa_balancing=disable.")
    own = _mitigations(mine)
    theirs = [len(_mitigations(one)) for one in others]
    if theirs and len(own) > np.median(theirs) + 1:
        yield Anomaly(
            0.6,
            f"{len(own)} mitigations of faults of the CPU are on, {number(np.median(theirs))} elsewhere: they are paid "
            f"for at every entry into the kernel ({', '.join(own[:4])}); on a machine that is yours alone, compare "
            "with mitigations=off.",
        )


def _mitigations(host: Host) -> list[str]:
    return [
        name
        for name, words in host.told["host"]["cpu"].get("mitigations", {}).items()
        if words.startswith("Mitigation")
    ]


def _share(others: Sequence[Host], fact: str) -> str:
    usual = [host for host in others if host.told["host"][fact] not in CLOCKS]
    return f"{len(usual)} of {counted(len(others), 'host')} have"
