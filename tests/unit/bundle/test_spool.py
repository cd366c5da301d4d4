"""Files of an archive lie on disk, read one by one; names of a journal's lines are held once."""

from __future__ import annotations

import errno
import gc
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.bundle import journal, packed, spool
from pipeline.bundle.spool import Spool
from pipeline.ground import paths
from pipeline.ground.errors import LabError


def test_what_is_held_is_read_back_in_its_order():
    files = Spool()
    for name, content in (("b", b"one"), ("a", b""), ("c", b"three"), ("b", b"another")):
        files.put(name, content)
    assert dict(files) == {"a": b"", "c": b"three", "b": b"another"} and list(files) == ["a", "c", "b"]
    assert (files.part("c", 1, 2), files.part("c", 4, 9), files.part("c", 9, 1)) == (b"hr", b"e", b"")
    with pytest.raises(KeyError):
        files["d"]


def test_nothing_is_left_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spool.tempfile, "tempdir", str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))
    files = Spool()
    files.put("a", b"x" * 100_000)
    assert not list(tmp_path.iterdir())
    del files
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def test_without_room_it_says_where(monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spool.os, "pwrite", full)
    with pytest.raises(LabError, match="has no room to unpack an archive") as told:
        Spool().put("a", b"x")
    assert told.value.status == 5


def test_an_archive_is_not_unpacked_into_memory():
    files, sums = packed.unpack(paths.ROOT / "data" / "reference" / "whitebox.tar.xz")
    assert isinstance(files, Spool) and len(files) > 400 and sums.keys() <= files.keys()


def test_the_names_of_all_lines_are_the_same_objects():
    text = b'{"event": "noted", "at": "x"}\n'
    first, second = journal.parse(text * 2 + b'{"cut', "run")
    assert [id(name) for name in first] == [id(name) for name in second]


NUMBERS = st.lists(st.integers(-(1 << 61), 1 << 61), max_size=30)


@given(NUMBERS, st.integers(0, 30))
def test_numbers_are_read_as_they_were_packed(numbers, first):
    steps = np.diff(np.array(numbers, np.int64), prepend=np.int64(0))
    words = ((steps << 1) ^ (steps >> 63)).astype("<u8")
    column = packed._Numbers(words.view(np.uint8).reshape(-1, 8).T.tobytes())
    got = column.take(min(first, len(numbers)))
    assert got == numbers[: len(got)]
    rest = column.take(len(numbers) - len(got))
    start = numbers[len(got) - 1] if got else 0
    assert [one + start for one in rest] == numbers[len(got) :]


def test_planes_of_different_lengths_are_no_numbers():
    with pytest.raises(ValueError):
        packed._Numbers(bytes(9))
