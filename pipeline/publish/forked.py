"""Kernels forked from a process that has loaded the libraries already.

All notebooks load the same libraries, which takes as long as drawing several of their figures. multiprocessing's fork
server loads them once; a kernel is a fork of it, in a session and with an environment of its own. The server has one
thread and no JVM, so that forking it is safe; it ends with this process, and its kernels with it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from multiprocessing import forkserver
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner

PRELOADED = [
    "ipykernel.kernelapp",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "PIL.PngImagePlugin",
    "pipeline.session.results",
]
# Of the server, and so of every kernel: sets have one order everywhere, and what is compiled once stays compiled.
ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""}


class _Process:
    """A forked kernel as jupyter_client takes a process: the part of subprocess.Popen that it uses."""

    stdin = stdout = stderr = None

    def __init__(self, connection_file: str, environment: dict[str, str], folder: str, log: str) -> None:
        context = multiprocessing.get_context("forkserver")
        ready, started = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(started, connection_file, environment, folder, log))
        self._process.start()
        started.close()
        ready.poll(None)  # until the kernel leads a session of its own: a signal to its group is then for it alone
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int | None:
        self._process.join(timeout)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Provisioner(LocalProvisioner):
    """Starts a kernel by forking, where jupyter_client's own starts a new interpreter."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        _start_server()
        self.process = _Process(cmd[-1], kwargs["env"], kwargs["cwd"], kwargs["stdout"].name)
        self.pid = self.pgid = self.process.pid
        return self.connection_info


def _start_server() -> None:
    """Start the server unless it runs; it keeps the environment that this process has meanwhile."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOADED)
    before = {name: os.environ.get(name) for name in ENVIRONMENT}
    os.environ.update(ENVIRONMENT)
    try:
        forkserver.ensure_running()
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _run(started: Any, connection_file: str, environment: dict[str, str], folder: str, log: str) -> None:
    """Be the kernel: in the forked process."""
    os.setsid()
    started.send(True)
    # The kernel ends when its parent does, and that is the server.
    os.environ.clear()
    os.environ.update(environment | {"JPY_PARENT_PID": str(os.getppid())})
    os.chdir(folder)
    with open(log, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.path[:] = [place for place in sys.path if place]  # no module is found in the notebooks' folder by chance
    sys.argv = ["kernel"]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(argv=["-f", connection_file])
