"""The commands that README.md names, and what stands in for its words FILE, a, b, <run>."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from laboratory import DATA
from own_files import sides

from pipeline.ground import paths

CODE = re.compile(r"^```\n(.*?)^```$", re.M | re.S)
SPAN = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(r"(make|lab|\.venv/bin/lab) .*")
TABLE = "points.csv"  # for every `lab fit`
FIGURE = "build/quick/kit/lock_scaling/lock_scaling.svg"
WORDS = {"FILE.csv": TABLE, "hlog FILE": "hlog points.hlog", "check FILE": f"check {FIGURE}", "<run>": "quick"}
WORDS |= {"old=./old new=./new": "old=./first new=./second --minutes 0.05 --no-page"}
WORDS |= {"import FILE": "import build/share/*.tgz"}
WORDS |= {"BEFORE=a AFTER=b": "BEFORE=smoke AFTER=quick", "a1,a2 b1,b2": "smoke,again quick,anew"}
SERVER = "make lab"  # runs until it is ended; `jupyter_lab` starts and ends it
MEASURED = "make report"  # once this has ended there is a run to look at, and others are measured that are asked for
ELSEWHERE = re.compile(r"(make|lab) fleet\b.*")  # asks other machines: tests/processes/fleet
MORE = [f"lab measure --profile smoke --experiments clock --run {run}" for run in ("again", "anew")]


def commands() -> list[str]:
    """Every command of README.md once, in its order, without the remarks behind it."""
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line for block in CODE.findall(text) for line in block.splitlines()]
    named = [*lines, *SPAN.findall(CODE.sub("", text))]
    told = [line.split(" #")[0].split("   ")[0].strip() for line in named if COMMAND.fullmatch(line)]
    told = [command for command in told if not ELSEWHERE.fullmatch(command)]
    return sorted(dict.fromkeys(told), key=text.index)


def spelled(command: str) -> str:
    """The command with files and runs in place of the words that stand for them."""
    for word, meant in WORDS.items():
        command = command.replace(word, meant)
    return command


def prepare(project: Path) -> None:
    """Put the files there that the commands read."""
    shutil.copy(DATA / "hlog" / "tagged_v13.hlog", project / "points.hlog")
    sides(project, {"old": 2, "new": 2}, seconds=5)
    for name in ("first", "second"):  # two programs of somebody
        shutil.copy(shutil.which("true"), project / name)
    rows = [f"{n},{10 * n / (1 + 0.05 * (n - 1))},{10 * n},{2 + n / (10 - n)}" for n in range(1, 9)]
    (project / TABLE).write_text("\n".join(["threads,throughput,load,latency", *rows]) + "\n")
