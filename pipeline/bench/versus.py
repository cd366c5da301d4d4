"""Whether `lab versus` keeps its promise on this host: programs with nothing changed, and with a planted change.

Each study is a whole invocation with a program of a few ten milliseconds, and right after it the way most people
compare: the same number of executions of one and then of the other, by Welch's test. Beside nobody, beside a hog that
comes and goes, and beside one that comes for the second half.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.stats import ttest_ind

from pipeline.bench.interleave import Missing, Result
from pipeline.bundle.bundle import Bundle
from pipeline.host import cpus
from pipeline.own.entry import NAME
from pipeline.versus import begin, plan, versus
from pipeline.versus.asked import Asked

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
static uint32_t memory[1 << 20];
int main(int count, char **words) {
    uint64_t x = 1;
    for (long i = 0, n = atol(words[1]); i < n; i++) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        memory[x >> 44] += (uint32_t) x;
    }
    FILE *out = fopen(words[2], "w");
    return !out || fprintf(out, "time,latency_us\\n0.0,%u\\n", 1 + memory[5] % 9) < 0 || fclose(out) != 0;
}
"""
LOOPS = 6_000_000  # 20 to 40 ms
STUDIES = {("none", 0.0): 200, ("comes and goes", 0.0): 200, ("second half", 0.0): 200, ("none", 0.05): 50}
MARGIN = {0.0: 5.0, 0.01: 0.5, 0.02: 1.0, 0.05: 2.0, 0.1: 5.0}  # by the change that is planted
METRICS = ("time", "cpu")
WELCH = 0.05


def run(
    result: Result,
    work: Path,
    step: Callable[[str, int, int], None],
    studies: dict[tuple[str, float], int] | None = None,
    minutes: float = 0.3,
    seed: int = 1,
) -> None:
    """Run the studies: (hog, share of more work) -> how many; fills `result`. Missing without a C compiler."""
    work.mkdir(parents=True, exist_ok=True)
    (work / "loop.c").write_text(SOURCE)
    built = subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", work / "loop", work / "loop.c"], check=False)
    if built.returncode:
        raise Missing("no C compiler")
    chosen = studies or STUDIES
    every = [one for one, count in chosen.items() for _ in range(count)]
    random.Random(seed).shuffle(every)  # so that the host's states meet all conditions
    with mock.patch.dict(os.environ, {"LAB_RUNS": str(work / "runs"), "LAB_BUILD": str(work / "build")}):
        for number, (hog, more) in enumerate(every):
            step("programs", number, len(every))
            with hogging(hog, 60 * minutes, seed + number):
                result.raw.append({"hog": hog, "more": more, **study(work, number, more, minutes)})
    for condition in chosen:
        result.left_out.append(told(condition, result.raw))


def study(work: Path, number: int, more: float, minutes: float) -> dict[str, object]:
    """One invocation, and the same executions one side after the other; what both say of each metric."""
    loops = {"old": LOOPS, "new": round(LOOPS * (1 + more))}
    asked = Asked(
        {name: ["./loop", str(count), "{out}"] for name, count in loops.items()},
        str(work),
        {},
        metrics=METRICS,
        margin=MARGIN[more],
    )
    name, began = f"study-{number}", time.monotonic()
    versus.measure(asked, name, versus.Length(minutes), {}, say=lambda _: None, hold=lambda _: nullcontext())
    spent = time.monotonic() - began
    bundle = Bundle.open(name)
    (found,) = versus.compared(name, bundle.info["own"])
    rows = found.table.set_index("metric")
    blocks = int(rows["trials_before"].max())
    said = {metric: rows.loc[metric, ["verdict", "ratio", "low", "high"]].to_dict() for metric in rows.index}
    said = {
        metric: {k: v if isinstance(v, str) or np.isfinite(v) else None for k, v in row.items()}
        for metric, row in said.items()
    }
    return {
        "blocks": blocks,
        "seconds": round(spent, 2),
        "astray": found.astray,
        "said": said,
        "in_turn": in_turn(asked, work, min(blocks, 12)),
    }


def in_turn(asked: Asked, work: Path, count: int) -> dict[str, list[float]]:
    """[ratio of means, Welch's p] of each metric: `count` executions of one, then of the other."""
    plan.write(asked, work / plan.COMMANDS)
    seen: dict[str, dict[str, list[float]]] = {}
    for side in asked.commands:
        parameters = {"commands": str(work / plan.COMMANDS), "side": side, "executions": count}
        one = plan.configuration(asked, NAME, side, {}, parameters)
        told_ = begin.executed(one, work / "turn.hlog")["measures"]
        for name, value in zip(told_["name"], told_["value"], strict=True):
            seen.setdefault(name, {}).setdefault(side, []).append(float(value))
    found = {}
    for metric, name in zip(METRICS, ("time_ns", "cpu_ns"), strict=True):
        old, new = (np.array(seen[name][side]) for side in asked.commands)
        found[metric] = [float(new.mean() / old.mean()), float(ttest_ind(old, new, equal_var=False).pvalue)]
    return found


def told(condition: tuple[str, float], raw: list[dict]) -> str:
    """What the studies of a condition came to, in a line."""
    hog, more = condition
    mine = [one for one in raw if (one["hog"], one["more"]) == condition]
    changed = sum(any(row["verdict"] in ("slower", "faster") for row in one["said"].values()) for one in mine)
    wrong = sum(any(row["verdict"] == "faster" for row in one["said"].values()) for one in mine)
    turn = sum(any(p < WELCH for _, p in one["in_turn"].values()) for one in mine)
    blocks = float(np.median([one["blocks"] for one in mine]))
    return (
        f"hog: {hog}, {round(100 * more)} % more work: {changed} of {len(mine)} said changed ({wrong} faster), "
        f"{round(blocks)} blocks; one after the other, by Welch's test: {turn}"
    )


@contextmanager
def hogging(kind: str, seconds: float, seed: int) -> Iterator[None]:
    """A process that uses a CPU while the studies run: not at all, now and then, or in the second half."""
    if kind == "none":
        yield
        return
    chance = random.Random(seed)
    spans = f"[{seconds / 2}, 1e6]"
    if kind == "comes and goes":
        spans = str([round(0.2 * 150 ** chance.random(), 2) for _ in range(200)])  # 0.2 to 30 s
    one = f"import os\nos.sched_setaffinity(0, {{{chance.choice(cpus.usable())}}})\n"
    code = f"{one}import time\nspans = {spans}\nfor at, span in enumerate(spans):\n    end = time.monotonic() + span\n"
    code += "    while time.monotonic() < end:\n        sum(range(10_000)) if at % 2 else time.sleep(min(0.05, span))\n"
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        yield
    finally:
        process.kill()
        process.wait()
