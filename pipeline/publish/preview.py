"""The report of a first look, drawn while measuring pauses.

It is drawn by a process of its own, by which `lab figures` draws any run that is not complete: who measures is left as
it was, without a library or a kernel more.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

from rich.console import Console

from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths
from pipeline.measure.progress import clock
from pipeline.session import results

LAB = (sys.executable, "-c", "from pipeline.commands.start import main; main()")
DONE, PARTLY = 0, 1  # exit statuses: the second of a report without some notebook
PATIENCE_S = 300  # then measuring goes on without it


def draw(run: str, entries: Sequence[Experiment], console: Console) -> None:
    """Draw every page of the run as far as it is measured, and print what the experiments answer so far and where the
    report is. What cannot be drawn is said in a line, and fails nothing."""

    def say(words: str) -> None:
        console.print(words, soft_wrap=True, markup=False, highlight=False)

    say("What answers need is measured once. Measuring pauses while a first report is drawn (PREVIEW=no: it is not).")
    began = time.monotonic()
    there, wrong = _drawn(run)
    if wrong:
        say(f"It could not be drawn whole: {wrong}. Measuring goes on.")
    if not there:
        return
    for entry in entries:
        if (answer := results.read(run, entry.name).answer) is not None:
            say(f"{entry.name}: {answer.text}")
    say(f"Report so far, drawn in {clock(time.monotonic() - began)}: {paths.report() / 'index.html'}")


def _drawn(run: str) -> tuple[bool, str]:
    """Whether the report is there, and in a line what went wrong; empty when nothing did."""
    command = [*LAB, "figures", "--run", run]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return False, f"it took more than {clock(PATIENCE_S)}"
    told = [line for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.startswith(("failed: ", "lab: "))]
    wrong = told[0].removeprefix("lab: ") if told else f"exit status {done.returncode}"
    return done.returncode in (DONE, PARTLY), wrong if done.returncode else ""
