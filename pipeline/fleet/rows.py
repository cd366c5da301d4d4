"""How far each host is: a table that lives in a terminal, lines where there is none, JSON for scripts."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from pipeline.measure.progress import LOG_EVERY_S, clock

WAITING, MEASURING, FETCHING, DONE, NOT = "waiting", "measuring", "fetching", "measured", "not measured"
COLUMNS = ("host", "state", "experiment", "block", "trials", "noisy", "to go", "")


@dataclass
class Row:
    """A host: its state, what its worker told last, whether and where it went on, and what else is to be said."""

    host: str
    state: str = WAITING
    told: dict[str, Any] = field(default_factory=dict)
    resumed: list[int] = field(default_factory=list)
    deaths: int = 0
    note: str = ""

    @property
    def trials(self) -> int:
        return self.told.get("trials", 0)

    @property
    def remark(self) -> str:
        """What is told beside the numbers."""
        resumed = f"resumed after trial {', '.join(map(str, self.resumed))}" if self.resumed else ""
        return "; ".join(one for one in (resumed, self.told.get("waits", ""), self.note) if one)

    def cells(self) -> list[str]:
        """As in COLUMNS."""
        told = self.told
        planned = f"{self.trials} of {told['planned']}" if told.get("planned") else ""
        left = clock(told["left_s"]) if self.state == MEASURING and told.get("planned") else ""
        where = "sitting" if told.get("sitting") else told.get("experiment", "")
        block = str(told.get("block") or "")
        return [self.host, self.state, where, block, planned, str(told.get("noisy", "")), left, self.remark]

    def line(self) -> str:
        """The row as one line for people."""
        host, state, where, block, planned, noisy, left, remark = self.cells()
        told = [state, f"{where} block {block}" if where and block else where, f"{planned} trials" if planned else ""]
        told += [f"{noisy} noisy" if noisy and noisy != "0" else "", f"about {left} left" if left else "", remark]
        return f"{host}: {', '.join(one for one in told if one)}"


class Rows:
    """The rows of a fleet. `changed` is called whenever one of them has."""

    def __init__(self, names: list[str], console: Console, as_json: bool, now: Callable[[], float] = time.monotonic):
        self.rows = {name: Row(name) for name in names}
        self.console, self.as_json, self.now = console, as_json, now
        self._told: dict[str, tuple[float, tuple]] = {}
        self._live: Live | None = None

    def changed(self, name: str) -> None:
        """Show a row: at once in a table; as a line when its state changed or it was silent for a while."""
        row = self.rows[name]
        if self.as_json:
            print(json.dumps(asdict(row)), flush=True)
        elif self._live:
            self._live.update(self.table())
        else:
            state = row.state, row.remark
            before, last = self._told.get(name, (0.0, ()))
            if state != last or self.now() - before >= LOG_EVERY_S:
                self._told[name] = self.now(), state
                self.console.print(row.line(), highlight=False, soft_wrap=True)

    def table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        for column in COLUMNS:
            table.add_column(column, justify="right" if column in ("block", "trials", "noisy", "to go") else "left")
        for row in self.rows.values():
            table.add_row(*row.cells())
        return table

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """While the block runs, the table lives where somebody watches."""
        if self.as_json or not self.console.is_terminal:
            yield
            return
        with Live(self.table(), console=self.console, refresh_per_second=4) as self._live:
            yield
        self._live = None
