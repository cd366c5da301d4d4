"""The greatest value is told with how many it is the greatest of, and what is not used is told too."""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import DATA

from pipeline.foreign.reading import Options
from pipeline.own import greatest, says
from pipeline.own.own import take
from pipeline.own.page import Page

CASES = DATA / "cases"


def numbers(folder: Path, group: str, factor: float) -> None:
    """Two plain files of 150 of the case's numbers, in ms."""
    told = [float(line) * factor for line in (CASES / "numbers.txt").read_text().split()]
    (folder / group).mkdir()
    for at in (0, 1):
        (folder / group / f"r{at}.txt").write_text("".join(f"{one}\n" for one in told[at::2]))


@pytest.fixture
def plain(lab):
    numbers(lab, "old", 1)
    numbers(lab, "new", 2)
    words = {group: str(lab / folder / "*.txt") for group, folder in (("before", "old"), ("after", "new"))}
    return Page(take(words, Options(unit="ms"), name="x"))


def test_two_plain_files_of_numbers_a_side_are_compared(plain):
    assert plain.groups == ["before", "after"]
    row = next(row for row in plain.comparisons[0].table.to_dict("records") if row["metric"] == "p50")
    assert row["ratio"] == pytest.approx(2, rel=0.01) and (row["trials_before"], row["trials_after"]) == (2, 2)


def test_the_greatest_of_a_group_is_of_all_of_its_values(plain):
    rows = greatest.greatest(plain.lab)
    assert [(row["group"], row["series"], row["values"], row["bound"]) for row in rows] == [
        ("before", "latency", 300, False),
        ("after", "latency", 300, False),
    ]
    assert [row["greatest"] for row in rows] == [pytest.approx(106_064_300 * k, rel=1e-3) for k in (1, 2)]
    assert all(row["greatest"] >= 106_064_300 * k for row, k in zip(rows, (1, 2), strict=True))


def test_lines_data_and_page_tell_the_greatest(plain):
    words = "latency 106 ms of 300 values"
    assert f"{'':<8} greatest: {words}" in list(says.printed(plain.lab, plain.comparisons))
    assert says.as_json(plain.lab, plain.comparisons)["greatest"] == greatest.greatest(plain.lab)
    assert plain.what().rows[0][says.COLUMNS.index("greatest")] == words


def test_a_greatest_of_a_table_of_percentiles_is_a_bound(lab):
    page = Page(take(str(DATA / "own" / "googlecharts.hgrm"), Options(unit="ms"), name="table"))
    assert greatest.in_words(greatest.greatest(page.lab), "googlecharts").startswith("latency at most ")


def test_scores_have_no_greatest_and_all_of_their_metrics_are_told(lab):
    page = Page(take(str(CASES / "jmh_gc.json"), name="gc"))
    assert greatest.greatest(page.lab) == []
    told = " ".join(says.printed(page.lab, page.comparisons))
    for words in ("Throughput: ", "gc.alloc.rate: ", "gc.count: "):
        assert words in told and words in page.answer.text


def test_what_is_not_used_is_told_on_the_page(lab):
    page = Page(take(str(CASES / "tab.tsv"), name="tab"))
    assert any("columns that are not read: op" in note for note in page.notes())


def test_more_series_than_a_line_holds_are_counted():
    rows = [{"group": "a", "series": f"s{at}", "greatest": 10**6, "values": 5, "bound": False} for at in range(6)]
    assert greatest.in_words(rows, "a").endswith("s3 1 ms of 5 values; and 2 more") and not greatest.in_words(rows, "b")
