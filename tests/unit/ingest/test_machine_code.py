"""Locked instructions in what a JVM prints of its compilations."""

from __future__ import annotations

from pipeline.ingest.machine_code import code, what_is_read

HEAD = "Compiled method ({0})     447  169 %     4       lab.Kernel::run @ 46 (150 bytes)\n"
LOG = (
    "<print_nmethod compile_id='7' compiler='c1' level='3' stamp='0.282'>\n"
    + HEAD.format("c1")
    + "[MachCode]\n  0x00007fc93142cee0: f048 0fc1 | 0390 9090 \n</print_nmethod>\n"
    "<print_nmethod compile_id='9' compile_kind='osr' compiler='c2' level='4' stamp='0.447'>\n"
    + HEAD.format("c2")
    + " main code      [0x00007fc93142cee0,0x00007fc93142e540] = 5728\n"
    # The first instruction is cut by a comment, the second has no REX prefix, the third is a CMPXCHG.
    "[MachCode]\n  0x00007fc93142cee0: 9090 9090 | 90f0 48\n\n  0x00007fc93142cee7: ;   {runtime_call stub}\n"
    "  0x00007fc93142cee7: 0fc1 0390 | f00f c103 \n  0x00007fc93142ceef: f048 0fb1 | 0a48 0fc1 \n</print_nmethod>\n"
    "<print_nmethod compile_id='12' compiler='c2' level='4' stamp='0.5'>\n"
    + HEAD.format("c2")
    + "[MachCode]\n  0x00007fc93142cf00: 9090 \n</print_nmethod>\n"
)


def test_instructions_are_counted_by_top_tier_compilation():
    found = [(e["kind"], e["method"], e["size"], e["detail"], e["t_ns"], e["compilation"]) for e in code(LOG)]
    assert found == [
        ("lock_xadd", "lab.Kernel::run", 2, "osr", 447_000_000, "9%"),
        ("lock_cmpxchg", "lab.Kernel::run", 1, "osr", 447_000_000, "9%"),
    ]


def test_what_is_kept_for_the_archive_tells_the_same():
    kept = what_is_read(LOG)
    assert list(code(kept)) == list(code(LOG)) and "level='3'" not in kept and "main code" not in kept


def test_another_text_has_no_code():
    assert list(code("")) == [] and list(code("<print_nmethod level='4' stamp='1'></print_nmethod>")) == []
