"""The hosts of a collection: where they come from, what they are called, which are looked at."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import many_hosts
import pytest

from pipeline.collection import hosts, summary
from pipeline.ground.errors import LabError

pytestmark = pytest.mark.thorough


@pytest.fixture
def twelve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[hosts.Host]:
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    many_hosts.write(tmp_path / "runs", 10)
    return hosts.every()


def edited(folder: Path, change) -> None:
    told = json.loads((folder / summary.HOST).read_text())
    change(told)
    (folder / summary.HOST).write_text(json.dumps(told))


def test_contributed_hosts_are_told_from_those_of_the_lab(twelve: list[hosts.Host]):
    assert len({host.label for host in twelve}) == 12
    origins = [host.origin for host in twelve]
    assert origins.count(hosts.CONTRIBUTED) == 10 and origins.count(hosts.WITH_THE_LAB) == 2


def test_an_import_on_its_way_and_a_summary_of_another_format_are_none(twelve, tmp_path: Path):
    runs = tmp_path / "runs"
    (runs / "host-0003").rename(runs / "_import-77")
    edited(runs / "host-0004" / "summary", lambda told: told.update(format=99))
    (runs / "host-0005" / "summary" / summary.HOST).write_text("{")
    assert len(hosts.every()) == 9


def test_two_of_one_name_are_numbered_and_a_shared_copy_of_ours_is_not_another_host(twelve, tmp_path: Path):
    runs = tmp_path / "runs"
    for number in (1, 2):
        edited(runs / f"host-000{number}" / "summary", lambda told: told["shared"].update(label="box"))
    ours = next(host for host in twelve if host.label == "AMD EPYC")
    edited(runs / "host-0003" / "summary", lambda told: told["shared"].update(of=ours.id))
    found = [host.label for host in hosts.every()]
    assert "box" in found and "box (2)" in found and len(found) == 11


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (["vendor=amd"], 5),
        (["vendor=AMD,Intel"], 10),
        (["vendor=arm"], 2),
        (["virtualised=no"], 3),
        (["origin=contributed"], 10),
        (["jdk=25"], 12),
        (["noisy=100"], 12),
        (["vendor=amd", "virtualised=no"], 2),
    ],
)
def test_filters(twelve: list[hosts.Host], where: list[str], count: int):
    assert len(hosts.chosen(twelve, where)) == count


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("colour=red", "NAME one of: vendor"),
        ("vendor", "NAME=VALUE"),
        ("noisy=x", "a limit"),
        ("jdk=8", "no host is left"),
    ],
)
def test_a_filter_that_is_none_says_so(twelve: list[hosts.Host], where: str, words: str):
    with pytest.raises(LabError, match=words):
        hosts.chosen(twelve, [where])


def test_runs_of_one_machine_count_once(twelve: list[hosts.Host], tmp_path: Path):
    shutil.copytree(tmp_path / "runs" / "host-0001", tmp_path / "runs" / "again")
    edited(tmp_path / "runs" / "again" / "summary", lambda told: told.update(id="f" * 12, trials=9))
    every = hosts.every()
    assert (len(every), len(hosts.machines(every))) == (13, 12)
    assert all(host.told["trials"] > 9 for host in hosts.machines(every))
