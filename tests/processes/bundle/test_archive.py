"""The archive: what is whole in it is whole, what is recoded or reduced is the same to a reader, and says so."""

from __future__ import annotations

import hashlib
import json
import tarfile
import tempfile
import zlib
from pathlib import Path

import pandas as pd
import pytest
from hdr_logs import HIGHEST, encode, payload, plain
from hypothesis import given, settings
from hypothesis import strategies as st
from jvm_logs import LOG
from pair import pair
from tiny_run import measure

from pipeline.bundle import bundle, packed
from pipeline.catalogue import catalogue
from pipeline.collection import hosts
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr import log as hlog
from pipeline.ingest import jvm_logs as events
from pipeline.ingest import read
from pipeline.ingest.buckets import joined
from pipeline.ingest.machine_code import code
from pipeline.ingest.tables import Tables
from pipeline.publish import archive, archived_logs, packing


@pytest.fixture
def fresh_catalogue(lab, monkeypatch):
    catalogue.load.cache_clear()
    monkeypatch.setattr(paths, "archives", lambda: lab / "archived")
    yield
    catalogue.load.cache_clear()


def round_trip(
    files: dict[str, bytes], evidence=(), without=()
) -> tuple[dict[str, bytes], dict[str, str], dict[str, str]]:
    """The files as they are read back, their checksums, and the manifest's words."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.tar.xz"
        packing.pack(files, path, evidence, without)
        with tarfile.open(path) as members:
            manifest = json.loads(members.extractfile(packed.MANIFEST).read())["files"]
        return *packed.unpack(path), {name: about["is"] for name, about in manifest.items()}


def of(found: Tables) -> pd.DataFrame:
    """The buckets of tables in memory."""
    return joined(found.buckets.parts(found.trials["trial"]))


def counts(log: hlog.Log) -> list:
    return [
        (r.tag, r.start, r.length, r.max, *(getattr(r.counts, k).tolist() for k in ("low", "width", "count")))
        for r in log.records
    ]


def told(phases: list[str], **columns) -> bytes:
    rows = {"phase": phases, **columns}
    return json.dumps({"iterations": rows}, separators=(",", ": ")).encode()


@pytest.mark.usefixtures("fresh_catalogue")
def test_an_archived_run_reads_as_the_run_itself_but_for_warm_up_histograms(lab, measured_run):
    folder, size = archive.archive("r")
    assert folder == lab / "archived" / "reference" and 0 < size < 100_000
    assert {p.name for p in folder.iterdir()} == {"run.json", "journal.jsonl.tar.xz", "lock_scaling.tar.xz"}
    entry = catalogue.experiment("lock_scaling")
    archived = bundle.Bundle.open("reference")
    assert archived.name == "reference" and archived.journal() == measured_run.journal()
    before, after = read.read(measured_run, entry), read.read(archived, entry)
    for name in ("trials", "measures", "events", "checks", "facts"):
        assert getattr(before, name).equals(getattr(after, name))
    warm = before.iterations["phase"] == "warmup"
    assert warm.any() and (after.iterations.loc[warm, "samples"] == 0).all()
    assert before.iterations[~warm].equals(after.iterations[~warm])
    first = before.iterations.loc[~warm, "iteration"].min()
    buckets = of(before)
    left = buckets[buckets["iteration"] >= first].reset_index(drop=True)
    assert len(left) and left.equals(of(after))


@pytest.mark.usefixtures("fresh_catalogue")
def test_an_entry_may_name_histograms_that_its_archived_run_is_without(lab, measured_run):
    file = lab / "catalogue" / "lock_scaling.yaml"
    file.write_text(file.read_text() + 'archived_without: ["measured/t1"]\n')
    archive.archive("r")
    entry = catalogue.experiment("lock_scaling")
    before, after = (read.read(one, entry) for one in (measured_run, bundle.Bundle.open("reference")))
    rows = before.iterations
    out = (rows["phase"] == "warmup") | (rows["series"] == "t1")
    assert out.any() and not out.all() and (after.iterations.loc[out, "samples"] == 0).all()
    assert rows[~out].equals(after.iterations[~out])
    assert set(of(before)["series"]) == {"t0", "t1"} and set(of(after)["series"]) == {"t0"}


@pytest.mark.usefixtures("fresh_catalogue")
def test_a_summary_is_of_what_the_entry_asks_and_the_archive_holds(lab, measured_run, monkeypatch):
    def told() -> bool:
        catalogue.load.cache_clear()
        return "typical" in set(hosts.table([hosts.of_run("reference")], "estimates")["metric"])

    file = lab / "catalogue" / "lock_scaling.yaml"
    file.write_text(file.read_text() + 'archived_without: ["measured/t1"]\n')
    with monkeypatch.context() as whole:
        real = packing.pack
        whole.setattr(packing, "pack", lambda *files_and_how, **_: real(*files_and_how[:3]))
        archive.archive("r")
    assert not told()
    typical = "{kind: percentile, percentile: 50, series: t1, operations: t1, unit: ns, label: Typical, better: lower}"
    file.write_text(file.read_text().replace("metrics:\n", f"metrics:\n  typical: {typical}\n"))
    assert told()
    archive.archive("r")
    assert not told()


@pytest.mark.usefixtures("fresh_catalogue")
def test_parts_of_a_trial_are_archived_and_withheld_by_the_names_of_their_series(lab, monkeypatch):
    pair(lab, monkeypatch, more="archived_without: [measured/peer.t1]")
    entry, run = catalogue.experiment("lock_scaling"), measure()
    archive.archive("r")
    archived = read.read(bundle.Bundle.open("reference"), entry)
    measured = read.read(run, entry)
    assert measured.facts.equals(archived.facts) and measured.checks.equals(archived.checks)
    rows = archived.iterations[archived.iterations["phase"] == "measured"]
    empty = rows["samples"] == 0
    assert empty.any() and (empty == (rows["series"] == "peer.t1")).all()
    assert (measured.iterations.loc[rows.index, "samples"] > 0).all()


@pytest.mark.usefixtures("fresh_catalogue")
def test_packing_twice_gives_the_same_bytes(measured_run):
    first = {p.name: p.read_bytes() for p in archive.archive("r")[0].rglob("*") if p.is_file()}
    second = {p.name: p.read_bytes() for p in archive.archive("r")[0].rglob("*") if p.is_file()}
    assert first == second


@pytest.mark.usefixtures("fresh_catalogue")
def test_a_run_with_a_changed_file_is_not_archived(measured_run):
    next((measured_run.folder / "raw").rglob("*.hlog")).write_text("{}")
    with pytest.raises(LabError, match="changed after the run"):
        archive.archive("r")
    assert paths.archived() == []


@pytest.mark.usefixtures("fresh_catalogue")
def test_the_archive_itself_is_not_archived_again(measured_run):
    archive.archive("r")
    with pytest.raises(LabError, match="not one that was measured here"):
        archive.archive("reference")
    assert read.read(bundle.Bundle.open("reference"), catalogue.experiment("lock_scaling")).trials.shape[0]


def rewritten(file: Path, change) -> None:
    """The archive with the members as `change` leaves them."""
    with tarfile.open(file) as old:
        members = {member.name: old.extractfile(member).read() for member in old}
    change(members)
    packing.write(members, file)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:1000])


def flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def other_counters(members: dict) -> None:
    *others, last = members[packed.COUNTERS]
    members[packed.COUNTERS] = bytes([*others, last ^ 2])


def other_numbers(members: dict) -> None:
    members["start_ns"] = bytes(len(members["start_ns"]))


DAMAGES = {
    "cut": (cut, "lock_scaling.tar.xz is damaged"),
    "flipped": (flipped, "lock_scaling.tar.xz is damaged"),
    "no counters": (lambda f: rewritten(f, lambda m: m.pop(packed.COUNTERS)), "lock_scaling.tar.xz is damaged"),
    "no column": (lambda f: rewritten(f, lambda m: m.pop("elapsed_ns")), "lock_scaling.tar.xz is damaged"),
    "no log": (lambda f: rewritten(f, lambda m: m.pop(next(n for n in m if n.endswith(".hlog")))), "damaged"),
    "no json in the manifest": (lambda f: rewritten(f, lambda m: m.update({packed.MANIFEST: b"[]"})), "damaged"),
    "no manifest": (lambda f: rewritten(f, lambda m: m.pop(packed.MANIFEST)), "changed after the run"),
    "short columns": (lambda f: rewritten(f, lambda m: m.update(start_ns=b"")), "lock_scaling.tar.xz is damaged"),
    "other counters": (lambda f: rewritten(f, other_counters), ".hlog was changed after the run"),
    "other numbers": (lambda f: rewritten(f, other_numbers), "was changed after the run"),
}


@pytest.mark.usefixtures("fresh_catalogue")
def test_a_damaged_archive_is_named(measured_run):
    file = archive.archive("r")[0] / "lock_scaling.tar.xz"
    good = file.read_bytes()
    for what, (damage, says) in DAMAGES.items():
        file.write_bytes(good)
        damage(file)
        with pytest.raises(LabError, match=says) as caught:
            read.read(bundle.Bundle.open("reference"), catalogue.experiment("lock_scaling"))
        assert caught.value.status == 4, what


HISTOGRAMS = st.lists(st.integers(0, HIGHEST), max_size=30)
ROWS = st.tuples(st.sampled_from(["", "Tag=a,", "Tag=write.t1,"]), st.sampled_from(["warmup", "measured"]), HISTOGRAMS)


@settings(max_examples=20)
@given(st.lists(st.lists(ROWS, min_size=1, max_size=6), min_size=1, max_size=3), st.booleans())
def test_any_logs_read_back(logs, crlf):
    files, phases = {}, {}
    for number, rows in enumerate(logs):
        lines = [
            "#[Histogram log format version 1.3]",
            "#[StartTime: 17.5 (seconds since epoch), 2026]",
            '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
        ]
        lines += [f"{tag}{i + 17}.250,0.004,{i}.001,{encode(values)}" for i, (tag, _, values) in enumerate(rows)]
        files[f"raw/x/{number}.hlog"] = ("\r\n" if crlf else "\n").join([*lines, ""]).encode()
        phases[f"raw/x/{number}.hlog"] = [phase for _, phase, _ in rows]
        files[f"raw/x/{number}.json"] = told(phases[f"raw/x/{number}.hlog"])
    restored, checksums, words = round_trip(files)
    assert restored.keys() == files.keys()
    for name, content in restored.items():
        if name.endswith(".json"):
            assert content == files[name] and words[name] == "whole"
            continue
        warm = [phase == "warmup" for phase in phases[name]]
        assert words[name] == ("reduced" if any(warm) else "recoded")
        assert checksums[name] == hashlib.sha256(content).hexdigest()
        before, after = (hlog.parse_log(one[name], name) for one in (files, restored))
        assert (before.start_time, before.base_time) == (after.start_time, after.base_time)
        emptied = [(*row[:4], [], [], []) if out else row for row, out in zip(counts(before), warm, strict=True)]
        assert emptied == counts(after)


INTEGERS = st.lists(st.one_of(st.integers(0, 10**18 - 1), st.integers(0, 9)), max_size=9)


@settings(max_examples=20)
@given(st.lists(st.tuples(INTEGERS, INTEGERS), min_size=1, max_size=3))
def test_any_columns_come_back_as_the_same_bytes(tables):
    files = {f"{i}.json": told([], start_ns=a, operations=b) for i, (a, b) in enumerate(tables)}
    restored, checksums, words = round_trip(files)
    assert restored == files and checksums == {} and set(words.values()) == {"whole"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b'{"start_ns": [007,1]}',
        b'{"start_ns": [1,"2"]}',
        b'{"start_ns": [9223372036854775808]}',
        b'{"operations": [-1]}',
        b'{"start_ns": [1, 2]}',
    ],
)
def test_unusual_json_stays_as_it_is(content):
    assert round_trip({"a.json": content})[0] == {"a.json": content}


UNREADABLE = {
    "empty": b"",
    "text": b"nothing of the kind\n",
    "binary": b"\x00\xff\xfe",
    "cut": f"1.0,1.0,0.0,{encode([3])[:-8]}\n".encode(),
    "its own hole": f"# {{5}}\n1.0,1.0,0.0,{encode([3])}\n".encode(),
    "two headers": f"1.0,1.0,0.0,{encode([3])}\n2.0,1.0,0.0,{encode([3], digits=2)}\n".encode(),
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
def test_a_log_that_cannot_be_recoded_stays_whole(content):
    good = f"1.0,1.0,0.0,{encode([3, 5])}\n".encode()
    restored, checksums, words = round_trip({"a.hlog": good, "b.hlog": content})
    assert restored["b.hlog"] == content and words == {"a.hlog": "recoded", "b.hlog": "whole"}
    assert checksums.keys() == {"a.hlog"}


def test_other_compressions_and_unknown_kinds():
    slow, fast = (payload(plain(b"\x02\x0b\x06"), squeeze=lambda data, k=k: zlib.compress(data, k)) for k in (9, 0))
    files = {f"{i}.hlog": f"1.0,1.0,0.0,{one}\n".encode() for i, one in enumerate((slow, fast))}
    restored, _, words = round_trip(files | {"flame.graph": b"\x00\x01" * 50})
    assert restored["0.hlog"] == restored["1.hlog"] and b",HISTE" in restored["0.hlog"]
    assert restored["flame.graph"] == b"\x00\x01" * 50 and words["flame.graph"] == "whole"


def test_phases_of_another_length_withhold_nothing():
    log = f"1.0,1.0,0.0,{encode([3])}\n".encode()
    for beside in ({}, {"a.json": told(["warmup", "warmup"])}, {"a.json": b"[]"}, {"a.json": b"{"}):
        restored, _, words = round_trip({"a.hlog": log} | beside)
        assert words["a.hlog"] == "recoded" and len(hlog.parse_log(restored["a.hlog"], "a").records[0].counts.count)


@pytest.mark.parametrize(
    ("pattern", "out"), [("measured/t1", "ab"), ("a-*/*/*", "a"), ("*=2-*/measured/t1", "a"), ("b-*/warmup/t1", "")]
)
def test_histograms_are_withheld_by_phase_and_series_or_by_trial_too(pattern, out):
    log = f"Tag=t1,1.0,1.0,0.0,{encode([3])}\n".encode()
    files = {
        f"raw/{name}.{kind}": content
        for name in ("a-jdk17-threads=2-b01", "b-c-threads=4-b01")
        for kind, content in (("hlog", log), ("json", told(["measured"])))
    }
    words = round_trip(files, without=[pattern])[2]
    assert {name[4] for name, word in words.items() if word == "reduced"} == set(out)


@pytest.mark.parametrize("phase", ["warmup", "compiled"])
def test_histograms_that_no_metric_is_of_are_withheld_in_any_experiment(phase):
    log = "".join(f"Tag=t1,{n}.0,1.0,0.0,{encode([3])}\n" for n in (1, 2)).encode()
    restored, _, words = round_trip({"a.hlog": log, "a.json": told([phase, "measured"])})
    assert words["a.hlog"] == "reduced"
    counts = [record.counts for record in hlog.parse_log(restored["a.hlog"], "a").records]
    assert [one is not None and len(one.count) > 0 for one in counts] == [False, True]


def timed(start: int, took: int, epoch: int = 1_000_250) -> bytes:
    rows = {"phase": ["measured"], "start_ns": [start], "elapsed_ns": [took]}
    return json.dumps({"clock": {"monotonic_ns": 7_000_000, "epoch_ms": epoch}, "iterations": rows}).encode()


@pytest.mark.parametrize(("start", "took"), [(7_000_000, 999_999), (19_400_000, 3_700_000), (7_999_999, 1)])
def test_times_that_the_json_has_too_are_not_kept_twice(tmp_path, start, took):
    begin, end = (1_000_250 + (ns - 7_000_000) // 1_000_000 for ns in (start, start + took))
    times = f"{begin / 1000:.3f},{(end - begin) / 1000:.3f}"
    log = f"Tag=t1,{times},0.003,{encode([3])}\n".encode()
    for told_at, holes in ((timed(start, took), 1), (timed(start, took, epoch=5), 0)):
        files = {"a.hlog": log, "a.json": told_at}
        packing.pack(files, tmp_path / "x.tar.xz")
        with tarfile.open(tmp_path / "x.tar.xz") as members:
            assert members.extractfile("a.hlog").read().count(packed.AT.encode()) == holes
        restored = packed.unpack(tmp_path / "x.tar.xz")[0]
        assert restored["a.json"] == told_at and restored["a.hlog"].startswith(f"Tag=t1,{times},0.003,HISTE".encode())


def test_a_reduced_log_of_machine_code_keeps_the_top_tier():
    printed = (
        "<print_nmethod level='{}' stamp='0.4'>\nCompiled method x lab.K::run (1 bytes)\n  0x00: f00f c103 \n"
        "</print_nmethod>\n"
    )
    text = printed.format(3) + printed.format(4)
    restored, _, words = round_trip({"b01.code.log": text.encode(), "b02.code.log": text.encode()}, {"b01.code.log"})
    assert words == {"b01.code.log": "whole", "b02.code.log": "reduced"}
    reduced = restored["b02.code.log"].decode()
    assert len(list(code(text))) == 1 and list(code(reduced)) == list(code(text)) and len(reduced) < len(text)


def test_a_reduced_compilation_log_gives_the_same_events():
    text = f"<?xml version='1.0'?>\n<hotspot_log>\n{LOG}<bc code='182'/>\n</hotspot_log>\n".replace(
        "<virtual_call", "<parse_done nodes='7'/>\n<virtual_call"
    )
    files = {"b01.compilation.log": text.encode(), "b02.compilation.log": text.encode()}
    restored, checksums, words = round_trip(files, evidence={"b01.compilation.log"})
    assert words == {"b01.compilation.log": "whole", "b02.compilation.log": "reduced"}
    assert restored["b01.compilation.log"] == files["b01.compilation.log"] and len(list(events.compilation(text))) == 3
    reduced = restored["b02.compilation.log"].decode()
    assert list(events.compilation(reduced)) == list(events.compilation(text))
    assert "parse_done" not in reduced and "level='3'" not in reduced and len(reduced) < len(text)
    assert checksums == {"b02.compilation.log": hashlib.sha256(reduced.encode()).hexdigest()}


def test_reduced_logs_of_pauses_and_of_compilations_keep_what_is_read_of_them():
    pauses = (
        "[9ns][gc,phases] GC(0)   Other: 0.04ms\n"
        "[4704602760281ns][gc       ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 11M->9M(64M) 4.055ms\n"
    )
    compiled = "[5ns]    1       3       java.lang.Object::<init> (1 bytes)\n"
    ours = "[7ns]    2       4       lab.Clock::now (6 bytes)\n"
    restored, _, words = round_trip({"a.gc.log": pauses.encode(), "a.jit.log": (compiled + ours).encode()})
    assert set(words.values()) == {"reduced"}
    assert restored["a.gc.log"].decode() == pauses.splitlines(keepends=True)[1]
    assert restored["a.jit.log"].decode() == ours


def test_what_would_not_read_back_is_refused(tmp_path, monkeypatch):
    log = f"1.0,1.0,0.0,{encode([3, 900, 7000])}\n".encode()
    compilation = LOG.encode()
    changed = (events.compilation, lambda text: text.replace("<inline_success", "<inline"))
    monkeypatch.setitem(archived_logs.READ, ".compilation.log", changed)
    with pytest.raises(LabError, match="a.compilation.log would not read back"):
        packing.pack({"a.compilation.log": compilation}, tmp_path / "x.tar.xz")
    monkeypatch.setattr(packing, "_header", lambda one: one[:12] + b"\0\0\0\x02" + one[16:40])  # two digits, not three
    with pytest.raises(LabError, match="a.hlog would not read back"):
        packing.pack({"a.hlog": log}, tmp_path / "x.tar.xz")
    monkeypatch.undo()
    monkeypatch.setattr(packing, "_planes", lambda parts: bytes(8 * sum(map(len, parts))))
    with pytest.raises(LabError, match="a.json would not read back"):
        packing.pack({"a.json": told([], start_ns=[5, 6])}, tmp_path / "x.tar.xz")


def test_a_raw_file_that_lies_unpacked_is_checked_against_the_journal(tmp_path):
    name, content = "raw/x/a.hlog", f"1.0,1.0,0.0,{encode([3])}\n".encode()
    packing.pack({name: content}, tmp_path / "x.tar.xz")
    archived = bundle.Bundle(tmp_path, {})
    original = hashlib.sha256(content).hexdigest()
    assert b"HISTE" in archived.verified(name, original)
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(content)
    assert archived.verified(name, original) == content


@pytest.mark.usefixtures("fresh_catalogue")
def test_there_may_be_several_archived_runs(lab, measured_run):
    first = {file.name: file.read_bytes() for file in archive.archive("r")[0].iterdir()}
    folder, _ = archive.archive("r", "second")
    assert folder == lab / "archived" / "second" and paths.archived() == ["reference", "second"]
    assert {file.name: file.read_bytes() for file in paths.bundle("reference").iterdir()} == first
    second = bundle.Bundle.open("second")
    assert (
        second.info == measured_run.info | {"name": "second", "measured_as": "r"}
        and second.journal() == measured_run.journal()
    )


@pytest.mark.usefixtures("fresh_catalogue")
def test_an_archived_run_takes_no_name_of_another_folder(lab, measured_run):
    other = lab / "archived" / "published" / "locks.csv"
    other.parent.mkdir(parents=True)
    other.write_text("x")
    for name, says in (("published", "data/published is no archived run"), ("../x", "is not a plain name")):
        with pytest.raises(LabError, match=says):
            archive.archive("r", name)
    assert other.exists() and paths.archived() == []


@pytest.mark.parametrize("run", paths.archived())
def test_an_archive_is_at_most_ten_megabytes(run):
    assert archive.LIMIT_BYTES == 10_000_000
    assert sum(file.stat().st_size for file in paths.archive(run).iterdir()) <= archive.LIMIT_BYTES


def test_a_name_may_be_longer_than_the_header_of_a_plain_tar_holds():
    name = "x" * 120 + ".out"
    restored, _, words = round_trip({name: b"text"})
    assert restored == {name: b"text"} and words == {name: "whole"}
