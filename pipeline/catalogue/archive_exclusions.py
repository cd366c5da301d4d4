"""Exclusions: which histograms an archive is without, as an entry says it (`archived_without`), globs, with values of
an axis.

`{threads!=1,2,cpus}` stands for `threads=<value>` with each value that a run has and that is not one of these; as in
sweeps, `cpus` and `2*cpus` are those of the host that was measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pipeline.catalogue import catalogue
from pipeline.catalogue.selectors import absolute

OTHERS = re.compile(r"\{(\w+)!=([^{}]*)\}")


def of(experiment: str, lines: Iterable[Mapping[str, Any]], info: Mapping[str, Any]) -> list[str]:
    """The globs of an experiment of a run, of `phase/series` or `trial/phase/series`; none of one that the catalogue
    lacks. lines: those of its trials in the journal; info: `run.json`."""
    known = catalogue.load()
    declared = known[experiment].archived_without if experiment in known else []
    axes = (line.get("axes", {}) for line in lines)
    return globs(declared, axes, int(info["host"]["cpu"]["cpus"])) if declared else []


def globs(declared: Sequence[str], axes: Iterable[Mapping[str, Any]], cpus: int) -> list[str]:
    """The same of what an entry declares. axes: of the trials; cpus: of the host that was measured."""
    trials = list(axes)
    return [glob for pattern in declared for glob in _filled(pattern, trials, cpus)]


def _filled(pattern: str, trials: Sequence[Mapping[str, Any]], cpus: int) -> Iterator[str]:
    if not (found := OTHERS.search(pattern)):
        yield pattern
        return
    axis = found[1]
    kept = {str(absolute(value.strip(), cpus)) for value in found[2].split(",")}
    for value in sorted({str(one[axis]) for one in trials if one.get(axis) is not None} - kept):
        yield from _filled(f"{pattern[: found.start()]}{axis}={value}{pattern[found.end() :]}", trials, cpus)
