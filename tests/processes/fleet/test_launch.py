"""An `ssh` that ends is started again, later each time, and given up; here it is a script."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from pipeline.fleet import launch
from pipeline.fleet.config import Host

SSH = """#!/bin/sh
cd {folder} && echo >> calls
if [ "$(wc -l < calls)" -eq 2 ]; then until [ -e joined ]; do sleep 0.02; done; fi
echo "kex: connection lost" >&2
exit 255
"""


def test_a_connection_that_ends_is_made_again_later_each_time_until_the_host_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The second one brings the worker: from there it is counted anew."""
    (tmp_path / "ssh").write_text(SSH.format(folder=tmp_path))
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(launch, "RETRIES", 3)
    monkeypatch.setattr(launch, "PATIENCE_S", 2.0)
    slept = asyncio.sleep
    monkeypatch.setattr(asyncio, "sleep", lambda seconds: slept(0.05))
    said: list[str] = []

    async def kept() -> str:
        tunnel = launch.Tunnel(Host(name="bob", ssh="bob"), 1, said.append)
        keeping = asyncio.create_task(tunnel.keep())
        while not (tmp_path / "calls").exists() or (tmp_path / "calls").read_text().count("\n") < 2:
            await slept(0.01)
        tunnel.joined.set()
        (tmp_path / "joined").touch()
        return await keeping

    assert asyncio.run(asyncio.wait_for(kept(), 30)) == "kex: connection lost"
    waits = [int(re.fullmatch(r"no connection \(kex: connection lost\), again in (\d+) s", one)[1]) for one in said]
    assert waits[:5] == [2, 1, 2, 4, 8] and max(waits) <= launch.LONGEST_S
