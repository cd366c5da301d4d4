"""The fingerprint of this very machine."""

from __future__ import annotations

import json

from pipeline.host import cpus, fingerprint


def test_every_cpu_of_this_process_tells_its_siblings(tmp_path):
    siblings = fingerprint.take(tmp_path)["cpu"]["thread_siblings"]
    assert list(siblings) == [str(cpu) for cpu in cpus.usable()]
    assert all(int(cpu) in of_core for cpu, of_core in siblings.items() if of_core)


def test_two_looks_at_one_machine_agree_and_can_be_archived(tmp_path):
    first, second = fingerprint.take(tmp_path), fingerprint.take(tmp_path / "not" / "there" / "yet")
    assert first == second == json.loads(json.dumps(first))
    assert fingerprint.identity(first) == fingerprint.identity(second)
    assert f", {len(cpus.usable())} CPUs" in fingerprint.sentence(first)
