"""A page's answer in its first lines: sentences whose every number is computed, with its interval."""

from __future__ import annotations

import math

import pandas as pd
from IPython.display import Markdown

from pipeline.draw import units
from pipeline.draw.style import runtime_label
from pipeline.session.session import Session
from pipeline.words import number, ratio


def times(estimate: float, low: float, high: float) -> str:
    """`12.5 times [11.4, 12.7]`; a ratio whose interval includes 1 says that no difference is shown."""
    if math.isnan(low):
        return f"{ratio(estimate)} times (too few trials for an interval)"
    doubt = ", no difference shown" if low <= 1 <= high else ""
    return f"{ratio(estimate)} times [{ratio(low)}, {ratio(high)}]{doubt}"


class Findings:
    """Collects the sentences of a session; `show` displays them, and the first page repeats them."""

    def __init__(self, lab: Session) -> None:
        self.lab = lab
        self.found: list[str] = []

    def values(self, sentence: str, by: dict[str, str]) -> None:
        """`sentence: JDK 17 <words>; JDK 25 <words>.`; no sentence without any words."""
        if by:
            self.found.append(f"{sentence}: {'; '.join(f'**{who}** {words}' for who, words in by.items())}.")

    def ratio(self, sentence: str, metric: str, of: dict, to: dict, /, **where) -> None:
        """A ratio of a metric by runtime, paired by block."""
        rows = self.lab.ratios(metric, {"": (of, to)}, **where)[0]
        who = rows["label"].str.removeprefix(", ")
        self.values(
            sentence,
            {name: times(row.estimate, row.low, row.high) for name, row in zip(who, rows.itertuples(), strict=True)},
        )

    def level(self, sentence: str, metric: str, /, **where) -> None:
        """The estimate of a metric by runtime; `where` selects one configuration of each."""
        rows = self.lab.chosen(metric=metric, **where)[1].sort_values("runtime")
        self.values(sentence, {runtime_label(row["runtime"]): _level(row) for row in rows.to_dict("records")})

    def claim(self, sentence: str, name: str) -> None:
        """The effect of a published claim by runtime, beside the published number."""
        rows = self.lab.verdicts[self.lab.verdicts["claim"] == name].dropna(subset=["effect", "low"])
        effect = self.lab.entry.claims[name].effects[0]
        sentence += f" (published: {effect['published']})" if "published" in effect else ""
        self.values(
            sentence,
            {
                runtime_label(row.scope): times(row.effect, row.low, row.high)
                if row.unit == "ratio"
                else f"{number(row.effect)} {row.unit} [{number(row.low)}, {number(row.high)}]"
                for row in rows.itertuples()
            },
        )

    def best(self, sentence: str, metric: str, variants: list[str], /, **where) -> None:
        """By runtime the variant with the greatest estimate of a metric, and those not told apart from it.

        Not told apart: the interval of the ratio to the best, paired by block, includes 1.
        """
        rows = self.lab.chosen(metric=metric, variant=variants, **where)[1]
        said = {}
        for runtime, group in rows.groupby("runtime"):
            best = group.loc[group["estimate"].idxmax()]
            pairs = {
                name: ({"variant": name}, {"variant": best["variant"]})
                for name in group["variant"]
                if name != best["variant"]
            }
            rivals, here = self.lab.ratios(metric, pairs, **where)[0], f", {runtime_label(runtime)}"
            near = rivals[~((rivals["low"] > 1) | (rivals["high"] < 1)) & rivals["label"].str.endswith(here)]
            near = [self.lab.labels()[label.removesuffix(here)] for label in near["label"]]
            words = f"{self.lab.labels()[best['variant']]}, {_level(best)}"
            said[runtime_label(runtime)] = words + (f", not told apart from {', '.join(near)}" if near else "")
        self.values(sentence, said)

    def show(self) -> Markdown:
        """The sentences as a list, with what the brackets are."""
        items = "\n".join(f"- {one}" for one in self.found)
        return Markdown(
            f"{items}\n\nIn brackets: 95 % intervals over trials, on this host; ratios are paired by block."
        )


def _level(row: dict | pd.Series) -> str:
    value, low, high = (units.text(row[name], row["unit"]) for name in ("estimate", "low", "high"))
    return f"{value} [{low}, {high}]"
