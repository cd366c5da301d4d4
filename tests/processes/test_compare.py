"""`lab compare` on two small runs that were really measured, and on what cannot be compared."""

from __future__ import annotations

import json
import shutil

import pytest
from laboratory import one_clear_line
from tiny_run import measure

from pipeline.ground import paths
from pipeline.plan.overrides import Overrides

ALONE = ("--where", "threads=1")  # two threads of so short a trial need not have run together


@pytest.fixture
def two(lab, kept) -> None:
    """Two runs of the tiny experiment, `a` and `b`: two trials of each of four configurations, measured once."""
    for name in ("a", "b"):
        if not (kept / name).exists():
            shutil.copytree(measure(name).folder, kept / name)
        elif not paths.bundle(name).exists():
            shutil.copytree(kept / name, paths.bundle(name))


def rewrite(run: str, **changes) -> None:
    file = paths.bundle(run) / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_two_runs_are_compared_in_every_form(two, call):
    plain = call("compare", "a", "b", *ALONE, "--all", "--facts", "--pages")
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.startswith("answer   Of 2 comparisons: none changed for sure; ")
    assert "nothing that the Lab can see" in plain.stdout and "undecided (2)" in plain.stdout
    page = paths.build() / "compare" / "a..b" / "index.html"
    assert f"Page: {page}" in plain.stdout and "<h1>b compared with a</h1>" in page.read_text()
    document = json.loads(call("compare", "a", "b", *ALONE, "--format", "json").stdout)
    assert document["way"] == "single" and len(document["rows"]) == 2 and document["missing"] == []
    assert len(call("compare", "a", "b", *ALONE, "--format", "csv").stdout.splitlines()) == 3
    assert "| experiment |" in call("compare", "a", "b", "--format", "md", "--all").stdout
    assert call("compare", "a", "b", "--fail-on", "slower").returncode == 0
    assert call("compare", "a", "b", "--fail-on", "slower,undecided").returncode == 1


def test_other_sizes_are_told_and_compared_when_asked_for(lab, call):
    measure("a")
    measure("b", overrides=Overrides(parameters={"iterations": 6}))
    one_clear_line(call("compare", "a", "b", *ALONE), 2, "other parameters: --iterations 4 → --iterations 6", "others")
    assert "Of 2 comparisons" in call("compare", "a", "b", *ALONE, "--any-parameters").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a",), ["'after'", "lab compare --help"]),
        (("a", "nowhere"), ["'nowhere' does not exist", "make report RUN=nowhere"]),
        (("a", "a"), ["both sides are a"]),
        (("a:jdk17", "a:jdk8"), ["no runtime 'jdk"]),
        (("a", "b", "--where", "threads"), ["NAME=VALUE"]),
        (("a", "b", "--where", "threads=9"), ["threads=9", "1, 2"]),
        (("a", "b", "--where", "metric=speed"), ["'speed'", "cost"]),
        (("a", "b", "--experiments", "clock"), ["'clock'"]),
        (("a", "b", "--fail-on", "red"), ["--fail-on red", "slower"]),
        (("a", "b", "--margin", "much"), ["--margin"]),
        (("a", "b", "--format", "pdf"), ["--format"]),
    ],
)
def test_what_cannot_be_compared_is_one_line(two, call, arguments, words):
    one_clear_line(call("compare", *arguments), 2, *words)


def test_a_damaged_or_foreign_side_is_one_line(two, call):
    host = json.loads((paths.bundle("b") / "run.json").read_text())["host"]
    rewrite("b", host=host | {"cpu": host["cpu"] | {"model": "Other CPU"}})
    one_clear_line(call("compare", "a", "b"), 2, "different hosts (CPU model: ", "Other CPU")
    rewrite("b", host=host, format=99)
    one_clear_line(call("compare", "a", "b"), 2, "bundle format 99")
    rewrite("b", format=1)
    log = next((paths.bundle("b") / "raw" / "lock_scaling").glob("*.hlog"))
    log.write_bytes(log.read_bytes()[:-1])
    one_clear_line(call("compare", "a", "b"), 4, "checksum")
    journal = paths.bundle("b") / "journal.jsonl"
    journal.write_text("{}\n" + journal.read_text())
    one_clear_line(call("compare", "a", "b"), 2, "journal.jsonl line 1 is damaged")


def test_repeated_runs_are_compared(two, call):
    for name in ("a2", "b2"):
        measure(name)
    answer = call("compare", "a,a2", "b,b2", *ALONE)
    assert answer.returncode == 0 and "runs are what is compared, 2 before and 2 after" in answer.stdout
    shutil.copytree(paths.bundle("a"), paths.bundle("a3"))
    one_clear_line(call("compare", "a,a3", "b,b2"), 2, "copies of one measurement")
