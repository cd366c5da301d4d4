"""The diagnosis of a file that no reader takes: what it looks like, and the one thing that would make it readable;
nothing is guessed."""

from __future__ import annotations

import json
import re

from pipeline.foreign.csv_shape import is_number
from pipeline.foreign.files import HEAD, as_text
from pipeline.foreign.names import listed, shown
from pipeline.words.numbers import counted

KEYS = re.compile(r'"((?:[^"\\]|\\.){1,60})"\s*:')
WORDS = 40  # characters of a first line that are shown
NO_FORKS = "a score without its forks has no verdict"
# What is often given and holds no distribution: how it is known -> what it is, and what to do.
OTHERS = (
    (
        re.compile(rb'^"Benchmark","Mode","Threads","Samples","Score"', re.M),
        f"JMH's CSV: run it with -rf json: {NO_FORKS}",
    ),
    (
        re.compile(rb"^(?:# .*)?Benchmark\s.*\bMode\s+(?:Cnt|Samples)\s+Score\b", re.M),
        f"JMH's table: run it with -rf json: {NO_FORKS}",
    ),
    (re.compile(rb'"root_group"\s*:'), "a k6 summary, which has no distribution; use k6 run --out csv=FILE"),
    (
        re.compile(rb'"latencyPercentiles"\s*:'),
        "an oha summary, which has no distribution; use oha --output-format csv",
    ),
    (re.compile(rb"^Requests/sec:", re.M), "the text of wrk, which has no distribution; use wrk2 --latency"),
    (re.compile(rb"^Benchmark\S*\s+\d+\s+[\d.]+ ns/op", re.M), "Go benchmarks: benchstat reads them"),
)


def nearest(head: bytes) -> str:
    """What a file is that is known and not read, and what to do; empty where it is none of those."""
    return next((words for sign, words in OTHERS if sign.search(head)), "")


def described(head: bytes) -> str:
    """What the first bytes of a file look like: `JSON object with the keys a, b`, `text, 40 rows of 3 words`."""
    if b"\0" in head[:4096]:
        return "no text"
    text = as_text(head).read()
    if text.lstrip()[:1] in ("{", "["):
        return _json(text)
    lines = _lines(head)
    if not lines:
        return "empty"
    rows = "rows" if len(head) >= HEAD else counted(len(lines), "row")
    if many := _numbers(lines):
        return f"text, {rows} of {'one number' if many == 1 else f'{many} numbers'}"
    return f"text, {rows}, that begins {shown(lines[0])[:WORDS]!r}"


def remedy(head: bytes) -> str:
    """What would have a file read that is `described` so."""
    columns = _numbers(_lines(head)) > 1
    return "put commas between them and name a column, as --value f1" if columns else "name it with --format"


def _lines(head: bytes) -> list[str]:
    """The lines that are not empty; the last of a head that is cut is left out."""
    lines = [line for line in as_text(head).read().splitlines() if line.strip()]
    return lines[:-1] if len(head) >= HEAD and len(lines) > 1 else lines


def _numbers(lines: list[str]) -> int:
    """How many numbers each line has, and nothing else; 0 where that differs."""
    many = {len(line.split()) for line in lines}
    alike = len(many) == 1 and all(is_number(word) for line in lines for word in line.split())
    return many.pop() if alike else 0


def _json(text: str) -> str:
    """Whether it is an object or a list, and the keys that it begins with."""
    what = "object" if text.lstrip().startswith("{") else "list"
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        keys = list(dict.fromkeys(KEYS.findall(text)))
        return f"JSON {what}, not whole or long, with the keys {listed(keys)}" if keys else f"JSON {what}, not whole"
    if isinstance(told, list):
        if told and all(isinstance(one, int | float) for one in told):
            return f"JSON list of {counted(len(told), 'number')}"
        told = told[0] if told and isinstance(told[0], dict) else {}
        return f"JSON list of objects with the keys {listed(list(told))}" if told else "JSON list"
    return f"JSON object with the keys {listed(list(told))}" if told else "JSON object without a key"
