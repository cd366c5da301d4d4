"""The loops of locked increments are compiled to what their names say, and to nothing that the next LOCK waits for."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.ground import paths
from pipeline.host import runtimes
from pipeline.ingest import machine_code

XADD = machine_code.INSTRUCTIONS["lock_xadd"]
# MOV of a register to the stack with an offset of one byte (Intel SDM volume 2: REX 89 /r, ModRM 01 reg 100, SIB 24).
TO_STACK = re.compile(rb"[\x48-\x4f]\x89[\x44\x4c\x54\x5c\x64\x6c\x74\x7c]\x24.", re.S)
# LOCK ADD or LOCK INC of 64 bits in memory: what an increment becomes whose result nobody reads.
UNREAD = re.compile(rb"\xf0[\x48-\x4f][\x81\x83\xff][\x00-\x07\x40-\x47\x80-\x87]", re.S)
# A conditional jump by fewer than 128 bytes back.
BACK = re.compile(rb"[\x70-\x7f][\x80-\xfe]", re.S)
LOOP_BYTES = 64
# AND of 64 bits into a register, shortly before the instruction that follows (21, 23 /r).
MASKED = re.compile(rb"[\x48-\x4f][\x21\x23].{1,24}\Z", re.S)
# The place of the word in memory, CMP of two registers (39, 3b /r), and a jump by whether they are equal; between them
# no more than what fills a line of code.
NOTHING = rb"(?:\x66{0,2}\x90|\x66{0,2}\x0f\x1f(?:\x00|\x40.|\x44..|\x80.{4}|\x84.{5}))*"
COMPARED = rb"[\x80-\xbf]\x24?.{4}" + NOTHING + rb"[\x48-\x4f][\x39\x3b][\xc0-\xff]"
BRANCHED = re.compile(COMPARED + NOTHING + rb"(?:[\x74\x75]|\x0f[\x84\x85])", re.S)


def bodies(printed: str) -> Iterator[str]:
    """Every top-tier compilation that was printed."""
    return (one["body"] for one in machine_code.PRINTED.finditer(printed))


def loops(printed: str) -> Iterator[bytes]:
    """What follows each LOCK XADD up to the jump back to it."""
    for body in map(machine_code.in_bytes, bodies(printed)):
        for found in XADD.finditer(body):
            after = body[found.end() : found.end() + LOOP_BYTES]
            if back := BACK.search(after):
                yield after[: back.start()]


def compiled(tmp_path: Path, runtime: runtimes.Runtime, variant: str, kernel: str, threads: int) -> str:
    """What the JVM prints of the methods of a kernel that it compiles while a trial runs."""
    log = tmp_path / "code.log"
    argv = [
        runtime.java(),
        *runtimes.COMMON_FLAGS,
        *("-XX:+UnlockDiagnosticVMOptions", "-XX:+LogVMOutput", f"-XX:LogFile={log}", "-XX:CompileCommand=quiet"),
        f"-XX:CompileCommand=print,lab.experiments.counters.{kernel}::*",
        "-XX:-BackgroundCompilation",
        f"-Dlab.native={paths.native_library()}",
        "-jar",
        str(paths.java_harness()),
        *f"atomic_increment --variant {variant} --threads {threads} --sample-every 1024".split(),
        *"--warmup 300 --iterations 5 --iteration-ms 3 --out".split(),
        str(tmp_path / "x.hlog"),
    ]
    subprocess.run(argv, check=True, capture_output=True)
    return log.read_text()


@pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="LOCK XADD is an instruction of x86")
@pytest.mark.parametrize("variant", ["get_and_add", "increment_and_get"])
@pytest.mark.parametrize("runtime", runtimes.jdks().values(), ids=runtimes.jdks())
def test_nothing_but_the_instruction(tmp_path: Path, runtime: runtimes.Runtime, variant: str) -> None:
    """On JDK 17 getAndAdd took 9.9 ns on an Intel Xeon where the instruction takes 7: each pass of a loop that was
    replaced on the stack stored a register there. And where the loop is unrolled all its results must be read."""
    kernel = {"get_and_add": "GetAndAddKernel", "increment_and_get": "IncrementAndGetKernel"}[variant]
    printed = compiled(tmp_path, runtime, variant, kernel, 1)
    seen = list(loops(printed))
    assert seen
    assert [loop.hex(" ") for loop in seen if TO_STACK.search(loop)] == []
    alone = [machine_code.in_bytes(body) for body in bodies(printed) if "::increments " in body]
    assert alone
    assert [one.hex(" ") for one in alone if UNREAD.search(one)] == []


@pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="LOCK XADD is an instruction of x86")
@pytest.mark.parametrize("runtime", runtimes.jdks().values(), ids=runtimes.jdks())
def test_the_twin_of_the_loop_needs_its_load_and_branches(tmp_path: Path, runtime: runtimes.Runtime) -> None:
    """Without the dependence the XADD would not wait for the load, and without the branch nothing is guessed. Two
    threads, for of a branch that is never taken the compiler makes another thing."""
    printed = compiled(tmp_path, runtime, "get_then_add", "GetThenAddKernel", 2)
    codes = [machine_code.in_bytes(body) for body in bodies(printed) if "::run " in body]
    around = [(code[: at.start()], code[at.end() :]) for code in codes for at in XADD.finditer(code)]
    assert around
    assert [before[-LOOP_BYTES:].hex(" ") for before, _ in around if not MASKED.search(before[-32:])] == []
    assert [after[:LOOP_BYTES].hex(" ") for _, after in around if not BRANCHED.match(after)] == []
    assert [code.hex(" ") for code in codes if UNREAD.search(code)] == []
