"""Progress on a console: a bar on a terminal, lines in a log."""

from __future__ import annotations

import io
import json

import pytest
from publish_toy import entry, trial
from rich.console import Console

from pipeline.measure import progress
from pipeline.session import live_progress

PLANNED = {"event": "planned", "experiment": "toy", "overrides": {}, "configurations": 3}


@pytest.mark.parametrize("terminal", [True, False])
def test_it_is_shown_on_terminals_and_in_logs(tmp_path, monkeypatch, terminal):
    monkeypatch.setattr(progress, "EVERY_S", 0.02)
    monkeypatch.setattr(progress, "LOG_EVERY_S", 0.02)
    shown = []

    class Seen(io.StringIO):
        def write(self, text):
            shown.append(text)
            return super().write(text)

    console = Console(file=Seen(), force_terminal=terminal, width=150)
    (tmp_path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (PLANNED, trial(1, 1))))
    with live_progress.following([entry(1, "toy")], "quick", tmp_path, console, lambda: "two narrow"):
        for _ in range(500):
            if "1 of about 6 trials" in "".join(shown):
                break
            progress.time.sleep(0.02)
    assert "1 of about 6 trials (0 noisy), toy block 1 of 2, two narrow, " in "".join(shown)
    assert ("\x1b[" in "".join(shown)) == terminal
