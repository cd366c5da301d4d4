"""The set-up of a run of programs: each is tried untimed, what it writes is read, and the run's folder is made."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import statistics
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.bundle import entries, run_file
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import check
from pipeline.catalogue.declared import plain
from pipeline.catalogue.entry import COMMAND, Experiment
from pipeline.foreign import sessions
from pipeline.foreign.csv_samples import CHOOSE
from pipeline.foreign.reading import File, Found, Options, shown
from pipeline.ground import durable, paths
from pipeline.ground.errors import LabError
from pipeline.host import fingerprint
from pipeline.host.runtimes import Runtime
from pipeline.ingest.imported import WRITTEN
from pipeline.measure import processes, trial
from pipeline.measure.environment import environment
from pipeline.measure.processes import Start
from pipeline.own import entry as of_own
from pipeline.own.entry import NAME
from pipeline.own.run_info import of_run
from pipeline.versus import arguments as asking
from pipeline.versus import plan
from pipeline.versus.arguments import Arguments

NOTEBOOK = "explore/versus.ipynb"
TRIAL_S = 1.0  # a trial is as many executions as fill this: what surrounds a trial takes 20 to 40 ms
FIRST = ("p50", "p99", "p99_9")  # of histograms, where nothing is asked for by name
SEED = 1
FILE = f"the file written to {{{asking.OUT}}}"


@dataclass(frozen=True)
class Tried:
    """What the programs did untimed: seconds of an execution by place of the axes, and what they wrote."""

    seconds: Mapping[str, float]
    found: tuple[Found, ...]

    def executions(self, asked: Arguments) -> dict[str, int]:
        """How many executions a trial is, by place of the axes: one where each writes a file of its own."""
        if any(asked.written.values()):
            return dict.fromkeys(self.seconds, 1)
        return {place: max(1, round(TRIAL_S / max(seconds, 1e-4))) for place, seconds in self.seconds.items()}


def tried(asked: Arguments, warmup: int) -> Tried:
    """Execute every command `warmup` times at every place of the axes, once at least. LabError (status 4) for one that
    fails, or writes what cannot be read."""
    seconds, found = {}, []
    with tempfile.TemporaryDirectory(prefix=".versus-", dir=_runs()) as scratch:
        folder = Path(scratch)
        plan.write(asked, folder / plan.COMMANDS)
        for values in itertools.product(*asked.sweep.values()):
            axes = dict(zip(asked.sweep, values, strict=True))
            for side in asked.commands:
                parameters = {"commands": str(folder / plan.COMMANDS), "side": side, "executions": max(warmup, 1)}
                one = plan.configuration(asked, NAME, side, axes, parameters | axes)
                log = folder / "tried.hlog"
                told = executed(one, log)
                each = told["iterations"]["elapsed_ns"]
                key = plan.place(axes)
                seconds[key] = max(seconds.get(key, 0.0), statistics.median(each) / 1e9)
                if asked.written[side]:
                    found.append(written(asked, side, log.with_suffix(WRITTEN)))
    return Tried(seconds, tuple(found))


def written(asked: Arguments, side: str, path: Path) -> Found:
    """What a program wrote to `{out}`, read as `lab import` reads it; LabError with the side for what cannot be."""
    found = sessions.read([File(path, f"{side}: {FILE}")], Options(unit=asked.unit))[1]
    found.notes = [note.removeprefix(f"{side}: ").removesuffix(CHOOSE) for note in found.notes]
    return found


def notes(found: Iterable[Found]) -> list[str]:
    """What is approximate or not read of what programs wrote, each sentence once."""
    return list(dict.fromkeys(note for one in found for note in one.notes))


def executed(one: plan.Configuration, log: Path) -> dict[str, Any]:
    """What the harness tells of a configuration that no run keeps; LabError (status 4) where it fails."""
    part = one.main
    start = Start("", trial.command(part, Runtime(part.harness, "", ""), log, None, []), log, (), part.timeout_s, True)
    (ended,) = processes.run([start], [], environment(COMMAND), None)
    if ended.exit or not ended.told:
        reason = ended.reason.removeprefix("lab-command: ")
        raise LabError(f"{one.runtime}: {reason}", 2 if ended.exit == 2 else 4)
    return json.loads(ended.told[-1])


def entry(asked: Arguments, found: tuple[Found, ...]) -> Experiment:
    """The entry that the run brings: the program as a whole, and what it writes, as of an imported run.

    LabError for a metric that is asked for and that nothing measures.
    """
    title = asked.title or " and ".join(asked.commands)
    made = plain(of_own.entry(title, list(found), [], "One value as the program recorded it"), with_defaults=False)
    own = made["metrics"]
    metrics = own | {name: told for name, told in _of_program(asked).items() if name not in own}
    wanted = list(asked.metrics) or (["value"] if asked.value else [])
    if unknown := [name for name in wanted if name not in metrics]:
        why = "; a percentile needs ten values beyond it" if re.fullmatch(r"p\d[\d_]*", unknown[0]) else ""
        raise LabError(f"--metric {unknown[0]!r}: nothing measures it; there are: {', '.join(metrics)}{why}")
    default = [name for name in FIRST if name in own] or list(own)[:1] if own else ["time", "cpu", "memory"]
    names = [plan.PROGRAM, *made["variants"]]
    variants = {name: {"label": shown(name), "harness": COMMAND, "runs": name} for name in names}
    sweeps = [{"variants": names}]
    sizes = {"min_blocks": plan.FEWEST, "max_blocks": plan.MOST, "budget_s": 300.0, "sweeps": sweeps}
    axes = {axis: "int" if all(isinstance(one, int) for one in each) else "str" for axis, each in asked.sweep.items()}
    told = {
        "question": "Did anything change, and how sure is that on this host?",
        "axes": made.get("axes", {}) | axes,
        "variants": variants,
        "profiles": dict.fromkeys(("smoke", "quick", "full"), sizes),
        "metrics": metrics,
        "headlines": [{"metric": name} for name in wanted or default],
        "notebook": NOTEBOOK,
    }
    return check.experiment(made | told)


def _of_program(asked: Arguments) -> dict[str, dict[str, Any]]:
    """What is told of every execution."""
    time = {"kind": "measure", "unit": "ns", "better": "lower"}
    found = {
        "time": time | {"name": "time_ns", "label": "Time"},
        "cpu": time | {"name": "cpu_ns", "label": "CPU time"},
        "memory": {"kind": "measure", "name": "peak_bytes", "unit": "bytes", "label": "Memory", "better": "lower"},
    }
    if asked.value:
        better = "higher" if asked.more_is_better else "lower"
        found["value"] = {"kind": "measure", "name": "value", "unit": "1", "label": "Value", "better": better}
    return found


def programs(asked: Arguments, revisions: Mapping[str, str]) -> dict[str, Runtime]:
    """Every side as a runtime: its version is its revision, or a sum of its program's bytes."""
    found = {}
    for name, words in asked.sides.items():
        version = revisions.get(name.removesuffix(asking.AGAIN)) or _sum(asked, name, words)
        found[name] = Runtime(name, version, "", version)
    return found


def _sum(asked: Arguments, name: str, words: list[str]) -> str:
    """Twelve digits of the SHA-256 of a command's program; of a script, and with a shell, of its words too."""
    told = hashlib.sha256()
    place = asked.places(name)[0]
    files = [asking.program(name, words, place)] if not asked.shell else []
    files += [place / word for word in words[1:] if (place / word).is_file()]
    for file in files:
        with file.open("rb") as content:
            told.update(hashlib.file_digest(content, "sha256").digest())
    if asked.shell:
        told.update(words[0].encode())
    return told.hexdigest()[:12]


def begun(
    asked: Arguments, name: str, made: Experiment, from_trying: Tried, available: Mapping[str, Runtime]
) -> Bundle:
    """A new run's bundle; its folder is there complete, or not at all."""
    with tempfile.TemporaryDirectory(prefix=".versus-", dir=_runs()) as scratch:
        part = Path(scratch) / name
        bundle = Bundle.create(part, plan.PROFILE, SEED, available, fingerprint.take(paths.io()))
        plan.write(asked, part / plan.COMMANDS)
        kept = {"executions": from_trying.executions(asked), "randomised": asking.randomised(), "builds": asked.builds}
        own = of_run(
            Options(unit=asked.unit),
            paired=True,
            compared=True,
            control=asked.first + asking.AGAIN if asked.control else "",
            groups=list(asked.sides),
            title=shown(asked.title),
            tools=["programs as they are started"],
            notes=notes(from_trying.found),
            versus=asked.told() | kept,
        )
        sha256 = entries.bring(made, part)
        bundle.info.update({"kind": run_file.OWN, "format": run_file.FORMAT, "entry": sha256, "own": own})
        durable.write(part / "run.json", json.dumps(bundle.info, indent=1, sort_keys=True) + "\n")
        os.rename(part, paths.bundle(name))
    return Bundle.open(name)


def _runs() -> Path:
    paths.runs().mkdir(parents=True, exist_ok=True)
    return paths.runs()
