"""What is read of the state of a program's CPUs before each of its executions and after the last: by the machine code
by which the other harnesses read theirs (reading.h), where it is built."""

from __future__ import annotations

import ctypes
import os

MOST = 8  # CPUs that are read
COLUMNS = ("iteration", "thread", "chain_ns", "wide_ns", "word_ns")


class Reading(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in COLUMNS[2:]]


class Reader:
    """Reads these CPUs, or nothing where the library is not there; this process may run on them alone."""

    def __init__(self, library: str, cpus: list) -> None:
        self.cpus = cpus[:MOST]
        self.rows = []
        try:
            self.native = ctypes.CDLL(library) if cpus and os.path.exists(library) else None
        except OSError:  # built for another system than this Python
            self.native = None

    def take(self, gap: int) -> None:
        """Reads the state before the execution of that number. The way of a word is that to the next CPU."""
        if self.native is None:
            return
        last = len(self.cpus) - 1
        for at, cpu in enumerate(self.cpus):
            found = Reading(word_ns=float("nan"))
            if last == 0:
                self.native.reading_core(ctypes.byref(found))
            else:
                from_ = self.cpus[at + 1] if at < last else self.cpus[at - 1]
                if self.native.reading_pair(from_, cpu, ctypes.byref(found)):
                    self.native = None
                    return
            known = at < last and found.word_ns == found.word_ns
            word = round(found.word_ns, 1) if known else None
            self.rows.append((gap, at, round(found.chain_ns, 4), round(found.wide_ns, 3), word))

    def told(self) -> dict | None:
        """As the contract has them; None where they could not be read throughout."""
        if self.native is None or not self.rows:
            return None
        return dict(zip(COLUMNS, map(list, zip(*self.rows))))
