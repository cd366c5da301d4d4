"""The fingerprint of this very machine."""

from __future__ import annotations

import json

from pipeline.host import cpus, fingerprint, topology
from pipeline.host.visible import UNKNOWN
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
