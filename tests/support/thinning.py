"""What is left of a run when much of it was never measured: seeded cuts of its journal, each such as a host could make.

A *form* hits the whole run (one CPU, no JDK, nothing quiet, ...); then each experiment gets up to two *cuts* of its
own, and now and then lacks some series. Forms and cuts take journal lines and give those that are left, in their order.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field

from pipeline.bundle import journal
from pipeline.catalogue import catalogue
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime
from pipeline.plan import plan
from pipeline.plan.plan import key_of

Lines = list[dict]
Cut = Callable[[Lines, random.Random], Lines]
Form = Callable[[dict, Lines, random.Random], tuple[dict, Lines]]
NOISE = {"steal_pct": 50.0}  # condemns any trial
REFUSED = {"status": "unsupported", "reason": "lab: it is not supported: this host has none", "exit": 3, "files": {}}
LOGS = (".jit.log", ".compilation.log", ".code.log", ".gc.log", ".futex.log")
BARE = 0.2  # share of experiments whose trials lack some series


@dataclass(frozen=True)
class Thinned:
    """A run of which little is left: `run.json`, the journal, and by experiment what was cut, in words.

    kept: by experiment the share of the series that its trials still have; all where it is not named.
    """

    seed: int
    info: dict
    lines: Lines
    kept: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def lacks(self, experiment: str, series: str) -> bool:
        """Whether the trials of an experiment lost a series: the same one in all of them."""
        return random.Random(f"{self.seed}/{experiment}/{series}").random() >= self.kept.get(experiment, 1.0)


def thinned(info: Mapping, lines: Lines, seed: int) -> Thinned:
    """What the seed leaves of a run: its `run.json` and its journal."""
    every = forms(info)
    form, rng = list(every)[seed % len(every)], random.Random(seed)
    info, lines = every[form](deepcopy(dict(info)), lines, rng)
    left, kept, words = [line for line in lines if "trial" not in line], {}, {}
    for name in catalogue.load():
        own, said = journal.trials(lines, name), [form]
        for cut in rng.choices(list(CUTS), k=rng.randint(0, 2)):
            own, said = CUTS[cut](own, rng), [*said, cut]
        if rng.random() < BARE:
            kept[name] = _share(rng)
            said.append("without some series")
        left += own
        words[name] = f"{', '.join(said)}: {len(own)} trials"
    return Thinned(seed, info, left, kept, words)


def _share(rng: random.Random) -> float:
    """How much is left: small shares as often as large ones, and now and then nothing or everything."""
    return rng.choice([0.0, 1.0, rng.random(), rng.random() ** 3, rng.random() ** 6])


def _some(values: Iterable, rng: random.Random) -> set:
    every = sorted(set(values), key=str)
    return set(rng.sample(every, round(_share(rng) * len(every))))


def _key(line: Mapping) -> str:
    return key_of(line["variant"], line["runtime"], line["axes"])


def _by(value: Callable[[dict], object]) -> Cut:
    """A cut that leaves some of the values that lines have."""

    def cut(lines: Lines, rng: random.Random) -> Lines:
        kept = _some(map(value, lines), rng)
        return [line for line in lines if value(line) in kept]

    return cut


def a_few(lines: Lines, rng: random.Random) -> Lines:
    kept = set(rng.sample(range(len(lines)), min(rng.randint(0, 5), len(lines))))
    return [line for place, line in enumerate(lines) if place in kept]


def one_block(lines: Lines, rng: random.Random) -> Lines:
    kept = rng.choice(sorted({line["block"] for line in lines}) or [0])
    return [line for line in lines if line["block"] == kept]


def values_of_an_axis(lines: Lines, rng: random.Random) -> Lines:
    axis = rng.choice(sorted({axis for line in lines for axis in line["axes"]}) or [""])
    return _by(lambda line: line["axes"].get(axis))(lines, rng)


def noisy(line: dict) -> dict:
    return line | {"noise": line["noise"] | NOISE} if line.get("noise") else line


def refused(lines: Lines, rng: random.Random) -> Lines:
    """Some variants the host refuses."""
    kept = _some((line["variant"] for line in lines), rng)
    return [line if line["variant"] in kept else line | REFUSED for line in lines]


def bare(line: dict) -> dict:
    """Without what is logged or traced beside the trial."""
    return line | {"files": {file: sha for file, sha in line["files"].items() if not file.endswith(LOGS)}}


def _of_some(changed: Callable[[dict], dict]) -> Cut:
    """A cut that changes some of the lines and leaves all."""

    def cut(lines: Lines, rng: random.Random) -> Lines:
        share = _share(rng)
        return [changed(line) if rng.random() < share else line for line in lines]

    return cut


CUTS: dict[str, Cut] = {
    "some trials": _by(lambda line: line["trial"]),
    "a few trials": a_few,
    "some blocks": _by(lambda line: line["block"]),
    "one block": one_block,
    "some configurations": _by(_key),
    "some variants": _by(lambda line: line["variant"]),
    "some values of an axis": values_of_an_axis,
    "some runtimes": _by(lambda line: line["runtime"]),
    "some noisy": _of_some(noisy),
    "some refused": refused,
    "some without logs": _of_some(bare),
}


def forms(info: Mapping) -> dict[str, Form]:
    """The forms that a run with these runtimes may take."""
    jdks = sorted(name for name in info["runtimes"] if name.startswith("jdk"))
    others = sorted(set(info["runtimes"]) - set(jdks))
    return {
        "everything": lambda info, lines, rng: (info, lines),
        "one CPU": one_cpu,
        **{f"of the JDKs {one} alone": _on([one, *others]) for one in jdks},
        "no JDK": _on(others),
        "no C": _on(jdks),
        "nothing quiet": lambda info, lines, rng: (info, _of_trials(lines, lambda own: list(map(noisy, own)))),
        "the first block": lambda info, lines, rng: (info, first_block(lines)),
        "interrupted": interrupted,
    }


def _of_trials(lines: Lines, cut: Callable[[Lines], Lines]) -> Lines:
    return [*(line for line in lines if "trial" not in line), *cut(journal.trials(lines))]


def first_block(lines: Lines) -> Lines:
    return _of_trials(lines, lambda own: [line for line in own if line["block"] == 1])


def _on(runtimes: Iterable[str]) -> Form:
    """On these runtimes alone."""
    kept = set(runtimes)

    def form(info: dict, lines: Lines, rng: random.Random) -> tuple[dict, Lines]:
        found = {name: about for name, about in info["runtimes"].items() if name in kept}
        return info | {"runtimes": found}, _of_trials(lines, lambda own: [one for one in own if one["runtime"] in kept])

    return form


def interrupted(info: dict, lines: Lines, rng: random.Random) -> tuple[dict, Lines]:
    """Ended at some trial, and nothing is finished."""
    begun = [line for line in lines if line.get("event") != "finished"]
    return info, begun[: rng.randint(0, len(begun))]


def one_cpu(info: dict, lines: Lines, rng: random.Random) -> tuple[dict, Lines]:
    """What is planned where there is one CPU, and what is said of the rest."""
    info["host"]["cpu"] |= {"cpus": 1, "cores_per_socket": "1", "thread_siblings": {"0": [0]}}
    available = {name: Runtime(**about) for name, about in info["runtimes"].items()}
    planned, left_out = set(), {}
    with _on_one_cpu():
        for entry in catalogue.load().values():
            left_out[entry.name] = plan.left_out(entry, info["profile"])
            with suppress(LabError):  # nothing of it
                planned |= {(entry.name, one.key) for one in plan.configurations(entry, info["profile"], available)}
    told = [
        line | {"left_out": left_out[line["experiment"]]} if line.get("event") == "planned" else line for line in lines
    ]
    return info, _of_trials(told, lambda own: [one for one in own if (one["experiment"], _key(one)) in planned])


@contextmanager
def _on_one_cpu() -> Iterator[None]:
    """This process as one that may use one CPU, while it plans."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(every)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)
