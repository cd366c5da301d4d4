"""A reader sees all of a file or nothing, whatever happens to its writer."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.ground import durable

PART = f"x.json.{os.getpid()}.part"


@settings(max_examples=20)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\r")))
def test_what_is_written_is_what_is_read(tmp_path_factory, text):
    file = tmp_path_factory.getbasetemp() / "durable.txt"
    durable.write(file, text)
    assert file.read_text(encoding="utf-8") == text
    assert not [*file.parent.glob("durable.txt.*")]


def test_the_bytes_are_on_disk_before_the_name_is(tmp_path, monkeypatch):
    file, steps = tmp_path / "x.json", []
    real = {"fsync": os.fsync, "rename": type(file).rename}

    def fsync(number: int) -> None:
        steps.append(("fsync", (tmp_path / PART).read_text(), file.exists()))
        real["fsync"](number)

    def rename(path, target):
        steps.append(("rename", path.name, target.name))
        return real["rename"](path, target)

    monkeypatch.setattr(durable.os, "fsync", fsync)
    monkeypatch.setattr(type(file), "rename", rename)
    durable.write(file, "whole")
    assert steps == [("fsync", "whole", False), ("rename", PART, "x.json")]


def test_a_writer_that_is_interrupted_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "x.json"
    durable.write(file, "old")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(durable.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            durable.write(file, "new and longer")
    assert file.read_text() == "old"
    durable.write(file, "next")
    assert file.read_text() == "next" and [one.name for one in tmp_path.iterdir()] == ["x.json"]
