"""Whether `lab versus` keeps its promise on this host: programs with nothing changed, and with a planted change.

Each study is a whole invocation with a program of 20 ms, and right before or after it the way most people compare: as
many executions as hyperfine makes by itself of one and then of the other, and Welch's test. Beside nobody, beside a
hog that comes and goes, and beside one that comes for the second half. Each study is kept when it ends
(build/bench/versus-studies.jsonl): the same command goes on with those that are left.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.stats import ttest_ind

from pipeline.bench.interleave import Missing, Result, Step, process
from pipeline.bundle.bundle import Bundle
from pipeline.compare import randomised_blocks
from pipeline.ground import paths
from pipeline.host import cpus
from pipeline.measure import processes
from pipeline.own.entry import NAME
from pipeline.versus import plan, setup, versus
from pipeline.versus.arguments import Arguments

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
LOOPS = 6_000_000  # 15 to 20 ms
METRICS = ("time", "cpu")
BLOCKS, BLOCKS_S = 22, 6.0
WELCH, IN_TURN, IN_TURN_S = 0.05, 12, 0.6
HOG_S = (0.1, 10.0)  # for so long it comes, and goes: from a fiftieth of an invocation to two


@dataclass(frozen=True)
class Case:
    """Studies of one kind: beside which hog, with which share of more work, judged by which margin (per cent), how many
    of them, and how long each is at most: BLOCKS give an early look and one at the end."""

    hog: str = ""
    more: float = 0.0
    margin: float = 5.0
    studies: int = 200
    blocks: int = BLOCKS
    minutes: float = 5.0


CASES = {
    "quiet": Case(),
    "hog": Case("comes and goes"),
    "late_hog": Case("second half"),
    "planted_5": Case("", 0.05, 2.0, 50, plan.MOST),
    "planted_2": Case("", 0.02, 1.0, 50, plan.MOST, 15.0),
}


def run(
    result: Result,
    work: Path,
    step: Step,
    cases: Sequence[str] = (),
    sizes: dict[str, Case] | None = None,
    kept: Path | None = None,
) -> None:
    """Run what is left of the studies of some cases, all without any; fills `result`. Missing without a C compiler."""
    known = sizes or CASES
    chosen = {name: known[name] for name in cases or known}
    kept = kept or paths.build() / "bench" / "versus-studies.jsonl"
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    result.raw += [one for one in map(json.loads, lines) if one["case"] in chosen]
    built(work)
    done = {(one["case"], one["number"]) for one in result.raw}
    every = [(name, number) for name, case in chosen.items() for number in range(case.studies)]
    random.Random(1).shuffle(every)  # so that the host's states meet all cases
    with mock.patch.dict(os.environ, {"LAB_RUNS": str(work / "runs"), "LAB_BUILD": str(work / "build")}):
        try:
            for at, (name, number) in enumerate(every):
                step(f"versus, {name}", at, len(every))
                if (name, number) not in done:
                    result.raw.append({"case": name, "number": number, **study(work, number, chosen[name])})
                    with kept.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(result.raw[-1], allow_nan=False) + "\n")
        finally:
            result.left_out += [told(name, case, result.raw) for name, case in chosen.items()]


def built(work: Path) -> None:
    """Build the program, `loop`; Missing without a C compiler."""
    work.mkdir(parents=True, exist_ok=True)
    (work / "loop.c").write_text(SOURCE)
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler or subprocess.run([compiler, "-O2", "-o", work / "loop", work / "loop.c"], check=False).returncode:
        raise Missing("no C compiler")


def study(work: Path, number: int, case: Case) -> dict[str, object]:
    """One invocation, and executions of one side and then of the other, in an order that is drawn; what both say."""
    loops = {"old": LOOPS, "new": round(LOOPS * (1 + case.more))}
    commands = {name: ["./loop", str(count), "{out}"] for name, count in loops.items()}
    asked = Arguments(commands, str(work), {}, metrics=METRICS, margin=case.margin)
    load = os.getloadavg()[0]
    busy = max(load / os.cpu_count(), 1)  # times as long as on a quiet host, about
    found: dict[str, object] = {"load": load}
    for way in random.Random(number).sample(("versus", "in_turn"), 2):
        with hogging(case.hog, BLOCKS_S * busy if way == "versus" else IN_TURN_S * busy, number):
            found[way] = invocation(asked, case) if way == "versus" else in_turn(asked, work)
    return found


def invocation(asked: Arguments, case: Case) -> dict[str, object]:
    """What `lab versus` measures and says of each metric."""
    judged: list[versus.Comparison] = []
    shutil.rmtree(paths.bundle("study"), ignore_errors=True)  # of one that was cut: its minutes are lost
    length, began = versus.Length(case.minutes), time.monotonic()
    with mock.patch.object(plan, "MOST", case.blocks):
        versus.measure(asked, "study", length, {}, judged.extend, say=lambda _: None, hold=lambda _: nullcontext())
    spent = time.monotonic() - began
    bundle = Bundle.open("study")
    looks = [line["blocks"] for line in bundle.journal() if line.get("event") == "look"]
    (found,) = judged[-1:]
    rows = found.table.set_index("metric")
    said = {metric: _finite(rows.loc[metric, ["verdict", "ratio", "low", "high"]].to_dict()) for metric in rows.index}
    for row in found.table.to_dict("records"):
        (before,), (after,) = (side[:1] for side in (found.configuration(row).before, found.configuration(row).after))
        pairs = randomised_blocks.paired(before, after)
        said[row["metric"]]["pairs_ms"] = [pairs[side].div(1e6).round(4).to_list() for side in ("before", "after")]
    shutil.rmtree(bundle.folder)
    return {"looks": looks, "seconds": round(spent, 2), "astray": found.astray, "said": said}


def in_turn(asked: Arguments, work: Path) -> dict[str, object]:
    """IN_TURN executions of one, then of the other, by hyperfine where it is installed: the ratio of the mean times and
    Welch's p."""
    by = shutil.which("hyperfine")
    if by:
        every = [f"{work}/{' '.join(one)}".replace("{out}", f"{work}/written") for one in asked.commands.values()]
        process([by, "-N", "-w", "1", "-r", str(IN_TURN), "--export-json", str(work / "times.json"), *every])
        old, new = (one["times"] for one in json.loads((work / "times.json").read_text())["results"])
    else:
        plan.write(asked, work / plan.COMMANDS)
        old, new = (_executed(asked, work, side) for side in asked.commands)
    p = float(ttest_ind(old, new, equal_var=False).pvalue)
    return {"by": "hyperfine" if by else "", "ratio": float(np.mean(new) / np.mean(old)), "p": p}


def _executed(asked: Arguments, work: Path, side: str) -> list[float]:
    """The times of IN_TURN executions of a side in one go."""
    parameters = {"commands": str(work / plan.COMMANDS), "side": side, "executions": IN_TURN}
    one = plan.configuration(asked, NAME, side, {}, parameters)
    return setup.executed(one, work / "turn.hlog")["iterations"]["elapsed_ns"]


def _finite(row: dict[str, object]) -> dict[str, object]:
    return {name: one if isinstance(one, str) or np.isfinite(one) else None for name, one in row.items()}


def told(name: str, case: Case, raw: Sequence[dict]) -> str:
    """What the studies of a case came to, in a line."""
    mine = [one for one in raw if one["case"] == name]
    if not mine:
        return f"{name}: no study yet"
    verdicts = [{row["verdict"] for row in one["versus"]["said"].values()} for one in mine]
    changed, wrong = (sum(bool(one & words) for one in verdicts) for words in ({"slower", "faster"}, {"faster"}))
    astray = sum(bool(one["versus"]["astray"]) for one in mine)
    looks = [one["versus"]["looks"] for one in mine]
    turn = sum(one["in_turn"]["p"] < WELCH for one in mine)
    blocks = np.median([one[-1] for one in looks])
    spent, load = np.median([one["versus"]["seconds"] for one in mine]), np.median([one["load"] for one in mine])
    by = ", ".join(sorted({one["in_turn"]["by"] or "our own order" for one in mine}))
    return (
        f"{name} (hog: {case.hog or 'none'}; {round(100 * case.more)} % more work; margin {case.margin:g} %): "
        f"{changed} of {len(mine)} said changed ({wrong} faster), {astray} that the program differs from itself; "
        f"{blocks:g} blocks in {spent:g} s, {sum(map(len, looks)) / len(looks):.1f} looks, load {load:.1f}; "
        f"one after the other ({by}), Welch's test: {turn}"
    )


@contextmanager
def hogging(kind: str, seconds: float, seed: int) -> Iterator[None]:
    """A process that uses a CPU while something runs, for some seconds: not at all, now and then, or in their second
    half."""
    if not kind:
        yield
        return
    chance = random.Random(seed)
    spans = [seconds / 2, 1e6]
    if kind == "comes and goes":
        least, most = HOG_S
        spans = [round(least * (most / least) ** chance.random(), 2) for _ in range(200)]
        spans[:1] = [0.0] * chance.randrange(2) + [spans[0] * chance.random()]  # it may be there already
    code = f"import os, time\nos.sched_setaffinity(0, {{{chance.choice(cpus.usable())}}})\n"
    code += f"for at, span in enumerate({spans}):\n    end = time.monotonic() + span\n"
    code += "    while time.monotonic() < end:\n        sum(range(10_000)) if at % 2 else time.sleep(min(0.05, span))\n"
    hog = subprocess.Popen([*processes.dying_with_us(), sys.executable, "-c", code])
    try:
        yield
    finally:
        hog.kill()
        hog.wait()
