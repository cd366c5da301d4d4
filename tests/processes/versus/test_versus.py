"""`lab versus` as a user calls it: real programs, revisions of a repository, and every way in which it may end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from laboratory import DATA, one_clear_line
from living import until

from pipeline.bundle import journal, lock
from pipeline.bundle.bundle import Bundle
from pipeline.collection import share
from pipeline.ground.errors import LabError
from pipeline.measure.trial import Trials
from pipeline.own.entry import NAME
from pipeline.versus import outcome, plan, revisions, setup, versus
from pipeline.versus.arguments import Arguments
from pipeline.versus.report import Report

CASES = DATA / "cases"

LOOP = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    unsigned long x = 1;
    for (long i = 0, n = atol(words[1]) * 1000000L; i < n; i++) x = x * 6364136223846793005UL + 1442695040888963407UL;
    printf("work %s\\n", words[1]);
    FILE *out = count > 2 ? fopen(words[2], "w") : stdout;
    fprintf(out, "time,latency_us\\n");
    for (int i = 0; i < 2000; i++) fprintf(out, "%d.0,%d\\n", i, 100 + (int)(x & 1) + i % 7);
    return fclose(out) != 0;
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("a folder with blänks")
    (folder / "loop.c").write_text(LOOP)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", folder / "loop", folder / "loop.c"], check=True)
    return folder


@pytest.fixture
def lab(tmp_path, monkeypatch) -> Path:
    """A laboratory and a measuring lock of the test's own; trials of one short execution."""
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    monkeypatch.setattr(lock, "FOLDERS", (tmp_path,))
    monkeypatch.setattr(setup, "TRIAL_S", 0.001)
    monkeypatch.setattr(plan, "MOST", 16)
    return tmp_path


def asked(folder: Path, **commands: list[str]) -> Arguments:
    return Arguments(commands or {"old": ["./loop", "1"], "new": ["./loop", "3"]}, str(folder), {})


def lines(run: str) -> list[dict]:
    return journal.trials(Bundle.open(run).journal(), NAME)


LENGTH = versus.Length(minutes=1000)  # what ends is the number of blocks, which no other work changes


def test_three_times_the_work_is_a_failure_and_the_first_is_not_slower_than_itself(lab, programs):
    """By what the program prints: its CPU time is what the host makes of it, and may be undecided."""
    told = []
    what = replace(asked(programs), value=r"work (\d+)", metrics=("value",))
    run = versus.measure(what, "work", LENGTH, {}, told.append, say=told.append)
    own = Bundle.open(run).info["own"]
    (found,) = versus.compared(run, own)
    (row,) = found.table.to_dict("records")
    assert row["verdict"] == "higher" and row["low"] == pytest.approx(3) and not found.astray
    assert outcome.fails(run, "slower") and outcome.fails(run, "different")
    assert {line["runtime"] for line in lines(run)} == {"old", "old-again", "new"}
    looks = journal.looks(Bundle.open(run).journal(), NAME)
    assert looks and looks[-1]["among"] == len(found.table)
    assert versus.measure(what, "work", LENGTH, {}) == run  # nothing is left to do


def test_what_is_written_is_read_as_people_have_it_and_what_is_not_read_is_told(lab, monkeypatch):
    monkeypatch.setattr(plan, "MOST", 2)
    what = asked(lab, old=["cp", str(CASES / "tab.tsv"), "{out}"], new=["cp", str(CASES / "iso_time.csv"), "{out}"])
    run = versus.measure(what, "files", LENGTH, {}, say=lambda _: None)
    (found,) = versus.compared(run, Bundle.open(run).info["own"])
    row = found.row(metric="p50", variant="latency")
    assert row["ratio"] == pytest.approx(1)
    told = list(Report(run).notes())
    assert "the file written to {out}: tabs between columns" in told and any("not read: op" in one for one in told)


def test_what_a_program_prints_is_read_by_way_of_the_shell(lab, monkeypatch):
    monkeypatch.setattr(plan, "MOST", 2)
    prints = ["/bin/sh", "-c", f"cat {CASES / 'tab.tsv'} > {{out}}"]
    run = versus.measure(asked(lab, old=prints, new=prints), "printed", LENGTH, {}, say=lambda _: None)
    (found,) = versus.compared(run, Bundle.open(run).info["own"])
    assert found.row(metric="p50", variant="latency")["ratio"] == pytest.approx(1)


def test_a_run_that_was_interrupted_goes_on_as_if_it_had_not_been(lab, programs, monkeypatch):
    measured, left = Trials.run, [7, 1, 5]

    def interrupted(self, *given):
        if left and not left[0]:
            left.pop(0)
            raise KeyboardInterrupt
        left[:1] = [left[0] - 1] if left else []
        return measured(self, *given)

    monkeypatch.setattr(Trials, "run", interrupted)
    for _ in range(3):
        with pytest.raises(LabError, match="interrupted; the same command with --as continues"):
            versus.measure(asked(programs), "cut", LENGTH, {}, say=lambda _: None)
    monkeypatch.setattr(plan, "MOST", 6)
    versus.measure(asked(programs), "cut", LENGTH, {})
    names = [line["trial"] for line in lines("cut")]
    assert len(names) == len(set(names))
    orders = [[line["order"] for line in lines("cut") if line["block"] == block] for block in (1, 2, 3, 4)]
    assert all(order == [0, 1, 2] for order in orders)
    assert [line["block"] for line in lines("cut")] == sorted(line["block"] for line in lines("cut"))


def test_more_minutes_are_one_more_look_with_an_error_of_its_own(lab, programs, monkeypatch):
    same = asked(programs, one=["./loop", "1"], two=["./loop", "1"])
    monkeypatch.setattr(plan, "MOST", 4)
    versus.measure(same, "more", LENGTH, {})
    monkeypatch.setattr(plan, "MOST", 8)
    before = journal.looks(Bundle.open("more").journal(), NAME)
    versus.measure(same, "more", versus.Length(more=1000), {})
    after = journal.looks(Bundle.open("more").journal(), NAME)
    assert len(after) == len(before) + 1 and after[-1]["blocks"] > before[-1]["blocks"]
    assert sum(line["error"] for line in after) <= 0.05


def test_other_commands_or_another_build_are_another_run(lab, programs, tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "MOST", 2)
    versus.measure(asked(programs), "mine", LENGTH, {})
    with pytest.raises(LabError, match="was measured with other commands"):
        versus.measure(asked(programs, old=["./loop", "1"], new=["./loop", "4"]), "mine", LENGTH, {})
    (tmp_path / "program").write_bytes((programs / "loop").read_bytes())
    (tmp_path / "program").chmod(0o755)
    own = asked(tmp_path, old=["./program", "1"], new=["./program", "1"])
    versus.measure(own, "built", LENGTH, {})
    with (tmp_path / "program").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(LabError, match="was measured with old"):
        versus.measure(own, "built", versus.Length(more=1), {})


def test_a_program_that_fails_at_once_measures_nothing_and_later_ends_the_run(lab, programs):
    with pytest.raises(LabError, match="^new: ended with status 3") as told:
        versus.measure(asked(programs, old=["true"], new=["sh", "-c", "exit 3"]), "bad", LENGTH, {})
    assert told.value.status == 4 and not (lab / "runs" / "bad").exists()
    counting = 'n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; test "$n" -lt 4'
    (lab / "n").unlink(missing_ok=True)
    with pytest.raises(LabError, match="^new: ended with status 1 .3 times in a row.; what was measured is kept"):
        versus.measure(asked(lab, old=["true"], new=["sh", "-c", counting]), "later", LENGTH, {})
    assert sum(line["status"] == "measured" for line in lines("later")) >= 6


def test_what_programs_write_becomes_rows_a_page_and_a_summary(call, lab, programs):
    canary = "canary-of-a-secret"
    told = {"LAB_RUNS": str(lab / "runs"), "LAB_BUILD": str(lab / "build"), "TEST_LOCK_FOLDER": str(lab)}
    told |= {"LAB_SECRET": canary}
    words = ["--dir", str(programs), "--minutes", "0.1", "--as", "logs", "--unit", "us", "--env", f"LAB_OTHER={canary}"]
    words += ["--sweep", "work=1,2", "--format", "md", "--output", str(lab / "summary.md")]
    done = call("versus", "old=./loop {work} {out}", "new=./loop {work} {out}", *words, **told)
    assert done.returncode == 0, done.stderr
    summary = (lab / "summary.md").read_text()
    assert done.stdout == summary and len(summary.splitlines()) <= 60
    assert summary.index("old compared with itself") < summary.index("| what | verdict |")
    assert "50th percentile" in summary and "work 2" in summary
    report = (lab / "build" / "logs" / "report" / "index.html").read_text()
    assert "figures/blocks.svg" in report and "figures/percentiles.svg" in report and canary not in report
    for file in (lab / "runs" / "logs").rglob("*"):
        assert not file.is_file() or canary.encode() not in file.read_bytes(), file
    entry = json.loads((lab / "runs" / "logs" / "entry.json").read_text())
    assert entry["axes"] == {"work": "int"} and [one["metric"] for one in entry["headlines"]] == ["p50", "p99"]
    again = call("compare", "logs:old", "logs:new", "--format", "json", **told)
    rows = {row["verdict"] for row in json.loads(again.stdout)["rows"]}
    assert again.returncode == 0 and rows <= {"same", "undecided"}
    assert not outcome.fails("logs", "slower") and outcome.fails("logs", "undecided") == ("undecided" in rows)
    with pytest.raises(LabError, match="logs"):
        share.pack("logs")


def test_wrong_words_are_one_line(call, lab, programs):
    told = {"LAB_RUNS": str(lab / "runs"), "LAB_BUILD": str(lab / "build"), "TEST_LOCK_FOLDER": str(lab)}
    for words, said in (
        (["old=true"], "give two commands"),
        (["old=true", "new=true", "--margin", "none"], "--margin 'none': per cent, as 5%"),
        (["old=true", "new=true", "--as", "a/b"], "is not a plain name"),
    ):
        one_clear_line(call("versus", *words, **told), 2, said)


def git(folder: Path, *words: str) -> str:
    told = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(
        ["git", *who, *words], cwd=folder, env=told, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture
def repository(tmp_path) -> Path:
    folder = tmp_path / "repository"
    (folder / "sub").mkdir(parents=True)
    git(folder, "init", "--quiet")
    for work in ("1", "3"):
        (folder / "sub" / "bench.sh").write_text(f"#!/bin/sh\nexec ./loop {work}\n")
        (folder / "sub" / "bench.sh").chmod(0o755)
        git(folder, "add", "-A")
        git(folder, "commit", "--quiet", "-m", work)
    (folder / "sub" / "bench.sh").write_text("#!/bin/sh\nexec ./loop 5\n")
    (folder / "sub" / "new").write_text("not committed")
    git(folder, "stash", "push", "--quiet", "--keep-index", "--include-untracked")
    git(folder, "stash", "apply", "--quiet")
    return folder


def state(folder: Path) -> list[str]:
    questions = (["status", "--porcelain"], ["stash", "list"], ["reflog"], ["worktree", "list"], ["diff"], ["branch"])
    return [git(folder, *one) for one in questions]


def test_revisions_are_built_apart_and_the_repository_is_not_touched(lab, programs, repository):
    before = state(repository)
    build = f"cp '{programs}/loop' ."
    words, inside = ["./bench.sh"], repository / "sub"
    for pair, work in ((("HEAD~1", "HEAD"), ("1", "3")), (("HEAD", "."), ("3", "5"))):
        with revisions.built(pair, build, words, inside) as made:
            assert list(made.commands.values()) == [words, words] and len(made.named) == 2
            texts = [(Path(place) / "bench.sh").read_text() for (place,) in made.folders.values()]
            assert [text.split()[-1] for text in texts] == list(work)
            what = Arguments(made.commands, str(inside), {}, folders=made.folders)
            name = f"git-{work[0]}"
            versus.measure(what, name, LENGTH, made.named)
        assert not any(Path(place).exists() for (place,) in made.folders.values())
        assert Bundle.open(name).info["runtimes"][next(iter(made.named))]["version"] in made.named.values()
    assert state(repository) == before


def test_builds_are_a_level_of_their_own(lab, programs, repository):
    """Of three builds of each side one is another program: blocks alone would call that sure."""
    build = f"cp '{programs}/loop' . ; case $PWD in *--------------/sub) sed -i 's/loop .*/loop 9/' bench.sh;; esac"
    with revisions.built(("HEAD", "HEAD"), build, ["./bench.sh"], repository / "sub", 3) as made:
        each = [*made.folders.values()]
        assert [len(places) for places in each] == [3, 3] and len({len(one) for one in each[0]}) == 3
        (Path(each[0][2]) / "bench.sh").write_text("#!/bin/sh\nexec ./loop 3\n")
        what = Arguments(made.commands, str(repository / "sub"), {}, folders=made.folders, metrics=("cpu",))
        versus.measure(what, "builds", LENGTH, made.named)
    took = {line["block"]: line["command"][line["command"].index("--build") + 1] for line in lines("builds")}
    assert took == {block: str((block - 1) % 3) for block in took}
    (found,) = versus.compared("builds", Bundle.open("builds").info["own"])
    assert set(found.table["verdict"]) == {"undecided"}


def test_a_build_that_fails_and_a_revision_that_is_none_are_one_line(lab, repository):
    with pytest.raises(LabError, match="the build of HEAD~1 failed .status 2.: no luck") as told:
        with revisions.built(("HEAD~1", "HEAD"), "echo no luck >&2; exit 2", ["./bench.sh"], repository / "sub"):
            pass
    assert told.value.status == 5
    with pytest.raises(LabError, match="--git: no revision 'nothing'"):
        with revisions.built(("nothing", "HEAD"), "", ["true"], repository):
            pass


def test_a_killed_run_leaves_no_program_and_goes_on(lab, programs):
    marker = f"{os.getpid()}.125"
    code = (
        "import sys; from pathlib import Path; from pipeline.bundle import lock; from pipeline.versus import versus\n"
        "from pipeline.versus.arguments import Arguments\n"
        f"lock.FOLDERS = (Path({str(lab)!r}),)\n"
        f"a = Arguments({{'a': ['sleep', '0.{marker[-3:]}'], 'b': ['sleep', '{marker}']}}, '/', {{}})\n"
        "versus.measure(a, 'killed', versus.Length(1000), {})\n"
    )
    started = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
    try:
        assert until(lambda: alive(marker))
    finally:
        started.kill()
        started.wait()
    assert until(lambda: not alive(marker))


def alive(marker: str) -> list[str]:
    return [one for one in filter(str.isdigit, os.listdir("/proc")) if _words(one) == f"sleep\0{marker}\0"]


def _words(process: str) -> str:
    try:
        return Path("/proc", process, "cmdline").read_text()
    except OSError:
        return ""
