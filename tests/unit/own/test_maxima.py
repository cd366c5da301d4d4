"""The greatest value is told with how many it is the greatest of, and what is not used is told too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from laboratory import DATA

from pipeline.foreign.reading import Options
from pipeline.own import maxima, report
from pipeline.own.importer import take
from pipeline.own.page import Page

pytestmark = pytest.mark.thorough  # imports runs

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
    rows = maxima.greatest(plain.lab)
    assert [(row["group"], row["series"], row["values"], row["bound"]) for row in rows] == [
        ("before", "latency", 300, False),
        ("after", "latency", 300, False),
    ]
    assert [row["greatest"] for row in rows] == [pytest.approx(106_064_300 * k, rel=1e-3) for k in (1, 2)]
    assert all(row["greatest"] >= 106_064_300 * k for row, k in zip(rows, (1, 2), strict=True))


def test_lines_data_and_page_tell_the_greatest(plain):
    words = "latency 106 ms of 300 values"
    assert f"{'':<8} greatest: {words}" in list(report.printed(plain.lab, plain.comparisons))
    assert report.as_json(plain.lab, plain.comparisons)["greatest"] == maxima.greatest(plain.lab)
    assert plain.what().rows[0][report.COLUMNS.index("greatest")] == words


def test_a_greatest_of_a_table_of_percentiles_is_a_bound(lab):
    page = Page(take(str(DATA / "own" / "googlecharts.hgrm"), Options(unit="ms"), name="table"))
    assert maxima.in_words(maxima.greatest(page.lab), "googlecharts").startswith("latency at most ")


@pytest.mark.parametrize("bins", [True, False])
def test_the_greatest_of_fio_is_what_fio_tells(lab, bins):
    """Bins are up to a 64th wide; without bins percentiles are bounds, and the greatest is none."""
    told = json.loads((CASES / "fio_fsync.json").read_text())
    for name, kind in (("write", "clat_ns"), ("sync", "lat_ns")) if not bins else ():
        told["jobs"][0][name][kind].pop("bins")
    (lab / "a.json").write_text(json.dumps(told))
    rows = maxima.greatest(Page(take(str(lab / "a.json"), name="disk")).lab)
    found = {row["series"]: (row["greatest"], row["bound"]) for row in rows}
    assert found == {"write": (40_230, False), "sync": (8_710_766, False)}
    assert "sync 8.71 ms of 25" in maxima.in_words(rows, "a")


def test_the_greatest_of_parts_is_the_end_of_a_bin(lab):
    """What fio tells is of each of its files, and parts count only where they ran together."""
    told = json.loads((CASES / "fio_fsync.json").read_text())
    for at in (1, 2):
        told["time"] = f"client {at}"
        (lab / f"p{at}.json").write_text(json.dumps(told))
    rows = maxima.greatest(Page(take(str(lab / "p{part}.json"), name="disk")).lab)
    sync = next(row for row in rows if row["series"] == "sync")
    assert 8_710_766 < sync["greatest"] < 8_710_766 * (1 + 1 / 64) and sync["values"] == 510


def test_scores_have_no_greatest_and_all_of_their_metrics_are_told(lab):
    page = Page(take(str(CASES / "jmh_gc.json"), name="gc"))
    assert maxima.greatest(page.lab) == []
    told = " ".join(report.printed(page.lab, page.comparisons))
    for words in ("Throughput: ", "gc.alloc.rate: ", "gc.count: "):
        assert words in told and words in page.answer.text


def test_what_is_not_used_is_told_on_the_page(lab):
    page = Page(take(str(CASES / "tab.tsv"), name="tab"))
    assert any("columns that are not read: op" in note for note in page.notes())


def test_more_series_than_a_line_holds_are_counted():
    rows = [{"group": "a", "series": f"s{at}", "greatest": 10**6, "values": 5, "bound": False} for at in range(6)]
    assert maxima.in_words(rows, "a").endswith("s3 1 ms of 5 values; and 2 more") and not maxima.in_words(rows, "b")
