"""Block ratios: what every block says of two sides, in the order in which it was measured, and the host beside it.

Drift that hits both sides cancels in a block and so does not show; what is left scatters about one level. The panels
share their scale, so that a change is seen against what the same program says of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.lines import Line2D

from pipeline.draw import layout, marks
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.marks import Nothing
from pipeline.draw.ratios import ratio_ticks
from pipeline.draw.style import Theme
from pipeline.words.numbers import ratio

COLUMNS = ["mark", "panel", "x", "value", "low", "high", "noisy"]
BLOCK, CENTRE, LOOK, HOST = "block", "centre", "look", "host"
HEADING = "CPU used by others"


def block_ratios(data: pd.DataFrame, *, name: str, order: Sequence[str], margin: float, alt: str = "") -> Figure:
    """data: columns mark (BLOCK: the ratio of a block; CENTRE: the estimate with its interval; LOOK: a time; HOST:
    percent of the CPUs), panel (of BLOCK and CENTRE), x (minutes), value, low, high, noisy. order: of the panels.
    margin: 0.05 shades what counts as the same. Nothing without a block."""
    blocks = data[data["mark"] == BLOCK]
    if blocks.empty or not (blocks["value"] > 0).all():
        raise Nothing(f"figure {name}: no block has both sides")
    data = marks.table([data], COLUMNS)
    return Figure(name, alt or _alt(data, order), data, partial(_draw, data, list(order), margin=margin))


def _draw(data: pd.DataFrame, order: list[str], theme: Theme, *, margin: float) -> Drawing:
    host = data[data["mark"] == HOST]
    panels = [*order, *([HEADING] if len(host) else [])]
    figure, axes = layout.panels(len(panels), height=1.9, columns=1, share_y=False)
    blocks, looks = data[data["mark"] == BLOCK], data.loc[data["mark"] == LOOK, "x"]
    last = 1.02 * float(data["x"].max())
    low, high = float(blocks["value"].min()), float(blocks["value"].max())
    low, high = min(low, 1 / (1 + margin)), max(high, 1 + margin)
    edges = low / (high / low) ** 0.06, high * (high / low) ** 0.06
    for ax, panel in zip(axes, panels, strict=True):
        ax.set_title(panel)
        ax.set_xlim(0, last)
        for x in looks:
            ax.axvline(x, color=theme.muted, linewidth=0.8, linestyle=(0, (2, 3)))
    for ax, panel in zip(axes, order, strict=False):
        ax.set_yscale("log")
        ratio_ticks(ax, blocks["value"].to_numpy(float), "y")
        ax.set_ylim(*edges)
        ax.set_ylabel("ratio")
        ax.axhspan(1 / (1 + margin), 1 + margin, color=theme.muted, alpha=0.12, linewidth=0)
        ax.axhline(1, color=theme.muted, linewidth=0.8)
        _centre(ax, data[(data["mark"] == CENTRE) & (data["panel"] == panel)], theme)
        here = blocks[blocks["panel"] == panel]
        for noisy, rows in here.groupby("noisy"):
            face = "none" if noisy else theme.series[0]
            ax.plot(rows["x"], rows["value"], "o", markersize=4, color=theme.series[0], markerfacecolor=face)
    if len(host):
        axes[-1].plot(host["x"], host["value"], ".", markersize=3, color=theme.muted)
        axes[-1].set_ylabel("%")
        axes[-1].set_ylim(bottom=0)
    axes[-1].set_xlabel("Minutes since measuring began")
    handles = [
        Line2D([], [], linestyle="none", marker="o", markersize=4, color=theme.series[0], label="block"),
        Line2D([], [], color=theme.series[1], linewidth=1.6, label="all blocks, with interval"),
        marks.patch_key("the same", theme.muted, 0.2),
    ]
    if blocks["noisy"].any():
        hollow = {"marker": "o", "markersize": 4, "color": theme.series[0], "markerfacecolor": "none"}
        handles.insert(1, Line2D([], [], linestyle="none", label="block with a disturbed trial", **hollow))
    if len(looks):
        handles.append(Line2D([], [], color=theme.muted, linewidth=0.8, linestyle=(0, (2, 3)), label="look"))
    return figure, handles


def _centre(ax, rows: pd.DataFrame, theme: Theme) -> None:
    for row in rows.itertuples():
        ax.axhline(row.value, color=theme.series[1], linewidth=1.6)
        if pd.notna(row.low):
            ax.axhspan(row.low, row.high, color=theme.series[1], alpha=0.18, linewidth=0)


def _alt(data: pd.DataFrame, order: Sequence[str]) -> str:
    parts = []
    for panel in order:
        rows = data[(data["panel"] == panel) & (data["mark"] == BLOCK)]
        if len(rows):
            least, most = ratio(float(rows["value"].min())), ratio(float(rows["value"].max()))
            parts.append(f"{panel}: {len(rows)} blocks between {least} and {most}")
    return f"Ratios of blocks over time. {'; '.join(parts)}."
