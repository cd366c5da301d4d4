"""The schema of a journal's lines: what this version relies on is checked when a line is read."""

from __future__ import annotations

from pipeline.bundle.schema import (
    Check,
    Fault,
    May,
    anything,
    by_name,
    mapping,
    number,
    one_of,
    or_none,
    scalar,
    several,
    text,
    truth,
    whole,
)

STATUSES = ("measured", "unsupported", "check_failed", "no_resources", "bad_argument", "crashed", "timeout")
ENDED_BY = ("precision", "budget", "blocks", "left_out", "imported", "decided")
FINITE, COUNT, SECONDS = number(finite=True), whole(), number()
NOISE = {
    "steal_pct": FINITE,
    "psi_pct": FINITE,
    "voluntary": COUNT,
    "involuntary": COUNT,
    "floor_before_ns": number(above=0, finite=True),
    "floor_after_ns": FINITE,
    "cycle_ns": FINITE,
    "hiccup_p99_ns": FINITE,
    "hiccup_max_ns": FINITE,
    "foreign_pct": May(FINITE),  # an old run lacks these
    "foreign_error_pct": May(FINITE),
    "cpus_steal_pct": May(FINITE),  # and a trial that names no CPUs these
    "cpus_foreign_pct": May(FINITE),
    "cpus_error_pct": May(FINITE),
    "sibling_foreign_pct": May(FINITE),  # or whose CPUs have no siblings
    "run_delay_pct": May(FINITE),  # or whose kernel does not tell
    "quota_cpus": May(number(above=0, finite=True)),  # where the process had a quota of CPU time, these two
    "throttled_pct": May(FINITE),
}
QUARTILES = several(number(above=0, finite=True), 3)
READINGS = {  # over the gaps between iterations: `pipeline.bundle.readings`
    "word_ns": May(or_none(QUARTILES)),
    "word_most_ns": May(or_none(QUARTILES)),
    "width": QUARTILES,
    "chain_ns": QUARTILES,
}
PART = {"command": several(text), "exit": COUNT}
TRIAL = {
    "trial": text,
    "experiment": text,
    "variant": text,
    "runtime": text,
    "axes": by_name(scalar),
    "block": COUNT,
    "order": COUNT,
    "attempt": COUNT,
    "sitting": May(or_none(COUNT)),  # of a sitting its number; a whole block has none
    "status": one_of(*STATUSES),
    "reason": text,
    "wall_s": SECONDS,
    "took_s": May(SECONDS),
    "cpus": May(several(COUNT)),  # an older line has them in its command alone, and no distance
    "distance": May(text),
    "node": May(or_none(COUNT)),  # on a host of several
    "noise": May(or_none(mapping(NOISE))),
    "readings": May(or_none(mapping(READINGS))),  # of workers that have a CPU each
    "files": May(by_name(text)),
    "parts": May(by_name(mapping(PART))),  # other than the main one
}
PAIRS = several(several(text, 2))
PROCESS = {"name": text, "pid": COUNT, "pct": SECONDS}


def _keys(value: object) -> Fault:
    """Of a filling: the name of an experiment, or the keys of its configurations."""
    return several(text)(value) if isinstance(value, list) else text(value)


EVENTS = {
    "planned": {
        "experiment": text,
        "overrides": by_name(anything),
        "configurations": COUNT,
        "left_out": May(several(text)),
    },
    "finished": {"experiment": text, "ended_by": one_of(*ENDED_BY), "blocks": COUNT, "spent_s": SECONDS},
    "host_changed": {"at": text, "changes": by_name(several(text, 2))},  # before, after
    "host_busy": {"at": text, "pct": SECONDS, "processes": several(mapping(PROCESS))},
    "deciding": {"minutes": number(least=0)},
    "sitting": {
        "number": whole(least=2),
        "at": text,
        "minutes": number(above=0),
        "rounds": whole(least=1),
        "verdicts": PAIRS,  # claim, runtime
        "left_out": May(PAIRS),
        "configurations": by_name(several(text)),
        "fill": May(several(several(_keys, 2))),  # experiment, keys
    },
    "sat": {"number": whole(least=2), "rounds": COUNT, "spent_s": SECONDS},
    "look": {
        "experiment": text,
        "blocks": whole(least=1),
        "error": number(above=0, below=1),  # of all rows together
        "among": whole(least=1),  # rows that share it
        "early": May(truth),
    },
    "minutes": {"minutes": number(above=0)},
}
CHECKS: dict[str, Check] = {name: mapping(keys) for name, keys in {**EVENTS, "trial": TRIAL}.items()}
