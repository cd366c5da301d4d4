"""Files of an archive lie on disk, read one by one; names of a journal's lines are held once."""

from __future__ import annotations

import errno
import gc
import os
from pathlib import Path

import pytest

from pipeline.bundle import held, journal, packed
from pipeline.bundle.held import Held
from pipeline.ground import paths
from pipeline.ground.errors import LabError


def test_what_is_held_is_read_back_in_its_order():
    files = Held()
    for name, content in (("b", b"one"), ("a", b""), ("c", b"three"), ("b", b"another")):
        files.put(name, content)
    assert dict(files) == {"a": b"", "c": b"three", "b": b"another"} and list(files) == ["a", "c", "b"]
    assert (files.part("c", 1, 2), files.part("c", 4, 9), files.part("c", 9, 1)) == (b"hr", b"e", b"")
    with pytest.raises(KeyError):
        files["d"]


def test_nothing_is_left_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(held.tempfile, "tempdir", str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))
    files = Held()
    files.put("a", b"x" * 100_000)
    assert not list(tmp_path.iterdir())
    del files
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def test_without_room_it_says_where(monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(held.os, "pwrite", full)
    with pytest.raises(LabError, match="has no room to unpack an archive") as told:
        Held().put("a", b"x")
    assert told.value.status == 5


def test_an_archive_is_not_unpacked_into_memory():
    files, sums = packed.unpack(paths.ROOT / "data" / "reference" / "whitebox.tar.xz")
    assert isinstance(files, Held) and len(files) > 400 and sums.keys() <= files.keys()


def test_the_names_of_all_lines_are_the_same_objects():
    text = b'{"event": "noted", "at": "x"}\n'
    first, second = journal.parse(text * 2 + b'{"cut', "run")
    assert [id(name) for name in first] == [id(name) for name in second]
