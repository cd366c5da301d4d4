"""The file that a parcel is: its sum and name, its beginning, its pieces; and what it refuses before it unpacks."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import lzma
import os
import re
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.parcel import packing, scripts, unpacking
from pipeline.parcel.unpacking import Refused

ABOUT = {
    "architecture": "x86_64",
    "git": "0123456789ab",
    "jdks": {"jdk25": {"build": "25.0.3+9", "version": "25.0.3", "vendor": "Toy"}},
    "bytes": 4096,
}


@pytest.fixture
def files(tmp_path) -> dict[str, Path | bytes]:
    """A program, a link to it, a text that fills several pieces, and a script."""
    program = tmp_path / "java"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    link = tmp_path / "link"
    link.symlink_to("java")
    return {"bin/java": program, "bin/link": link, "long": os.urandom(3000), "measure": b"#!/bin/sh\n"}


@pytest.fixture
def parcel(files, tmp_path, monkeypatch) -> tuple[Path, bytes]:
    monkeypatch.setattr(packing, "PIECE", 4096)
    path = packing.write(files, ABOUT, None, tmp_path / "out")
    return path, path.read_bytes()


def numbers(content: bytes) -> tuple[str, int, int]:
    """The sum that a parcel says, where its program begins and where its payload does."""
    begin, size = map(int, re.search(rb'"\$0" "\$sum" (\d{10}) (\d{10}) ', content).groups())
    return content.split(b"\n")[1].decode().removeprefix("sum="), begin, begin + size


def test_its_name_is_the_sum_of_all_after_the_second_line(parcel):
    path, content = parcel
    total, _, _ = numbers(content)
    assert hashlib.sha256(content.split(b"\n", 2)[2]).hexdigest() == total
    assert path.name == f"lab-{total[:12]}.run" and os.access(path, os.X_OK)


def test_the_payload_is_one_file_of_xz_and_the_same_contents_are_the_same_bytes(parcel, files, tmp_path):
    _, content = parcel
    payload = content[numbers(content)[2] :]
    assert payload.count(b"\xfd7zXZ\0") > 1  # pieces
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(payload))) as archive:
        held = {one.name: (one.mode, one.linkname, one.uid, one.mtime) for one in archive}
    assert held == {
        "bin/java": (0o755, "", 0, packing.TIME),
        "bin/link": (0o755, "java", 0, packing.TIME),
        "long": (0o644, "", 0, packing.TIME),
        "measure": (0o755, "", 0, packing.TIME),
    }
    again = packing.write(dict(reversed(files.items())), ABOUT, tmp_path / "again.run", tmp_path)
    assert again.read_bytes() == content


def test_the_program_in_it_says_what_it_holds(parcel, capsys, monkeypatch):
    path, content = parcel
    total, begin, end = numbers(content)
    monkeypatch.setattr("sys.argv", ["-c", str(path), total, str(begin), str(end - begin), "check"])
    exec(compile(content[begin:end], "parcel", "exec"), {"__name__": "parcel"})
    said = capsys.readouterr().out
    assert f"{path.name} is whole: sha256 {total}" in said and "jdk25 25.0.3+9 (Toy)" in said and "x86_64" in said
    assert "0123456789ab" in said


def test_the_shell_reads_no_further_than_its_own_lines():
    head = scripts.head("0" * 64, 5)
    assert head.endswith(b'\nlab "$@"\nexit\n') and b"{" + b"find}" not in head
    assert int(re.search(rb'"\$sum" (\d+) ', head)[1]) == len(head)


def unpacked(parcel: tuple[Path, bytes]) -> Path:
    path, content = parcel
    total, begin, at = numbers(content)
    (told,) = re.findall(rb"^ABOUT = (.*)$", content[begin:at], re.M)
    return unpacking.unpack(path, at, json.loads(ast.literal_eval(told.decode())), total)


@pytest.fixture
def here(monkeypatch):
    """A host of the parcel's architecture."""
    monkeypatch.setattr(unpacking.platform, "machine", lambda: "x86_64")


def test_it_unpacks_itself_next_to_itself_once_and_whole(parcel, here):
    folder = unpacked(parcel)
    assert folder.parent == parcel[0].parent and folder.name == parcel[0].stem
    assert os.access(folder / "bin" / "java", os.X_OK) and (folder / "bin" / "link").readlink() == Path("java")
    assert f'"sum": "{numbers(parcel[1])[0]}"' in (folder / "parcel.json").read_text()
    (folder / "long").write_text("measured since")
    assert unpacked(parcel) == folder and (folder / "long").read_text() == "measured since"
    assert sorted(one.name for one in folder.parent.iterdir()) == [folder.name, parcel[0].name]


def test_what_was_cut_short_while_it_unpacked_leaves_nothing(parcel, here, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(unpacking.tarfile.TarFile, "extractall", interrupted)
    with pytest.raises(KeyboardInterrupt):
        unpacked(parcel)
    assert [one.name for one in parcel[0].parent.iterdir()] == [parcel[0].name]


def disk(free_mb: int, flags: int = 0) -> SimpleNamespace:
    return SimpleNamespace(f_flag=flags, f_bavail=free_mb, f_frsize=1 << 20)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("platform.machine", lambda: "aarch64"), "is for Linux on x86_64, and this host is aarch64"),
        (("sys.platform", "darwin"), "this host is darwin"),
        (("os.access", lambda *_: False), "cannot be written to; copy the parcel to a folder of yours"),
        (("os.statvfs", lambda _: disk(500, os.ST_NOEXEC)), "is mounted noexec"),
        (("os.statvfs", lambda _: disk(63)), "63 MB free, and 64 MB are needed"),
    ],
)
def test_where_it_cannot_run_or_be_unpacked_it_says_why_and_does_nothing(parcel, here, monkeypatch, change, words):
    monkeypatch.setattr(f"pipeline.parcel.unpacking.{change[0]}", change[1])
    with pytest.raises(Refused, match=re.escape(words)) as refused:
        unpacked(parcel)
    monkeypatch.undo()
    assert refused.value.status == unpacking.LACKING
    assert [one.name for one in parcel[0].parent.iterdir()] == [parcel[0].name]


@pytest.mark.parametrize(("words", "status", "said"), [(["report"], 2, "'report' is nothing that a parcel does")])
def test_a_word_that_it_does_not_know(capsys, words, status, said):
    with pytest.raises(SystemExit) as ended:
        unpacking.begin("lab-0.run", 0, ABOUT, "0" * 64, words)
    assert ended.value.code == status and said in capsys.readouterr().err


def test_its_help_names_the_commands_and_every_exit_status(capsys):
    unpacking.begin("lab-0.run", 0, ABOUT, "0" * 64, [])
    said = capsys.readouterr().out
    assert "sh lab-0.run measure" in said and "lab-000000000000/" in said
    assert all(f"{status} " in said.partition("Exit status")[2] for status in (0, 1, 2, 4, 5, 130))
