"""CPU used by others: which counter is read, what is left when one's own is taken off, and who is named."""

from __future__ import annotations

import pytest

from pipeline.host import load
from pipeline.host.load import CpuTime, CpuUse, Load, Process

STAT = "cpu  100 20 30 4000 500 6 7 800 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\nintr 5\n"


@pytest.fixture
def proc(tmp_path, monkeypatch):
    """A toy /proc, and no control group of CPU accounting."""
    monkeypatch.setattr(load, "PROC", tmp_path / "proc")
    monkeypatch.setattr(load, "ACCOUNTING", tmp_path / "cpuacct")
    monkeypatch.setattr(load, "TICK_S", 0.01)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "stat").write_text(STAT)
    return tmp_path


def test_busy_are_neither_idle_nor_waiting_nor_stolen_ticks_and_two_ticks_are_the_error(proc):
    assert load.cpu_time() == CpuTime(pytest.approx(1.63), pytest.approx(2 * load.TICK_S), 2)


@pytest.mark.parametrize(("root", "seconds"), [(True, 12.5), (False, 1.63)])
def test_the_exact_counter_is_read_where_it_is_the_whole_host_s(proc, root, seconds):
    (proc / "cpuacct").mkdir()
    (proc / "cpuacct" / "cpuacct.usage").write_text("12500000000\n")
    if root:
        (proc / "cpuacct" / "release_agent").write_text("\n")
    seen = load.cpu_time()
    assert seen.seconds == pytest.approx(seconds) and (seen.error_s == 0) == root and seen.cpus == 2


def test_the_use_of_every_cpu_in_ticks_and_exactly(proc):
    text = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 1 1 70 7 1 1 9 0 0\ncpu2 5 0 0 1 1 0 0 0 0 0\n"
    (proc / "proc" / "stat").write_text(text)
    seen = load.cpu_uses()
    assert seen.error_s == pytest.approx(0.02) and list(seen.of) == [0, 2]
    assert seen.of[0] == CpuUse(pytest.approx(0.14), pytest.approx(0.09)) and seen.of[2].busy_s == pytest.approx(0.05)
    (proc / "cpuacct").mkdir()
    (proc / "cpuacct" / "release_agent").write_text("\n")
    (proc / "cpuacct" / "cpuacct.usage_percpu").write_text("1500000000 0 \n")  # CPU 2 is missing
    assert load.cpu_uses() == seen
    (proc / "cpuacct" / "cpuacct.usage_percpu").write_text("1500000000 0 2500000000 \n")
    exact = load.cpu_uses()
    assert exact.error_s == 0 and exact.of == {0: CpuUse(1.5, pytest.approx(0.09)), 2: CpuUse(2.5, 0.0)}


def process(proc, pid: int, name: str, user: int, system: int) -> None:
    (proc / "proc" / str(pid)).mkdir(exist_ok=True)
    fields = " ".join(["S", *["0"] * 10, str(user), str(system), "0"])
    (proc / "proc" / str(pid) / "stat").write_text(f"{pid} ({name}) {fields}\n")


def test_a_sample_names_the_most_eager_and_leaves_oneself_out(proc, monkeypatch):
    now = iter([10.0, 12.0])
    monkeypatch.setattr(load.time, "monotonic", lambda: next(now))
    monkeypatch.setattr(load.os, "getpid", lambda: 99)
    for pid, name in ((1, "init"), (2, "a (b) c"), (3, "cc1"), (4, "java"), (99, "lab")):
        process(proc, pid, name, 5, 5)

    def passes(seconds):
        for pid, ticks in ((2, 150), (3, 20), (4, 100), (99, 50)):
            process(proc, pid, {2: "a (b) c", 3: "cc1", 4: "java", 99: "lab"}[pid], 5 + ticks, 5)
        process(proc, 5, "born", 300, 0)
        (proc / "proc" / "stat").write_text(STAT.replace("cpu  100 20", "cpu  420 20"))

    monkeypatch.setattr(load.time, "sleep", passes)
    seen = load.sample(2.0)
    assert seen.processes == (Process("a (b) c", 2, 75.0), Process("java", 4, 50.0), Process("cc1", 3, 10.0))
    # 320 ticks of 10 ms, less 50 of one's own and the error of 2, of two CPUs for two seconds.
    assert seen.pct == pytest.approx(100 * 2.68 / 4)
    assert seen.busy and seen.words() == (
        "other processes used 67 % of all CPUs: a (b) c (pid 2) 75 %, java (pid 4) 50 %, cc1 (pid 3) 10 % of one CPU"
    )


def test_a_quiet_host_is_not_busy(proc, monkeypatch):
    monkeypatch.setattr(load.time, "sleep", lambda seconds: None)
    seen = load.sample()
    assert seen == Load(0.0, ()) and not seen.busy and seen.words() == "other processes used 0 % of all CPUs"
