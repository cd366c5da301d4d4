"""A toy experiment, a run bundle without trials, and a host: what the publishing tests need."""

import json
from pathlib import Path

from laboratory import DATA

from pipeline.catalogue import check
from pipeline.catalogue.entry import Experiment

PROFILE = {"min_blocks": 2, "max_blocks": 4, "budget_s": 60, "sweeps": [{"variants": ["plain"]}]}
HOST = {
    "cpu": {
        "model": "Toy CPU @ 2.00GHz",
        "architecture": "x86_64",
        "microcode": "not visible here",
        "cpus": 2,
        "threads_per_core": "1",
        "cores_per_socket": "2",
        "sockets": "1",
        "numa_nodes": "1",
        "caches": {"L1d": "64 KiB (2 instances)", "L3": "32 MiB"},
        "hypervisor": "KVM",
        "smt": "notsupported",
        "governor": "not visible here",
        "turbo_disabled": "not visible here",
        "idle_driver": "haltpoll",
        "halt_polling": "200000",
        "mitigations": {"meltdown": "Not affected", "mds": "Mitigation; Clear buffers"},
    },
    "kernel": "Linux 6.1.0",
    "distribution": "Toy GNU/Linux 12",
    "clocksource": "kvm-clock",
    "transparent_huge_pages": "always [madvise] never",
    "memory_bytes": 8 * 2**30,
    "io": {
        "type": "ext4",
        "device": "vda1",
        "options": "rw",
        "scheduler": "[none]",
        "rotational": "1",
        "logical_block_bytes": "512",
    },
}


def entry(number: int, name: str) -> Experiment:
    return check.experiment(
        dict(
            name=name,
            number=number,
            title=f"The {name}",
            question="Does it scale?",
            value="duration",
            posts=[],
            axes={"threads": "int"},
            variants={"plain": {"label": "plain", "harness": "c", "runs": "plain"}},
            profiles=dict.fromkeys(("smoke", "quick", "full"), PROFILE),
            metrics={},
            headlines=[],
        )
    )


def noise(**facts: float) -> dict:
    """The facts of a quiet trial, but for those given."""
    quiet = {
        "steal_pct": 0.0,
        "psi_pct": 0.0,
        "voluntary": 1,
        "involuntary": 0,
        "floor_before_ns": 100.0,
        "floor_after_ns": 100.0,
        "cycle_ns": 0.5,
        "hiccup_p99_ns": 900.0,
        "hiccup_max_ns": 9000.0,
        "foreign_pct": 0.0,
        "foreign_error_pct": 0.0,
    }
    return quiet | facts


def noise_on_cpus(**facts: float) -> dict:
    """The facts of a quiet trial that names its CPUs and has a quota, but for those given."""
    own = ("cpus_steal_pct", "cpus_foreign_pct", "cpus_error_pct", "sibling_foreign_pct", "run_delay_pct")
    return noise() | dict.fromkeys(own, 0.0) | {"quota_cpus": 2.0, "throttled_pct": 0.0} | facts


def trial(number: int, block: int, **more) -> dict:
    """A journal line; that of number 0 is noisy."""
    return {
        "trial": f"plain-c-b{block:02d}-{number}",
        "experiment": "toy",
        "variant": "plain",
        "runtime": "c",
        "axes": {},
        "block": block,
        "order": number,
        "attempt": 0,
        "status": "measured",
        "reason": "",
        "wall_s": 1.9,
        "took_s": 2.0,
        "noise": noise(steal_pct=12.0 if number == 0 else 0.0),
    } | more


def write_run(folder: Path) -> None:
    """A bundle of the toy: planned, not finished."""
    folder.mkdir(parents=True)
    info = {
        "format": 1,
        "name": folder.name,
        "profile": "quick",
        "seed": 1,
        "created": "2026-01-02T03:04:05+00:00",
        "git": "0123456789ab",
        "host": HOST,
        "tools": {"numpy": "2.4.6"},
        "runtimes": {"c": {"name": "c", "version": "cc 12", "vendor": "C"}},
    }
    (folder / "run.json").write_text(json.dumps(info))
    lines = [{"event": "planned", "experiment": "toy", "overrides": {}, "configurations": 2}]
    lines += [trial(number, 1) for number in range(2)]
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def isolate(monkeypatch, folder: Path) -> str:
    """Point the Lab at the test notebooks and at empty folders under `folder`; the name of a toy run there."""
    monkeypatch.setenv("LAB_NOTEBOOKS", str(DATA / "notebooks"))
    monkeypatch.setenv("LAB_BUILD", str(folder / "build"))
    monkeypatch.setenv("LAB_RUNS", str(folder / "runs"))
    write_run(folder / "runs" / "toys")
    return "toys"
