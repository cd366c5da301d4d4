"""Notebooks are executed with checked parameters, fail in one line, end when told to, and run again only if needed."""

import json
import multiprocessing
import os
import shutil
import signal
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
import numpy as np
import pytest
from laboratory import DATA
from publish_toy import entry, isolate

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.publish import kernel, notebooks


@pytest.fixture
def toy_run(monkeypatch, tmp_path):
    return isolate(monkeypatch, tmp_path)


def outputs(result) -> str:
    return json.dumps([cell.get("outputs", []) for cell in nbformat.read(result.notebook, 4).cells])


def test_a_notebook_is_executed_with_its_parameters(toy_run):
    result = notebooks.execute(entry(1, "toy"), toy_run, "quick", {"threads": np.array([1, 8]), "scale": np.int64(80)})
    assert result.failed == ""
    assert "toy-scaling" in outputs(result)
    assert (paths.figures(toy_run) / "toy-scaling.csv").read_text() == "threads,throughput\n1,80.0\n8,10.0\n"


@pytest.fixture
def printed(toy_run, tmp_path, monkeypatch):
    """What a kernel prints when it executes these lines: `printed(source)`."""
    monkeypatch.setenv("LAB_NOTEBOOKS", str(tmp_path))

    def executed(source: str) -> str:
        notebook = nbformat.read(DATA / "notebooks" / "04_undeclared.ipynb", 4)
        notebook.cells[1].metadata["tags"] = ["parameters"]
        notebook.cells.append(nbformat.v4.new_code_cell(source))
        nbformat.write(notebook, tmp_path / "01_toy.ipynb")
        return outputs(notebooks.execute(entry(1, "toy"), toy_run, "quick"))

    return executed


def test_the_kernel_is_this_interpreter_and_opens_no_port(printed):
    source = "import os, sys\nfrom ipykernel.kernelapp import IPKernelApp\n"
    source += "print(sys.executable, os.environ['PYTHONHASHSEED'], IPKernelApp.instance().transport)"
    assert f"{sys.executable} 0 ipc" in printed(source)


def test_a_kernel_begins_with_what_was_loaded_and_nothing_that_another_one_did(printed, monkeypatch):
    source = "import os, sys\nloaded = 'pipeline.session.notebook' in sys.modules\n"
    source += "print('loaded', loaded, 'left', os.environ.get('LEFT'), hasattr(sys, 'left'), os.environ['GIVEN'])\n"
    source += "os.environ['LEFT'] = '1'\nsys.left = 1"
    for given in ("first", "second"):
        monkeypatch.setenv("GIVEN", given)
        before = dict(os.environ)
        assert f"loaded True left None False {given}" in printed(source)
        assert dict(os.environ) == before


def test_a_kernel_begins_so_too_after_processes_that_are_no_kernels(printed):
    with ProcessPoolExecutor(1, multiprocessing.get_context("forkserver")) as pool:
        others = pool.submit(os.getppid).result()
    source = "import os, sys\nloaded = 'pipeline.session.notebook' in sys.modules\n"
    source += "print('loaded', loaded, 'random', sys.flags.hash_randomization, 'from', os.getppid(), 'on')"
    told = printed(source)
    assert "loaded True random 0 from " in told
    assert f"from {others} on" not in told, "whichever came first would decide what the other one begins with"


@pytest.mark.parametrize(
    ("told", "reason"),
    [(False, "its code met what it was not written for"), (True, "the disk is full; free some space")],
)
def test_a_raising_cell_fails_in_one_line_and_what_ran_is_kept(toy_run, told, reason):
    result = notebooks.execute(entry(2, "raising"), toy_run, "quick", {"told": told})
    assert result.failed.startswith(reason)
    assert "before" in outputs(result) and "never" not in outputs(result)


def test_what_a_cell_raised_is_in_the_file_that_the_reader_is_told(toy_run):
    result = notebooks.execute(entry(2, "raising"), toy_run, "quick")
    assert "ValueError" not in result.failed
    file = Path(result.failed.rpartition(" ")[2])
    assert "ValueError: no such toy" in file.read_text() and "\x1b" not in file.read_text()


def test_of_a_run_that_is_not_complete_a_cell_that_lacks_its_trials_says_so_and_the_rest_is_drawn(toy_run):
    file = paths.bundle(toy_run) / "journal.jsonl"
    planned = {"event": "planned", "experiment": "raising", "overrides": {}, "configurations": 2}
    file.write_text(file.read_text() + json.dumps(planned) + "\n")
    result = notebooks.execute(entry(2, "raising"), toy_run, "quick")
    assert result.failed == ""
    told = outputs(result)
    assert kernel.NOT_YET in told and "never" in told and "ValueError" not in told
    assert "ValueError: no such toy" in result.notebook.with_suffix(".log").read_text()
    finished = {"event": "finished", "experiment": "raising", "ended_by": "blocks", "blocks": 1, "spent_s": 4.0}
    file.write_text(file.read_text() + json.dumps(finished) + "\n")
    assert notebooks.execute(entry(2, "raising"), toy_run, "quick").failed


def test_a_syntax_error_fails_in_one_line(toy_run):
    assert notebooks.execute(entry(3, "syntax"), toy_run, "quick").failed.startswith("its code met what")


def gone(pid: int) -> bool:
    """Whether a process has ended within five seconds (a zombie has)."""
    for _ in range(50):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.1)
    return False


def test_the_outer_limit_ends_the_kernel_and_its_child(toy_run, tmp_path):
    mark = tmp_path / "pid"
    result = notebooks.execute(entry(5, "endless"), toy_run, "quick", {"mark": str(mark)}, limit_s=6)
    assert result.failed.startswith("no end after 6 s")
    assert gone(int(mark.read_text()))


def test_an_interrupt_ends_the_kernel_and_its_child(toy_run, tmp_path):
    mark = tmp_path / "pid"

    def interrupt() -> None:
        while not (mark.exists() and mark.read_text()):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(LabError, match="interrupted; the same command continues") as caught:
        notebooks.execute(entry(5, "endless"), toy_run, "quick", {"mark": str(mark)}, limit_s=60)
    assert caught.value.status == 130
    assert gone(int(mark.read_text()))


def test_a_notebook_runs_again_only_when_something_changed(toy_run, tmp_path, monkeypatch):
    toy, folder = entry(1, "toy"), tmp_path / "notebooks"
    shutil.copytree(paths.notebooks(), folder)
    monkeypatch.setenv("LAB_NOTEBOOKS", str(folder))

    def append(line):
        with (paths.bundle(toy_run) / "journal.jsonl").open("a") as journal:
            journal.write(json.dumps(line) + "\n")

    def again(given=None, profile="quick"):
        return notebooks.up_to_date(toy, toy_run, profile, given or {})

    assert again() is None
    notebooks.execute(toy, toy_run, "quick")
    assert again().up_to_date
    assert again({"scale": 2.0}) is None
    assert again(profile="smoke") is None
    finished = {"event": "finished", "ended_by": "blocks", "blocks": 1, "spent_s": 4.0}
    append(finished | {"experiment": "other"})
    assert again().up_to_date, "another experiment's trials do not matter"
    append(finished | {"experiment": "toy"})
    assert again() is None
    notebooks.execute(toy, toy_run, "quick")
    assert again().up_to_date
    file = folder / "01_toy.ipynb"
    file.write_text(file.read_text().replace("A toy experiment", "The toy"))
    assert again() is None


def test_a_failed_notebook_is_never_up_to_date(toy_run):
    notebooks.execute(entry(2, "raising"), toy_run, "quick")
    assert notebooks.up_to_date(entry(2, "raising"), toy_run, "quick", {}) is None
    assert notebooks.recall(entry(2, "raising"), toy_run).failed.startswith("its code met what")
