"""lab import of shared runs: a good one becomes a run as it was, any other is refused in a line and leaves nothing."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import given
import hostile
import mutations
import pytest
import shared

from pipeline.bundle import journal
from pipeline.bundle import packed as packing
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.collection import hosts, imports, summary, untrusted_tar
from pipeline.collection import place as placing
from pipeline.collection.imports import HERE, IMPORTED, REFUSED
from pipeline.collection.stream import Refused
from pipeline.ground import paths
from pipeline.ingest import ingest, tables

pytestmark = pytest.mark.thorough


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    catalogue.load()  # the first of a process writes what it has checked, which is nothing that a file left
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "lab" / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "lab" / "build"))
    return tmp_path


def outcome(place: Path, content: bytes, name: str = "given.tgz", **how):
    """What becomes of a file, which is all that may be left of it beside a run."""
    file = hostile.written(place / name, content)
    (found,) = imports.import_runs([file], **how)
    assert "\n" not in found.sentence and found.sentence.isprintable()
    left = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
    assert all(
        one in (name, "lab/runs/.import.lock") or one.startswith(f"lab/runs/{found.run or '-'}/") for one in left
    )
    return found


def refused(place: Path, content: bytes) -> str:
    found = outcome(place, content)
    assert found.state == REFUSED and not found.run, found
    assert [one.name for one in paths.runs().iterdir()] == [".import.lock"]
    return found.sentence


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> given.Given:
    """The file of few trials in which the studies change something."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_RUNS", str(tmp_path_factory.mktemp("good")))
        return given.small()


@pytest.fixture(scope="module")
def imported(tmp_path_factory) -> Path:
    """A place into which the toy's file was imported."""
    place = tmp_path_factory.mktemp("imported")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_RUNS", str(place / "lab" / "runs"))
        patch.setenv("LAB_BUILD", str(place / "lab" / "build"))
        file = shared.parcel().write(place)
        assert imports.recognise(file)
        (found,) = imports.import_runs([file])
        assert found.state == IMPORTED and found.run.startswith("toy-b-epyc-b-frac-1-2-"), found
        (again,) = imports.import_runs([file])
        assert (again.state, again.run) == (HERE, found.run)
    return place


def test_what_was_shared_is_a_run_here_with_the_same_numbers(
    imported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAB_RUNS", str(imported / "lab" / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(imported / "lab" / "build"))
    (name,) = (one.name for one in paths.runs().iterdir() if one.is_dir())
    entry = catalogue.experiment("whitebox")
    # Of the same experiments: the states of a run are found from all of its trials.
    own = Bundle(shared.bundle(tmp_path / "own"), {"name": "own"})
    mine, theirs = (ingest.ingest(bundle, entry) for bundle in (own, Bundle.open(name)))
    for table in ("trials", "iterations", "measures", "checks"):
        assert getattr(mine, table).equals(getattr(theirs, table)), table
    told = summary.told(paths.runs() / name / "summary")
    others = journal.trials(Bundle.open("reference").journal(), "single_writer")
    assert told["trials"] == len(mine.trials) + len(others) and told["shared"]["label"].startswith("Toy <b>")
    assert not list(paths.build().glob("_import*"))


def test_the_summary_of_a_long_run_is_made_in_parts_and_has_the_same_bytes(imported: Path, tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_RUNS", str(imported / "lab" / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(imported / "lab" / "build"))
    (run,) = (one for one in paths.runs().iterdir() if one.is_dir())
    monkeypatch.setattr(tables, "MOST", 2000)
    bundle = Bundle.open(run.name)
    entries = [catalogue.experiment(name) for name in journal.experiments(bundle.journal())]
    assert min(len(list(ingest.ingest(bundle, entry).parts())) for entry in entries) > 2
    summary.write(run.name, tmp_path / "summary")
    for file in (run / "summary").iterdir():
        assert (tmp_path / "summary" / file.name).read_bytes() == file.read_bytes(), file.name


def test_a_dry_run_keeps_nothing(place: Path, good: given.Given):
    (found,) = imports.import_runs([hostile.written(place / "d.tgz", good.file)], dry_run=True)
    assert [one.name for one in paths.runs().iterdir()] == [".import.lock"]
    assert found.sentence.startswith("would be imported as small-")


def packed() -> dict[str, bytes]:
    return shared.parcel().members


def run() -> dict:
    return json.loads(packed()["run.json"])


def with_run(**changes) -> bytes:
    return hostile.changed(**{"run.json": json.dumps({**run(), **changes}).encode()})


def with_archive(content: bytes) -> bytes:
    return hostile.changed(**{"whitebox.tar.xz": content})


HEAD = [hostile.plain("run.json", b"{}")]
TREES = {
    "a symbolic link": ([*HEAD, hostile.of_type("README.txt", tarfile.SYMTYPE, "/etc/passwd")], "no plain file"),
    "a hard link": ([*HEAD, hostile.of_type("README.txt", tarfile.LNKTYPE, "run.json")], "no plain file"),
    "a device": ([*HEAD, hostile.of_type("README.txt", tarfile.CHRTYPE)], "no plain file"),
    "a pipe": ([*HEAD, hostile.of_type("README.txt", tarfile.FIFOTYPE)], "no plain file"),
    "a folder": ([*HEAD, hostile.of_type("data", tarfile.DIRTYPE)], "holds 'data/'"),
    "the folder of raw files": ([*HEAD, hostile.of_type("raw", tarfile.DIRTYPE)], "unpack it into data/runs/NAME"),
    "a run's folder": ([*HEAD, hostile.plain("journal.jsonl")], "unpack it into data/runs/NAME, NAME as its run.json"),
    "a raw file": ([*HEAD, hostile.plain("raw/clock/a.hlog")], "unpack it into data/runs/NAME"),
    "a sparse file": ([*HEAD, hostile.of_type("README.txt", tarfile.GNUTYPE_SPARSE)], "no plain file"),
    "a name above": ([*HEAD, hostile.plain("../evil")], "holds '../evil'"),
    "an absolute name": ([*HEAD, hostile.plain("/tmp/evil")], "holds '/tmp/evil'"),
    "a file of a folder": ([*HEAD, hostile.plain("a/run.json")], "holds 'a/run.json'"),
    "a program": ([*HEAD, hostile.plain("setup.py")], "holds 'setup.py'"),
    "a member twice": ([*HEAD, *HEAD], "holds run.json twice"),
    "nothing": ([], "holds no run.json"),
    "no journal": (HEAD, "no journal.jsonl.tar.xz"),
    "a large run.json": ([hostile.plain("run.json", bytes(1 << 19))], "bytes; 1 MB are the most"),
}


@pytest.mark.parametrize("what", TREES)
def test_a_tree_that_no_share_makes_is_refused(place: Path, what: str):
    members, words = TREES[what]
    assert words in refused(place, gzip.compress(hostile.tar(members)))


INNER = {
    "a name above": [hostile.plain("raw/whitebox/../../evil.json")],
    "an absolute name": [hostile.plain("/raw/whitebox/a.json")],
    "another experiment's file": [hostile.plain("raw/clock/a.json")],
    "a link": [hostile.of_type("raw/whitebox/a.json", tarfile.SYMTYPE, "/etc/passwd")],
    "a member twice": [hostile.plain("packed.json"), hostile.plain("packed.json")],
    "a long name that is another": [hostile.plain("raw/whitebox/" + "a" * 150 + "/../evil.json")],
    "a file that the journal does not name": [hostile.plain("raw/whitebox/a.json")],
    "nothing": [],
}


@pytest.mark.parametrize("what", INNER)
def test_an_archive_that_no_share_packs_is_refused(place: Path, what: str):
    assert refused(place, with_archive(hostile.inner(INNER[what])))


FILES = {
    "empty": (lambda: b"", "cut short"),
    "no tar": (lambda: b"not a tar" * 200, "no tar"),
    "an empty stream": (lambda: gzip.compress(b""), "cut short"),
    "cut": (lambda: hostile.changed()[:-100], "cut short"),
    "more behind the stream": (lambda: hostile.changed() + b"more", "more than one stream"),
    "more behind the tar": (lambda: gzip.compress(gzip.decompress(hostile.changed()) + b"more"), "behind its last"),
    "another's archive": (
        lambda: hostile.changed(**{"clock.tar.xz": packed()["whitebox.tar.xz"]}),
        "no shared run has",
    ),
    "two streams inside": (lambda: with_archive(packed()["whitebox.tar.xz"] * 2), "more than one stream"),
    "cut inside": (lambda: with_archive(packed()["whitebox.tar.xz"][:-9]), "cut short"),
    "a short one inside": (lambda: with_archive(gzip.compress(b"x")), "cut short"),
    "not shared": (lambda: with_run(shared=None), "does not say that it is shared"),
    "a long sign": (lambda: with_run(shared={"by": "x" * 61}), "shared.by"),
    "a sign that turns": (lambda: with_run(shared={"label": "a\u202eb"}), "not printable"),
    "a newer format": (lambda: with_run(format=3), "update the Lab"),
    "files of somebody's own": (lambda: with_run(format=2), "none of a run that was measured"),
    "another kind": (lambda: with_run(kind="own"), "none of a run that was measured"),
    "no format": (lambda: with_run(format=True), "none of a run"),
    "no profile": (lambda: with_run(profile="../x"), "a profile, date or revision"),
    "no date": (lambda: with_run(created="<script>"), "a profile, date or revision"),
    "no runtime": (lambda: with_run(runtimes={"../jdk": run()["runtimes"]["c"]}), "names the runtime '../jdk'"),
    "no memory": (lambda: with_run(host={**run()["host"], "memory_bytes": -1}), "no host has"),
    "no CPU": (lambda: with_run(host={"cpu": {}}), "run.json is damaged (host.cpu"),
    "many values": (lambda: with_run(tools={str(n): "1" for n in range(11_000)}), "more than 20,000 values"),
    "a large number": (lambda: with_run(seed=10**30), "a number beyond 64 bits"),
    "deep": (lambda: hostile.changed(**{"run.json": b"[" * 100_000}), "run.json is no JSON"),
    "no number": (lambda: hostile.changed(**{"run.json": b'{"format": NaN}'}), "run.json is no JSON"),
    "a list": (lambda: hostile.changed(**{"run.json": b"[]"}), "none of a run"),
}


@pytest.mark.parametrize("what", FILES)
def test_a_file_that_is_none_is_refused(place: Path, what: str):
    content, words = FILES[what]
    assert words in refused(place, content())


def trials(lines: list[dict]) -> list[dict]:
    return [line for line in lines if "trial" in line]


def first_trial(lines: list[dict]) -> dict:
    return trials(lines)[0]


def journalled(**changes):
    return lambda lines: first_trial(lines).update(changes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (journalled(files={"raw/clock/a.json": "0" * 64}), "which is none of this trial"),
        (journalled(files={"../../run.json": "0" * 64}), "which is none of this trial"),
        (journalled(trial="../../evil"), "no name of a trial"),
        (journalled(variant="<script>"), "'<script>' on"),
        (journalled(variant="gone"), "in this version; share the run's other experiments"),
        (journalled(runtime="jdk99"), "on 'jdk99'"),
        (journalled(experiment="/etc"), "'/etc' is no experiment"),
        (journalled(block=-1), "block -1 is beyond"),
        (journalled(wall_s=float("inf")), "a number beyond 64 bits"),
        (journalled(reason="a\nb"), "not printable"),
        (journalled(status="excellent"), "status: Input should be"),
        (lambda lines: lines.append(first_trial(lines)), "comes twice"),
        (lambda lines: lines.clear(), "ends within a line"),
        (lambda lines: [each.update(files={}) for each in trials(lines)], "in the journal or in an archive"),
        (lambda lines: first_trial(lines)["files"].popitem(), "which the journal does not name"),
        (
            lambda lines: [
                line.update(files=dict.fromkeys(line["files"], "0" * 64)) for line in lines if "trial" in line
            ],
            "changed after the run (checksum)",
        ),
    ],
)
def test_a_journal_that_names_what_is_not_there_is_refused(place: Path, change, words: str):
    assert words in refused(place, hostile.changed(**{"journal.jsonl.tar.xz": hostile.journal(change)}))


def forged_name() -> str:
    return [one for one in hostile.raw("whitebox") if one.endswith(".json") and one != "packed.json"][-1]


def forged(content: bytes) -> bytes:
    """A file whose last trial's JSON is this, with the checksum of it."""
    files, name = hostile.raw("whitebox"), forged_name()
    files[name] = content
    manifest = json.loads(files["packed.json"])
    manifest["files"][name] = {"is": "reduced", "sha256": hashlib.sha256(content).hexdigest()}
    files["packed.json"] = json.dumps(manifest).encode()
    return with_archive(hostile.inner(hostile.plain(one, each) for one, each in files.items()))


def test_a_forged_trial_with_its_own_checksum_is_read_as_carefully(place: Path):
    """Checksums only say that nobody changed it afterwards: what follows from a file is checked by reading it."""
    for content in (b"{}", b'{"iterations": 3}', b"[" * 100_000, b'{"iterations": {"iteration": [1]}, "measures": 7}'):
        assert refused(place, forged(content))


def test_bombs_end_at_once(tmp_path: Path):
    """What they take of memory is tried in a process of its own (tests/processes/collection)."""
    folder = tmp_path / "stage"
    for content in (hostile.gzip_bomb(300 << 20), with_archive(hostile.xz_bomb(60 << 20))):
        folder.mkdir(exist_ok=True)
        with pytest.raises(Refused, match="are the most|times its size"):
            untrusted_tar.unpack(hostile.written(tmp_path / "bomb", content), folder)
        assert sum(file.stat().st_size for file in folder.iterdir()) < 1 << 20
        for file in folder.iterdir():
            file.unlink()


def test_a_dictionary_that_takes_too_much_memory_is_refused(place: Path):
    content = hostile.of_large_dictionary(1 << 28)
    assert "needs more memory" in refused(place, with_archive(content))


def test_changed_files_are_refused_or_imported_whole(place: Path, good: given.Given):
    """The first of many, and one of a tar."""
    tried = [mutations.tried(good, number, place) for number in (*range(80), 319)]
    assert [one for one in tried if one.fault] == []
    states = Counter((one.layer, one.state) for one in tried)
    assert all(states[layer, REFUSED] for layer in given.LAYERS) and states["value", IMPORTED] > 5, states
    assert all(states[layer, IMPORTED] for layer in ("tar", "text", "raw")), states


@pytest.mark.prove
@pytest.mark.parametrize("first", range(80, 1080, 250))
def test_many_changed_files(place: Path, good: given.Given, first: int):
    tried = (mutations.tried(good, number, place) for number in range(first, first + 250))
    assert [one for one in tried if one.fault] == []


# What 10,000 of them found, and how it came to it.


def with_info(good: given.Given, info: dict) -> bytes:
    return replace(good, members={**good.members, "run.json": json.dumps(info).encode()}).file


def test_a_long_text_of_a_stranger_makes_no_long_sentence(place: Path, good: given.Given):
    info = json.loads(good.members["run.json"])
    info["host"]["kernel"] = "x" * 999
    told = outcome(place, with_info(good, info))
    assert told.state == IMPORTED and len(told.sentence) <= 300 and told.sentence.endswith("…")


def test_a_long_value_of_a_raw_file_makes_no_long_sentence(place: Path):
    content = packing.unpack(paths.ROOT / "data" / "reference" / "whitebox.tar.xz")[0][forged_name()]
    told = refused(place, forged(re.sub(rb'"value": \[[^,\]]+', b'"value": ["' + b"x" * 999 + b'"', content, count=1)))
    assert len(told) <= 300 and "xxx" in told and told.endswith("…")


def test_a_host_that_tells_no_mitigations_can_be_placed(place: Path, good: given.Given):
    info = json.loads(good.members["run.json"])
    del info["host"]["cpu"]["mitigations"]
    found = outcome(place, with_info(good, info))
    every = hosts.every()
    mine = next(one for one in every if one.run == found.run)
    assert placing.told(mine, [one for one in every if one is not mine])


def test_what_an_import_must_not_do_is_a_fault(place: Path, good: given.Given, monkeypatch: pytest.MonkeyPatch):
    def with_import(does) -> str:
        monkeypatch.setattr(imports, "import_runs", does)
        return mutations.tried(good, 0, place).fault

    def leaving(name: str):
        (paths.runs() / name).parent.mkdir(parents=True, exist_ok=True)
        (paths.runs() / name).write_text("x")
        return [imports.Outcome(place / "given.tgz", REFUSED, "", "no")]

    assert with_import(lambda files: 1 / 0) == "ZeroDivisionError: division by zero"
    assert "no single line" in with_import(lambda files: [imports.Outcome(place, REFUSED, "", "a\nb")])
    assert with_import(lambda files: leaving("_import-1/run.json")) == "left 'lab/runs/_import-1/run.json'"
    assert "evil" in with_import(lambda files: leaving("../../evil"))
