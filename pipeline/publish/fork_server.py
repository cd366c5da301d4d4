"""Kernels as forks of one process that has loaded what every notebook imports.

Loading costs a kernel about two seconds of CPU time, a quarter of what a page takes. The server is a process of its
own with one thread, made when the first kernel is asked for, and it runs nothing: a kernel begins with what any other
begins with. It ends with the process that asked, and its kernels with it (ipykernel watches its parent).

It is not the one server that Python's library has for a whole process: that one keeps the environment of whoever asks
first, who may have been a pool of workers, and then a kernel had nothing loaded and a random hash seed.
"""

from __future__ import annotations

import importlib.util
import multiprocessing.context
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner

from pipeline.ground import arithmetic, garbage

LOADED = ["pipeline.session.notebook", "ipykernel.kernelapp", "ipykernel.ipkernel", "matplotlib.backends.backend_svg"]
FIXED = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""}  # what Python reads once, when it begins
_starting = threading.Lock()


def _once_more(name: str) -> ModuleType:
    """A module of the library with a state of its own; the library does not know of it."""
    spec = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_server = _once_more("multiprocessing.forkserver")
_starts = _once_more("multiprocessing.popen_forkserver")
_starts.forkserver = _server  # the server that it asks for a fork


class Fork(multiprocessing.context.ForkServerProcess):
    """A process of the library's that our server makes."""

    _Popen = staticmethod(_starts.Popen)

    def start(self) -> None:
        serve()
        super().start()


class Forked(LocalProvisioner):
    """A kernel's process as a fork. `log` takes what the process itself prints."""

    def __init__(self, log: Path, **given: Any) -> None:
        super().__init__(**given)
        self.printed = log

    async def launch_kernel(self, cmd: list[str], **given: Any) -> KernelConnectionInfo:
        """Fork the kernel that `cmd` would start (`python -m ipykernel_launcher` and its arguments)."""
        environment = {name: str(value) for name, value in given["env"].items()}
        of_fork = (cmd[3:], environment, str(given["cwd"]), str(self.printed))
        self.process = _Popen(Fork(target=_begin, args=of_fork, daemon=True))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Popen:
    """What jupyter_client asks of a process, of one that the fork server made."""

    stdin = stdout = stderr = None

    def __init__(self, process: Fork) -> None:
        self.process = process
        process.start()
        self.pid = process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self) -> int | None:
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.process.kill()

    def terminate(self) -> None:
        self.process.terminate()


def serve() -> None:
    """Have the server: its environment is that of a kernel, which begins with the loops that the server chose."""
    with _starting:
        wanted = arithmetic.environment(os.environ | FIXED)
        kept = {name: os.environ.get(name) for name, value in wanted.items() if os.environ.get(name) != value}
        os.environ.update({name: wanted[name] for name in kept})
        try:
            _server.set_forkserver_preload(LOADED)
            _server.ensure_running()
        finally:
            for name, value in kept.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


def _begin(arguments: list[str], environment: Mapping[str, str], folder: str, log: str) -> None:
    """The life of a fork: a session and files of its own, then the kernel."""
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for target, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY | os.O_APPEND), (2, os.O_WRONLY | os.O_APPEND)):
        opened = os.open(log if target else os.devnull, flags)
        os.dup2(opened, target)
        os.close(opened)
    garbage.seldom()
    from ipykernel import kernelapp

    kernelapp.launch_new_instance(argv=[*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])
