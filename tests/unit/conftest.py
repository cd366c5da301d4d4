"""No unit test starts a process or ends a group of them, its own among them: what would fails here and now, also in a
fixture of a whole module.

Nor does one wait for the disk: no test outlives a power failure, and a run on a made-up machine syncs every line. And
the sources of the harnesses stay the same while they are tested: they are summed up once."""

from __future__ import annotations

import _posixsubprocess
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import NoReturn

import pytest

from pipeline.bundle import checksums
from pipeline.ground import paths

STARTERS = (
    (subprocess, "Popen"),
    (_posixsubprocess, "fork_exec"),
    *((os, name) for name in ("fork", "forkpty", "posix_spawn", "posix_spawnp", "system", "killpg")),
)


class StartsAProcess(AssertionError):
    """A test below tests/unit starts a process or ends a group of them; it belongs below tests/processes."""


@pytest.fixture(autouse=True, scope="module")
def no_process() -> Iterator[None]:
    def refused(*_: object, **__: object) -> NoReturn:
        raise StartsAProcess(StartsAProcess.__doc__)

    with pytest.MonkeyPatch.context() as patch:
        for module, name in STARTERS:
            patch.setattr(module, name, refused)
        if "jpype" in sys.modules:
            patch.setattr(sys.modules["jpype"], "startJVM", refused)
        else:  # loading it takes a while, and no unit test needs it
            patch.setitem(sys.modules, "jpype", SimpleNamespace(startJVM=refused))
        yield


@pytest.fixture(autouse=True, scope="module")
def no_sync() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def summed_once() -> Iterator[None]:
    of_sources = checksums.of_sources
    once = cache(lambda root: of_sources())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checksums, "of_sources", lambda: once(paths.ROOT))
        yield
