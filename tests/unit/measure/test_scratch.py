"""Where trials put their files, and what is said when there is no room."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline.ground import paths
from pipeline.ground.errors import LabError, Unavailable
from pipeline.measure import scratch


@pytest.fixture
def memory(tmp_path, monkeypatch) -> Path:
    """A folder that passes for a tmpfs."""
    monkeypatch.setattr(scratch, "MEMORY", tmp_path)
    monkeypatch.setattr(scratch.fingerprint, "file_system", lambda folder: {"type": "tmpfs"})
    return tmp_path


def test_io_folder_without_space_or_permission_is_named(tmp_path):
    with pytest.raises(LabError, match="MB free.*MB needed") as caught:
        scratch.check_resources(tmp_path, 10**18)
    assert caught.value.status == 5
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(LabError, match="LAB_IO_DIR") as caught:
        scratch.check_resources(file / "below", 1)
    assert caught.value.status == 5


@pytest.mark.parametrize(("parameters", "least"), [({}, 1 << 20), ({"file-size": 10**9}, 11 * 10**8)])
def test_a_trial_needs_room_for_its_file_and_some_more(parameters, least):
    assert scratch.need(parameters) == least


@pytest.mark.parametrize(("kind", "expected"), [(None, None), ("disk", "io")])
def test_a_folder_on_disk_is_the_io_folder_and_is_kept(lab, kind, expected):
    with scratch.folder(kind, 1) as folder:
        assert folder == (expected and paths.io())


def test_a_folder_in_memory_is_fresh_for_every_trial_and_removed_after_it(memory):
    seen = []
    for _ in range(2):
        with scratch.folder("memory", 1) as folder:
            (folder / "ring").write_text("left")
            seen.append(folder)
    assert seen[0] != seen[1] and {one.parent for one in seen} == {memory} and not list(memory.iterdir())
    with pytest.raises(KeyboardInterrupt), scratch.folder("memory", 1):
        raise KeyboardInterrupt
    assert not list(memory.iterdir())


@pytest.mark.parametrize(
    ("kind", "need", "told"),
    [
        ("ext4", 1, "files in memory need a tmpfs at .*, here it is ext4; mount one"),
        ("tmpfs", 10**18, "MB free, 1000000000000 MB needed; free some space or mount it with a larger size"),
    ],
)
def test_memory_that_is_none_or_has_no_room_is_named(memory, monkeypatch, kind, need, told):
    monkeypatch.setattr(scratch.fingerprint, "file_system", lambda folder: {"type": kind})
    with pytest.raises(Unavailable, match=told), scratch.folder("memory", need):
        pass


def test_memory_that_cannot_be_written_to_is_named(memory, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(scratch.tempfile, "mkdtemp", refuse)
    with pytest.raises(Unavailable, match="Permission denied; make it writable"), scratch.folder("memory", 1):
        pass


def test_what_a_killed_process_left_in_memory_is_removed_and_what_a_living_one_uses_is_not(memory):
    dead = next(pid for pid in range(2**22, 0, -1) if not Path("/proc", str(pid)).exists())
    for name in (f"{scratch.PREFIX}{dead}-abc", f"{scratch.PREFIX}{os.getpid()}-abc", "another"):
        (memory / name).mkdir()
        (memory / name / "ring").write_text("")
    scratch.remove_left()
    assert {one.name for one in memory.iterdir()} == {f"{scratch.PREFIX}{os.getpid()}-abc", "another"}
