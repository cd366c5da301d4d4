"""The host fingerprint."""

from __future__ import annotations

import pytest

from pipeline.host import fingerprint as host


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("0", [0]), ("0,64", [0, 64]), ("0-3,6", [0, 1, 2, 3, 6]), (host.UNKNOWN, []), ("", []), ("0-", [])],
)
def test_lists_of_cpus(text, cpus):
    assert host.cpu_list(text) == cpus


def test_every_cpu_of_this_process_tells_its_siblings(tmp_path):
    siblings = host.fingerprint(tmp_path)["cpu"]["thread_siblings"]
    assert list(siblings) == [str(cpu) for cpu in host.cpus()]
    assert all(int(cpu) in of_core for cpu, of_core in siblings.items() if of_core)
