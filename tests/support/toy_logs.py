"""Raw files of a trial of the toy, as a harness writes them."""

import hashlib
import json

from hdr_logs import encode

from pipeline.bundle.bundle import Bundle

LINE = "Tag=t0,{0}.000,0.001,0.1,{1}\n"


def wrote(run: Bundle, stem: str, word: str, *values: int, phases: tuple[str, ...] = ("measured",)) -> dict[str, str]:
    """A part's log, an iteration of one sample for each value, its JSON and an empty log of compilations; their
    checksums. The phases take turns; `word` stands wherever there is text.
    """
    many = range(len(values))
    told = {
        "parameters": {"keep-every": values[0]},
        "runtime": {"name": word, "options": {"a": word}},
        "clock": {"monotonic_ns": values[0], "epoch_ms": 1},
        "iterations": {
            "iteration": list(many),
            "phase": [phases[at % len(phases)] for at in many],
            "series": ["t0" for _ in many],
            "start_ns": list(values),
            "elapsed_ns": [10 for _ in many],
            "operations": list(values),
        },
        "measures": {"iteration": [0, -1], "series": ["t0", ""], "name": ["word", "all"], "value": [1, values[0]]},
        "checks": [{"name": "sum", "expected": word, "actual": word, "passed": True}],
    }
    log = "#[Histogram log format version 1.3]\n" + "".join(LINE.format(at, encode([values[at]])) for at in many)
    (run.folder / "raw" / "toy").mkdir(parents=True, exist_ok=True)
    sums = {}
    for suffix, content in (("hlog", log), ("json", json.dumps(told)), ("jit.log", "")):
        (run.folder / "raw" / "toy" / f"{stem}.{suffix}").write_text(content)
        sums[f"raw/toy/{stem}.{suffix}"] = hashlib.sha256(content.encode()).hexdigest()
    return sums
