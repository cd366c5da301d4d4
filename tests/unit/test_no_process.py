"""The guard of the unit tests bites."""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
import os
import subprocess
import sys

import pytest

TRUE = ["/bin/true"]
STARTS = {
    "run": lambda: subprocess.run(TRUE),
    "check_output": lambda: subprocess.check_output(TRUE),
    "Popen": lambda: subprocess.Popen(TRUE),
    "asyncio": lambda: asyncio.run(asyncio.create_subprocess_exec(*TRUE)),
    "popen": lambda: os.popen("true"),
    "system": lambda: os.system("true"),
    "fork": lambda: os.fork(),
    "spawn": lambda: os.spawnv(os.P_WAIT, TRUE[0], TRUE),
    "posix_spawn": lambda: os.posix_spawn(TRUE[0], TRUE, {}),
    "multiprocessing, fork": lambda: multiprocessing.get_context("fork").Process(target=print).start(),
    "multiprocessing, spawn": lambda: multiprocessing.get_context("spawn").Process(target=print).start(),
    "a JVM": lambda: importlib.import_module("jpype").startJVM(),
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_starting_a_process_fails(start):
    with pytest.raises(AssertionError, match="belongs below tests/processes"):
        start()


@pytest.fixture(scope="module")
def started() -> str:
    try:
        subprocess.run(TRUE)
    except AssertionError as error:
        return str(error)
    return "started"


def test_a_fixture_of_the_module_cannot_start_one_either(started):
    assert "starts a process" in started


def test_python_itself_still_works():
    assert sys.executable and os.getpid()
