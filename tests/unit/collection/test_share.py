"""lab share: what the file holds, that it reads back, and what it refuses to tell."""

from __future__ import annotations

import gzip
import io
import json
import platform
import re
import tarfile
from pathlib import Path

import pytest
import shared

from pipeline.bundle import packed
from pipeline.bundle.bundle import Bundle
from pipeline.collection import redaction, share
from pipeline.ground.errors import LabError

pytestmark = pytest.mark.thorough


def unpacked(tmp_path: Path, name: str) -> dict[str, bytes]:
    file = tmp_path / name
    file.write_bytes(shared.parcel().members[name])
    return packed.unpack(file)[0]


def test_the_file_is_a_bundle_and_the_same_bytes_twice(tmp_path: Path):
    parcel = shared.parcel()
    first, second = parcel.write(tmp_path / "a"), parcel.write(tmp_path / "b")
    assert first.read_bytes() == second.read_bytes()
    measured = json.loads(parcel.members["run.json"])["created"][:10]
    assert first.name.startswith(f"lab-toy-b-epyc-b-frac-1-2-{measured}-") and first.suffix == ".tgz"
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(first.read_bytes()))) as archive:
        assert {member.name for member in archive} == {
            "run.json",
            "README.txt",
            "journal.jsonl.tar.xz",
            "whitebox.tar.xz",
            "single_writer.tar.xz",
        }
        assert all((member.uid, member.uname, member.mtime) == (0, "", 0) for member in archive)
    assert list((tmp_path / "a").iterdir()) == [first]


def test_it_holds_every_trial_with_the_bytes_that_the_journal_or_the_manifest_names(tmp_path, monkeypatch):
    runs = tmp_path / "runs"
    (runs / "there").mkdir(parents=True)
    for name, content in shared.parcel().members.items():
        (runs / "there" / name).write_bytes(content)
    monkeypatch.setenv("LAB_RUNS", str(runs))
    bundle, before = Bundle.open("there"), Bundle.open("reference")
    lines, seen = [one for one in bundle.journal() if "trial" in one], 0
    for line in sorted(lines, key=lambda one: one["experiment"]):
        for name, sha in line["files"].items():
            assert bundle.verified(name, sha) == before.verified(name, sha)
            seen += 1
    assert seen > 500
    assert bundle.info["shared"] == {
        "by": "somebody",
        "label": "Toy <b>EPYC</b> $\\frac{1}{2}$",
        "licence": "CC-BY-4.0",
        "of": bundle.info["shared"]["of"],
    }


def test_no_file_of_it_names_this_machine(tmp_path: Path):
    names = {platform.node(), Path.home().name, *redaction.own_names()} - {"", "root"}
    for member in shared.parcel().members:
        files = {member: shared.parcel().members[member]} if "tar" not in member else unpacked(tmp_path, member)
        for name, content in files.items():
            text = share._searched(content)
            for word in names:
                assert not re.search(rf"\b{re.escape(word)}\b", text), name
            assert str(Path.home()) + "/" not in text and str(Path.cwd()) not in text, name


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(redaction, "own_names", lambda: ["secretive"])
    return shared.bundle(tmp_path / "runs" / "mine", ("whitebox",))


def edited(folder: Path, change) -> None:
    info = json.loads((folder / "run.json").read_text())
    change(info)
    (folder / "run.json").write_text(json.dumps(info))


@pytest.mark.parametrize(
    ("place", "planted", "told"),
    [
        ("model", "EPYC of secretive", "host.cpu.model holds the name 'secretive'"),
        ("governor", "10.0.0.7", "host.cpu.governor holds an IP address"),
        ("idle_states", "/home/somebody/states", "host.cpu.idle_states holds a path"),
    ],
)
def test_a_planted_name_is_refused_with_its_place(mine: Path, place: str, planted: str, told: str):
    edited(mine, lambda info: info["host"]["cpu"].update({place: planted}))
    with pytest.raises(LabError, match=told):
        share.pack("mine")


@pytest.mark.parametrize(
    ("sign", "text", "told"),
    [
        ("note", "runs on secretive", "--note holds the name"),
        ("label", "me@example.org", "--label holds an e-mail"),
        ("by", "x" * 61, "--by .*: at most 60"),
        ("note", "two\nlines", "--note .*one line"),
    ],
)
def test_words_of_the_owner_are_searched_too(mine: Path, sign: str, text: str, told: str):
    with pytest.raises(LabError, match=told):
        share.pack("mine", **{sign: text})


def test_a_journal_leaves_without_folders_names_of_processes_and_reasons_that_tell(mine: Path, tmp_path: Path):
    file = mine / "journal.jsonl"
    first, *rest = file.read_text().splitlines()
    line = json.loads(next(one for one in rest if '"trial"' in one))
    line |= {"reason": "cannot open on secretive", "owner": "secretive"}
    line["command"] = ["/opt/jdk/bin/java", "--dir", "/home/x/io", *line["command"][1:]]
    busy = {"event": "host_busy", "at": "2026", "pct": 3.0, "processes": [{"name": "secretive", "pid": 1, "pct": 2.0}]}
    later = {"event": "of a later version", "who": "secretive"}
    rest = [json.dumps(line) if json.loads(one).get("trial") == line["trial"] else one for one in rest]
    file.write_text("\n".join([first, json.dumps(busy), json.dumps(later), *rest]) + "\n")
    parcel = share.pack("mine", ("whitebox",))
    (tmp_path / "j").write_bytes(parcel.members["journal.jsonl.tar.xz"])
    lines = [json.loads(one) for one in packed.unpack(tmp_path / "j")[0]["journal.jsonl"].splitlines()]
    (told,) = (one for one in lines if one.get("trial") == line["trial"])
    assert told["reason"] == "not shared" and told["command"][:3] == ["{elsewhere}", "--dir", "{elsewhere}"]
    assert "owner" not in told and told["files"] == line["files"]
    assert [one["processes"] for one in lines if one.get("event") == "host_busy"] == [[]]
    assert len(lines) == len(rest) + 2  # what a later version adds stays here


def test_what_cannot_be_shared_says_so(mine: Path):
    with pytest.raises(LabError, match="holds no trial to share"):
        share.pack("mine", ("clock",))
    edited(mine, lambda info: info.update(shared={}))
    with pytest.raises(LabError, match="came from elsewhere"):
        share.pack("mine")
