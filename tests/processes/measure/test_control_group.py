"""The process that is measured is the one in the group."""

from __future__ import annotations

import os
import subprocess

from pipeline.measure import control_group


def test_the_shell_moves_itself_into_the_group_and_becomes_the_program(tmp_path, monkeypatch):
    monkeypatch.setattr(control_group, "V1", tmp_path / "none")
    monkeypatch.setattr(control_group, "V2", tmp_path)
    (tmp_path / "cgroup.procs").touch()
    monkeypatch.setattr(control_group.time, "sleep", lambda seconds: None)
    with control_group.limited(8) as prefix:
        program = [*prefix, "/bin/sh", "-c", 'echo "$$ $1 $2"', "sh", "a b", "$(c)"]
        ran = subprocess.run(program, capture_output=True, text=True, check=True)
    pid, words = ran.stdout.split(" ", 1)
    assert words == "a b $(c)\n"
    assert (tmp_path / f"mechanical-sympathy-lab-{os.getpid()}" / "cgroup.procs").read_text() == f"{pid}\n"


def test_a_group_that_cannot_be_joined_starts_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(control_group, "V1", tmp_path / "none")
    monkeypatch.setattr(control_group, "V2", tmp_path)
    (tmp_path / "cgroup.procs").touch()
    monkeypatch.setattr(control_group.time, "sleep", lambda seconds: None)
    with control_group.limited(8) as prefix:
        (tmp_path / f"mechanical-sympathy-lab-{os.getpid()}" / "cgroup.procs").mkdir()
        ran = subprocess.run([*prefix, "/bin/echo", "measured"], capture_output=True, text=True)
    assert ran.returncode and ran.stdout == ""
