"""What is copied to a host, what becomes of what lies there, and why a host has not got it."""

from __future__ import annotations

import json
from pathlib import Path

import fleet_hosts
import pytest

from pipeline.fleet import hosts, push
from pipeline.fleet.config import Host
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.parcel import contents


@pytest.fixture(scope="module")
def parcel(tmp_path_factory) -> Path:
    return fleet_hosts.parcel(tmp_path_factory.mktemp("home"))


@pytest.fixture
def bob(tmp_path, monkeypatch) -> Host:
    """A host whose folder has a blank in its name."""
    monkeypatch.setenv("PATH", f"{fleet_hosts.ssh(tmp_path / 'bin')}:/usr/bin:/bin")
    return Host(name="bob", ssh="bob.test", root=str(tmp_path / "its home" / "lab"))


def test_the_parcel_is_unpacked_there_and_the_runs_of_the_one_before_stay(bob, parcel, tmp_path):
    said: list[str] = []
    assert push.push([bob], parcel, said.append) == [] and said[-1] == "bob: ready"
    root = Path(bob.root)
    assert {one.name for one in root.iterdir()} == {"current", parcel.stem}
    assert (root / "current" / "parcel.json").exists()
    (root / "lab-0" / "data").mkdir(parents=True)
    (root / "current").unlink()
    (root / "current").symlink_to("lab-0")
    assert push.push([bob], parcel, said.append) == []
    assert (root / "current").readlink() == Path(parcel.stem) and (root / "lab-0" / "data").exists()


def test_a_copy_that_is_cut_is_no_parcel(bob, parcel, tmp_path):
    cut = tmp_path / parcel.name
    cut.write_bytes(parcel.read_bytes()[:-1])
    (why,) = push.push([bob], cut, lambda words: None)
    assert why.startswith("bob: not pushed: ") and "damaged" in why
    assert not (Path(bob.root) / "current").exists()


def test_a_host_without_python_or_room_says_so(bob, parcel, tmp_path):
    wrapper = tmp_path / "bin" / "ssh"
    wrapper.write_text(wrapper.read_text().replace("PYTHON=", "PYTHON=/nowhere/"))
    (why,) = push.push([bob], parcel, lambda words: None)
    assert why.startswith("bob: not pushed: no Python 3.9 or later is here")
    Path(bob.root).parent.rename(tmp_path / "moved")
    (tmp_path / "its home").write_text("a file")
    (why,) = push.push([bob], parcel, lambda words: None)
    assert why.startswith("bob: not pushed: ")


def test_a_machine_without_ssh_is_told_to_install_it(bob, parcel, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for ask in (lambda: push.push([bob], parcel, lambda words: None), lambda: hosts.ask([bob])):
        with pytest.raises(LabError, match="there is no ssh here; install it") as error:
            ask()
        assert error.value.status == 5


def test_a_parcel_is_made_once_for_what_is_here(lab, monkeypatch):
    made: list[str] = []

    def collect(jdks: str, scratch: Path, say) -> contents.Contents:
        made.append(jdks)
        return contents.Contents({"LICENSE": b"x"}, {"revision": contents.revision(), "made": len(made)})

    monkeypatch.setattr(contents, "collect", collect)
    first = push.parcel("none", lambda words: None)
    assert push.parcel("none", lambda words: None) == first and made == ["none"]
    (lab / "catalogue" / "x.txt").write_text("no entry")
    assert push.parcel("none", lambda words: None) == first
    file = next((lab / "catalogue").glob("*.yaml"))
    file.write_text(file.read_text() + "\n# changed\n")
    second = push.parcel("none", lambda words: None)
    assert made == ["none", "none"] and second != first and not first.exists()
    second.unlink()
    push.parcel("none", lambda words: None)
    assert len(made) == 3
    assert json.loads((paths.build() / "fleet" / "parcel.json").read_text())["asked"]["jdks"] == "none"
