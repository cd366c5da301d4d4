"""The same numbers on every x86-64: libraries choose their loops by the CPU's vector units, and last digits follow.

numpy has loops of its own for AVX2 and three kinds of AVX-512 (logarithms and exponentials among them), OpenBLAS has
kernels for each family of CPUs and splits a product by the number of CPUs, and the C library takes fused
multiply-adds where there are some. Fits carry a last digit on to the sixth, and a picture crosses a rounding. So what
draws a published figure runs with the loops that every x86-64 since 2009 has (docs/decisions/0021).
Libraries read this when they are loaded: it is the environment of a process, given before it begins.

    python -m pipeline.ground.arithmetic PROGRAM ARGUMENT...      runs a program so
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping

# What numpy chooses from beyond its baseline (numpy._core._multiarray_umath.__cpu_dispatch__; a test compares them).
NUMPY_LOOPS = ("X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR")
TUNABLES = "GLIBC_TUNABLES"
NO_FUSED = "glibc.cpu.hwcaps=-FMA,-FMA4"
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
X86_64 = {"NPY_DISABLE_CPU_FEATURES": " ".join(NUMPY_LOOPS), "OPENBLAS_CORETYPE": "Nehalem"}
MACHINES = ("x86_64", "AMD64")


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment `given` with what fixes the loops in it; another architecture has only its threads fixed."""
    if platform.machine() not in MACHINES:
        return {**given, **ONE_THREAD}
    others = [one for one in given.get(TUNABLES, "").split(":") if one and not one.startswith("glibc.cpu.hwcaps=")]
    return {**given, **ONE_THREAD, **X86_64, TUNABLES: ":".join([*others, NO_FUSED])}


def begin_again() -> None:
    """Start this process anew with fixed loops, unless it has them; to be called before numpy is loaded."""
    wanted = environment(os.environ)
    if wanted != dict(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], wanted)


if __name__ == "__main__":
    os.execvpe(sys.argv[1], sys.argv[1:], environment(os.environ))
