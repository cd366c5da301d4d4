"""The fingerprint of this very machine."""

from __future__ import annotations

import json
import platform

import pytest

from pipeline.host import cpus, fingerprint, topology
from pipeline.host.kernel_file import UNKNOWN
from pipeline.words.numbers import counted


def test_every_cpu_of_this_process_has_its_place_and_its_siblings(tmp_path):
    places = topology.of_host(fingerprint.take(tmp_path)["cpu"])
    assert sorted(places.at) == cpus.usable()
    for cpu, place in places.at.items():
        beside = [] if place.core is None else places.groups("core")[place.core]
        assert beside == [one for one in cpus.siblings(cpu) if one in places.at]


def test_two_looks_at_one_machine_agree_and_can_be_archived(tmp_path):
    first, second = fingerprint.take(tmp_path), fingerprint.take(tmp_path / "not" / "there" / "yet")
    assert first == second == json.loads(json.dumps(first))
    assert fingerprint.identity(first) == fingerprint.identity(second)
    assert f", {counted(len(cpus.usable()), 'CPU')}" in fingerprint.sentence(first)


def test_a_host_that_tells_next_to_nothing_has_a_fingerprint_too(tmp_path, monkeypatch):
    """As a small container: no os-release, no lscpu, nothing readable below /proc and /sys (simulated)."""
    monkeypatch.setattr(fingerprint.shutil, "which", lambda program: None)
    monkeypatch.setattr(fingerprint, "read", lambda path: UNKNOWN)
    seen = fingerprint.take(tmp_path)
    assert seen["distribution"] == seen["clocksource"] == seen["cpu"]["model"] == UNKNOWN
    assert fingerprint.identity(seen) and f", {counted(len(cpus.usable()), 'CPU')}" in fingerprint.sentence(seen)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('ID=x\nPRETTY_NAME="Toy GNU/Linux 12 (toy)"\nVERSION=12', "Toy GNU/Linux 12 (toy)"),
        ("PRETTY_NAME=Toy", "Toy"),
        ("PRETTY_NAME='a \\$b'", "a $b"),
        ("ID=x", "Linux"),
    ],
)
def test_a_distribution_is_called_as_its_file_says(monkeypatch, text, name):
    monkeypatch.setattr(fingerprint, "read", lambda path: UNKNOWN if path.startswith("/etc") else text)
    assert fingerprint._distribution() == name


def test_this_one_is_called_as_python_says():
    assert fingerprint._distribution() == platform.freedesktop_os_release()["PRETTY_NAME"]
