"""What a JVM wrote about its compilations, as event rows: the unified log and the LogCompilation XML.

Formats differ between JDK 17 and 25; both are read here. An event's clock is CLOCK_MONOTONIC for the unified log
(decorator `timenanos`) and the JVM's own stamp for LogCompilation, which has no absolute clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Event = dict[str, object]

# [341228942930ns]    1       3       java.lang.Object::<init> (1 bytes)
# time                id  %sb!n  level method @ osr bci (size)   made not entrant: reason
JIT_LINE = re.compile(
    r"^\[(?P<t>\d+)ns\]\s*(?P<id>\d+)\s(?P<attributes>[%sb!n ]*?)\s*(?:(?P<level>[0-4])\s+)?"
    r"(?P<method>[\w.$/<>]+::[\w$<>]+)(?: @ -?\d+)? \((?:(?P<size>\d+) bytes|native|static)\)(?P<rest>.*)$"
)


def jit(text: str) -> Iterator[Event]:
    """Events of a unified `jit+compilation` log: `compile`, `compile_osr`, `made_not_entrant` (times in ns)."""
    for line in text.splitlines():
        if not (found := JIT_LINE.match(line)):
            continue
        osr = "%" in found["attributes"]
        rest = found["rest"].strip()
        if rest.startswith("made not entrant"):
            kind = "made_not_entrant"
        elif rest.startswith("made zombie"):
            continue
        else:
            kind = "compile_osr" if osr else "compile"
        yield {
            "t_ns": int(found["t"]),
            "kind": kind,
            "method": found["method"],
            "level": int(found["level"] or 4),
            "size": int(found["size"] or 0),
            "detail": ("osr " if osr else "") + rest.removeprefix("made not entrant").lstrip(": "),
            "compilation": _compilation(found["id"], osr),
        }


ATTRIBUTE = re.compile(r"(\w+)='([^']*)'")


def attributes(tag: str) -> dict[str, str]:
    values = dict(ATTRIBUTE.findall(tag))
    if "&" not in tag:
        return values
    return {k: v.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") for k, v in values.items()}


TASK = re.compile(r"<task (?P<attributes>[^>]*)>(?P<body>.*?)</task>", re.S)
NMETHOD = re.compile(r"<nmethod [^>]*/>")
PARSE_TAGS = re.compile(r"<(?P<tag>klass|type|method|call|inline_success|virtual_call)\b(?P<attributes>[^>]*)/>")


def compilation(text: str) -> Iterator[Event]:
    """Events of a LogCompilation file, for tasks of the top tier (C2) only.

    `nmethod` (size: bytes of machine code), `inline` (a callee inlined at a call site), `virtual_call` (a call site
    left virtual). `detail` of the latter two names the compiled method they are part of; a method is often compiled
    more than once, and `compilation` tells which time.
    """
    for tag in NMETHOD.findall(text):
        values = attributes(tag)
        if values.get("level", "4") == "4" and "method" in values:
            yield {
                "t_ns": int(float(values.get("stamp", 0)) * 1e9),
                "kind": "nmethod",
                "level": 4,
                "method": _name(values["method"]),
                "size": _code_bytes(values),
                "detail": "osr" if values.get("compile_kind") == "osr" else "",
                "compilation": numbered(values),
            }
    for task in TASK.finditer(text):
        values = attributes(task["attributes"])
        if values.get("level", "4") != "4" or "method" not in values:
            continue
        about = {"t_ns": int(float(values.get("stamp", 0)) * 1e9), "level": 4, "size": 0}
        about |= {"detail": _name(values["method"]), "compilation": numbered(values)}
        yield from _task(about, task["body"])


def numbered(values: dict[str, str]) -> str:
    """Which compilation a task or an nmethod of LogCompilation is; empty where the log does not tell."""
    number = values.get("compile_id", "")
    return number and _compilation(number, values.get("compile_kind") == "osr")


def _compilation(number: str, osr: bool) -> str:
    """A compilation's number with the mark that the JVM itself prints for a replacement on the stack: `17%`."""
    return f"{number}%" if osr else number


def _code_bytes(values: dict[str, str]) -> int:
    """Bytes of machine code of an nmethod: its instructions without header and stubs, or all of it where not told."""
    if "insts_offset" in values and "stub_offset" in values:
        return int(values["stub_offset"]) - int(values["insts_offset"])
    return int(values.get("size", 0))


def _task(about: Event, body: str) -> Iterator[Event]:
    klasses: dict[str, str] = {}
    methods: dict[str, str] = {}
    current = ""
    for found in PARSE_TAGS.finditer(body):
        values = attributes(found["attributes"])
        match found["tag"]:
            case "klass" | "type":
                klasses[values.get("id", "")] = values.get("name", "").replace("/", ".")
            case "method":
                methods[values["id"]] = f"{klasses.get(values.get('holder', ''), '?')}::{values.get('name', '?')}"
            case "call":
                current = methods.get(values.get("method", ""), "?")
            case "inline_success" | "virtual_call":
                kind = "inline" if found["tag"] == "inline_success" else "virtual_call"
                yield about | {"kind": kind, "method": current}


def _name(method: str) -> str:
    """`lab.Kernel callAll (I)J` -> `lab.Kernel::callAll`."""
    holder, _, rest = method.partition(" ")
    return f"{holder.replace('/', '.')}::{rest.split(' ')[0].split('(')[0]}"
