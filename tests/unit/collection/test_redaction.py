"""What leaves this machine: facts of the list alone, and nothing that names it, its user or a folder."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish_toy import HOST

from pipeline.collection import redaction
from pipeline.ground import paths


def test_facts_keep_their_shape_and_what_is_not_on_the_list_stays():
    host = deepcopy(HOST) | {"serial": "X1", "machine": {"vendor": "Acme", "uuid": "4c4c"}}
    host["cpu"]["secret"] = "s"
    kept = redaction.facts(host)
    assert kept["cpu"]["model"] == "Toy CPU @ 2.00GHz" and kept["cpu"]["caches"] == HOST["cpu"]["caches"]
    assert kept["machine"] == {"vendor": "Acme"}
    assert "serial" not in kept and "secret" not in kept["cpu"]
    assert redaction.left_out(host) == ["cpu.secret", "machine.uuid", "serial"]


@pytest.mark.parametrize(
    ("place", "value", "shared"),
    [
        (("io", "device"), "nvme0n1p2", "nvme0n1p2"),
        (("io", "device"), "alices-laptop-root", "not shared"),
        (("io", "options"), "rw,noatime,lowerdir=/var/lib/docker/x,commit=30", "rw,noatime,commit=30"),
        (("io", "options"), "subvol=/@home", "not shared"),
        (("kernel_command_line",), "mitigations=off (sha256 0123456789ab)", "mitigations=off"),
        (("tuned_profile",), "latency-performance", "latency-performance"),
        (("tuned_profile",), "acme-trading-3", "not shared"),
    ],
)
def test_facts_that_people_name_are_shared_only_where_everybody_has_them(place, value, shared):
    host = deepcopy(HOST)
    *above, last = place
    inside = host
    for name in above:
        inside = inside[name]
    inside[last] = value
    found = redaction.facts(host)
    for name in place:
        found = found[name]
    assert found == shared


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("on build7.example.org", "the name 'build7'"),
        ("ALICE's", "the name 'alice'"),
        ("10.1.2.3", "an IP address"),
        ("fe80:0:0:0:1:2", "an IPv6 address"),
        ("00:1b:44:11:3a:b7", "a hardware address"),
        ("carol@example.org", "an e-mail address"),
        ("-Xlog:gc:file=/home/bob/x.log:time", "a path"),
        ('"dir": "/mnt/ssd/io"', "a path"),
        ("C:/Users/bob", "a path"),
        ("~/lab/runs", "a path"),
    ],
)
def test_what_names_somebody_is_found(text: str, what: str):
    assert redaction.found_in(text, ["alice", "build7"]).startswith(what)


@pytest.mark.parametrize(
    "text",
    ["data/runs/quick/raw/x.hlog", "0/2", "/proc/self/fd/3", "/dev/shm/a/b", "java/lang/Object", "12:30:01.5", "malice"]
    + ["-Xbootclasspath/a:harness/java/target/lab-whitebox.jar", "25.0.3+9-LTS", "per 1e6 ops", "ops/s", "10.1.2.3.4"],
)
def test_words_of_every_run_are_not(text: str):
    assert redaction.found_in(text, ["alice", "build7"]) == ""


@given(
    st.lists(st.sampled_from(["=/home/bob/x", " ", "data/runs/a", '"', "--dir", "=", "/dev/shm/q", ":", ","])).map(
        "".join
    )
)
def test_a_redacted_text_holds_no_folder_and_stays_as_it_is(text: str):
    once = redaction.redacted(text)
    assert "bob" not in once and redaction.redacted(once) == once
    if "/home" not in text:
        assert once == text


def test_a_folder_of_the_project_is_said_from_its_root():
    told = json.dumps({"dir": f"{paths.ROOT}/build/io", "out": f"{paths.ROOT}-2/x"})
    assert json.loads(redaction.redacted(told)) == {"dir": "build/io", "out": redaction.ELSEWHERE}


def test_of_a_run_neither_its_name_nor_what_a_later_version_adds():
    info = {
        "format": 1,
        "name": "mine",
        "measured_as": "r1",
        "profile": "quick",
        "host": HOST,
        "seed": 3,
        "owner": "me",
    }
    info["runtimes"] = {"c": {"name": "c", "version": "cc", "vendor": "C", "home": "/opt/x"}}
    kept = redaction.of_run(info)
    assert kept["name"] == "shared" and not {"measured_as", "owner"} & set(kept)
    assert kept["runtimes"]["c"] == {"name": "c", "version": "cc", "vendor": "C"}
