"""What words on the command line name: groups, runs, parts and axes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.own.groups import natural, sessions


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("old/r1.hlog", "old/r2.hlog", "old/r10.hlog", "new/r1.hlog", "new/r2.hlog", "a=b.hlog"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    for threads in (1, 16):
        for client in (0, 1):
            path = tmp_path / "sweep" / f"t{threads}" / f"client{client}.hlog"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(path))
    return tmp_path


def told(*words: str) -> list[tuple[str, list[str]]]:
    return [(one.group, [str(path) for path in one.files]) for one in sessions(words)]


def test_every_file_of_a_group_is_a_session_numbers_counting_as_numbers(here):
    assert told("before=old/*.hlog", "after=new/*.hlog") == [
        ("before", ["old/r1.hlog"]),
        ("before", ["old/r2.hlog"]),
        ("before", ["old/r10.hlog"]),
        ("after", ["new/r1.hlog"]),
        ("after", ["new/r2.hlog"]),
    ]


def test_files_without_a_group_are_a_group_each(here):
    found = sessions(["old/r1.hlog", "new/r1.hlog", "a=b.hlog"])
    assert [one.group for one in found] == ["r1", "r1-2", "a-b"] and not any(one.named for one in found)


def test_names_out_of_paths(here):
    found = sessions(["{group}/{run}.hlog"])
    assert {(one.group, one.name) for one in found} >= {("old", "r10"), ("new", "r2")}
    found = sessions(["all=sweep/t{threads}/client{part}.hlog"])
    assert [(one.axes, len(one.files)) for one in found] == [((("threads", 1),), 2), ((("threads", 16),), 2)]


def test_parts_of_several_folders_are_parts_of_as_many_runs(here):
    found = sessions(["all=sweep/*/client{part}.hlog"])
    assert [[str(file) for file in one.files] for one in found] == [
        [f"sweep/{load}/client{part}.hlog" for part in (0, 1)] for load in ("t1", "t16")
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no file is named"),
        (["none/*.hlog"], "'none/[*].hlog': matches no file; in . there are: "),
        (["old"], "old: is a folder; name its files, as 'old/[*]'"),
        (["before=old/*.hlog", "new/r1.hlog"], "new/r1.hlog: is in no group, and others are"),
        (["before=old/*.hlog", "after=old/r1.hlog"], "old/r1.hlog: is named twice; it counts once"),
        (["{group}/{group}.hlog"], "{group} stands in it twice"),
        (["x{part}.hlog"], "matches no file"),
        (["all=sweep/{run}/*.hlog"], "client0.hlog, sweep/t1/client1.hlog: are both of run t1; put {part} where files"),
        (["all=new/{run}.hlog", "all=old/{run}.hlog"], "new/r1.hlog, old/r1.hlog: are both of run r1; put {part}"),
        (["all=sweep/*/{run}{part}.hlog"], "t1/client0.hlog, sweep/t16/client0.hlog: are both of part 0 of run client"),
    ],
)
def test_what_names_no_session(here, words, says):
    with pytest.raises(LabError, match=says):
        sessions(words)


def test_too_many_groups_are_refused(here):
    for number in range(13):
        (here / f"f{number}.hlog").write_text(str(number))
    with pytest.raises(LabError, match="13 groups; 12 can be told apart in a figure"):
        sessions([f"f{number}.hlog" for number in range(13)])


@given(st.lists(st.integers(0, 999), min_size=1, max_size=20, unique=True))
def test_numbers_in_names_are_numbers(numbers):
    paths = [Path(f"r{number}.hlog") for number in numbers]
    assert [str(one) for one in sorted(paths, key=natural)] == [f"r{number}.hlog" for number in sorted(numbers)]


def test_a_name_never_leaves_its_place(here):
    os.symlink(here / "old" / "r1.hlog", here / "link.hlog")
    with pytest.raises(LabError, match="is named twice"):
        sessions(["old/r1.hlog", "link.hlog"])
