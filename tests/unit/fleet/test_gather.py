"""What arrives is compared with sums and with the journal, and shown as a whole or not at all."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import shared

from pipeline.bundle.bundle import Bundle
from pipeline.fleet import gather, report
from pipeline.fleet.gather import Arriving, Damaged
from pipeline.ground import paths
from pipeline.ground.errors import LabError

pytestmark = pytest.mark.thorough

NAME = "whitebox"


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    return shared.bundle(tmp_path / "there", (NAME,))


def told(there: Path, **other: object) -> dict:
    files = {name: (there / name).read_bytes() for name in ("run.json", "journal.jsonl")}
    sha = hashlib.sha256((there / f"{NAME}.tar.xz").read_bytes()).hexdigest()
    return files | {"archives": {NAME: sha}} | other


def arrived(there: Path) -> Arriving:
    arriving = Arriving("f.a", told(there))
    arriving.begin()
    assert arriving.take(NAME, (there / f"{NAME}.tar.xz").read_bytes())
    arriving.keep()
    return arriving


def test_a_run_that_is_whole_is_a_run_like_any_other(there):
    assert not Arriving("f.a", told(there)).here
    arrived(there)
    assert Bundle.open("f.a").journal() and Arriving("f.a", told(there)).here
    assert [one.name for one in paths.runs().iterdir()] == ["f.a"]


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b[:500] + b"x" + b[501:], lambda b: b""])
def test_bytes_that_are_not_those_that_were_sent_are_not_taken(there, change):
    arriving = Arriving("f.a", told(there))
    arriving.begin()
    assert not arriving.take(NAME, change((there / f"{NAME}.tar.xz").read_bytes()))


def test_an_archive_that_is_not_what_the_journal_names_is_not_taken(there):
    """Also when its own sum is right: it was packed from something else."""
    lines = (there / "journal.jsonl").read_bytes().splitlines(keepends=True)
    fewer = b"".join(line for line in lines if line != next(one for one in lines if b'"trial"' in one))
    arriving = Arriving("f.a", told(there, **{"journal.jsonl": fewer}))
    arriving.begin()
    assert not arriving.take(NAME, (there / f"{NAME}.tar.xz").read_bytes())


def test_what_was_gathered_is_never_replaced_by_less(there):
    arrived(there)
    lines = (there / "journal.jsonl").read_bytes()
    with pytest.raises(Damaged, match="another one than on its host; move"):
        Arriving("f.a", told(there, **{"journal.jsonl": lines[: lines.find(b"\n") + 1]}))
    more = lines + b'{"event":"deciding","minutes":1.0}\n'
    assert not Arriving("f.a", told(there, **{"journal.jsonl": more})).here


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [("run.json", b"{", "run.json arrived damaged"), ("journal.jsonl", b"{}\n", "line 1 is damaged")],
)
def test_what_cannot_be_read_is_damaged(there, name, content, words):
    with pytest.raises(Damaged, match=words) as error:
        Arriving("f.a", told(there, **{name: content}))
    assert error.value.status == 4


def test_what_is_known_of_a_fleet_is_kept_and_a_damaged_file_is_named(tmp_path):
    file = tmp_path / "runs" / ".fleet-f.json"
    assert gather.remembered(file) == {}
    gather.remember(file, {"name": "f", "profile": "smoke", "hosts": {"a": {"run": "f.a"}}})
    assert gather.remembered(file)["hosts"] == {"a": {"run": "f.a"}}
    file.write_text("[]")
    with pytest.raises(LabError, match="is damaged; remove it"):
        gather.remembered(file)


@pytest.mark.thorough
def test_the_report_says_first_how_hosts_ended_and_what_differs(there, monkeypatch):
    arrived(there)
    info = json.loads((there / "run.json").read_text())
    info["host"]["kernel"], info["runtimes"]["jdk17"]["build"] = "Linux 9.9", "17.0.99+1 <b>"
    (there / "run.json").write_text(json.dumps(info))
    other = Arriving("f.b", told(there))
    other.begin()
    assert other.take(NAME, (there / f"{NAME}.tar.xz").read_bytes())
    other.keep()
    with pytest.raises(LabError, match="nothing of fleet 'f' was gathered here"):
        report.write("f")
    known = {
        name: {"run": f"f.{name}", "state": "measured", "note": "", "resumed": [], "deaths": 0, "trials": 1}
        for name in "abc"
    }
    known["a"] |= {"resumed": [37], "deaths": 1}
    known["c"] |= {"state": "not measured", "note": "host lost at 14:02 after trial 37 of 80 (x)"}
    gather.remember(paths.runs() / ".fleet-f.json", {"name": "f", "profile": "smoke", "hosts": known})
    # One process: what it starts otherwise is tried in tests/processes/fleet.
    monkeypatch.setattr(report.cpus, "usable", lambda: [0])
    page = report.write("f").read_text()
    assert "2 of 3 hosts measured all that was asked" in page
    assert "<b>a</b>: resumed after trial 37; 1 death of what measures there" in page
    assert "<b>c</b>: not measured; host lost at 14:02" in page
    first = page.index("What differs between the hosts")
    assert first < page.index("<td>kernel") if "<td>kernel" in page else first < page.index(">kernel<")
    assert "Linux 9.9" in page and "17.0.99+1 &lt;b&gt;" in page and "<h1>2 hosts" in page
    names = [name for name, _ in report.differences(report.summarised({"a": known["a"], "b": known["b"]}))]
    assert names == ["kernel", "JDK 17"]
