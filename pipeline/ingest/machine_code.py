"""Locked instructions in the machine code that a JVM printed, as event rows.

`-XX:CompileCommand=print,<method>` with `-XX:+LogVMOutput` writes every compilation of a method to the log file, its
bytes in hexadecimal where no disassembler is installed. An instruction is found by its bytes: the prefix LOCK (F0), a
REX prefix or none, the opcode (Intel SDM volume 2, XADD and CMPXCHG). Other processors' code has none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.ingest.jvm_logs import Event, attributes, numbered

INSTRUCTIONS = {
    "lock_xadd": re.compile(rb"\xf0[\x40-\x4f]?\x0f\xc1"),
    "lock_cmpxchg": re.compile(rb"\xf0[\x40-\x4f]?\x0f\xb1"),
}
PRINTED = re.compile(r"<print_nmethod (?P<attributes>[^>]*\blevel='4'[^>]*)>(?P<body>.*?)</print_nmethod>", re.S)
METHOD = re.compile(r"^Compiled method .*? (?P<method>[\w.$]+::[\w$<>]+) ", re.M)
# 0x00007fcf9c41ff88: 898c 24d0 | 0000 00e8
BYTES = re.compile(r"^  0x[0-9a-f]+: (?P<hex>[0-9a-f| ]+)$", re.M)


def code(text: str) -> Iterator[Event]:
    """For every top-tier compilation and instruction of INSTRUCTIONS that it has: kind, method, `size` how many."""
    for printed in PRINTED.finditer(text):
        about, method = attributes(printed["attributes"]), METHOD.search(printed["body"])
        if "stamp" not in about or not method:
            continue
        instructions = in_bytes(printed["body"])
        for kind, pattern in INSTRUCTIONS.items():
            if count := len(pattern.findall(instructions)):
                yield {
                    "t_ns": int(float(about["stamp"]) * 1e9),
                    "kind": kind,
                    "method": method["method"],
                    "level": 4,
                    "size": count,
                    "detail": "osr" if about.get("compile_kind") == "osr" else "",
                    "compilation": numbered(about),
                }


def in_bytes(body: str) -> bytes:
    """The instructions of one printed compilation, from the lines that have them in hexadecimal."""
    digits = "".join(found["hex"] for found in BYTES.finditer(body))
    return bytes.fromhex(re.sub("[| ]", "", digits))


def what_is_read(text: str) -> str:
    """The parts of such a log that `code` reads, in their order."""
    kept = []
    for printed in PRINTED.finditer(text):
        named = METHOD.search(printed["body"])
        lines = [] if named is None else [named[0], *(found[0] for found in BYTES.finditer(printed["body"]))]
        kept.append("\n".join([f"<print_nmethod {printed['attributes']}>", *lines, "</print_nmethod>"]))
    return "\n".join(kept) + "\n"
