"""What a number rests on: metric, configurations, trials and blocks, and the command that prints it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

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

    def words(self) -> str:
        """`ratio of cost: variant a, threads 2 / variant b, threads 2; 7 trials in 7 blocks`."""
        common = _common(self.selections)
        parts = [_said({k: v for k, v in one.items() if k not in common}) for one in self.selections]
        apart = " / ".join(part for part in dict.fromkeys(parts) if part)
        metric = common.pop("metric", None)
        where = ", ".join(part for part in (apart, _said(common)) if part)
        trials = f"{self.trials} trial{'' if self.trials == 1 else 's'}"
        blocks = f"{self.blocks} block{'' if self.blocks == 1 else 's'}"
        return f"{self.what}{f' of {metric}' if metric else ''}: {where}; {trials} in {blocks}"

    def command(self, run: str, experiment: str) -> str:
        """The command that prints the number, or for more than two configurations the estimates it is made of."""
        words = ["lab", "analyse", "--run", run, "--experiments", experiment]
        common = _common(self.selections)
        words += [part for key, value in common.items() for part in ("--where", f"{key}={value}")]
        apart = [{k: v for k, v in one.items() if k not in common} for one in self.selections]
        if len(apart) == 2 and self.what in TWO_SIDED:
            for option, side in zip(("--of", "--to"), apart, strict=True):
                words += [part for key, value in side.items() for part in (option, f"{key}={value}")]
        else:
            for key in dict.fromkeys(key for one in apart for key in one):
                values = dict.fromkeys(str(one[key]) for one in apart if key in one)
                words += ["--where", f"{key}={','.join(values)}"]
        return shlex.join(words)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"selections": [dict(one) for one in self.selections]}


TWO_SIDED = ("ratio",)


def _common(selections: Sequence[Selection]) -> dict[str, Any]:
    """What all selections have, with the same value."""
    first, *others = selections
    return {key: value for key, value in first.items() if all(key in one and one[key] == value for one in others)}


def _said(selection: Selection) -> str:
    return ", ".join(f"{key} {value}" for key, value in selection.items())
