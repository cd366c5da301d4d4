"""Themes and looks: what a variant looks like, in light and dark, in colour and in black and white."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from matplotlib import style

from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import runtime_label
from pipeline.ground.errors import LabError

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">", "h")
LINES = ("-", (0, (5, 1.8)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1.2, 1, 1.2, 1, 1.2)))


@dataclass(frozen=True)
class Theme:
    """Colours of one background. Every colour of `series` has a contrast of 3:1 or more against it, text 4.5:1."""

    name: str
    background: str
    text: str
    muted: str
    grid: str
    shade: str
    series: tuple[str, ...]


# Blue and vermillion are those of Okabe and Ito; the others start from their hues and were moved until the closest
# pair, seen with normal vision or full protanopia, deuteranopia or tritanopia, was as far apart in CIELAB as possible.
LIGHT = Theme(
    "light",
    "#ffffff",
    "#1b1c1e",
    "#6b6b6b",
    "#e4e5e7",
    "#eceef1",
    ("#0072b2", "#d55e00", "#00a062", "#b15389", "#7c4a00", "#2f2f2f", "#2d97ff", "#562da2"),
)
DARK = Theme(
    "dark",
    "#131416",
    "#e6e7e9",
    "#a5a5a5",
    "#2c2e32",
    "#222529",
    ("#4ea6e6", "#f67844", "#2fed94", "#dd8daa", "#f8d745", "#fffef3", "#b8dcff", "#9b6aff"),
)
THEMES = (LIGHT, DARK)


@dataclass(frozen=True)
class Look:
    """The look of the n-th of a list: colour, marker and line style repeat with different periods (8, 11 and 5)."""

    number: int

    def colour(self, theme: Theme) -> str:
        return theme.series[self.number % len(theme.series)]

    @property
    def marker(self) -> str:
        return MARKERS[self.number % len(MARKERS)]

    @property
    def line(self) -> str | tuple:
        return LINES[self.number % len(LINES)]


def looks(order: Iterable[str]) -> dict[str, Look]:
    """The look of every name; it depends on the name's place in `order` alone.

    Hand the same order (`variants` of the experiment) to all its figures. The first five differ in every respect.
    """
    return {name: Look(number) for number, name in enumerate(order)}


def variants(entry: Experiment) -> dict[str, str]:
    """Every variant of an experiment and its label, those that are measured together beside each other.

    The order is that of the quick profile's sweeps, then that of the catalogue.
    """
    swept = [name for sweep in entry.profiles["quick"].sweeps for name in sweep.variants]
    return {name: entry.variants[name].label for name in [*swept, *entry.variants]}


def labels(names: Mapping[str, str] | Iterable[str] | None, present: Iterable[str]) -> dict[str, str]:
    """Names in order with their labels: as given, or those `present` in alphabetical order when None.

    LabError when a name is present that the given order does not have.
    """
    present = sorted(set(present))
    if names is None:
        return {name: runtime_label(name) for name in sorted(present, key=_natural)}
    known = dict(names) if isinstance(names, Mapping) else {name: name for name in names}
    if missing := [name for name in present if name not in known]:
        raise LabError(f"figure: no label for {missing[0]!r}; add it to the names, which are: {', '.join(known)}")
    return known


def headings(present: Iterable[str], given: Mapping[str, str] | None) -> dict[str, str]:
    """What is present, with what to write over it: as given and in that order, then the rest under its own name. What
    all of several have in common behind a comma is the figure's to say, and left out."""
    given, present = given or {}, set(present)
    rest = sorted(present - set(given), key=_natural)
    found = {one: given[one] for one in given if one in present} | {one: one for one in rest}
    ends = {text.partition(", ")[2] for text in found.values()}
    return {one: text.partition(", ")[0] for one, text in found.items()} if len(found) > 1 == len(ends) else found


def context(theme: Theme, salt: str) -> AbstractContextManager[None]:
    """Everything drawn inside has the Lab's style whatever the user's own configuration says.

    `salt` fixes the identifiers inside an SVG, which are random otherwise.
    """
    colours = {
        "figure.facecolor": theme.background,
        "axes.facecolor": theme.background,
        "savefig.facecolor": theme.background,
        "text.color": theme.text,
        "axes.labelcolor": theme.text,
        "axes.titlecolor": theme.text,
        "axes.edgecolor": theme.muted,
        "xtick.color": theme.muted,
        "ytick.color": theme.muted,
        "xtick.labelcolor": theme.text,
        "ytick.labelcolor": theme.text,
        "grid.color": theme.grid,
        "svg.hashsalt": salt,
    }
    return style.context(["default", Path(__file__).with_name("lab.mplstyle"), colours])


def _natural(name: str) -> list:
    """jdk8 before jdk17, then C, then referees: the order of runtimes, and so their looks, whoever else is shown."""
    parts = [(part.isdigit(), int(part) if part.isdigit() else part) for part in re.split(r"(\d+)", name)]
    return [not name.startswith("jdk"), parts]
