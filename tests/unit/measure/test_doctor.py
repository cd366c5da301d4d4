"""What the doctor says of a machine, from faked parts."""

from __future__ import annotations

import contextlib

import pytest
from publish_toy import HOST

from pipeline.ground.errors import LabError, Unavailable
from pipeline.host.load import CpuTime, CpuUses
from pipeline.host.runtimes import Runtime
from pipeline.measure import doctor
from pipeline.measure.facts import Counters
from pipeline.measure.probe import Probe

RUNTIMES = {"jdk17": Runtime("jdk17", "17.0.1", "Toy"), "c": Runtime("c", "cc 12", "C")}

NOTHING = (CpuTime(0.0, 0.0, 2), 0.0, CpuUses({}, 0.0))


@pytest.fixture
def machine(lab, monkeypatch):
    """A toy host; of its 200 ticks between the looks 3 were stolen, and the floor went from 100 to 104 ns."""
    ticks = iter([Counters(1000, 10, 0, 0.0, *NOTHING), Counters(1200, 13, 0, 1.0, *NOTHING)])
    floors = iter([100.0, 104.0, *[101.0] * 18])
    places = {"cpu": [0, 1], "core": [0, 1], "package": [0, 0], "usable": [True, False]}
    cpu = HOST["cpu"] | {"topology": places, "topology_doubts": ["One is in doubt."]}
    monkeypatch.setattr(doctor.fingerprint, "take", lambda folder: HOST | {"cpu": cpu})
    monkeypatch.setattr(doctor.runtimes, "all_runtimes", lambda: RUNTIMES)
    monkeypatch.setattr(doctor.facts, "counters", lambda: next(ticks))
    monkeypatch.setattr(doctor.probe, "run", lambda cpus, scratch: Probe(next(floors), 0.5, 1e3, 2.5e5, 0.0))
    monkeypatch.setattr(doctor.control_group, "limited", lambda megabytes: contextlib.nullcontext([]))
    monkeypatch.setattr(doctor.shutil, "which", lambda tool: "/usr/bin/fio" if tool == "fio" else None)


def test_what_is_there_is_told_in_order(machine):
    found = doctor.examine()
    assert [name for name, _ in found] == [
        "host",
        "cpus",
        "where they lie",
        "clocksource",
        "governor",
        "python",
        "jdk17",
        "c",
        "noise now",
        "memory limit",
        "io folder",
        "fio",
        "strace",
        "chromium",
    ]
    told = dict(found)
    assert told["host"] == "Toy 2.00GHz, 2 CPUs, KVM guest, Linux 6.1"
    assert told["cpus"].startswith("2 usable") and told["clocksource"] == "kvm-clock"
    assert told["where they lie"] == "1 core in 1 package, 1 thread; the machine has another CPU. One is in doubt."
    assert told["governor"] == "not visible here; turbo disabled: not visible here"
    assert told["jdk17"] == "Toy 17.0.1"
    assert told["noise now"] == "steal 1.5 %, calibration floor varied 4.0 %, worst hiccup 0.25 ms"
    assert told["memory limit"].endswith("the cache-starved regime can be measured")
    assert told["io folder"].startswith("ext4, ") and told["io folder"].endswith(" GB free")
    assert told["fio"].startswith("found") and told["chromium"].startswith("not found (page check")


def test_what_is_missing_is_told_with_its_cure_and_the_rest_all_the_same(machine, monkeypatch):
    def missing():
        raise LabError("no JDK 17 or later found; install one (Debian: openjdk-17-jdk) or set JAVA_HOME", 5)

    def refused(megabytes):
        raise Unavailable("a memory limit needs a writable memory control group (Permission denied); run as root")

    monkeypatch.setattr(doctor.runtimes, "all_runtimes", missing)
    monkeypatch.setattr(doctor.control_group, "limited", refused)
    told = dict(doctor.examine())
    assert "install one (Debian: openjdk-17-jdk)" in told["missing"]
    assert "noise now" not in told and not {"jdk17", "c"} & set(told)
    assert "run as root: the cache-starved regime is reported as not supported" in told["memory limit"]
    assert told["chromium"]


def test_a_probe_that_fails_is_told_and_the_runtimes_stay(machine, monkeypatch):
    def failed(cpus, scratch):
        raise LabError("the calibration probe failed: no such file; run: make doctor", 5)

    monkeypatch.setattr(doctor.probe, "run", failed)
    told = dict(doctor.examine())
    assert told["jdk17"] and "the calibration probe failed" in told["missing"] and told["io folder"]
