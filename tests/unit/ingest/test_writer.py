"""Tables that are written trial by trial are those that are made in memory, whatever the size of a row group."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from publish_toy import entry, trial, write_run
from toy_logs import wrote

from pipeline.bundle.bundle import Bundle
from pipeline.bundle.journal import FILE
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.ingest import buckets, read, tables, writer
from pipeline.ingest.buckets import joined
from pipeline.ingest.tables import SCHEMAS, Tables

pytestmark = pytest.mark.thorough

TOY = entry(1, "toy")
TRIALS = 6
PHASES = ("warmup", "capacity", "measured")


@pytest.fixture
def run(lab) -> Bundle:
    """A trial that never ran, and six of four iterations; the third has other words than the rest."""
    write_run(paths.bundle("r"))
    run = Bundle.open("r")
    lines = [{key: told for key, told in trial(0, 1, status="unsupported").items() if key != "noise"}]
    for number in range(1, TRIALS + 1):
        values = (3 * number, 40, 40 * number, 5)
        files = wrote(run, f"t{number}", f"word{number == 3}", *values, phases=PHASES)
        lines.append(trial(number, 1) | {"trial": f"t{number}", "files": files})
    (run.folder / FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return run


def written(run: Bundle, folder: Path) -> Tables:
    with writer.Writer(TOY, folder) as out:
        read.into(out.collected, run, TOY, trial_ended=out.trial_ended)
    return tables.read(TOY, folder)


def frames(found: Tables) -> dict[str, pd.DataFrame]:
    every = {name: getattr(found, name) for name in ("trials", *SCHEMAS)}
    return every | {"buckets": joined(found.buckets.parts(found.trials["trial"]))}


@pytest.mark.parametrize(("rows", "groups"), [(1, TRIALS), (5, TRIALS / 2), (writer.ROW_GROUP, 1)])
def test_row_groups_hold_whole_trials_and_make_the_tables_of_memory(run, tmp_path, monkeypatch, rows, groups):
    monkeypatch.setattr(writer, "ROW_GROUP", rows)
    made, found = frames(read.read(run, TOY)), frames(written(run, tmp_path / "t"))
    for name, frame in found.items():
        schema = tables.schema(name, TOY)
        expected = pa.Table.from_pandas(made[name], schema=schema, preserve_index=False).to_pandas()
        pd.testing.assert_frame_equal(frame, expected)
        for column in frame.select_dtypes("category"):
            assert list(frame[column].cat.categories) == list(dict.fromkeys(frame[column])), "in the order of rows"
    file = pq.ParquetFile(tmp_path / "t" / "buckets.parquet")
    names = [set(file.read_row_group(number)["trial"].to_pylist()) for number in range(file.num_row_groups)]
    assert len(names) == groups and sum(map(len, names)) == TRIALS
    assert not list((tmp_path / "t").glob("*.part"))


def test_buckets_of_a_long_file_are_those_of_a_short_one(run, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "ROW_GROUP", 5)
    found = written(run, tmp_path / "t")
    rows = found.iterations[found.iterations["phase"] != "warmup"]
    chosen = rows[rows["trial"].isin(["t2", "t6"])]
    short = joined(found.buckets.of(chosen))
    monkeypatch.setattr(buckets, "KEPT", 0)
    long = tables.read(TOY, tmp_path / "t").buckets
    assert [set(part["trial"]) for part in long.parts(["t2", "t6"])] == [{"t1", "t2"}, {"t5", "t6"}]
    parts = list(long.of(chosen))
    assert [set(part["trial"]) for part in parts] == [{"t2"}, {"t6"}]
    every = joined(parts)
    assert str(every["trial"].dtype) == str(every["series"].dtype) == "category"
    pd.testing.assert_frame_equal(every.astype({"trial": str}), short.astype({"trial": str}).reset_index(drop=True))
    none = joined(long.of(chosen.iloc[:0]))
    assert none.empty and list(none) == list(SCHEMAS["buckets"])


def test_several_selections_of_a_long_file_are_read_once(run, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "ROW_GROUP", 5)
    rows = written(run, tmp_path / "t").iterations
    several = [rows[rows["trial"].isin(names)] for names in (["t2", "t6"], ["t6"], [])]
    monkeypatch.setattr(buckets, "KEPT", 0)
    long, read_of = tables.read(TOY, tmp_path / "t").buckets, []
    apart = [joined(long.of(chosen)) for chosen in several]
    parts, every = long.parts, [[] for _ in several]
    monkeypatch.setattr(long, "parts", lambda trials: read_of.append(sorted(trials)) or parts(trials))
    for place, part in long.of_each(several):
        every[place].append(part)
    assert read_of == [["t2", "t6"]]
    for one, found in zip(apart, every, strict=True):
        pd.testing.assert_frame_equal(_plain(joined(found)), _plain(one))


def test_tables_of_some_trials_are_rows_of_the_whole_ones(run, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "ROW_GROUP", 5)
    found, read_before = written(run, tmp_path / "t"), tables.read(TOY, tmp_path / "t")
    whole, names = frames(read_before), ["t2", "t6"]
    for some in (found, read_before):  # from the files, and of what is in memory
        for name, frame in frames(some.only(names)).items():
            if name != "buckets":
                rows = whole[name][whole[name]["trial"].isin(names)]
                pd.testing.assert_frame_equal(_plain(frame), _plain(rows))
    assert list(found.parts()) == [found]
    monkeypatch.setattr(tables, "MOST", len(whole["iterations"]) // 3)
    parts = list(tables.read(TOY, tmp_path / "t").parts())
    assert len(parts) == 3 and sum((list(part.trials["trial"]) for part in parts), []) == list(whole["trials"]["trial"])
    assert all(set(part.iterations["trial"]) <= set(part.trials["trial"]) for part in parts)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype({name: str for name in frame.select_dtypes("category")}).reset_index(drop=True)


def test_a_table_that_breaks_its_schema_is_named_and_leaves_nothing(run, tmp_path, monkeypatch):
    with (
        pytest.raises(LabError, match="toy: table trials does not fit its schema"),
        writer.Writer(TOY, tmp_path / "t") as out,
    ):
        out.collected["trials"].add({"trial": "x", "block": "first"})
    assert not list((tmp_path / "t").iterdir())
    monkeypatch.setattr(writer, "ROW_GROUP", 1)
    (run.folder / "raw/toy/t4.json").write_text("{}")
    with pytest.raises(LabError, match="t4.json was changed"):
        written(run, tmp_path / "t")
    assert not list((tmp_path / "t").iterdir())


def test_a_missing_table_and_one_of_another_schema_are_named(run, tmp_path):
    written(run, tmp_path / "t")
    pd.DataFrame({"trial": ["x"]}).to_parquet(tmp_path / "t" / "facts.parquet")
    with pytest.raises(LabError, match="table facts.parquet has another schema; run: lab ingest"):
        tables.read(TOY, tmp_path / "t")
    (tmp_path / "t" / "facts.parquet").unlink()
    with pytest.raises(LabError, match="table facts.parquet is missing; run: lab ingest"):
        tables.read(TOY, tmp_path / "t")


def test_numbers_are_the_same_in_whatever_row_group_they_come(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "ROW_GROUP", 1)
    with writer.Writer(TOY, tmp_path / "t") as out:
        for values in ([1, 2], [0.5], [2**60]):
            out.collected["measures"].add(
                len(values), trial="t", iteration=list(range(len(values))), series="", name="n", value=values
            )
            out.trial_ended()
    assert tables.read(TOY, tmp_path / "t").measures["value"].tolist() == [1.0, 2.0, 0.5, float(np.int64(2**60))]
