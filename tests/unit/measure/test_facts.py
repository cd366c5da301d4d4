"""What is recorded of a trial's host. The hosts of 64 CPUs are simulated: their /proc and /sys are folders here."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish_toy import noise as quiet

from pipeline.host import cpus, load, sysfs
from pipeline.host.load import CpuTime, CpuUse, CpuUses
from pipeline.host.quota import Held
from pipeline.measure import facts, trial
from pipeline.measure.facts import Counters
from pipeline.measure.noise import judge
from pipeline.measure.probe import Probe

UNSEEN = CpuUses({}, 0.0)

USAGE = SimpleNamespace(ru_utime=1.5, ru_stime=0.5, ru_nvcsw=7, ru_nivcsw=3)
PEER = SimpleNamespace(ru_utime=0.75, ru_stime=0.25, ru_nvcsw=5, ru_nivcsw=1)


def test_what_is_recorded_of_a_trial():
    before, after = Probe(100.0, 0.50, 700.0, 8000.0, 0.9), Probe(104.0, 0.48, 900.0, 9000.0, 4.2)
    start = Counters(1000, 10, 5_000, 1.0, CpuTime(50.0, 0.02, 2), 0.25, UNSEEN)
    end = Counters(1400, 16, 65_000, 4.0, CpuTime(54.0, 0.02, 2), 0.35, UNSEEN)
    assert facts.of_trial(before, after, start, end, [USAGE, PEER]) == {
        "steal_pct": 1.5,  # 6 of 400 ticks
        "foreign_pct": 15.0,  # 4 s less 2 s and 1 s of the trial and 0.1 s of our own, of two CPUs for 3 s
        "foreign_error_pct": 0.333,
        "psi_pct": 2.0,  # 60 ms of 3 s
        "voluntary": 12,
        "involuntary": 4,
        "floor_before_ns": 100.0,
        "floor_after_ns": 104.0,
        "cycle_ns": 0.48,
        "hiccup_p99_ns": 900.0,
        "hiccup_max_ns": 9000.0,
    }


def test_what_a_quota_held_back_is_recorded_only_where_there_is_one():
    probe, cpu = Probe(1.0, 1.0, 1.0, 1.0, 0.0), CpuTime(1.0, 0.0, 2)

    def at(monotonic: float, **held: Held) -> Counters:
        return Counters(1000, 10, 0, monotonic, cpu, 0.0, UNSEEN, held)

    def recorded(start: Counters, end: Counters) -> tuple:
        seen = facts.of_trial(probe, probe, start, end, [USAGE])
        return seen.get("quota_cpus"), seen.get("throttled_pct"), facts.throttled_s(start, end)

    # On two CPUs of four seconds each.
    start, end = at(1.0, pod=Held(4.0, 7.0), box=Held(1.5, 2.0)), at(5.0, pod=Held(4.0, 7.5), box=Held(1.5, 3.0))
    assert recorded(start, end) == (1.5, 25.0, 1.0)
    assert recorded(start, at(5.0, pod=Held(4.0, 15.0), box=Held(1.5, 3.0))) == (4.0, 200.0, 8.0)
    assert recorded(start, at(5.0, pod=Held(4.0, 7.0), box=Held(1.5, 2.0))) == (1.5, 0.0, 0.0)
    assert recorded(at(1.0), at(5.0)) == recorded(at(1.0), end) == (None, None, 0.0)


def test_a_trial_shorter_than_a_tick_has_no_steal():
    probe, cpu = Probe(1.0, 1.0, 1.0, 1.0, 0.0), CpuTime(1.0, 0.0, 2)
    start, end = Counters(1000, 10, 0, 1.0, cpu, 0.0, UNSEEN), Counters(1000, 10, 0, 1.001, cpu, 0.0, UNSEEN)
    assert facts.of_trial(probe, probe, start, end, [USAGE])["steal_pct"] == 0.0


@pytest.mark.parametrize(
    ("pressure", "us"),
    [("some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0 total=9\n", 1234), ("some\n", 0), (None, 0)],
)
def test_counters_as_the_kernel_writes_them_and_without_pressure(monkeypatch, tmp_path, pressure, us):
    (tmp_path / "stat").write_text("cpu  10 20 30 400 5 6 7 8 90 100\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
    if pressure is not None:
        (tmp_path / "cpu").write_text(pressure)
    monkeypatch.setattr(facts, "Path", lambda name: tmp_path / name.rsplit("/", 1)[1])
    read = facts.counters()
    assert (read.total, read.steal, read.pressure_us) == (486, 8, us)  # guests are in user time already
    assert read.own_s > 0 and read.busy.seconds > 0


# On a trial's own CPUs

CPUS = 64
TICKS = 100  # of the second that a simulated trial takes


def sibling(cpu: int) -> int:
    return (cpu + CPUS // 2) % CPUS


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A simulated host of 32 cores with two hardware threads each, 0 and 32 on one core; the function returned writes
    the ticks that its CPUs were busy and stolen so far, and reads them as measuring does."""
    monkeypatch.setattr(load, "PROC", tmp_path)
    monkeypatch.setattr(load, "ACCOUNTING", tmp_path / "no group of CPU accounting")
    monkeypatch.setattr(load, "TICK_S", 1 / TICKS)
    monkeypatch.setattr(sysfs, "ROOT", tmp_path)
    for cpu in range(CPUS):
        folder = tmp_path / sysfs.CPUS / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        first, second = sorted((cpu, sibling(cpu)))
        (folder / "thread_siblings_list").write_text(f"{first},{second}\n")

    def read(busy: dict[int, int], stolen: dict[int, int]) -> CpuUses:
        rows = [f"cpu{cpu} {busy.get(cpu, 0)} 0 0 0 0 0 0 {stolen.get(cpu, 0)} 0 0" for cpu in range(CPUS)]
        whole = f"cpu  {sum(busy.values())} 0 0 0 0 0 0 {sum(stolen.values())} 0 0"
        (tmp_path / "stat").write_text("\n".join([whole, *rows, "intr 5"]) + "\n")
        return load.cpu_uses()

    def seconds(others: dict[int, int], own: dict[int, int], stolen: dict[int, int] | None = None):
        """What a trial of one second with these ticks of its own, beside these ticks of others, records and is told."""
        busy = {cpu: others.get(cpu, 0) + own.get(cpu, 0) for cpu in range(CPUS)}
        found = facts.on_cpus(sorted(own), read({}, {}), read(busy, stolen or {}), 1.0, sum(own.values()) / TICKS)
        return found, judge(quiet(foreign_pct=100 * sum(others.values()) / CPUS / TICKS) | found)

    return seconds


@pytest.mark.thorough
@pytest.mark.parametrize("own", [{3: 90}, {3: 100, 4: 100}, {cpu: 95 for cpu in range(8)}])
def test_a_hog_on_one_of_64_cpus_condemns_what_it_touches_and_nothing_else(host, own):
    for hog in range(CPUS):
        beside = hog in map(sibling, own)
        # On a trial's own CPU they share it.
        shared = {cpu: ticks // 2 if cpu == hog else ticks for cpu, ticks in own.items()}
        found, reasons = host({hog: TICKS // 2 if hog in own else TICKS}, shared)
        if beside:
            assert found["sibling_foreign_pct"] == 100 and "sibling of its CPUs was used 100.0 %" in reasons[0]
        elif hog in own and len(own) < 5:
            assert reasons[0].startswith(f"other processes used {50 / len(own):.1f} % of its CPUs")
        else:  # among many CPUs of its own the wait of the worker there tells
            assert reasons == []


def test_steal_is_that_of_the_trial_s_cpus(host):
    found, reasons = host({}, {3: 80}, stolen={3: 20})
    assert found["cpus_steal_pct"] == 20 and reasons[0].startswith("steal 20.0 %")
    assert host({}, {3: 80}, stolen={cpu: 50 for cpu in range(4, CPUS)})[1] == []


@given(
    st.dictionaries(st.integers(0, 7), st.integers(0, TICKS), min_size=1),
    st.dictionaries(st.integers(0, CPUS - 1), st.integers(0, TICKS)),
    st.integers(0, 3 * TICKS),
)
def test_no_more_is_found_than_others_used_and_all_of_it_where_the_trial_stayed_on_its_cpus(own, others, elsewhere):
    """`elsewhere`: ticks of the trial's threads that no CPU was named for, spread over CPUs it does not touch."""
    start = CpuUses({cpu: CpuUse(0.0, 0.0) for cpu in range(CPUS)}, 0.0)
    busy = {cpu: others.get(cpu, 0) + own.get(cpu, 0) for cpu in range(CPUS)}
    end = CpuUses({cpu: CpuUse(float(busy[cpu]), 0.0) for cpu in range(CPUS)}, 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpus, "siblings", lambda cpu: [cpu, sibling(cpu)])
        found = facts.on_cpus(sorted(own), start, end, TICKS, sum(own.values()) + elsewhere)
    there = sum(others.get(cpu, 0) for cpu in own)
    beside = [others.get(sibling(cpu), 0) for cpu in own]
    assert found["cpus_foreign_pct"] == pytest.approx(100 * (there - elsewhere) / len(own) / TICKS, abs=1e-3)
    most = min(max(beside), there + sum(beside) - elsewhere)
    assert found["sibling_foreign_pct"] == pytest.approx(100 * most / TICKS, abs=1e-3)


def test_without_cpus_siblings_or_all_its_cpus_there_is_less_to_tell(host, monkeypatch):
    assert host({1: 50}, {})[0] == {}
    monkeypatch.setattr(cpus, "siblings", lambda cpu: [])
    found, reasons = host({sibling(3): TICKS}, {3: 90})
    assert "sibling_foreign_pct" not in found and reasons == []
    some = CpuUses({0: CpuUse(1.0, 0.0)}, 0.0)
    assert facts.on_cpus([0], some, some, 1.0, 0.0) != {} == facts.on_cpus([0, 1], some, some, 1.0, 0.0)


@pytest.mark.parametrize(
    ("parts", "named"), [([(1, 0)], [0, 1]), ([(1,), (0, 3)], [0, 1, 3]), ([(1,), ()], []), ([()], [])]
)
def test_a_trial_names_its_cpus_when_all_its_parts_do(parts, named):
    assert facts.pinned([SimpleNamespace(cpus=each) for each in parts]) == named


# Waiting


@pytest.mark.parametrize("last", ["[1]", "7", "null", "no JSON", '"text"'])
def test_a_harness_that_tells_no_json_object_did_not_keep_the_contract(tmp_path, last):
    ended = SimpleNamespace(told=[last], start=SimpleNamespace(name="peer", log=tmp_path / "t.hlog"))
    assert trial._keep_json([ended]) == ("crashed", "peer: the harness printed no JSON object", [])
    assert not any(tmp_path.iterdir())


def told(cpus_of: list[int | None], wall: int, ran: list[int], delay: list[int], process: int | None = None) -> dict:
    """What the harness tells of workers that are pinned to these CPUs."""
    return {
        "pinning": [{"thread": at, "requested": cpu, "observed": []} for at, cpu in enumerate(cpus_of)],
        "run_delay": {
            "process_ns": sum(ran) if process is None else process,
            "wall_ns": [wall] * len(ran),
            "ran_ns": ran,
            "run_delay_ns": delay,
        },
    }


def test_a_hog_on_a_worker_s_cpu_takes_half_of_its_time():
    assert facts.waiting([told([5], 1000, [500], [500])]) == {"run_delay_pct": 50.0}
    two = told([5, 6], 1000, [990, 500], [0, 500])
    assert facts.waiting([two]) == {"run_delay_pct": 50.0}, "of the one that waited"


def test_workers_that_share_a_cpu_wait_for_each_other_and_are_not_disturbed():
    crowded = told([0, 1] * 4, 1000, [250] * 8, [750] * 8)
    assert facts.waiting([crowded]) == {"run_delay_pct": 0.0}
    # One more thread on CPU 0, of nobody we know: each of its workers gets a fifth.
    hogged = told([0, 1] * 4, 1000, [200, 250] * 4, [800, 750] * 4)
    assert facts.waiting([hogged]) == {"run_delay_pct": 20.0}
    two = [told([0], 1000, [500], [500]), told([0], 1000, [500], [500])]
    assert facts.waiting(two) == {"run_delay_pct": 0.0}, "parts of one trial on one CPU"


def test_what_other_threads_of_the_trial_ran_is_no_disturbance():
    assert facts.waiting([told([0], 1000, [700], [300], process=1000)]) == {"run_delay_pct": 0.0}
    assert facts.waiting([told([0], 1000, [500], [500], process=600)]) == {"run_delay_pct": 40.0}


def test_who_stands_still_for_a_quota_waits_for_nobody():
    held = [told([0], 10**9, [10**9 * 6 // 10], [10**9 * 4 // 10])]  # of a second
    assert facts.waiting(held) == {"run_delay_pct": 40.0}
    assert facts.waiting(held, 0.3) == {"run_delay_pct": 10.0}, "the rest of it others took"
    assert facts.waiting(held, 0.9) == {"run_delay_pct": 0.0}, "as much was held back on another CPU"


@pytest.mark.parametrize(
    "parts",
    [
        [{"pinning": [], "run_delay": None}],
        [{"pinning": []}],
        [told([0], 1000, [500], [500]), {"pinning": [], "run_delay": None}],
        [told([None], 1000, [500], [500])],
        [told([], 1000, [], [])],
        [],
    ],
)
def test_where_a_kernel_or_a_part_does_not_tell_or_a_worker_is_not_pinned_nothing_is_said(parts):
    assert facts.waiting(parts) == {}


@given(
    st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=4), min_size=1, max_size=3),
    st.lists(st.integers(0, 50), min_size=3, max_size=3),
    st.lists(st.integers(0, 20), min_size=3, max_size=3),
)
def test_of_workers_that_never_sleep_it_is_what_others_took_of_their_cpu(ran, foreign, helpers):
    """On each CPU all workers, what others ran and what helpers of the trial ran follow each other, in some order."""
    pinned, wall, own, delay = [], [], [], []
    for cpu, times in enumerate(ran):
        total = sum(times) + foreign[cpu] + helpers[cpu]
        pinned += [cpu] * len(times)
        wall += [total] * len(times)
        own += times
        delay += [total - time for time in times]
    used = sum(helpers[: len(ran)])
    one = told(pinned, 0, own, delay, process=sum(own) + used)
    one["run_delay"]["wall_ns"] = wall
    there = [100 * foreign[cpu] / wall[pinned.index(cpu)] for cpu in range(len(ran))]
    found = facts.waiting([one])["run_delay_pct"]
    assert found <= max(there) + 1e-3
    if used == 0:
        assert found == pytest.approx(max(there), abs=1e-3)
