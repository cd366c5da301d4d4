"""CPUs of this process, and which are hardware threads of one core."""

from __future__ import annotations

import os

import pytest

from pipeline.host import cpus, sysfs
from pipeline.host.fingerprint import UNKNOWN


@pytest.mark.parametrize(
    ("text", "found"), [("0", [0]), ("0,64", [0, 64]), ("0-3,6", [0, 1, 2, 3, 6]), (UNKNOWN, []), ("", []), ("0-", [])]
)
def test_lists_of_cpus(text, found):
    assert sysfs.of_list(text) == found


def test_the_usable_cpus_are_those_the_kernel_allows_in_order(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {5, 0, 3})
    assert cpus.usable() == [0, 3, 5]


def test_siblings_are_what_the_kernel_lists_and_none_where_it_is_silent(monkeypatch, tmp_path):
    monkeypatch.setattr(sysfs, "ROOT", tmp_path)
    for cpu in (3, 67, 4):
        (tmp_path / sysfs.CPUS / f"cpu{cpu}" / "topology").mkdir(parents=True)
    for cpu in (3, 67):
        (tmp_path / sysfs.CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list").write_text("3,67\n")
    assert cpus.siblings(3) == [3, 67] and cpus.siblings(4) == cpus.siblings(5) == []
