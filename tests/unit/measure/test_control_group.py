"""A memory limit through control groups: which files are written, and what is said where none may be."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pipeline.ground.errors import Unavailable
from pipeline.measure import control_group
from pipeline.measure.control_group import limited

GROUP = f"mechanical-sympathy-lab-{os.getpid()}"


@pytest.fixture
def tree(tmp_path, monkeypatch) -> Path:
    """An empty control group file system; like the kernel, it takes a while to let a group go."""
    monkeypatch.setattr(control_group, "V1", tmp_path / "v1" / "memory")
    monkeypatch.setattr(control_group, "V2", tmp_path / "v2")
    (tmp_path / "v2").mkdir()
    (tmp_path / "v2" / "cgroup.procs").touch()

    def released(seconds: float) -> None:
        for file in tmp_path.glob(f"**/{GROUP}/*"):
            file.unlink()

    monkeypatch.setattr(control_group.time, "sleep", released)
    return tmp_path


@pytest.mark.parametrize(
    ("version", "root", "file"), [(1, "v1/memory", "memory.limit_in_bytes"), (2, "v2", "memory.max")]
)
def test_the_limit_is_written_and_the_group_removed(tree, version, root, file):
    if version == 1:
        (tree / root).mkdir(parents=True)
        (tree / root / "cgroup.procs").touch()
    group = tree / root / GROUP
    with limited(64) as prefix:
        assert (group / file).read_text() == str(64 << 20)
        assert prefix[:2] == ["/bin/sh", "-c"] and f'"{group}/cgroup.procs"' in prefix[2] and 'exec "$@"' in prefix[2]
    assert not group.exists()


def test_the_group_is_removed_when_the_trial_raises(tree):
    with pytest.raises(KeyboardInterrupt), limited(1):
        raise KeyboardInterrupt
    assert not (tree / "v2" / GROUP).exists()


def test_no_limit_needs_no_group(tree):
    with limited(None) as prefix:
        assert prefix == [] and not list((tree / "v2").glob("mechanical*"))


def test_without_a_group_file_system_it_is_unavailable(tree):
    shutil.rmtree(tree / "v2")
    with pytest.raises(Unavailable, match="writable memory control group .*No such file.* run as root or delegate"):
        limited(1).__enter__()


def test_a_plain_folder_in_its_place_limits_nothing_and_is_unavailable(tree):
    """As /sys/fs/cgroup of a container that has none: it would take the file of a limit as any folder does."""
    (tree / "v2" / "cgroup.procs").unlink()
    with pytest.raises(Unavailable, match="writable memory control group"):
        limited(1).__enter__()
    assert not list((tree / "v2").iterdir())


def test_a_limit_that_cannot_be_written_leaves_no_group(tree, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", refused)
    with pytest.raises(Unavailable, match="Permission denied"):
        limited(1).__enter__()
    assert not (tree / "v2" / GROUP).exists()
