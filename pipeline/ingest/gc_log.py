"""What a JVM wrote about the stretches in which its threads stood still, as event rows: the unified log of the tags
`safepoint` and `gc` with the decorators `timenanos` (CLOCK_MONOTONIC, as the harness's own times) and `tags`.

A line is written when a pause is over, so an event begins at the line's time less its length. Fields are read by name:
between JDK 17 and 25 `Cleanup` went and `Leaving safepoint` came, which 17 counts into `At safepoint`. What means the
same on both is Total, and of it what is not the way to the safepoint (`standing`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.ingest.jvm_logs import Event

# [38735402478111ns][safepoint] Safepoint "G1CollectForAllocation", ..., Reaching safepoint: 4016 ns, ..., Total: 9 ns
# [38737273780987ns][gc       ] Allocation Stall (t0) 19.409ms
# [38998359911370ns][         ]   1915 messages dropped due to async logging
LINE = re.compile(r"\[(?P<t>\d+)ns\]\[[\w, ]*\]\s*(?P<words>.*)")
SAFEPOINT = re.compile(r'Safepoint "(?P<operation>[^"]+)", (?P<fields>.*)')
FIELD = re.compile(r"([A-Z][a-z ]*): (\d+) ns")
LENGTHS = {"Reaching safepoint", "At safepoint", "Total"}
LEAVING = "Leaving safepoint"
# GC(3) Pause Young (Normal) (G1 Evacuation Pause) 180M->41M(256M) 4.321ms; of ZGC GC(0) y: Pause Mark Start 0.025ms
COLLECTION = re.compile(
    r"GC\((?P<number>\d+)\) (?:[YyO]: )?Pause (?P<what>.+?)(?: \d+\w->\d+\w\(\d+\w\))? (?P<ms>\d+\.\d+)ms"
)
STALL = re.compile(r"Allocation Stall \((?P<thread>.*)\) (?P<ms>\d+\.\d+)ms")
DROPPED = re.compile(r"(?P<lines>\d+) messages dropped due to async logging")
# The operations of the virtual machine that collect, as the collectors of JDK 17 to 25 call theirs.
COLLECTS = re.compile(
    r"CollectFor\w*Allocation|GCFailedAllocation|GCSystemGC|GCCollect|CollectFull|G1(Try|Pause|Collect)"
    r"|^Z(Mark|Relocate|Verify)|^X(Mark|Relocate)|^Shenandoah"
)


def gc(text: str) -> Iterator[Event]:
    """Events of a log of safepoints and collections, all with their length in ns as `size`.

    `safepoint_gc` and `safepoint_other`: all threads stopped for an operation that collects or for another, `method`
    its name, from the request until they were let go; `detail` has in ns `reaching` (until all had stopped), `standing`
    (all the rest) and of that `at` (while all were) and `leaving` (until they were let go), `?` where the runtime does
    not tell these apart. `collection`: what the collector itself did in one of them, by its own clock, `method` its
    words for it, `detail` the number of the cycle (`gc`). `allocation_stall`: one thread, which `detail` names, waited
    for memory (ZGC). `log_dropped`: `size` lines were lost on the way, whatever they said. A line that is cut off is no
    event.
    """
    for line in text.splitlines():
        if not (found := LINE.fullmatch(line)):
            continue
        t_ns, words = int(found["t"]), found["words"]
        if told := SAFEPOINT.fullmatch(words):
            fields = {name: int(ns) for name, ns in FIELD.findall(told["fields"])}
            if LENGTHS <= fields.keys():
                kind = "safepoint_gc" if COLLECTS.search(told["operation"]) else "safepoint_other"
                reaching, standing = fields["Reaching safepoint"], fields["Total"] - fields["Reaching safepoint"]
                at, leaving = (fields["At safepoint"], fields[LEAVING]) if LEAVING in fields else ("?", "?")
                detail = f"reaching={reaching} standing={standing} at={at} leaving={leaving}"
                yield _event(kind, t_ns - fields["Total"], told["operation"], fields["Total"], detail)
        elif told := COLLECTION.fullmatch(words):
            ns = _ns(told["ms"])
            yield _event("collection", t_ns - ns, told["what"], ns, f"gc={told['number']}")
        elif told := STALL.fullmatch(words):
            ns = _ns(told["ms"])
            yield _event("allocation_stall", t_ns - ns, "", ns, f"thread={told['thread']}")
        elif told := DROPPED.fullmatch(words):
            yield _event("log_dropped", t_ns, "", int(told["lines"]), "")


def _ns(ms: str) -> int:
    return round(float(ms) * 1e6)


def _event(kind: str, t_ns: int, method: str, size: int, detail: str) -> Event:
    about: Event = {"t_ns": t_ns, "kind": kind, "method": method, "level": 0, "size": size}
    return about | {"detail": detail, "compilation": ""}
