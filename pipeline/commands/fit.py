"""`lab fit`: models for other people's numbers, of a CSV file or typed in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import Json, console
from pipeline.ground import paths
from pipeline.words.numbers import interval, number

if TYPE_CHECKING:
    from pipeline.draw.figure import Figure
    from pipeline.own.fits import Fits

app = typer.Typer(help="Fit models to any CSV file or imported run, or ask them what they say of a queue.")

Errors = Annotated[
    str,
    typer.Option("--errors", help="absolute (as R's usl) or relative; default: absolute of a file, relative of a run"),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="of the bootstrap")]


def _tell(result: dict, as_json: bool) -> None:
    """A fit as JSON, or the sentence with the parameters and, of several models, the criterion that chose."""
    if as_json:
        print(json.dumps(result))
        return
    console.print(f"model {result['model']}: {result['sentence']}", soft_wrap=True)
    for name, value in result["parameters"].items():
        numbers = (math.nan if one is None else one for one in value.values())
        console.print(f"  {name:8} {interval(*numbers)}", highlight=False)
    if "aicc" in result:
        scores = ", ".join(f"{name} {number(score)}" for name, score in result["aicc"].items())
        console.print(f"  AICc     {scores}", highlight=False)


def _tell_each(found: Fits, as_json: bool, draw: Callable[[Fits], Figure | str] | None = None) -> None:
    """The fits of a run, each below what it is of, and where their figure is."""
    drawn = draw(found) if draw else ""
    if as_json:
        print(json.dumps({part.name: part.fit.to_dict() for part in found.parts}))
        return
    for part in found.parts:
        console.print(part.name, highlight=False, soft_wrap=True)
        _tell(part.fit.to_dict(), False)
    if drawn:
        told = drawn if isinstance(drawn, str) else paths.figures(found.lab.run) / f"{drawn.name}.svg"
        console.print(f"figure {told}", highlight=False, soft_wrap=True)


@app.command("scaling")
def scaling(
    file: Annotated[Path, typer.Argument(help="CSV with columns threads,throughput and, if any, block; or a run")],
    model: Annotated[str, typer.Option("--model", help="auto, linear, amdahl or usl")] = "auto",
    errors: Errors = "",
    x: Annotated[str, typer.Option("--x", help="of a run: the axis; default: threads, numjobs, ...")] = "",
    y: Annotated[str, typer.Option("--y", help="of a run: the metric; default: throughput, rate or iops")] = "",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Fit scaling laws (linear, Amdahl, universal scalability law) to throughput by threads."""
    from pipeline.models.scaling import fit_scaling_csv
    from pipeline.own import fit_figures, fits

    if not file.exists() and fits.is_run(str(file)):
        found = fits.scaling(str(file), x, y, model, errors or "relative", seed)
        _tell_each(found, as_json, fit_figures.scaling_figure)
        return
    _tell(fit_scaling_csv(file, model, seed, errors or "absolute"), as_json)


@app.command("little")
def little(
    run: Annotated[str, typer.Argument(help="an imported run")],
    in_system: Annotated[
        str, typer.Option("--in-system", help="the axis that says how many are inside, or a product: iodepth*numjobs")
    ] = "",
    rate: Annotated[str, typer.Option("--rate", help="the metric; default: throughput, rate or iops")] = "",
    time: Annotated[
        str, typer.Option("--time", help="the metric: mean time in the system; default: the tool's mean")
    ] = "",
    as_json: Json = False,
) -> None:
    """Check Little's law: how many are inside is rate times mean time."""
    from pipeline.own import fits

    _tell_each(fits.little(run, in_system, rate, time), as_json)


@app.command("jcurve")
def jcurve(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV with columns load (percent of capacity), latency and, if any, trial and block; or a run"
        ),
    ],
    x: Annotated[str, typer.Option("--x", help="of a run: the axis or metric of the load")] = "",
    y: Annotated[str, typer.Option("--y", help="of a run: the metric of the latency")] = "p99",
    capacity: Annotated[
        float | None, typer.Option("--capacity", min=0, help="of a run: the greatest load there is, in the unit of --x")
    ] = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Fit latency = L0 + q rho / (1 - rho) to latency by load, rho = load / 100.

    L0 is the latency of an empty system and q what waiting adds, in the
    unit of the latency; the knee, L0 / (L0 + q), is the share of the capacity
    at which latency has doubled. At least 4 loads up to 90 % are needed;
    higher ones are not fitted. Rows of one load with the same trial are
    samples of it; trials with the same block ran in one round.
    """
    from pipeline.models.j_curve import fit_j_curve_csv
    from pipeline.own import fit_figures, fits

    if not file.exists() and fits.is_run(str(file)):
        _tell_each(fits.j_curve(str(file), x, y, capacity, seed), as_json, fit_figures.load_figure)
        return
    _tell(fit_j_curve_csv(file, seed), as_json)


@app.command("queue")
def queue(
    rate: Annotated[float, typer.Option("--rate", help="arrivals per unit of time, the one that service times are in")],
    service_mean: Annotated[float, typer.Option("--service-mean", help="mean service time, in any unit")],
    service_var: Annotated[float, typer.Option("--service-var", help="its variance, in that unit squared")],
    servers: Annotated[int, typer.Option("--servers", help="how many serve one queue")] = 1,
    arrival_cv2: Annotated[
        float | None,
        typer.Option("--arrival-cv2", help="variance of the times between arrivals over their mean squared"),
    ] = None,
    per_batch: Annotated[
        float | None, typer.Option("--per-batch", help="what a batch costs on top of the service of its events")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say how long events wait, by model.

    One server: M/M/1, M/D/1, M/G/1 and D/D/1; with --arrival-cv2 Kingman's
    approximation for any arrivals, with --per-batch a server that takes all
    that wait as one batch. Several --servers: M/M/c and M/G/c, means alone.

    Units must agree: the rate is per the unit of time that the service time
    is in, so that rate x service mean is the load, below 1. With events per
    second and services in ns, divide the rate by 1e9. Answers are in that
    unit too: the mean wait before service, and mean and percentiles of the
    time in the system, from arrival to the end of service.
    """
    from pipeline.models.waiting_times import LEVELS, predictions

    result = predictions(rate, service_mean, service_var, servers=servers, arrival_cv2=arrival_cv2, per_batch=per_batch)
    if as_json:
        print(json.dumps(result))
        return
    console.print(f"load {number(result['rho'])}; {result['units']}", highlight=False, soft_wrap=True)
    columns = ["mean_wait", "mean_in_system", *LEVELS]
    console.print("".join(f" {name:>15}" for name in ["", *columns]), highlight=False, soft_wrap=True)
    for name, told in result["models"].items():
        cells = "".join(f" {number(told[column]):>15}" for column in columns)
        console.print(f" {name:>15}{cells}  {told['assumes']}", highlight=False, soft_wrap=True)
