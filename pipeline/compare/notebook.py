"""A comparison in a notebook: shown as its answer and figure, asked for what it holds."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from pipeline.compare import comparison, figures, text, uncertainty
from pipeline.draw.figure import Figure


class Comparison(comparison.Comparison):
    """`pipeline.compare.comparison.Comparison` with its figures; the value of a cell is the answer and the overview."""

    def show(self, experiment: str = "") -> Figure | str:
        """All experiments at a glance, or what changed in one of them."""
        return figures.experiment(self, self._entry(experiment)) if experiment else figures.overview(self)

    def curves(self, experiment: str, metric: str) -> Figure | str:
        """Both sides of a metric on one axis."""
        return figures.curves(self, self._entry(experiment), metric)

    def shift(self, **where: Any) -> Figure | str:
        """After / before at every percentile, of one configuration (as `verdict` takes it)."""
        row = self.row(**where)
        if row is None:
            return "Not one configuration that both sides measured."
        return figures.shifts(self, self._entry(row["experiment"]), [row])

    def rows(self, verdict: str = "") -> pd.DataFrame:
        """The table to read: every row, or those of a verdict."""
        chosen = self.table[self.table["verdict"] == verdict] if verdict else self.table
        cells = [(*text.cells(self, row), row["verdict"]) for row in chosen.to_dict("records")]
        return pd.DataFrame(cells, columns=[*text.HEAD, "verdict"])

    def _entry(self, name: str):
        return next(entry for entry in self.entries if entry.name == name)

    def _repr_html_(self) -> str:
        lines = [text.answer(self), f"Changed: {text.changed(self)}", uncertainty.controls(self), *text.notes(self)]
        told = "".join(f"<p>{escape(line)}</p>" for line in lines)
        shown = self.show()
        return told + (shown if isinstance(shown, str) else shown._repr_html_())
