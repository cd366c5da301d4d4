"""Our kernels against independent referees, and the laboratory against itself.

One module per referee; each fills a Result, which becomes build/bench/<part>.json:

    {"part", "host": one sentence, "date", "comparisons": [{"name", "ours", "referee", "unit", "ours_range",
     "referee_range" (least and greatest of the rounds), "ratio", "low", "high" (of the median over rounds; null with
     fewer than 3), "rounds", "limits": [low, high], "verdict": "within" | "outside" | "undecided", "note"}],
     "left_out": [lines], "complete", "raw": [...]}
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from pipeline.bench import aa, fio, jmh, noise, recording, scale, state, versus
from pipeline.bench.interleave import Missing, Result
from pipeline.bundle import lock
from pipeline.ground import durable, paths
from pipeline.ground.errors import INTERRUPTED, LabError
from pipeline.host import fingerprint
from pipeline.measure.progress import LOG_EVERY_S, clock
from pipeline.words import numbers

PARTS = {
    "jmh": jmh.run,
    "fio": fio.run,
    "recording": recording.run,
    "aa": aa.run,
    "noise": noise.run,
    "scale": scale.run,
    "versus": versus.run,
    "state": state.run,
}
# Only where they are named: each takes long.
ASKED = {"state", "versus"}
CASES = {"versus": versus.CASES}
COLOURS = {"within": "green", "outside": "red", "undecided": "yellow"}


def run(parts: Sequence[str] = (), sizes: dict[str, dict] | None = None) -> dict[str, Path]:
    """Run the parts (all but ASKED when none is named) in turn, alone on the machine; returns the files written.

    A part of CASES may be narrowed: `versus:quiet`. `sizes` holds further arguments of a part's run(), by part. Raises
    LabError: unknown part or case, another process is measuring, one of our trials or a referee's process failed,
    interrupt (status 130; what was measured is written).
    """
    cases: dict[str, list[str]] = {}
    for part, _, case in (one.partition(":") for one in parts or [part for part in PARTS if part not in ASKED]):
        if part not in PARTS:
            raise LabError(f"--only: unknown part {part!r}; use: {', '.join(PARTS)}")
        if case and case not in CASES.get(part, ()):
            raise LabError(f"--only: {part} has no {case!r}; it has: {', '.join(CASES.get(part, ())) or 'no cases'}")
        cases.setdefault(part, []).extend([case] if case else ())
    console = Console(width=None if sys.stdout.isatty() else 150)
    folder = paths.build() / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    written = {}
    with lock.alone("bench"):
        for part, some in cases.items():
            given = (sizes or {}).get(part, {}) | ({"cases": some} if some else {})
            path = _run_part(part, folder, given, console)
            if path is not None:
                written[part] = path
    return written


def _run_part(part: str, folder: Path, sizes: dict, console: Console) -> Path | None:
    result = Result(part)
    file = folder / f"{part}.json"
    work = folder / f"trials-{part}"
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    complete = False
    try:
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task(part, total=None)

            started = told = time.monotonic()

            def step(what: str, done: int, total: int) -> None:
                nonlocal told
                now = time.monotonic()
                bar.update(task, description=f"{part}: {what}", completed=done, total=total)
                if not console.is_terminal and now - told >= LOG_EVERY_S:
                    told = now
                    line = f"{part}: {what}, {done} of {total} done, {clock(now - started)} elapsed"
                    console.print(line, soft_wrap=True, highlight=False)

            PARTS[part](result, work, step, **sizes)
        complete = True
    except Missing as missing:
        console.print(f"{part}: skipped: {missing}", soft_wrap=True, highlight=False)
        return None
    except KeyboardInterrupt:
        raise LabError(f"interrupted; what was measured of {part} is in {file.name}", INTERRUPTED) from None
    finally:
        if result.raw or result.left_out:
            _write(result, file, complete)
            _print(result, console)
        shutil.rmtree(work, ignore_errors=True)
    return file


def _write(result: Result, file: Path, complete: bool) -> None:
    content = {
        "part": result.part,
        "host": fingerprint.sentence(fingerprint.take(paths.io())),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "comparisons": result.comparisons,
        "left_out": result.left_out,
        "complete": complete,
        **result.extra,
        "raw": result.raw,
    }
    durable.write(file, json.dumps(content, indent=1, allow_nan=False) + "\n")


def _print(result: Result, console: Console) -> None:
    table = Table(title=result.part, title_justify="left", box=None, pad_edge=False)
    for name in ("comparison", "ours", "referee", "ratio", "95 %", "rounds", "limits", "verdict"):
        table.add_column(name, justify="left" if name in ("comparison", "verdict") else "right")
    for c in result.comparisons:
        power = numbers.scale([c["ours"], c["referee"]], c["unit"])
        bounds = "too few rounds" if c["low"] is None else f"{c['low']:.3f}..{c['high']:.3f}"
        table.add_row(
            c["name"],
            numbers.quantity(c["ours"], c["unit"], power),
            numbers.quantity(c["referee"], c["unit"], power),
            f"{c['ratio']:.3f}",
            bounds,
            str(c["rounds"]),
            "..".join(f"{limit:g}" for limit in c["limits"]),
            f"[{COLOURS[c['verdict']]}]{c['verdict']}[/]",
        )
    if result.comparisons:
        console.print(table)
    for line in [*dict.fromkeys(c["note"] for c in result.comparisons if c["note"]), *result.left_out]:
        console.print(f"  {line}", soft_wrap=True, highlight=False)
