"""CPUs of this process, and which are hardware threads of one core."""

from __future__ import annotations

import os

import pytest

from pipeline.host import cpus, quota, sysfs
from pipeline.host.fingerprint import UNKNOWN


@pytest.mark.parametrize(
    ("text", "found"), [("0", [0]), ("0,64", [0, 64]), ("0-3,6", [0, 1, 2, 3, 6]), (UNKNOWN, []), ("", []), ("0-", [])]
)
def test_lists_of_cpus(text, found):
    assert sysfs.of_list(text) == found


def test_the_usable_cpus_are_those_the_kernel_allows_in_order(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {5, 0, 3})
    monkeypatch.setattr(quota, "cpus", lambda: None)
    assert cpus.usable() == cpus.allowed() == [0, 3, 5] and cpus.limited() == []


@pytest.fixture
def threads_beside(monkeypatch, tmp_path):
    """Eight CPUs: four cores of two hardware threads each, 0 and 1 on one core."""
    monkeypatch.setattr(sysfs, "ROOT", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    for cpu in range(8):
        folder = tmp_path / sysfs.CPUS / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{cpu & ~1}-{cpu | 1}\n")


@pytest.mark.parametrize(
    ("granted", "usable", "said"),
    [
        (None, list(range(8)), ""),
        (8.0, list(range(8)), ""),
        (64.0, list(range(8)), ""),
        (3.75, [0, 2, 4], "may use the time of 3.75 of its 8 CPUs: at most 3 threads run at a time"),
        (5.0, [0, 1, 2, 4, 6], "may use the time of 5 of its 8 CPUs: at most 5 threads run at a time"),
        (1.5, [0], "may use the time of 1.5 of its 8 CPUs: at most 1 thread runs at a time"),
        (0.25, [0], "may use the time of 0.25 CPUs: a busy thread stands still 75 % of the time"),
    ],
)
def test_a_quota_leaves_as_many_cpus_as_it_is_enough_for_cores_first(
    monkeypatch, threads_beside, granted, usable, said
):
    monkeypatch.setattr(quota, "cpus", lambda: granted)
    assert cpus.usable() == usable and set(cpus.near_first()) == set(usable)
    assert [said in sentence for sentence in cpus.limited()] == [True] * bool(said)


def test_half_a_cpu_is_told_of_a_single_one_too(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3})
    for granted, told in ((0.5, True), (1.0, False), (1.5, False)):
        monkeypatch.setattr(quota, "cpus", lambda granted=granted: granted)
        assert cpus.usable() == [3] and bool(cpus.limited()) == told


def test_siblings_are_what_the_kernel_lists_and_none_where_it_is_silent(monkeypatch, tmp_path):
    monkeypatch.setattr(sysfs, "ROOT", tmp_path)
    for cpu in (3, 67, 4):
        (tmp_path / sysfs.CPUS / f"cpu{cpu}" / "topology").mkdir(parents=True)
    for cpu in (3, 67):
        (tmp_path / sysfs.CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list").write_text("3,67\n")
    assert cpus.siblings(3) == [3, 67] and cpus.siblings(4) == cpus.siblings(5) == []
