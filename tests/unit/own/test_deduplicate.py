"""What alike files have alike is told once for each group, and names the first of them."""

from __future__ import annotations

import pytest
from laboratory import DATA

from pipeline.foreign.reading import Options
from pipeline.own import deduplicate, sessions
from pipeline.own.importer import take
from pipeline.own.page import Page

CASES = DATA / "cases"


@pytest.fixture
def folders(lab):
    told = (CASES / "numbers.txt").read_text().split()
    for at, group in enumerate(("old", "new")):
        (lab / group).mkdir()
        for number in range(3):
            mine = told[at + 2 * number :: 7]
            (lab / group / f"{group}{number}.txt").write_text("".join(f"{one}\n" for one in mine))
    (lab / "new" / "new3.txt").write_text("time_ms;op\n" + "".join(f"{one};get\n" for one in told[5::9]))
    return lab


def notes(*words: str) -> list[list[str]]:
    return deduplicate.notes(sessions.read(words, Options(unit="ms", value=""), ""))


def test_files_of_a_group_that_are_alike_have_one_note(folders):
    told = notes(f"before={folders}/old/*", f"after={folders}/new/new[0-2].txt")
    assert told == [
        ["old0.txt and 2 more files of before: no head"],
        [],
        [],
        ["new0.txt and 2 more files of after: no head"],
        [],
        [],
    ]


def test_without_groups_all_files_are_one(folders):
    assert notes(f"{folders}/old/*")[0] == ["old0.txt and 2 more files: no head"]
    assert notes(f"{folders}/old/old[01].txt")[0] == ["old0.txt and 1 more file: no head"]
    assert notes(f"{folders}/old/old0.txt") == [["old0.txt: no head"]]


def test_a_file_that_is_unlike_the_others_keeps_its_own(folders):
    path = folders / "new" / "new3.txt"
    path.write_text(path.read_text().replace("time_ms", "latency_ms"))
    told = notes(f"after={folders}/new/*")
    assert told[0] == ["new0.txt and 2 more files of after: no head"]
    assert told[3][0] == "new3.txt: semicolons between columns" and "not read: op" in told[3][1]


def test_the_page_has_a_note_for_each_group(folders):
    words = {group: str(folders / folder / f"{folder}[0-2].txt") for group, folder in (("a", "old"), ("b", "new"))}
    told = [one for one in Page(take(words, Options(unit="ms"), name="x")).notes() if "no head" in one]
    assert told == ["old0.txt and 2 more files of a: no head.", "new0.txt and 2 more files of b: no head."]


def test_what_is_not_read_of_a_log_of_jmeter_is_named(lab):
    (note,) = (one for one in notes(str(CASES / "jmeter_no_head.jtl"))[0] if "columns" in one and "not read" in one)
    for name in ("responseCode", "threadName", "bytes", "sentBytes", "Latency", "Connect"):
        assert name in note
    assert "success" not in note and "elapsed" not in note
