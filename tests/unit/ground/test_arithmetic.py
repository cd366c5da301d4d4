"""What fixes the loops of the libraries that compute: all of them, given before they are loaded, and nothing else."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from numpy._core import _multiarray_umath as loops

from pipeline.ground import arithmetic

HERE = {"HOME": "/home/somebody", "NPY_DISABLE_CPU_FEATURES": "X86_V4", "OPENBLAS_CORETYPE": "Zen"}


@pytest.fixture
def x86_64(monkeypatch):
    monkeypatch.setattr(arithmetic.platform, "machine", lambda: "x86_64")


def test_every_loop_that_numpy_chooses_by_the_cpu_is_named():
    """Of the pinned numpy; another version may have others."""
    if arithmetic.platform.machine() in arithmetic.MACHINES:
        assert list(arithmetic.NUMPY_LOOPS) == loops.__cpu_dispatch__, np.__version__


def test_a_setting_of_the_user_gives_way_and_everything_else_stays(x86_64):
    fixed = arithmetic.environment(HERE)
    assert fixed["NPY_DISABLE_CPU_FEATURES"] == "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
    assert (fixed["OPENBLAS_CORETYPE"], fixed["OPENBLAS_NUM_THREADS"]) == ("Nehalem", "1")
    assert fixed["HOME"] == HERE["HOME"] and HERE["OPENBLAS_CORETYPE"] == "Zen"
    assert arithmetic.environment(fixed) == fixed


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("", "glibc.cpu.hwcaps=-FMA,-FMA4"),
        ("glibc.malloc.check=3", "glibc.malloc.check=3:glibc.cpu.hwcaps=-FMA,-FMA4"),
        ("glibc.cpu.hwcaps=-AVX2:glibc.malloc.check=3", "glibc.malloc.check=3:glibc.cpu.hwcaps=-FMA,-FMA4"),
    ],
)
def test_other_settings_of_the_c_library_stay(x86_64, given, wanted):
    assert arithmetic.environment({"GLIBC_TUNABLES": given})["GLIBC_TUNABLES"] == wanted


def test_another_architecture_has_only_its_threads_fixed(monkeypatch):
    monkeypatch.setattr(arithmetic.platform, "machine", lambda: "aarch64")
    assert arithmetic.environment({"A": "b"}) == {"A": "b", "OPENBLAS_NUM_THREADS": "1"}


def test_a_process_begins_again_once_with_all_its_arguments(monkeypatch):
    begun = []
    monkeypatch.setattr(os, "execve", lambda program, arguments, environment: begun.append((arguments, environment)))
    monkeypatch.setattr(sys, "orig_argv", ["python3", "-I", "bin/lab", "verify"])
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    arithmetic.begin_again()
    ((arguments, environment),) = begun
    assert arguments == [sys.executable, "-I", "bin/lab", "verify"]
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    arithmetic.begin_again()
    assert len(begun) == 1
