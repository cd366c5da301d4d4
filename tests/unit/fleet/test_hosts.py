"""What hosts answer, what is refused, what is warned of, and how they are called."""

from __future__ import annotations

import json
import shlex

import pytest
from publish_toy import write_run

from pipeline.fleet import connection, hosts
from pipeline.fleet.config import Fleet, Host
from pipeline.fleet.hosts import Answer
from pipeline.ground import paths
from pipeline.parcel import contents

REVISION = contents.revision()
PARCEL = "ab" * 32
FLEET = Fleet(name="f", profile="smoke", hosts=[Host(name=name, ssh=name) for name in "ab"])


def facts(name: str = "a", **told) -> dict:
    return {
        "machine": name,
        "boot": name,
        "revision": REVISION,
        "parcel": PARCEL,
        "jdks": {"jdk17": "17.0.15"},
        "lacks": "",
        "cpus": 8,
        "free_bytes": 10**11,
        "load": 0.1,
        "others_pct": 0.5,
        "governor": "performance",
    } | told


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([Answer("a", facts("a")), Answer("b", facts("a"))], "b and a are one machine: keep one of them in f.yaml"),
        ([Answer("a", facts("a", revision="43fa055"))], "a has revision 43fa055, this is"),
        ([Answer("a", {}, "no parcel that answers in x")], "a: no parcel that answers in x: lab fleet push f.yaml"),
        ([Answer("a", facts("a")), Answer("b", facts("b"))], ""),
        ([Answer("a", facts("a")), Answer("b", {}, "not reached: no route", False)], ""),
        ([Answer("a", facts("a", machine="m")), Answer("b", facts("b", machine="m"))], ""),
    ],
)
def test_what_is_refused(told, words):
    found = hosts.refusal(FLEET, told, "f.yaml")
    assert found.startswith(words) and bool(words) == bool(found)


@pytest.mark.parametrize(
    ("harness", "words"),
    [
        ({"parcel": PARCEL[:12]}, ""),
        (
            {"parcel": "cd" * 6},
            "a: run 'f.a' here was measured by parcel lab-cdcdcdcdcdcd, and its host has another: move",
        ),
        ({}, "a: run 'f.a' here was measured by no parcel"),
    ],
)
def test_a_run_of_another_parcel_is_found_before_anything_is_measured(lab, harness, words):
    folder = paths.bundle("f.a")
    write_run(folder)
    told = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(told | {"harness": harness}))
    answers = [Answer("a", facts("a", revision=contents.revision()))]
    found = hosts.refusal(FLEET, answers, "f.yaml")
    assert found.startswith(words) and bool(words) == bool(found)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"jdks": {}}, "no JDK 17 or later found"),
        ({"lacks": "LAB_JDKS: /opt/x is not the home of a JDK"}, "/opt/x is not the home"),
        ({"load": 4.0}, "load 4 on 8 CPUs"),
        ({"others_pct": 45.0}, "others use 45 % of its CPUs"),
        ({"governor": "powersave"}, "governor powersave: set it to performance"),
        ({"free_bytes": 1 << 30}, "make room"),
        ({}, ""),
    ],
)
def test_what_is_warned_of(told, words):
    found = hosts.warnings(facts("a", **told))
    assert (words in found[0] and len(found) == 1) if words else found == []


def test_the_doctor_says_what_to_do():
    (line,) = hosts.told(Answer("a", facts("a")), "f.yaml")
    assert line.startswith(f"a: revision {REVISION}, jdk17 17.0.15, 8 CPUs, 100 GB free")
    assert hosts.told(Answer("a", {}, "not reached: x", False), "f.yaml")[1].strip().startswith("see that `ssh`")
    assert "lab fleet push f.yaml" in hosts.told(Answer("a", facts("a", revision="0")), "f.yaml")[1]


@pytest.mark.parametrize(
    ("status", "out", "err", "why", "reached"),
    [
        (0, b"motd\n{}\n", b"", "", True),
        (0, b"motd\n", b"", "answered something else than a parcel", True),
        (255, b"", b"kex\nConnection refused\n\n", "not reached: Connection refused", False),
        (255, b"", b"", "not reached: ssh said nothing", False),
        (2, b"", b"sh: cd: can't cd to lab/current", "no parcel that answers in lab (sh: cd:", True),
        (127, b"", b"exec: ./fleet: not found", "no parcel that answers in lab", True),
        (5, b"", b"lab: no Python 3.9 or later is here", "no Python 3.9 or later", True),
    ],
)
def test_what_a_host_answers(status, out, err, why, reached):
    found = hosts.answer(Host(name="a", ssh="a", root="lab"), status, out, err)
    assert found.why.startswith(why) and bool(found.why) == bool(why) and found.reached == reached


def test_odd_names_are_words_of_the_shell_and_nothing_else():
    odd = Host(name="bob", ssh="bob.example.org", root="my lab; rm -rf $HOME", jdks=["/opt/jdk 25", "/opt/jdk-17"])
    words = connection.in_parcel(odd, "./fleet", "hello")
    assert words[words.index("--") + 1] == "bob.example.org"
    assert "BatchMode=yes" in words and "ControlPath=none" in words and not any("StrictHostKey" in one for one in words)
    assert not {"-R", "-L", "-A", "-X"} & set(words)  # nothing is forwarded
    change, rest = words[-1].split(" && exec ")
    assert shlex.split(change) == ["cd", f"{odd.root}/current"]
    assert shlex.split(rest) == ["env", "LAB_JDKS=/opt/jdk 25:/opt/jdk-17", "./fleet", "hello"]
