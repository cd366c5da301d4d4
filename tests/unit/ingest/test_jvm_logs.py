"""Compilation events from what JDK 17 and 25 really print."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    "line", ["", "not a log", "[12ns] something else", "[12ns]   17 %  lab.X::y", "[-1ns] 1 2 a::b (3 bytes)"]
)
def test_other_lines_are_no_events(line):
    assert list(events.jit(line)) == []


LOG = """\
<nmethod compile_id='113' compiler='c1' level='3' size='900' method='lab.Kernel callAll (I)I' stamp='0.1'/>
<nmethod compile_id='139' compiler='c2' level='4' size='1968' insts_offset='464' stub_offset='1616' \
method='lab.Kernel callAll (I)I' stamp='0.998'/>
<task compile_id='113' method='lab.Kernel callAll (I)I' level='3' stamp='0.665'>
<call method='1' virtual='1'/><virtual_call bci='25'/>
</task>
<task compile_id='139' method='lab.Kernel callAll (I)I' bytes='39' stamp='0.930'>
<klass id='1253' name='lab.Receiver1' flags='0'/>
<klass id='1254' name='lab.IntOperation' flags='1536'/>
<method id='1256' holder='1254' name='map' return='1112'/>
<call method='1256' count='408774' prof_factor='1.000000' virtual='1' inline='1'/>
<method id='1259' holder='1253' name='map' return='1112'/>
<call method='1259' count='408774' prof_factor='1.000000' inline='1'/>
<inline_success reason='inline (hot)'/>
<call method='1256' count='5' prof_factor='0.1' virtual='1' inline='1'/>
<inline_fail reason='virtual call'/>
<virtual_call bci='25'/>
</task>
"""


def test_log_compilation_tells_what_c2_inlined_and_what_it_left_virtual():
    found = [(e["kind"], e["method"], e["size"], e["detail"]) for e in events.compilation(LOG)]
    assert found == [
        ("nmethod", "lab.Kernel::callAll", 1152, ""),
        ("inline", "lab.Receiver1::map", 0, "lab.Kernel::callAll"),
        ("virtual_call", "lab.IntOperation::map", 0, "lab.Kernel::callAll"),
    ]
