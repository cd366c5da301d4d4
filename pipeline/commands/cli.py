"""The command line `lab`: how it starts and ends; the commands are in the modules beside it.

Exit statuses: 0 done; 1 a notebook failed (the rest is built), or `verify` or `check` found a difference; 2 bad input;
4 damaged data; 5 a resource or tool is missing, or a file cannot be written; 130 interrupted (the same command
continues). Output into a pipe that nobody reads any more ends with 1.
"""

from __future__ import annotations

import os
import sys

import typer

from pipeline.commands import (
    archived,
    collection,
    compare,
    contention,
    fit,
    fleet,
    imports,
    kit,
    parcel,
    prints,
    steps,
    versus,
)
from pipeline.ground import paths
from pipeline.ground.errors import INTERRUPTED, NO_RESOURCES, LabError, of_system

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="The Mechanical Sympathy Lab: measure, ingest, analyse, draw and publish.",
)
app.add_typer(steps.app)
app.add_typer(archived.app)
app.add_typer(prints.app)
app.add_typer(compare.app)
app.add_typer(imports.app)
app.add_typer(versus.app)
app.add_typer(kit.app)
app.add_typer(collection.app)
app.add_typer(parcel.app)
fit.app.add_typer(contention.app)
app.add_typer(fit.app, name="fit")
app.add_typer(fleet.app, name="fleet")


def main() -> None:
    """Run the command line: a foreseeable fault is one line on standard error and a documented exit status."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # None: the caller closed it
            stream.reconfigure(errors="backslashreplace")
    message, status = "", 0
    if not paths.checkout():
        os.environ.setdefault("LAB_HOME", str(paths.home()))  # a notebook's kernel has a folder of its own
    try:
        status = app(prog_name="lab", standalone_mode=False) or 0
        print(end="", flush=True)
    except LabError as error:
        message, status = str(error), error.status
    except typer.TyperException as error:
        command = error.ctx.command_path if getattr(error, "ctx", None) else "lab"
        message, status = f"{error.format_message().rstrip('.')}; see: {command} --help", 2
    except BrokenPipeError:
        status = 1
    except OSError as error:
        message, status = of_system(error), NO_RESOURCES
    if status == INTERRUPTED and not message:
        message = "interrupted; the same command continues where it stopped"
    if message:
        print(f"lab: {' '.join(message.split())}", file=sys.stderr)
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python complains once more when it ends
    sys.exit(status)
