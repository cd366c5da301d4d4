"""Quotas of CPU time: read from files as the kernel writes them, of both versions of control groups."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.host import quota
from pipeline.host.kernel_file import UNKNOWN
from pipeline.host.quota import Held

V2, V1 = "sys/fs/cgroup", "sys/fs/cgroup/cpu"


def unified(group: str, limit: str, throttled_us: int) -> dict[str, str]:
    """The files of a group of version 2, as Linux 6.1 writes them."""
    stat = (
        f"usage_usec 900\nuser_usec 800\nsystem_usec 100\nnr_periods 9\nnr_throttled 3\nthrottled_usec {throttled_us}\n"
    )
    return {f"{V2}/{group}/cpu.max": limit, f"{V2}/{group}/cpu.stat": stat}


def old(group: str, limit: str, throttled_ns: int, mount: str = V1) -> dict[str, str]:
    """The files of a group of version 1."""
    stat = f"nr_periods 9\nnr_throttled 3\nthrottled_time {throttled_ns}\nnr_bursts 0\nburst_time 0\n"
    here = f"{mount}/{group}"
    return {f"{here}/cpu.cfs_quota_us": limit, f"{here}/cpu.cfs_period_us": "100000\n", f"{here}/cpu.stat": stat}


IN_V2, IN_V1 = {"proc/self/cgroup": "0::/\n"}, {"proc/self/cgroup": "9:memory:/x\n2:cpu,cpuacct:/docker/gone\n0::/\n"}
BELOW = {"proc/self/cgroup": "0::/a/b\n"}


@pytest.mark.parametrize(
    ("files", "limit", "cpus"),
    [
        (IN_V2 | {f"{V2}/cpu.max": "max 100000"}, "none", None),
        (IN_V2 | {f"{V2}/cpu.max": "50000 100000"}, "0.5 CPUs", 0.5),
        (IN_V2, UNKNOWN, None),
        (IN_V2 | {f"{V2}/cpu.max": ""}, UNKNOWN, None),
        (IN_V2 | {f"{V2}/cpu.max": "50000 0"}, UNKNOWN, None),
        (IN_V2 | {f"{V2}/cpu.max": "0 100000"}, UNKNOWN, None),
        (IN_V1 | old("", "200000\n", 0, "sys/fs/cgroup/cpu,cpuacct"), "2 CPUs", 2.0),
        ({"proc/self/cgroup": "1:cpu:/a\n0::/\n"} | old("a", "-1\n", 0), "none", None),
        ({"proc/self/cgroup": "1:cpuset:/a\n"} | old("a", "100000", 0), UNKNOWN, None),
        (BELOW | unified("a/b", "max 100000", 0) | unified("a", "150000 100000", 0), "1.5 CPUs", 1.5),
        (BELOW | unified("a/b", "20000 10000", 0) | unified("a", "300000 100000", 0), "2 CPUs", 2.0),
        ({}, UNKNOWN, None),
    ],
)
def test_the_tightest_limit_of_cpu_time_among_the_groups_and_those_above(machine, files, limit, cpus):
    machine(files)
    assert quota.told() == limit and quota.cpus() == cpus == quota.of(limit)


@given(st.integers(1, 512), st.integers(10, 51_200_000))
def test_no_more_threads_than_the_quota_runs_and_one_at_least(allowed, thousandths):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quota, "cpus", lambda: thousandths / 1000)
        threads = quota.threads(allowed)
    assert 1 <= threads <= allowed and (threads == 1 or threads <= thousandths / 1000)
    assert threads == allowed or threads + 1 > thousandths / 1000


@pytest.mark.parametrize(
    ("granted", "said"), [(1.0, "1 CPU"), (1.5, "1.5 CPUs"), (0.25, "0.25 CPUs"), (16.0, "16 CPUs")]
)
def test_a_quota_in_a_sentence(granted, said):
    assert quota.words(granted) == said


@pytest.mark.parametrize("told", ["none", UNKNOWN, "", "CPUs", "nan CPUs", "many CPUs", "1.5", "1.5 CPUs ", "-1 CPUs"])
def test_words_that_tell_of_no_quota(told):
    assert quota.of(told) is None


def test_only_groups_with_a_quota_hold_threads_back_in_seconds_of_either_version(machine, tmp_path):
    machine({"proc/self/cgroup": "3:cpu:/old\n0::/a/b\n"})
    machine(
        unified("a/b", "max 100000", 9) | unified("a", "150000 100000", 2_500_000) | old("old", "50000", 750_000_000)
    )
    machine({f"{V2}/cpu.stat": "usage_usec 900\n"})  # the uppermost group of version 2 has no more
    assert quota.held() == {str(tmp_path / V2 / "a"): Held(1.5, 2.5), str(tmp_path / V1 / "old"): Held(0.5, 0.75)}


@pytest.mark.parametrize("stat", ["", "nr_throttled 3\n", "throttled_usec many\n", "throttled_usec\n"])
def test_a_group_that_does_not_tell_what_it_held_back_has_nothing_to_tell(machine, stat):
    machine(IN_V2 | {f"{V2}/cpu.max": "50000 100000", f"{V2}/cpu.stat": stat})
    assert quota.held() == {} and quota.cpus() == 0.5


def test_between_two_readings_the_group_counts_that_held_back_longest():
    start = {"pod": Held(4.0, 100.0), "container": Held(1.5, 2.0), "gone": Held(1.0, 0.0)}
    end = {"pod": Held(4.0, 100.25), "container": Held(1.5, 3.0), "new": Held(0.5, 9.0)}
    assert quota.between(start, end) == Held(1.5, 1.0)
    assert quota.between(start, start) == Held(1.0, 0.0), "of several that held nothing back the tightest"
    assert quota.between({}, end) is None and quota.between(start, {}) is None
