"""The command lines that `ssh` gets, and what a worker is told."""

from __future__ import annotations

import random
import shlex
import socket

from pipeline.fleet import hello, launch, left
from pipeline.fleet.config import Host

HOST = Host(name="bob", ssh="bob.example.org", root="my lab; rm -rf $HOME", jdks=["/opt/jdk 25", "/opt/jdk-17"])


def test_a_worker_reaches_and_is_reached_on_the_loopback_alone():
    words = launch.worker(HOST, 8786, 20001, 20002, 20003)
    assert words[: words.index("--")].count("-R") == 1
    assert words[words.index("-R") + 1] == "127.0.0.1:20001:127.0.0.1:8786"
    assert words[words.index("-L") + 1] == "127.0.0.1:20003:127.0.0.1:20002"
    assert words[words.index("--") + 1] == "bob.example.org"
    text = words[-1]
    for told in ("tcp://127.0.0.1:20001", "--listen-address tcp://127.0.0.1:20002", "--dashboard-address 127.0.0.1:0"):
        assert told in text
    assert "--contact-address tcp://127.0.0.1:20003" in text and "--resources host-bob=1" in text
    assert "BatchMode=yes" in words and "ControlPath=none" in words and not any("StrictHostKey" in one for one in words)


def test_odd_names_are_words_of_the_shell_and_nothing_else():
    change, rest = launch.python(HOST, "pipeline.fleet.hello")[-1].split(" && exec ")
    assert shlex.split(change) == ["cd", HOST.root]
    assert shlex.split(rest) == [
        "env",
        "LAB_JDKS=/opt/jdk 25:/opt/jdk-17",
        ".venv/bin/python",
        "-m",
        "pipeline.fleet.hello",
    ]


def test_a_worker_is_quiet_as_hello_asks_for():
    text = launch.worker(HOST, 1, 2, 3, 4)[-1]
    for name, value in hello.QUIET.items():
        assert f"DASK_{name.replace('.', '__').replace('-', '_').upper()}={value}" in text


def test_a_worker_is_known_again_by_its_words():
    words = [one.encode() for one in shlex.split(launch.worker(HOST, 1, 2, 3, 4)[-1])]
    assert all(one in words for one in left.WORDS)


def test_a_port_that_is_taken_is_not_given(monkeypatch):
    with socket.socket() as one:
        one.bind((launch.LOOPBACK, 0))
        taken = one.getsockname()[1]
        with socket.socket() as other:
            other.bind((launch.LOOPBACK, 0))
            free = other.getsockname()[1]
        monkeypatch.setattr(launch, "PORTS", [taken, taken, taken, free])
        assert {launch.free_port(random.Random(seed)) for seed in range(8)} == {free}


def test_workers_of_another_checkout_are_left_alone(tmp_path, monkeypatch):
    for pid, folder in (("11", tmp_path / "mine"), ("12", tmp_path / "other")):
        folder.mkdir()
        place = tmp_path / "proc" / pid
        place.mkdir(parents=True)
        (place / "cmdline").write_bytes(b"\0".join([b"python", *left.WORDS]))
        (place / "cwd").symlink_to(folder)
    (tmp_path / "proc" / "13").mkdir()
    (tmp_path / "proc" / "13" / "cmdline").write_bytes(b"python\0-m\0dask\0worker")
    (tmp_path / "proc" / "self").mkdir()
    monkeypatch.setattr(left, "PROC", tmp_path / "proc")
    assert left.workers(tmp_path / "mine") == [11]
