"""The kernel a notebook runs in: this interpreter, reached through sockets in a private folder, with an outer limit.

No port is opened (papermill's parallel kernels race for ports), no kernel specification, start-up file or history of
the user takes part, and an interrupt or the time limit ends the kernel together with the trial it is measuring: both
are in the kernel's process group.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import papermill
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from nbformat import NotebookNode
from nbformat.v4 import new_output
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, papermill_engines
from papermill.exceptions import PapermillExecutionError

from pipeline.ground import arithmetic, paths
from pipeline.ground.errors import INTERRUPTED, LabError
from pipeline.publish.fork_server import FIXED, Forked

ENGINE = "lab"
PATIENCE_S = 15
NOT_YET = "Too little of this run is measured yet for what stands here."
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class _ThisInterpreter(KernelSpecManager):
    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, language="python", display_name="Python 3")


class Kernel:
    """One kernel process. `expired` tells that the limit ended it, `interrupted` that the user did."""

    def __init__(self, scratch: Path, folder: Path, log: Path, limit_s: float) -> None:
        self.folder, self.limit_s, self.log = folder, limit_s, log
        self.expired = self.interrupted = False
        own = {"IPYTHONDIR": str(scratch / "ipython")}
        self.environment = arithmetic.environment(os.environ | FIXED | own)
        self.manager = AsyncKernelManager(
            kernel_name="python3",
            kernel_spec_manager=_ThisInterpreter(),
            transport="ipc",
            connection_file=str(scratch / "kernel.json"),
        )
        self.manager.provisioner = Forked(log, kernel_spec=_ThisInterpreter().get_kernel_spec(""), parent=self.manager)

    def _signal(self, number: signal.Signals) -> bool:
        """Signal the kernel and its children; False when there is none."""
        group = getattr(self.manager.provisioner, "pgid", None)
        if not group:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, number)
        return True

    def _expire(self) -> None:
        self.expired = True
        self._signal(signal.SIGKILL)

    def _interrupt(self, *_: object) -> None:
        """First time: let the running cell end its trial in order. Second time, or after a while: kill."""
        if self.interrupted or not self._signal(signal.SIGINT):
            self._signal(signal.SIGKILL)
            raise KeyboardInterrupt
        self.interrupted = True
        killer = threading.Timer(PATIENCE_S, self._signal, [signal.SIGKILL])
        killer.daemon = True
        killer.start()

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Watch over the kernel: the limit, Ctrl-C, and no process left behind."""
        limit = threading.Timer(self.limit_s, self._expire)
        limit.daemon = True
        limit.start()
        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, self._interrupt) if main else None
        try:
            yield
        finally:
            limit.cancel()
            if main:
                signal.signal(signal.SIGINT, before)
            self._signal(signal.SIGKILL)


class _Engine(Engine):
    """papermill's engine, with our kernel instead of one looked up by name."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: Any, kernel_name: str, *, kernel: Kernel, partial: bool, **_: Any
    ) -> None:
        client = PapermillNotebookClient(
            nb_man, km=kernel.manager, timeout=None, startup_timeout=120, allow_errors=partial
        )
        with kernel.log.open("wb") as log:
            client.execute(env=kernel.environment, cwd=str(kernel.folder), stdout=log, stderr=log, cleanup_kc=True)
        if partial:
            _excuse(nb_man.nb, kernel.log)


def _excuse(notebook: NotebookNode, log: Path) -> None:
    """Put a sentence in place of what a cell raised because its trials are not measured yet; the trace goes to the log.

    Whatever a notebook selects may be missing while its run is not complete, and the rest can be drawn.
    """
    for cell in notebook.cells:
        for place, output in enumerate(cell.get("outputs", [])):
            if output.output_type == "error":
                _keep("\n".join(output.traceback), log)
                told = output.evalue if output.ename == "LabError" else NOT_YET
                cell.outputs[place] = new_output("display_data", {"text/html": f"<p>{escape(told)}</p>"})


@contextlib.contextmanager
def started_for(folder: Path, log: Path, limit_s: float) -> Iterator[Kernel]:
    """A kernel that will start in `folder` and is killed after `limit_s` seconds. What the process itself
    complains about goes to `log`; its sockets are removed."""
    with tempfile.TemporaryDirectory(prefix="lab-kernel-", ignore_cleanup_errors=True) as scratch:
        kernel = Kernel(Path(scratch), folder, log, limit_s)
        with kernel.guarded():
            yield kernel


def _log(out: Path) -> str:
    """The file beside the executed notebook that takes what no reader is to see, under the name a reader can open."""
    log = out.with_suffix(".log")
    return str(log.relative_to(paths.home())) if log.is_relative_to(paths.home()) else str(log)


def _keep(details: str, log: Path) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(COLOURS.sub("", details) + "\n")


def _told(error: PapermillExecutionError, out: Path) -> str:
    """A sentence for the reader; the trace goes to the log."""
    _keep("\n".join(error.traceback or [f"{error.ename}: {error.evalue}"]), out.with_suffix(".log"))
    return f"its code met what it was not written for and stopped before the end; the details are in {_log(out)}"


def execute(path: Path, out: Path, parameters: dict[str, Any], limit_s: float, partial: bool = False) -> str:
    """Execute a notebook to `out`; the reason of the failure in one line, empty when there is none.

    `partial`: of a run that is not complete, where a cell that finds its trials missing fails nothing.

    Raises LabError (status 130) when interrupted.
    """
    papermill_engines.register(ENGINE, _Engine)
    logging.getLogger("papermill").setLevel(logging.ERROR)
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    with started_for(path.parent, out.with_suffix(".log"), limit_s) as process, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed = ""
        try:
            papermill.execute_notebook(
                path,
                out,
                parameters,
                engine_name=ENGINE,
                kernel_name="python3",
                language="python",
                progress_bar=False,
                # Figures make notebooks of megabytes: written once at the end, failed or not, and not after every cell.
                request_save_on_cell_execute=False,
                kernel=process,
                partial=partial,
            )
        except PapermillExecutionError as error:
            failed = str(error.evalue).strip().splitlines()[0] if error.ename == "LabError" else _told(error, out)
        except KeyboardInterrupt:
            process.interrupted = True
        except Exception as error:
            _keep(f"{type(error).__name__}: {error}", out.with_suffix(".log"))
            failed = f"its kernel ended before it did; was the memory used up? What it said is in {_log(out)}"
        if process.interrupted:
            raise LabError("interrupted; the same command continues where it stopped", INTERRUPTED)
        if process.expired:
            failed = f"no end after {limit_s:.0f} s: the kernel was killed; a smaller profile needs less time"
        return failed
