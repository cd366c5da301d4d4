"""Damaged files in processes of their own, whose memory and time are bounded, and imported as a user does it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import damaged_files
import harmless
import pytest
from damage import MARK
from damaged_files import GOODS
from laboratory import PROGRAM

MANY = 400  # of each good file
NAME = f"\x1b[31m<b onclick={MARK}>$x$"  # under which a damaged file is imported


@pytest.mark.prove
@pytest.mark.parametrize("name", GOODS)
def test_a_damaged_file_takes_little_and_does_no_harm(name: str, tmp_path: Path) -> None:
    one, seed = GOODS[name], 2
    told = damaged_files.apart(one, seed, MANY)
    assert not told["faults"] and told["read"] + sum(told["errors"].values()) == MANY
    for number in told["harmful"][:1]:
        given = tmp_path / "given" / NAME
        given.parent.mkdir()
        given.write_bytes(one.damaged(seed, number))
        env = os.environ | {"LAB_RUNS": str(tmp_path / "runs"), "LAB_BUILD": str(tmp_path / "build")}
        argv = [*PROGRAM, "import", f"{NAME}*", "--as", "damaged", *one.words]
        ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=given.parent, env=env)
        assert not list(harmless.faults(ran.returncode, ran.stdout, ran.stderr, tmp_path, given)), number
