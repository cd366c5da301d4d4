"""docs/claims.md, made of the types of `pipeline.catalogue.claims` and their words: run this module to print it."""

from __future__ import annotations

import inspect
from dataclasses import fields

from pipeline.catalogue.claims import KINDS, Judged, Region


def documentation() -> str:
    """The page: every kind of effect with its fields, and the words of rules."""
    rows = []
    common = {"kind", *(one.name for one in fields(Judged))}
    for name, kind in KINDS.items():
        own = [one.name for one in fields(kind) if one.name not in common]
        rows.append(f"| `{name}` | {', '.join(f'`{field}`' for field in own)} | {_one_line(kind)} |")
    every, bounds = (
        [f"| `{one.name}` | {one.metadata['description']} |" for one in fields(kind) if one.metadata]
        for kind in (Judged, Region)
    )
    return "\n".join(
        [
            "# Claims\n",
            "A claim of `catalogue/claims/<experiment>.yaml` is a list of effects; each gives one number with its",
            "interval over trials (95 %, and where trials are too few for that its true level), and all must hold.",
            "Its `controls` are effects of the host: where one does not hold, the claim is inconclusive.",
            "Made from `pipeline/catalogue/claims.py` by `.venv/bin/python -m pipeline.catalogue.claims_page`.\n",
            "| kind | fields | the number |",
            "|---|---|---|",
            *rows,
            "\nA selection (`of`, `to`, an item of `over`) maps metric, variant, runtime and axes to values and",
            "selects one configuration (for `slope` one per value of `by`). A value of an axis may be relative to the",
            "host: `cpus`, `2*cpus`. Trials are matched by block, so that drift of the host cancels: every number is",
            "the median of one number per block. The largest or least of several ratios is corrected for how many",
            "they are.\n",
            "| field of every kind | meaning |",
            "|---|---|",
            *every,
            f"\n{_one_line(Region)}\n",
            "| bound | meaning |",
            "|---|---|",
            *bounds,
            "\nWhat is neither reproduced nor not reproduced is *inconclusive*, and so is what rests on fewer than 5",
            "trials, on mostly noisy or unsettled ones, or needs what the host lacks.",
            "",
        ]
    )


def _one_line(kind: type) -> str:
    return " ".join(inspect.getdoc(kind).split())


if __name__ == "__main__":
    print(documentation(), end="")
