"""`lab fit contention`: a lock's throughput by threads, predicted from its times, and what would move it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands import options
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted, interval, number, quantity, scale

if TYPE_CHECKING:
    import pandas as pd

    from pipeline.models.contention import Curve
    from pipeline.models.fit import Estimate
    from pipeline.session.session import Session

app = typer.Typer()
USUAL_THREADS = 16
ENDS = {"": "estimate", "_low": "low", "_high": "high"}


@app.command("contention")
def contention(
    run: options.RunName = "quick",
    variant: Annotated[str, typer.Option("--variant", help="of the run: a lock measured with work outside it")] = "",
    runtime: Annotated[str, typer.Option("--runtime", help="of the variant; default: the newest")] = "",
    section: Annotated[
        float | None,
        typer.Option("--section", min=0, help="ns of acquire, what the lock guards, and release, of a free lock"),
    ] = None,
    handover: Annotated[
        float | None,
        typer.Option("--handover", min=0, help="ns that it takes more to pass the lock on to a thread that waits"),
    ] = None,
    outside: Annotated[
        float | None, typer.Option("--outside", min=0, help="mean ns of work between operations")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="the most; default: CPUs of the run's host, or 16")
    ] = None,
    locks: Annotated[int, typer.Option("--locks", min=2, help="how many take the place of the one")] = 2,
    csv: Annotated[Path | None, typer.Option("--csv", help="file to write the table to, with all intervals")] = None,
    as_json: options.Json = False,
) -> None:
    """Predict a lock's throughput by threads, and what half the section, several locks or more work outside would do.

    With --variant the times are those that the run measured, and a time given
    takes the place of one of them; otherwise --section and --outside are
    needed. The model is a closed queue of threads in front of one server, with
    exponential times (M/M/1//N); no time is fitted to the throughput.
    """
    from pipeline.models.contention import what_ifs
    from pipeline.models.fit import Estimate

    given = {"section": section, "hand-over": handover, "outside": outside}
    if not variant and (section is None or outside is None):
        raise LabError("give --variant (and --run) for times that a run measured, or --section and --outside in ns")
    times = {name: Estimate(value or 0.0) for name, value in given.items()}
    where = {name: "none given" if value is None else "given" for name, value in given.items()}
    came, most = {}, threads or USUAL_THREADS
    if variant:
        from pipeline.session import contention as measuring

        lab = _lab(run, variant)
        on = _runtime(measuring.locks(lab)[variant], variant, runtime)
        found = measuring.measured(lab, variant, on, outside)
        replaced = {name: value for name, value in given.items() if value is not None and name != "outside"}
        times = found.times | {name: times[name] for name in replaced}
        where, came = found.where | dict.fromkeys(replaced, "given"), found.throughput
        most = threads or lab.cpus or USUAL_THREADS
    counts = _counts(most, came)
    curves = what_ifs(counts, times["outside"], times["section"], times["hand-over"], locks)
    table = _table(curves, came)
    if csv:
        table.to_csv(csv, index=False)
    if as_json:
        print(table.to_json(orient="records"))
        return
    for name, one in times.items():
        said = interval(one.estimate, one.low, one.high, "ns")
        options.console.print(f"{name:10} {said:24} {where[name]}", highlight=False, soft_wrap=True)
    for line in [*_lines(curves, came), *_sentences(curves, came)]:
        options.console.print(line, highlight=False, soft_wrap=True)


def _lab(run: str, variant: str) -> Session:
    """The experiment of a run that has the variant with work outside; LabError names those there are."""
    from pipeline.bundle import entries
    from pipeline.session import contention as measuring
    from pipeline.session.session import Session

    there: list[str] = []
    for name in options.held_of(run, ""):
        if measuring.holds(entries.experiment(name, run)):
            lab = Session(name, run, options.profile_of(run), measuring=False)
            there += measuring.locks(lab)
            if variant in there:
                return lab
    known = ", ".join(there) or "none: give --section and --outside"
    raise LabError(f"--variant {variant}: run {run!r} has no such lock with work outside; there are: {known}")


def _runtime(known: Sequence[str], variant: str, asked: str) -> str:
    if asked and asked not in known:
        raise LabError(f"--runtime {asked}: {variant} was not measured on it; there are: {', '.join(known)}")
    return asked or known[-1]


def _counts(most: int, came: Mapping[int, Estimate]) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, ... up to the most, with the most itself and those that were measured."""
    from pipeline.catalogue import thread_counts

    return sorted({*thread_counts.steps(most), most, *(count for count in came if count <= most)})


def _table(curves: Mapping[str, Curve], came: Mapping[int, Estimate]) -> pd.DataFrame:
    """A row per curve and number of threads, what was measured in those of the first; rates in ops/s, the knee in
    threads."""
    import pandas as pd

    from pipeline.models.fit import Estimate

    rows, nothing = [], Estimate(math.nan)
    for at, (name, curve) in enumerate(curves.items()):
        here = came if at == 0 else {}
        for count, one, bound in zip(curve.threads.tolist(), curve.throughput, curve.bound, strict=True):
            told = {"throughput": one, "knee": curve.knee, "limit": curve.limit, "measured": here.get(count, nothing)}
            flat = {key + end: getattr(each, part) for key, each in told.items() for end, part in ENDS.items()}
            rows.append({"what_if": name, "threads": count, "bound": bound, **flat, "beyond": _beyond(count, came)})
    return pd.DataFrame(rows)


def _beyond(count: int, came: Mapping[int, Estimate]) -> bool:
    """Whether fewer threads than that were measured, or none."""
    return count > max(came, default=0)


def _lines(curves: Mapping[str, Curve], came: Mapping[int, Estimate]) -> Iterator[str]:
    """The table in columns, all rates in one prefix: as it is with its band, then estimates of what is changed."""
    base, *others = curves.values()
    power = scale((one.estimate for curve in curves.values() for one in (*curve.throughput, curve.limit)), "ops/s")

    def banded(one: Estimate) -> str:
        return interval(one.estimate, one.low, one.high, power=power)

    rows = [["threads", "ops/s", "bound", *list(curves)[1:], "measured"]]
    for at, (count, bound) in enumerate(zip(base.threads.tolist(), base.bound, strict=True)):
        changed = [quantity(one.throughput[at].estimate, "1", power) for one in others]
        what_came = banded(came[count]) if count in came else ""
        rows.append([str(count), banded(base.throughput[at]), quantity(bound, "1", power), *changed, what_came])
    limits = [quantity(one.limit.estimate, "1", power) for one in others]
    rows.append(["limit", banded(base.limit), "", *limits, ""])
    knee = interval(base.knee.estimate, base.knee.low, base.knee.high)
    rows.append(["knee", knee, "", *(number(one.knee.estimate) for one in others), ""])
    if not came:
        rows = [row[:-1] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _sentences(curves: Mapping[str, Curve], came: Mapping[int, Estimate]) -> Iterator[str]:
    """What is a prediction and from what, how it did where throughput was measured, and what it takes for granted."""
    from pipeline.models.contention import TAKEN_FOR_GRANTED
    from pipeline.session import contention as measuring

    base = next(iter(curves.values()))
    beyond = [count for count in base.threads.tolist() if _beyond(count, came)]
    if not came:
        yield "Every row is a prediction from the times above; no throughput was measured with them."
    elif beyond:
        first = counted(beyond[0], "thread")
        yield f"Rows from {first} on are predictions beyond what was measured, from the times above."
    else:
        yield "No row lies beyond what was measured; the predictions come from the times above."
    if told := measuring.compared(base, came):
        yield told
    yield TAKEN_FOR_GRANTED
