"""A toy figure with all its words, as text and as drawn files: what the tests of the kit need."""

from __future__ import annotations

import json
from pathlib import Path

from figures import near_one
from publish_toy import write_run

from pipeline.ground import paths
from pipeline.kit.kit import Kit
from pipeline.kit.settings import Settings
from pipeline.kit.targets import Words

SITE = "https://example.org/lab"
TABLE = {"columns": ["Variant", "Estimate"], "rows": [["plain | piped", "101 [98, 104] ns"]], "more": 3}
WORDS = {
    "name": "toy_scaling",
    "title": "One toy behind a lock",
    "brief": "One toy behind a lock. Throughput by threads: 3.1x slower [2.9, 3.4] with two.",
    "alt": "Throughput by threads. plain, C: 1 ops/s at 1.",
    "caption": "Operations per second, by number of threads. Points are trials.",
    "measured": "Measured on Toy CPU, 2026-01-02: 12 trials.",
    "citation": "Mechanical Sympathy Lab, run 0123456789ab (toys), figure toy_scaling, 2026-01-02. CC-BY-4.0.",
    "licence": "CC-BY-4.0",
    "found": ["Two threads over one: C 0.32 times [0.29, 0.34]."],
} | TABLE


_drawn: dict[str, dict[str, bytes]] = {}  # the files of a figure by its words and its run: each is drawn once


def words(**other) -> Words:
    """The toy's words, but for those given."""
    return Words(**WORDS | other)


def draw(monkeypatch, folder: Path, run: str = "toys", **other) -> Kit:
    """Write a toy run and its one figure, called near_one, below `folder`; its kit without a site."""
    monkeypatch.setenv("LAB_BUILD", str(folder / "build"))
    monkeypatch.setenv("LAB_RUNS", str(folder / "runs"))
    write_run(paths.bundle(run))
    told = WORDS | other
    about = {"found": told["found"], "rests_on": "12 trials", "table": TABLE}
    origin = {"run": run, "host": "Toy CPU", "date": "2026-01-02", "experiment": "toy"}
    figure = near_one().titled(told["title"], told["caption"], origin, brief=told["brief"], about=about)
    known = json.dumps([told, run])
    if known not in _drawn:
        _drawn[known] = {path.name: path.read_bytes() for path in figure.save(paths.figures(run))}
    paths.figures(run).mkdir(parents=True, exist_ok=True)
    for name, content in _drawn[known].items():
        (paths.figures(run) / name).write_bytes(content)
    return Kit.of(run, "near_one", Settings())
