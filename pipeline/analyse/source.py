"""What a number rests on: metric, configurations, trials and blocks, and the command that prints it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pipeline.words.numbers import counted, place

Selection = Mapping[str, Any]  # metric, variant, runtime and axes -> value


@dataclass(frozen=True)
class Source:
    """`selections`: what was selected, each a configuration of a metric; of a ratio the one above comes first.

    `what` says in a word what was made of them (`level`, `ratio`, ...); `trials` and `blocks` how many it rests on
    (of matched blocks both are the same).
    """

    what: str
    selections: tuple[Selection, ...]
    trials: int
    blocks: int

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Source:
        """From plain values, as `to_dict` made them."""
        return cls(**{**told, "selections": tuple(told["selections"])})

    def configurations(self) -> list[dict[str, Any]]:
        """The selections without the axes that are asked to be absent: two that select the same are equal."""
        return [{key: value for key, value in one.items() if value is not None} for one in self.selections]

    def words(self) -> str:
        """`ratio of cost: variant a, threads 2 / variant b, threads 2; 7 trials in 7 blocks`."""
        common = _common(self.selections)
        parts = [_said({k: v for k, v in one.items() if k not in common}) for one in self.selections]
        apart = " / ".join(part for part in dict.fromkeys(parts) if part)
        metric = common.pop("metric", None)
        where = ", ".join(part for part in (apart, _said(common)) if part)
        behind = f"{counted(self.trials, 'trial')} in {counted(self.blocks, 'block')}"
        return f"{self.what}{f' of {metric}' if metric else ''}: {where}; {behind}"

    def command(self, run: str, experiment: str) -> str:
        """The command that prints the number, or for more than two configurations the estimates it is made of, among
        others where an axis has more than MOST values."""
        words = ["lab", "analyse", "--run", run, "--experiments", experiment]
        common = _common(self.selections)
        words += [part for key, value in common.items() for part in ("--where", f"{key}={place(value)}")]
        apart = [{k: v for k, v in one.items() if k not in common} for one in self.selections]
        if len(apart) == 2 and self.what in TWO_SIDED:
            for option, side in zip(("--of", "--to"), apart, strict=True):
                words += [part for key, value in side.items() for part in (option, f"{key}={place(value)}")]
        else:
            for key in dict.fromkeys(key for one in apart for key in one):
                if all(key in one for one in apart):  # else it would exclude those that have no such axis
                    values = dict.fromkeys(place(one[key]) for one in apart)
                    listed = _listed(values) if len(values) <= MOST else []
                    words += [part for text in listed for part in ("--where", f"{key}={text}")]
        return shlex.join(words)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"selections": [dict(one) for one in self.selections]}


TWO_SIDED = ("ratio",)
MOST = 24  # values that a reader would type: sixteen CPUs have 240 pairs


def _common(selections: Sequence[Selection]) -> dict[str, Any]:
    """What all selections have, with the same value."""
    first, *others = selections
    return {key: value for key, value in first.items() if all(key in one and one[key] == value for one in others)}


def _said(selection: Selection) -> str:
    return ", ".join(f"{key} {place(value)}" for key, value in selection.items())


def _listed(values: Iterable[str]) -> list[str]:
    """Values as options take them: together, but each that holds a comma by itself."""
    values = list(values)
    together = ",".join(value for value in values if "," not in value)
    return [*([together] if together else []), *(value for value in values if "," in value)]
