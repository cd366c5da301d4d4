"""What arrives is compared with sums and with the journal, and shown as a whole or not at all."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import shared
from publish_toy import HOST, trial

from pipeline.bundle import bundle, content_id, journal, single_file
from pipeline.bundle.bundle import Bundle
from pipeline.fleet import gather, report
from pipeline.fleet.gather import Damaged
from pipeline.ground import digest, paths
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime


@pytest.fixture
def there(lab, monkeypatch) -> Bundle:
    """A run on its host, of two trials."""
    monkeypatch.setattr(bundle, "git_revision", lambda: "")
    host = HOST | {"not_shared": "the fleet's own machine"}
    made = Bundle.create(lab / "there" / "f.a", "smoke", 7, {"c": Runtime("c", "cc 12", "C")}, host)
    for number in (1, 2):
        measured(made, number)
    return made


def measured(made: Bundle, number: int) -> None:
    line = trial(number, 1, experiment="lock_scaling", variant="mutex", axes={"threads": 1})
    name = f"raw/lock_scaling/{line['trial']}.json"
    (made.folder / name).parent.mkdir(parents=True, exist_ok=True)
    (made.folder / name).write_bytes(b"{}\n")
    made.append(line | {"files": {name: hashlib.sha256(b"{}\n").hexdigest()}})


def sent(made: Bundle) -> tuple[Path, str]:
    """The run's file as it arrived, and its sum there."""
    file = single_file.write(made, gather.arriving("f.a"))
    return file, digest.large(file)


def test_a_run_that_is_whole_is_a_run_like_any_other(there):
    identity = content_id.content_id(there)
    assert not gather.here("f.a", identity)
    assert gather.take("f.a", *sent(there))
    came = Bundle.open("f.a")
    assert came.info == there.info and came.journal() == there.journal()
    assert gather.here("f.a", identity) and [one.name for one in paths.runs().iterdir()] == ["f.a"]
    assert came.verified(*next(iter(came.journal()[0]["files"].items()))) == b"{}\n"
    measured(there, 3)
    assert not gather.here("f.a", content_id.content_id(there))
    assert gather.take("f.a", *sent(there)) and len(Bundle.open("f.a").journal()) == 3


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b[:500] + b"x" + b[501:], lambda b: b""])
def test_bytes_that_are_not_those_that_were_sent_are_not_taken(there, change):
    file, sha256 = sent(there)
    file.write_bytes(change(file.read_bytes()))
    assert not gather.take("f.a", file, sha256)
    assert not list(paths.runs().iterdir())


def test_what_is_no_run_is_damaged_also_when_its_own_sum_is_right(there):
    file = gather.arriving("f.a")
    for content in (b"", b"x" * 2048, single_file.write(there, file).read_bytes()[:3000]):
        file.write_bytes(content)
        with pytest.raises(Damaged, match="what it sent ") as error:
            gather.take("f.a", file, digest.large(file))
        assert error.value.status == 4 and not list(paths.runs().iterdir())


def test_a_file_that_the_journal_does_not_name_is_not_taken(there, monkeypatch):
    """It was packed from something else."""
    sums = single_file._sums

    def more(lines: list[dict], experiment: str) -> dict[str, str]:
        other = f"raw/{experiment}/other.json"
        (there.folder / other).write_bytes(b"{}\n")
        return sums(lines, experiment) | {other: hashlib.sha256(b"{}\n").hexdigest()}

    monkeypatch.setattr(single_file, "_sums", more)
    with pytest.raises(Damaged, match="other.json, which the journal does not name"):
        gather.take("f.a", *sent(there))


def test_what_was_gathered_is_never_replaced_by_less(there):
    before = (there.folder / journal.FILE).read_bytes()
    gather.take("f.a", *sent(there))
    (there.folder / journal.FILE).write_bytes(before[: before.find(b"\n") + 1])
    with pytest.raises(Damaged, match="another one than on its host; move"):
        gather.take("f.a", *sent(there))
    assert (paths.bundle("f.a") / journal.FILE).read_bytes() == before


def test_what_is_known_of_a_fleet_is_kept_and_a_damaged_file_is_named(tmp_path):
    file = tmp_path / "runs" / ".fleet-f.json"
    assert gather.remembered(file) == {}
    gather.remember(file, {"name": "f", "profile": "smoke", "hosts": {"a": {"run": "f.a"}}})
    assert gather.remembered(file)["hosts"] == {"a": {"run": "f.a"}}
    file.write_text("[]")
    with pytest.raises(LabError, match="is damaged; remove it"):
        gather.remembered(file)


@pytest.fixture
def gathered(tmp_path, monkeypatch) -> Path:
    """Two hosts' runs, which differ in a few facts."""
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    shared.bundle(paths.bundle("f.a"), ("whitebox",))
    folder = shared.bundle(paths.bundle("f.b"), ("whitebox",))
    info = json.loads((folder / "run.json").read_text())
    info["host"]["kernel"], info["runtimes"]["jdk17"]["build"] = "Linux 9.9", "17.0.99+1 <b>"
    (folder / "run.json").write_text(json.dumps(info))
    return paths.runs()


@pytest.mark.thorough
def test_the_report_says_first_how_hosts_ended_and_what_differs(gathered, monkeypatch):
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
