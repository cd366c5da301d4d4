"""Compilation events from what JDK 17 and 25 really print."""

from __future__ import annotations

import pytest
from jvm_logs import LOG

from pipeline.ingest import jvm_logs as events

JDK17 = """\
[2860108070295ns]   17 %           lab.experiments.dispatch.Steps::opRun @ 4 (27 bytes)
[2860114812021ns]   17 %           lab.experiments.dispatch.Steps::opRun @ 4 (27 bytes)   made not entrant
[2860144099391ns]   18             lab.experiments.dispatch.Steps::opRun (27 bytes)
[342232577640ns]    3     n 0       jdk.internal.misc.Unsafe::getReferenceVolatile (native)
[342232577641ns]    4   !   4       java.util.HashMap::get (23 bytes)   made zombie
"""
JDK25 = """\
[2870008056245ns]   90       3       lab.experiments.dispatch.Steps$Inc7::map (5 bytes)   made not entrant: not used
[2870010851153ns]   94 %     4       lab.experiments.dispatch.Steps::opRun @ 4 (27 bytes)
[2870013717175ns]   94 %     4       lab.experiments.Steps::opRun @ 4 (27 bytes)   made not entrant: uncommon trap
[2870013717176ns]  101 s! b  4       lab.Other::locked (270 bytes)
"""


def kinds(text):
    return [(e["t_ns"], e["kind"], e["method"].split("::")[1], e["level"], e["detail"]) for e in events.jit(text)]


def test_the_unified_log_of_17():
    assert kinds(JDK17) == [
        (2860108070295, "compile_osr", "opRun", 4, "osr "),
        (2860114812021, "made_not_entrant", "opRun", 4, "osr "),
        (2860144099391, "compile", "opRun", 4, ""),
        (342232577640, "compile", "getReferenceVolatile", 0, ""),
    ]


def test_the_unified_log_of_25():
    assert kinds(JDK25) == [
        (2870008056245, "made_not_entrant", "map", 3, "not used"),
        (2870010851153, "compile_osr", "opRun", 4, "osr "),
        (2870013717175, "made_not_entrant", "opRun", 4, "osr uncommon trap"),
        (2870013717176, "compile", "locked", 4, ""),
    ]


def test_every_event_tells_its_compilation():
    assert [e["compilation"] for e in events.jit(JDK17)] == ["17%", "17%", "18", "3"]
    assert {e["compilation"] for e in events.compilation(LOG)} == {"139"}
    replaced = LOG.replace("compile_id='139'", "compile_id='139' compile_kind='osr'")
    assert {e["compilation"] for e in events.compilation(replaced)} == {"139%"}
    assert {e["compilation"] for e in events.compilation(LOG.replace("compile_id", "other"))} == {""}


@pytest.mark.parametrize(
    "line", ["", "not a log", "[12ns] something else", "[12ns]   17 %  lab.X::y", "[-1ns] 1 2 a::b (3 bytes)"]
)
def test_other_lines_are_no_events(line):
    assert list(events.jit(line)) == []


def test_log_compilation_tells_what_c2_inlined_and_what_it_left_virtual():
    found = [(e["kind"], e["method"], e["size"], e["detail"]) for e in events.compilation(LOG)]
    assert found == [
        ("nmethod", "lab.Kernel::callAll", 1152, ""),
        ("inline", "lab.Receiver1::map", 0, "lab.Kernel::callAll"),
        ("virtual_call", "lab.IntOperation::map", 0, "lab.Kernel::callAll"),
    ]


def test_the_stamp_of_the_compilation_log_is_seconds():
    """They stand beside the unified log's nanoseconds on one axis."""
    times = {(e["kind"], e["t_ns"]) for e in events.compilation(LOG)}
    assert ("nmethod", 998_000_000) in times
    assert {ns for kind, ns in times if kind in ("inline", "virtual_call")} == {930_000_000}
