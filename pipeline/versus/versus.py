"""`measure`: programs are run in turn, block by block, and judged at few looks, until what was asked is decided."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rich.console import Console

from pipeline.bundle import entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.journal import MEASURED
from pipeline.bundle.lock import alone
from pipeline.compare.comparison import Comparison
from pipeline.ground import paths
from pipeline.ground.errors import INTERRUPTED, LabError
from pipeline.host.runtimes import Runtime
from pipeline.measure.sweep import Sweep
from pipeline.own.entry import NAME
from pipeline.own.importer import named
from pipeline.session.live_progress import following
from pipeline.versus import alpha_spending, plan, setup
from pipeline.versus import arguments as asking
from pipeline.versus.arguments import Arguments

IN_A_ROW = 3  # failed executions of one side that end a run
Say = Callable[[str], None]


@dataclass(frozen=True)
class Length:
    """For how long: minutes of a new run, or `more` minutes of one that has ended; warmup: executions before it."""

    minutes: float = 5.0
    more: float = 0.0
    warmup: int = 1


def measure(
    asked: Arguments,
    name: str,
    length: Length,
    revisions: dict[str, str],
    at_look: Callable[[list[Comparison]], None] = lambda _: None,
    console: Console | None = None,
    say: Say = print,
    hold: Callable[[str], AbstractContextManager] = alone,
) -> str:
    """Measure a new run, or go on with one of this name; its name.
    `at_look` is called after every look; `hold` keeps others from measuring meanwhile.

    LabError: a run of other commands or another host; a program that fails (status 4); interrupt (130, the same
    command continues).
    """
    available = setup.programs(asked, revisions)
    try:
        with hold(name):
            bundle = _bundle(asked, name, length, available, say)
            minutes = _minutes(bundle, length)
            made = entries.of(bundle)[NAME]
            executions = bundle.info["own"]["versus"]["executions"]
            made_plan = plan.make(asked, made, available, executions, bundle.folder / plan.COMMANDS, minutes)
            shown = replace(made, profiles=dict.fromkeys(made.profiles, made_plan.sizes))
            if not length.more and journal.finished(bundle.journal(), NAME):
                return name
            following_ = following([shown], plan.PROFILE, bundle.folder, console) if console else nullcontext()
            with following_:
                _blocks(Sweep(bundle, made_plan, _never), asked, at_look)
    except KeyboardInterrupt:
        raise LabError("interrupted; the same command with --as continues where it stopped", INTERRUPTED) from None
    return name


def _bundle(asked: Arguments, name: str, length: Length, available: dict[str, Runtime], say: Say) -> Bundle:
    if not (paths.bundle(name) / "run.json").exists():
        say("Trying the programs, untimed ...")
        tried = setup.tried(asked, length.warmup)
        made = setup.entry(asked, tried.found)
        return setup.begun(asked, name, made, tried, available)
    bundle = Bundle.open(name)
    before = bundle.info.get("own", {}).get("versus")
    if before is None:
        raise LabError(f"run {name!r} exists and is not of programs; choose another name for --as")
    for what, told in asked.told().items():
        if before.get(what) != told:
            raise LabError(f"run {name!r} was measured with other {what} ({before.get(what)}); choose another --as")
    if (now := asking.randomised()) != before["randomised"]:
        raise LabError(f"run {name!r}: addresses were {'not ' if now else ''}randomised before; choose another --as")
    return Bundle.create_or_resume(name, plan.PROFILE, bundle.info["seed"], available, paths.io())


def name_of(given: str, asked: Arguments) -> str:
    """The name of a run: as given, or one that the same commands get again."""
    if given:
        return named(given)
    told = hashlib.sha256(json.dumps(asked.told(), sort_keys=True).encode()).hexdigest()
    return f"versus-{told[:8]}-{datetime.now(UTC):%Y%m%d-%H%M%S}"


def _minutes(bundle: Bundle, length: Length) -> float:
    """For how long the run measures in all: what it was begun for, and all that was asked for since."""
    lines = [line for line in bundle.journal() if line.get("event") == "minutes"]
    if not lines or (length.more and journal.finished(bundle.journal(), NAME)):
        line = {"event": "minutes", "minutes": length.minutes if not lines else length.more}
        bundle.append(line)
        lines.append(line)
    return float(sum(line["minutes"] for line in lines))


def _never(*_) -> float:
    return float("inf")


def _blocks(sweep: Sweep, asked: Arguments, at_look: Callable[[list[Comparison]], None]) -> None:
    """Measure until the minutes are over, or everything asked is decided at a look."""
    bundle = sweep.bundle
    while True:
        over = bool(sweep.ended)
        done = journal.looks(bundle.journal(), NAME)
        if sweep.number and (found := _due(sweep, done, over)):
            among = sum(len(one.table) for one in compared(bundle.name, bundle.info["own"]))
            early, number = found
            error = alpha_spending.error_of(number if early else -1, alpha_spending.ends(done))
            line = {"event": "look", "experiment": NAME, "blocks": sweep.number, "error": error, "among": max(among, 1)}
            bundle.append(line | {"early": early})
            judged = compared(bundle.name, bundle.info["own"])
            at_look(judged)
            if not over and all(decided(one) for one in judged):
                sweep.ended, over = "decided", True
        if over:
            if (last := journal.finished(bundle.journal(), NAME)) is None or last["blocks"] != sweep.number:
                sweep.finish()
            return
        sweep.block()
        _failing(sweep.lines, asked)


def _rows(sweep: Sweep) -> int:
    """The rows that a look will have, at most: metrics of every thing at every place, of all commands but the first."""
    made = sweep.plan
    things = max(len(made.entry.variants) - 1, 1)
    sides = {one.runtime for one in made.configurations}
    places = len(made.configurations) // max(len(sides), 1)
    commands = sum(not side.endswith(asking.AGAIN) for side in sides)
    return max(len(made.entry.headlines) * things * places * (commands - 1), 1)


def _due(sweep: Sweep, done: Sequence[dict], over: bool) -> tuple[bool, int] | None:
    """(whether it is an early look, which one) that is due after these blocks; None where none is."""
    seen = max((line["blocks"] for line in done), default=0)
    if sweep.number <= seen:
        return None
    if over:
        return False, -1
    if alpha_spending.ends(done):
        return None  # the minutes that were asked for later are one sitting, and one look
    when = alpha_spending.planned(sweep.affordable, done[-1]["among"] if done else _rows(sweep))
    number = sum(bool(line.get("early")) for line in done)
    return (True, number) if number < len(when) and sweep.number >= when[number] else None


def compared(run: str, own: dict) -> list[Comparison]:
    """Every further command compared with the first."""
    first, control = own["groups"][0], own["control"]
    margin = own["versus"]["margin"]
    return [Comparison(f"{run}:{first}", f"{run}:{one}", margin=margin) for one in own["groups"][1:] if one != control]


def decided(found: Comparison) -> bool:
    """Whether every row has a verdict."""
    return bool(len(found.table)) and not found.counts.get("undecided")


def _failing(lines: Sequence[dict], asked: Arguments) -> None:
    """LabError where a side failed IN_A_ROW times in a row: it will go on failing."""
    for side in asked.sides:
        last = [line for line in lines if line.get("runtime") == side and "trial" in line][-IN_A_ROW:]
        if len(last) == IN_A_ROW and all(line["status"] != MEASURED for line in last):
            reason = last[-1]["reason"].removeprefix("lab-command: ")
            raise LabError(f"{side}: {reason} ({IN_A_ROW} times in a row); what was measured is kept", 4)
