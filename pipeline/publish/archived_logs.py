"""The logs of virtual machines as an archive keeps them: the events that something drawn or judged may be about."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pipeline.ingest import gc_log, jvm_logs, machine_code
from pipeline.ingest.jvm_logs import Event

HARNESS = "lab."  # the package of its methods


def _what_is_read(text: str) -> str:
    """The elements of a compilation log that `jvm_logs.compilation` reads, in their order."""
    kept = [found[0] for found in jvm_logs.NMETHOD.finditer(text) if _top_tier(found[0])]
    for task in jvm_logs.TASK.finditer(text):
        if _top_tier(task["attributes"]):
            parse = (found[0] for found in jvm_logs.PARSE_TAGS.finditer(task["body"]))
            kept += [f"<task {task['attributes']}>", *parse, "</task>"]
    return "\n".join(kept) + "\n"


def _read_lines(parsed: Callable[[str], Iterator[Event]]) -> Callable[[str], str]:
    """The lines of a log that make an event, each by itself."""
    return lambda text: "".join(f"{line}\n" for line in text.splitlines() if next(parsed(line), None))


def _of_the_harness(text: str) -> Iterator[Event]:
    """The events of a log of compilations that are of the harness's own methods: no metric is of others."""
    return (event for event in jvm_logs.jit(text) if str(event["method"]).startswith(HARNESS))


def _top_tier(tag: str) -> bool:
    return " level='" not in tag or " level='4'" in tag


# Log -> its events that an archive keeps, and the parts of its text that tell them.
READ: dict[str, tuple[Callable[[str], Iterator[Event]], Callable[[str], str]]] = {
    ".compilation.log": (jvm_logs.compilation, _what_is_read),
    ".code.log": (machine_code.code, machine_code.what_is_read),
    ".gc.log": (gc_log.gc, _read_lines(gc_log.gc)),
    ".jit.log": (_of_the_harness, _read_lines(_of_the_harness)),
}
