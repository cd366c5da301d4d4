"""From files to a run, and from the run to what is said of it."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from hdr_logs import counts_of
from laboratory import DATA
from own_files import BEGUN, hlog, records, sides

from pipeline.analyse.limits import limits
from pipeline.bundle import entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.content_id import content_id
from pipeline.compare.comparison import Comparison
from pipeline.foreign.reading import Options
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import percentiles
from pipeline.hdr.reader import Record
from pipeline.own import report
from pipeline.own.importer import take
from pipeline.own.page import Page

pytestmark = pytest.mark.thorough


def imported(logs, name="checkout", options=None, **asked) -> str:
    return take({group: str(logs / group / "*.hlog") for group in ("before", "after")}, options, name=name, **asked)


# --- the bundle ------------------------------------------------------------------------------------------------------


def test_the_files_lie_in_the_bundle_byte_for_byte(logs):
    bundle = Bundle.open(imported(logs))
    lines = journal.trials(bundle.journal())
    assert [line["runtime"] for line in lines] == ["before"] * 3 + ["after"] * 3
    for line in lines:
        (name,) = line["files"]
        original = logs / line["runtime"] / line["names"][name]
        assert (bundle.folder / name).read_bytes() == original.read_bytes()
    assert entries.own(bundle) and bundle.info["format"] == 2
    assert str(logs) not in json.dumps([bundle.info, bundle.journal()]), "no path of the machine goes with it"


def test_the_same_files_and_options_are_the_same_bytes(logs, lab):
    first = Bundle.open(imported(logs))
    shutil.copytree(first.folder, lab / "copy")
    assert imported(logs) == "checkout", "importing the same once more changes nothing"
    shutil.rmtree(first.folder)
    imported(logs)
    for file in sorted((lab / "copy").rglob("*")):
        if file.is_file():
            assert (first.folder / file.relative_to(lab / "copy")).read_bytes() == file.read_bytes(), file.name


def test_a_run_without_a_name_is_called_by_its_content(logs):
    name = imported(logs, name="")
    assert name == f"own-{content_id(Bundle.open(name))}"


def test_a_run_is_never_changed_unless_it_is_said(logs):
    imported(logs)
    with pytest.raises(LabError, match="run 'checkout' exists and is of other files or options; .*--replace"):
        imported(logs, options=Options(start=2.0))
    before = content_id(Bundle.open("checkout"))
    imported(logs, options=Options(start=2.0), replace=True)
    assert content_id(Bundle.open("checkout")) != before
    with pytest.raises(LabError, match="'reference' is an archived one"):
        imported(logs, name="reference")


def test_a_changed_file_is_found(logs):
    bundle = Bundle.open(imported(logs))
    (bundle.folder / "raw" / "own" / "0001.hlog").write_bytes(b"changed")
    with pytest.raises(LabError, match="0001.hlog was changed after the run") as error:
        Page("checkout").what()
    assert error.value.status == 4
    (bundle.folder / entries.FILE).write_text("{}")
    with pytest.raises(LabError, match="entry.json was changed after the run"):
        Page("checkout")


def test_a_copy_and_a_sum_are_found(lab):
    made = [records(seed, 6) for seed in (1, 2, 3)]
    for at, one in enumerate(made):
        hlog(lab / f"r{at}.hlog", one)
    shutil.copy(lab / "r0.hlog", lab / "x.hlog")
    with pytest.raises(LabError, match="x.hlog: is a copy of .*r0.hlog; a measurement counts once"):
        take({"a": [str(lab / "r0.hlog"), str(lab / "x.hlog")]})
    together = [
        Record(None, each[0].start, 1.0, 0.0, merge(one.counts for one in each)) for each in zip(*made, strict=True)
    ]
    (lab / "x.hlog").unlink()
    hlog(lab / "combined.hlog", together)
    with pytest.raises(LabError, match="combined.hlog: is the sum of 3 other files given; leave it out"):
        take({"a": str(lab / "*.hlog")})
    assert take({"a": str(lab / "r*.hlog")})


def test_two_formats_are_no_repeats(lab):
    hlog(lab / "a.hlog", records(1, 5))
    (lab / "b.csv").write_text("latency_us,x\n1,2\n")
    with pytest.raises(LabError, match="are of two formats; make a group of each"):
        take({"a": [str(lab / "a.hlog"), str(lab / "b.csv")]})


# --- what is compared ------------------------------------------------------------------------------------------------


def test_sessions_are_the_unit_and_percentiles_those_of_whole_files(logs):
    imported(logs)
    found = Comparison("checkout:before", "checkout:after")
    row = found.row(metric="p99", variant="latency")
    assert found.way == "repeated" and (row["trials_before"], row["trials_after"]) == (3, 3)
    assert row["verdict"] == "slower" and row["low"] < 1.2 < row["high"]
    each = [np.log(_p99(logs, group, number)) for group in ("before", "after") for number in (1, 2, 3)]
    assert row["ratio"] == pytest.approx(np.exp(np.mean(each[3:]) - np.mean(each[:3])), rel=1e-9)


def _p99(logs, group, number) -> float:
    at = {"before": 0, "after": 1}[group]
    made = records(100 * at + number, 8, factor=1.2 if at else 1.0)
    return percentiles(merge(one.counts for one in made), [99])[0]


def test_sides_exchanged_invert_every_ratio(logs):
    imported(logs)
    there, back = Comparison("checkout:before", "checkout:after"), Comparison("checkout:after", "checkout:before")
    for row in there.table.to_dict("records"):
        other = back.row(metric=row["metric"], variant=row["variant"])
        assert row["ratio"] * other["ratio"] == pytest.approx(1)
        assert row["low"] * other["high"] == pytest.approx(1) or np.isnan(row["low"])


def test_one_file_a_side_has_no_verdict_and_says_what_to_do(lab):
    sides(lab / "logs", {"before": 1, "after": 1}, seconds=8, factor=2.0)
    imported(lab / "logs")
    found = Comparison("checkout:before", "checkout:after")
    assert set(found.table["verdict"]) == {"undecided"}
    assert (
        "one session on each side; a verdict needs 2 or more on each, measured in turn: A1 B1 A2 B2"
        in report.sentence(found)
    )


def test_pairs_are_compared_pair_by_pair(lab):
    sides(lab / "logs", {"before": 6, "after": 6}, seconds=4)
    imported(lab / "logs", paired=True)
    found = Comparison("checkout:before", "checkout:after")
    assert found.way == "paired" and found.row(metric="p50", variant="latency")["verdict"] == "slower"
    sides(lab / "odd", {"before": 2, "after": 3}, seconds=4)
    with pytest.raises(LabError, match="--paired: two groups with as many sessions each.*before has 2, after has 3"):
        imported(lab / "odd", "odd", paired=True)


def test_two_imported_runs_are_compared_by_their_sessions(lab):
    sides(lab / "logs", {"before": 3, "after": 3}, seconds=6)
    for name in ("before", "after"):
        take({"load": str(lab / "logs" / name / "*.hlog")}, name=name)
    found = Comparison("before", "after")
    row = found.row(metric="p50", variant="latency")
    assert found.way == "repeated" and row["verdict"] == "slower" and row["trials_before"] == 3


def test_equal_sides_are_seldom_called_different(lab):
    """Eight pairs of equal sides: at 5 % each, three and more that differ come once in two hundred times."""
    wrong = 0
    for seed in range(8):
        folder = lab / f"s{seed}"
        for at, group in enumerate(("before", "after")):
            for number in range(3):
                hlog(folder / group / f"r{number}.hlog", records(1000 * seed + 10 * number + at + 7, 6))
        imported(folder, f"s{seed}")
        found = Comparison(f"s{seed}:before", f"s{seed}:after", metrics=["p50"])
        wrong += set(found.table["verdict"]) & {"slower", "faster"} != set()
    assert wrong < 3


# --- what is said ----------------------------------------------------------------------------------------------------


def test_limits_are_judged_by_sessions(logs):
    imported(logs, limits="99: 9 ms, 50: 1 s")
    told = {(limit, group): verdict for limit, _, group, verdict in report.limits(Page("checkout").lab)}
    assert told["99 %: 9 ms", "before"].startswith("kept in 3 of 3; 1 value in ")
    assert told["99 %: 9 ms", "after"].startswith("broken in 3 of 3")
    assert told["50 %: 1 s", "after"] == "kept in 3 of 3; no value took longer"
    assert limits("99: 9 ms") == [(99.0, 9e6)]


def test_the_order_of_sessions_is_told(lab):
    for at, (group, number) in enumerate([("a", 1), ("a", 2), ("b", 1), ("b", 2)]):
        hlog(lab / group / f"{number}.hlog", records(at, 5), begun=BEGUN + 100 * at)
    take({"a": str(lab / "a/*"), "b": str(lab / "b/*")}, name="drift")
    assert any("came before the other's" in note for note in Page("drift").notes())


def stalled(closed: bool) -> list[Record]:
    """A service that takes 1 ms, and stands for 600 ms in every fifth second. A closed client sends nothing meanwhile;
    an open one goes on, and its requests wait."""
    made = []
    for second in range(60):
        values = np.full(500, 1_000_000)
        if second % 5 == 4:
            waiting = np.linspace(600e6, 1e6, 300).astype(np.int64)
            values = np.r_[np.full(200, 1_000_000), waiting[:1] if closed else waiting]
        made.append(Record(None, float(second), 1.0, 0.0, counts_of(values)))
    return made


@pytest.mark.parametrize(("tags", "others"), [(("READ-rt", "WRITE-rt"), False), (("READ-rt", "READ-st"), True)])
def test_which_times_count_from_when_an_operation_was_meant_to_begin(lab, tags, others):
    hlog(lab / "a.hlog", records(1, 3, tags=tags))
    told = next(note for note in Page(take(str(lab / "a.hlog"), name="meant")).notes() if "meant to begin" in note)
    assert ("the others from when it did" in told) is others


@pytest.mark.parametrize("closed", [True, False])
def test_the_sign_of_coordinated_omission(lab, closed):
    hlog(lab / "a.hlog", stalled(closed))
    run = take(str(lab / "a.hlog"), name="stalls")
    assert any("coordinated omission" in note for note in Page(run).notes()) is closed


def test_an_axis_that_a_path_tells_has_the_values_of_its_files(lab):
    for load in (10, 20):
        for run in (1, 2):
            made = records(load + run, 3, factor=load / 10)
            hlog(lab / "logs" / str(load) / f"r{run}.hlog", made, begun=BEGUN + load + 10 * run)
    page = Page(take({"all": str(lab / "logs" / "{load}" / "{run}.hlog")}, name="sweep"))
    rows = page.lab.wide("p50")
    assert sorted(zip(rows["load"], rows["block"], strict=True)) == [(10, 0), (10, 1), (20, 0), (20, 1)]
    middle = rows.groupby("load")["p50"].median()
    assert middle[20] / middle[10] == pytest.approx(2, rel=0.1)


def test_a_table_of_percentiles_tells_no_times_and_has_notes(lab):
    page = Page(take(str(DATA / "own" / "googlecharts.hgrm"), Options(unit="ms"), name="table"))
    assert any("open or closed" in one for one in page.notes())
    assert page.swept() == ["No axis of numbers has 3 values or more."], "no heading stands alone"


def test_a_page_without_groups_compares_nothing(logs):
    run = take([str(logs / "before" / "r1.hlog"), str(logs / "after" / "r1.hlog")], name="two")
    page = Page(run)
    assert page.groups == ["r1", "r1-2"] and not page.comparisons
    assert "One group has nothing to be compared with" in page.change()[0]
    told = list(report.printed(page.lab, page.comparisons))
    assert told[0].startswith("r1       1 session (cassandra-stress, latency, ns), 3,200 values, 8 s each")


def test_every_figure_of_a_page(logs):
    imported(logs, limits="99: 9 ms")
    page = Page("checkout")
    for figure in (page.percentiles(), page.over_time(), page.histogram(), *page.change()):
        assert figure.about["table"] and figure.provenance["run"] == "checkout"
    names = {file.name for file in paths.figures("checkout").glob("*.svg")}
    assert names >= {"percentiles.svg", "over_time.svg", "histogram.svg", "change.svg"}
    page.keep()
    assert page.rows()[0].rows and page.limits().rows and page.what().rows
