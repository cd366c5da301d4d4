"""Pauses from what JDK 17 and 25 really print: a line of every operation that each collector was seen to stop for."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from laboratory import DATA

from pipeline.ingest.columns import Columns
from pipeline.ingest.gc_log import gc
from pipeline.ingest.read import PARSERS
from pipeline.ingest.tables import SCHEMAS

LOGS = {jdk: (DATA / "gc_logs" / f"{jdk}.log").read_text() for jdk in ("jdk17", "jdk25")}
# One line of each shape, as they were written: 25 has no `Cleanup`, but the time of leaving and the threads.
OLD = (
    '[38735402478111ns][safepoint] Safepoint "G1CollectForAllocation", Time since last: 49027458 ns, '
    "Reaching safepoint: 4016 ns, Cleanup: 6751 ns, At safepoint: 1393361 ns, Total: 1404128 ns"
)
NEW = (
    '[38739777079904ns][safepoint] Safepoint "G1CollectForAllocation", Time since last: 92102263 ns, '
    "Reaching safepoint: 4667 ns, At safepoint: 2068029 ns, Leaving safepoint: 3656 ns, Total: 2076352 ns, "
    "Threads: 0 runnable, 11 total"
)
G1 = ("Young (Normal) (G1 Evacuation Pause)",)


@pytest.mark.parametrize(
    ("line", "end", "total", "detail"),
    [
        (OLD, 38_735_402_478_111, 1_404_128, "reaching=4016 standing=1400112 at=? leaving=?"),
        (NEW, 38_739_777_079_904, 2_076_352, "reaching=4667 standing=2071685 at=2068029 leaving=3656"),
    ],
)
def test_a_safepoint_begins_its_total_before_its_line(line, end, total, detail):
    assert list(gc(line)) == [
        {
            "t_ns": end - total,
            "kind": "safepoint_gc",
            "method": "G1CollectForAllocation",
            "level": 0,
            "size": total,
            "detail": detail,
            "compilation": "",
        }
    ]


@pytest.mark.parametrize(
    ("words", "method", "number", "ns"),
    [
        ("[gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->1M(64M) 1.305ms", *G1, 0, 1_305_000),
        ("[gc       ] GC(12) Pause Full (System.gc()) 44M->15M(61M) 44.105ms", "Full (System.gc())", 12, 44_105_000),
        ("[gc       ] GC(3) Pause Final Mark (unload classes) 0.250ms", "Final Mark (unload classes)", 3, 250_000),
        ("[gc,phases] GC(7) Pause Relocate Start 0.013ms", "Relocate Start", 7, 13_000),
        ("[gc,phases] GC(7) y: Pause Mark Start (Major) 0.025ms", "Mark Start (Major)", 7, 25_000),
        ("[gc,phases] GC(7) O: Pause Mark End 0.022ms", "Mark End", 7, 22_000),
    ],
)
def test_a_collection_is_what_the_collector_itself_says_of_its_pause(words, method, number, ns):
    (event,) = gc(f"[38737284270788ns]{words}")
    assert (event["kind"], event["method"], event["size"]) == ("collection", method, ns)
    assert (event["t_ns"], event["detail"]) == (38_737_284_270_788 - ns, f"gc={number}")


def test_a_thread_that_waits_to_be_let_go_is_no_part_of_the_collection():
    """G1 on JDK 25: 2.5 ms by its own clock, and the threads stood 6.3 ms, most of the rest while leaving."""
    late = NEW.replace("Leaving safepoint: 3656", "Leaving safepoint: 3803656").replace("2076352", "5876352")
    collection = "[38739777079000ns][gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 15M->1M(64M) 2.036ms"
    told = {event["kind"]: event for event in gc(f"{collection}\n{late}")}
    assert told["collection"]["size"] == 2_036_000
    assert told["safepoint_gc"]["size"] == 5_876_352 and told["safepoint_gc"]["detail"].endswith("leaving=3803656")


def test_a_stall_begins_when_the_thread_began_to_wait():
    (event,) = gc("[38737273780987ns][gc       ] Allocation Stall (t0 (a)) 19.409ms")
    assert (event["kind"], event["size"], event["t_ns"]) == ("allocation_stall", 19_409_000, 38_737_254_371_987)
    assert (event["detail"], event["method"]) == ("thread=t0 (a)", "")


@pytest.mark.parametrize(("jdk", "collections", "told", "dropped"), [("jdk17", 13, 3, 1915), ("jdk25", 17, 3, 7253)])
def test_every_operation_of_every_collector_is_known_as_one_that_collects(jdk, collections, told, dropped):
    events = list(gc(LOGS[jdk]))
    assert Counter(event["kind"] for event in events) == {
        "safepoint_gc": collections,
        "collection": told,
        "safepoint_other": 1,
        "allocation_stall": 1,
        "log_dropped": 1,
    }
    assert len({e["method"] for e in events if e["kind"] == "safepoint_gc"}) == collections
    assert [event["method"] for event in events if event["kind"] == "safepoint_other"] == ["ThreadDump"]
    assert [event["size"] for event in events if event["kind"] == "log_dropped"] == [dropped]


@pytest.mark.parametrize(
    "line", [OLD, NEW.removesuffix(", Threads: 0 runnable, 11 total"), LOGS["jdk17"].splitlines()[-3]]
)
def test_a_line_that_is_cut_off_is_no_event(line):
    """The last one of a virtual machine that was killed: half a number must not become a pause."""
    assert len(list(gc(line))) == 1
    assert [list(gc(line[:length])) for length in range(len(line))] == [[]] * len(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "not a log",
        "[38740359223926ns][gc] GC(0) Major Collection (Warmup)",
        "[38737284270788ns][gc       ] GC(0) Garbage Collection (Allocation Stall) 32M(100%)->32M(100%)",
        "[38735402428506ns][gc] GC(0) Concurrent Mark 6M->1M(64M) 1.305ms",
        "[38735402428506ns][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->1M(64M)",
        "x " + OLD,
        OLD.replace("Total", "Sum"),
        OLD.replace("Reaching", "Awaiting"),
    ],
)
def test_other_lines_are_no_events(line):
    assert list(gc(line)) == []


def test_a_variant_of_the_catalogue_may_ask_for_it_and_its_events_fill_the_table():
    columns = Columns(SCHEMAS["events"])
    events = pd.DataFrame(list(PARSERS["gc"](LOGS["jdk25"])))
    columns.add(len(events), trial="t0", **events.to_dict("list"))
    frame = columns.frame()
    assert frame["size"].tolist() == events["size"].tolist() and len(frame) == 23
