"""A content id says which measurement a bundle is: not what it is called, where it lies or in which form."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from publish_toy import HOST, trial, write_run

from pipeline.bundle.bundle import Bundle
from pipeline.bundle.content_id import content_id
from pipeline.ground import paths
from pipeline.publish import archive

pytestmark = pytest.mark.thorough

WORDS = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(WORDS, below, max_size=3),
    max_leaves=8,
)
TOLD = st.dictionaries(WORDS.filter(lambda key: key not in {"name", "measured_as", "shared"}), JSON, max_size=4)
LINES = st.lists(TOLD.map(lambda told: json.dumps({"event": "other"} | told)), max_size=4)
each = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


def made(folder: Path, info: dict, lines: list[str], cut: str = "") -> Bundle:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "journal.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode() + cut.encode())
    return Bundle(folder, info)


@each
@given(TOLD, LINES, WORDS, WORDS)
def test_names_places_order_of_keys_and_a_cut_line_do_not_count(tmp_path, info, lines, name, cut):
    other = {key: info[key] for key in reversed(info)} | {"name": name, "measured_as": "t", "shared": {"by": name}}
    same = content_id(made(tmp_path / "a", info | {"name": "a"}, lines))
    assert content_id(made(tmp_path / "b", other, lines, cut.replace("\n", ""))) == same
    assert len(same) == 12 and int(same, 16) >= 0


@each
@given(TOLD, LINES, st.data())
def test_every_fact_and_every_line_counts(tmp_path, info, lines, data):
    same = content_id(made(tmp_path / "a", info, lines))
    text = json.dumps(info, sort_keys=True)
    changed = data.draw(TOLD.filter(lambda other: json.dumps(other, sort_keys=True) != text))
    others = data.draw(LINES.filter(lambda other: other != lines))
    assert content_id(made(tmp_path / "a", changed, lines)) != same
    assert content_id(made(tmp_path / "a", info, others)) != same


@pytest.fixture
def measured(lab, monkeypatch) -> Bundle:
    """A run of the toy with a raw file and every kind of line that names no experiment."""
    monkeypatch.setattr(paths, "archives", lambda: lab / "archived")
    run = lab / "runs" / "toys"
    write_run(run)
    (run / "raw").mkdir()
    (run / "raw" / "x.json").write_bytes(b"{}")
    lines = [trial(5, 2, files={"raw/x.json": hashlib.sha256(b"{}").hexdigest()})]
    lines += [{"event": "host_changed", "at": "now", "changes": {}}]
    lines += [{"event": "host_busy", "at": "now", "pct": 9.0, "processes": []}, {"event": "of_tomorrow"}]
    with (run / "journal.jsonl").open("a") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    return Bundle.open("toys")


def test_the_archived_run_has_the_id_of_the_run_it_was_made_of(lab, measured):
    before = content_id(measured)
    folder, _ = archive.archive("toys")
    assert not (folder / "journal.jsonl").exists() and (folder / "toy.tar.xz").exists()
    assert content_id(Bundle.open("reference")) == before
    (lab / "build" / "toys").mkdir(parents=True)
    (lab / "build" / "toys" / "index.html").write_text("a page")
    measured.folder.rename(lab / "runs" / "other")
    assert content_id(Bundle.open("other")) == before


def test_another_host_or_a_changed_raw_file_is_another_measurement(measured):
    before = content_id(measured)
    host = copy.deepcopy(HOST) | {"kernel": "Linux 6.1.1"}
    assert content_id(Bundle(measured.folder, measured.info | {"host": host})) != before
    journal = measured.folder / "journal.jsonl"
    journal.write_text(journal.read_text().replace(hashlib.sha256(b"{}").hexdigest(), "0" * 64))
    assert content_id(measured) != before


def test_a_run_before_its_first_trial_has_an_id(tmp_path):
    assert content_id(Bundle(tmp_path, {"format": 1})) == hashlib.sha256(b'{"format":1}\n').hexdigest()[:12]
