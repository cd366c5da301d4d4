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
OURS = len(hosts.every_committed())


@pytest.fixture
def ten_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[hosts.Host]:
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    many_hosts.write(tmp_path / "runs", 10)
    return hosts.every()


def edited(folder: Path, change) -> None:
    told = json.loads((folder / summary.HOST).read_text())
    change(told)
    (folder / summary.HOST).write_text(json.dumps(told))


def called(told: dict, label: str, cpus: int) -> None:
    told["shared"]["label"], told["host"]["cpu"]["cpus"] = label, cpus


def test_contributed_hosts_are_told_from_those_of_the_lab(ten_more: list[hosts.Host]):
    assert len({host.label for host in ten_more}) == OURS + 10
    origins = [host.origin for host in ten_more]
    assert origins.count(hosts.CONTRIBUTED) == 10 and origins.count(hosts.WITH_THE_LAB) == OURS


def test_an_import_on_its_way_and_a_summary_of_another_format_are_none(ten_more, tmp_path: Path):
    runs = tmp_path / "runs"
    (runs / "host-0003").rename(runs / "_import-77")
    edited(runs / "host-0004" / "summary", lambda told: told.update(format=99))
    (runs / "host-0005" / "summary" / summary.HOST).write_text("{")
    assert len(hosts.every()) == OURS + 7


def test_two_of_one_name_are_numbered_and_a_shared_copy_of_ours_is_not_another_host(ten_more, tmp_path: Path):
    runs = tmp_path / "runs"
    for number in (1, 2):
        edited(runs / f"host-000{number}" / "summary", lambda told: called(told, "box", 4))
    ours = next(host for host in ten_more if host.label == "AMD EPYC")
    edited(runs / "host-0003" / "summary", lambda told: told["shared"].update(of=ours.id))
    found = [host.label for host in hosts.every()]
    assert "box" in found and "box (2)" in found and len(found) == OURS + 9


def test_of_one_name_and_another_number_of_cpus_is_another_host(ten_more, tmp_path: Path):
    for number, cpus in ((1, 16), (2, 2), (3, 16), (4, 128)):
        edited(tmp_path / "runs" / f"host-000{number}" / "summary", lambda told, cpus=cpus: called(told, "box", cpus))
    found = [host.label for host in hosts.every() if host.label.startswith("box")]
    assert found == ["box (2 CPUs)", "box (16 CPUs)", "box (16 CPUs) (2)", "box (128 CPUs)"]


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (["vendor=amd"], 4),
        (["vendor=AMD,Intel"], 8),
        (["vendor=arm"], 2),
        (["virtualised=no"], 3),
        (["origin=contributed"], 10),
        (["jdk=25"], 10),
        (["noisy=100"], 10),
        (["vendor=amd", "virtualised=no"], 2),
    ],
)
def test_filters(ten_more: list[hosts.Host], where: list[str], count: int):
    assert [host.origin for host in hosts.chosen(ten_more, where)].count(hosts.CONTRIBUTED) == count


def test_a_filter_is_of_the_hosts_of_the_lab_too(ten_more: list[hosts.Host]):
    assert len(hosts.chosen(ten_more, ["noisy=100"])) == OURS + 10
    assert len(hosts.chosen(ten_more, ["origin=comes with the lab"])) == OURS


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("colour=red", "NAME one of: vendor"),
        ("vendor", "NAME=VALUE"),
        ("noisy=x", "a limit"),
        ("jdk=8", "no host is left"),
    ],
)
def test_a_filter_that_is_none_says_so(ten_more: list[hosts.Host], where: str, words: str):
    with pytest.raises(LabError, match=words):
        hosts.chosen(ten_more, [where])


def test_runs_of_one_machine_count_once(ten_more: list[hosts.Host], tmp_path: Path):
    shutil.copytree(tmp_path / "runs" / "host-0001", tmp_path / "runs" / "again")
    edited(tmp_path / "runs" / "again" / "summary", lambda told: told.update(id="f" * 12, trials=9))
    every = hosts.every()
    assert (len(every), len(hosts.machines(every))) == (OURS + 11, OURS + 10)
    assert all(host.told["trials"] > 9 for host in hosts.machines(every))
