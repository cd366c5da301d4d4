"""Adaptive sampling in a sitting: after the whole blocks, rounds of part-blocks of those configurations by which a
verdict can still change.

Its set and the number of its rounds are fixed when it begins and written into the journal; nobody looks before its end,
so that it is one look (`pipeline.analyse.sequential_test`). A round takes a minute at least: what blocks minutes apart
make of an effect is uncorrelated, within half a minute it is not. What is next follows from the sitting's line, the
seed and the trials in the journal alone: an interrupted sitting goes on as if it had not been.
"""

from __future__ import annotations

import datetime
import itertools
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.ground.errors import LabError
from pipeline.measure import states
from pipeline.measure.sweep import REPEAT_SHARE, Sweep

ROUND_S = 60.0
FEWEST_ROUNDS = 5
GUARD = 1.5  # of its minutes: a host that has become slower does not make a sitting without end
EVEN = 0.5


@dataclass(frozen=True)
class Open:
    """An undecided verdict, or an open answer, that more measuring can change: the chance that 1, 2, ... rounds decide
    it, and the keys of the configurations that it takes."""

    claim: str
    scope: str
    experiment: str
    chances: Sequence[float]
    keys: frozenset[str]

    def chance(self, rounds: int) -> float:
        """The chance that so many rounds decide it."""
        return self.chances[min(rounds, len(self.chances)) - 1]


@dataclass(frozen=True)
class Wanted:
    """What a sitting may measure: open verdicts, and what fills the rest of a minute: the open answers of cards (where
    no verdict is open the sitting is for them), then by experiment the configurations whose headline intervals are
    wide, the widest first."""

    open: tuple[Open, ...] = ()
    answers: tuple[Open, ...] = ()
    wide: tuple[tuple[str, tuple[str, ...]], ...] = ()


Choose = Callable[[Bundle], Wanted]


@dataclass(frozen=True)
class Asked:
    """How long to sit, and for what. `more`: asked for on purpose, so that every call sits again; otherwise a run sits
    once. `until_decided`: again and again, each time as long as all sittings before, while an open verdict has an even
    chance and the minutes last."""

    minutes: float
    choose: Choose
    more: bool = False
    until_decided: bool = False
    say: Callable[[str], None] = print
    sleep: Callable[[float], None] = time.sleep


def owed(lines: Sequence[dict], asked: Asked) -> bool:
    """Whether there is something to sit for: an open sitting, one asked for, or the first of a run that has none."""
    begun = journal.sittings(lines)
    if begun and begun[-1]["number"] not in journal.sat(lines):
        return True
    return asked.minutes > 0 if asked.more else not begun and (journal.deciding(lines) or 0) > 0


def sit(bundle: Bundle, sweeps: Sequence[Sweep], asked: Asked) -> None:
    """Sit once, or until all is decided; an open sitting is continued first and counts for this one."""
    spent = 0.0
    while True:
        lines = bundle.journal()
        begun = journal.sittings(lines)
        line = begun[-1] if begun and begun[-1]["number"] not in journal.sat(lines) else None
        line = line or _begin(bundle, lines, asked, _minutes(lines, asked, spent))
        if line is None:
            return
        _rounds(bundle, {sweep.entry.name: sweep for sweep in sweeps}, line, asked)
        spent += line["minutes"]
        if not asked.until_decided or spent >= asked.minutes:
            return


def _minutes(lines: Sequence[dict], asked: Asked, spent: float) -> float:
    """Of the next sitting: as long as all before, where it goes on until all is decided."""
    before = sum(line["minutes"] for line in journal.sittings(lines))
    left = (asked.minutes if asked.more else journal.deciding(lines) or asked.minutes) - spent
    return min(before or FEWEST_ROUNDS, left) if asked.until_decided else left


def _begin(bundle: Bundle, lines: Sequence[dict], asked: Asked, minutes: float) -> dict | None:
    """Choose and write down what the next sitting measures; None, and a sentence, where nothing is open."""
    wanted, cost = asked.choose(bundle), journal.costs(lines)
    verdicts, answers = ([one for one in some if one.keys] for some in (wanted.open, wanted.answers))
    every = verdicts or answers
    if asked.until_decided and not any(one.chance(max(int(minutes), 1)) >= EVEN for one in every):
        every = []
    if not every:
        asked.say("No verdict is open that more measuring would decide.")
        if not asked.more:
            bundle.append({"event": "deciding", "minutes": 0.0})  # so that the same command does not ask again
        return None
    kept, rounds = affordable(every, cost, minutes)
    line = {
        "event": "sitting",
        "number": len(journal.sittings(lines)) + 2,
        "at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "minutes": float(minutes),
        "rounds": rounds,
        "verdicts": [[one.claim, one.scope] for one in kept],
        "left_out": [[one.claim, one.scope] for one in every if one not in kept],
        "configurations": _by_experiment((one.experiment, key) for one in kept for key in one.keys),
        "fill": [[one.experiment, sorted(one.keys)] for one in sorted(answers, key=_likeliest) if one not in kept]
        + [[name, list(keys)] for name, keys in wanted.wide],
    }
    bundle.append(line)
    return line


def affordable(every: Sequence[Open], cost: Mapping[tuple[str, str], float], minutes: float) -> tuple[list[Open], int]:
    """The verdicts that a sitting of so many minutes is for, and its rounds.

    Of those sets that are left when the least likely go one after another, and in which FEWEST_ROUNDS fit, or as many
    as the minutes have room for, the one of which most are expected to be decided: each that is in it may make the
    rounds longer, and fewer. Of those left out the likeliest come back that cost no round, for one that is dear may
    have been in their way.
    """
    most = max(int(60 * minutes // ROUND_S), 1)
    fewest = min(FEWEST_ROUNDS, most)

    def rounds_of(several: Sequence[Open]) -> int:
        return max(int(60 * minutes // round_s(several, cost)), 1)

    def expected(several: Sequence[Open]) -> float:
        rounds = rounds_of(several)
        return sum(one.chance(rounds) for one in several)

    least_first = sorted(every, key=lambda one: (one.chance(most), one.claim, one.scope))
    sets = [[one for one in every if one not in least_first[:gone]] for gone in range(max(len(every), 1))]
    kept = max([one for one in sets if rounds_of(one) >= fewest] or sets[-1:], key=expected)
    rounds = rounds_of(kept)
    for one in sorted((one for one in every if one not in kept and one.chance(rounds) > 0), key=_likeliest):
        if rounds_of([*kept, one]) >= rounds:
            kept = [*kept, one]
    return kept, rounds


def round_s(several: Iterable[Open], cost: Mapping[tuple[str, str], float]) -> float:
    """Seconds that a round of these takes: every configuration once, and a minute at least."""
    return max(
        ROUND_S, sum(cost.get(one, 0.0) for one in {(each.experiment, key) for each in several for key in each.keys})
    )


def _by_experiment(several: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for experiment, key in sorted(set(several)):
        found.setdefault(experiment, []).append(key)
    return found


def _rounds(bundle: Bundle, sweeps: Mapping[str, Sweep], line: dict, asked: Asked) -> None:
    """All rounds of a sitting, or what is left of them, then those of its trials again that tell little."""
    number, most = line["number"], 60 * line["minutes"]
    if missing := sorted({*line["configurations"], *(name for name, _ in line["fill"])} - set(sweeps)):
        raise LabError(f"run {bundle.name!r} has a sitting that is not over, with {missing[0]}: name no EXPERIMENTS")
    before = _before(bundle.journal(), number)
    cost, spent, done = journal.costs(before), 0.0, 0
    for at in range(1, line["rounds"] + 1):
        if spent > GUARD * most:
            break
        blocks = {name: at + max((one["block"] for one in journal.trials(before, name)), default=0) for name in sweeps}
        known = sum(len(sweep.lines) for sweep in sweeps.values())
        took, last = _round(sweeps, line, at, blocks, cost), at == line["rounds"]
        if took < ROUND_S and not last and known < sum(len(sweep.lines) for sweep in sweeps.values()):
            asked.sleep(ROUND_S - took)
        spent, done = spent + (took if last else max(took, ROUND_S)), at
    spent += _repeats(sweeps, number, REPEAT_SHARE * most, bundle.info["seed"])
    bundle.append({"event": "sat", "number": number, "rounds": done, "spent_s": round(spent, 1)})


def _before(lines: Sequence[dict], number: int) -> list[dict]:
    """The lines before a sitting began."""
    return list(itertools.takewhile(lambda one: (one.get("event"), one.get("number")) != ("sitting", number), lines))


def _round(
    sweeps: Mapping[str, Sweep], line: dict, at: int, blocks: Mapping[str, int], cost: Mapping[tuple[str, str], float]
) -> float:
    """One round: a part-block of every experiment of the set, then of what else there is to measure what fits whole
    into the rest of a minute. The seconds of its trials."""
    number, took = line["number"], 0.0
    names = sorted(line["configurations"])
    random.Random(f"{next(iter(sweeps.values())).seed}/sitting/{number}/{at}").shuffle(names)
    for name in names:
        took += sweeps[name].part_block(line["configurations"][name], number, blocks[name])
    there = {(name, key) for name in names for key in line["configurations"][name]}
    for name, keys in line["fill"]:
        left = [(name, key) for key in keys if (name, key) not in there]
        if took + sum(cost.get(one, ROUND_S) for one in left) <= ROUND_S:
            took += sweeps[name].part_block([key for _, key in left], number, blocks[name])
            there.update(left)
    return took


def _likeliest(one: Open) -> tuple[float, str, str]:
    return -one.chance(FEWEST_ROUNDS), one.claim, one.scope


def _repeats(sweeps: Mapping[str, Sweep], number: int, most: float, seed: int) -> float:
    """Measure trials of a sitting again that were in another state than is meant, then noisy ones, for so many seconds
    at most; the seconds that all such took."""
    found = states.of([line for sweep in sweeps.values() for line in sweep.lines])
    away = [(name, one) for name, sweep in sweeps.items() for one in sweep.elsewhere_of(number, found)]
    noisy = [(name, one) for name, sweep in sweeps.items() for one in sweep.noisy_of(number)]
    taken = {*map(_named, away)}
    noisy = [one for one in noisy if _named(one) not in taken]
    spent = 0.0
    for kind in (away, noisy):
        kind.sort(key=_named)
        random.Random(f"{seed}/sitting/{number}/repeats").shuffle(kind)
    for name, one in [*away, *noisy]:
        if spent + one["took_s"] <= most:
            spent += sweeps[name].repeat_of(one)["took_s"]
    return spent


def _named(noisy: tuple[str, dict]) -> tuple[str, str]:
    return noisy[0], noisy[1]["trial"]
