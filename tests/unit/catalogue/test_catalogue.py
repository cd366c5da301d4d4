"""Reading the catalogue: selectors, and a clear line for every malformed entry."""

from __future__ import annotations

import pytest

from pipeline.catalogue import catalogue, selectors
from pipeline.errors import LabError


@pytest.mark.parametrize(
    ("selector", "runtime", "fits"),
    [
        ("jdk", "jdk17", True),
        ("jdk17", "jdk17-2", True),
        ("jdk17", "jdk25", False),
        ("jdk>=22", "jdk25", True),
        ("jdk<18", "jdk25", False),
        ("jdk", "c", False),
        ("c", "c", True),
        ("c", "jdk17", False),
    ],
)
def test_selectors(selector, runtime, fits):
    assert selectors.matches(selector, runtime) is fits


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("harness: c, runs: ticket", "harness: rust, runs: ticket"), ["lock_scaling.yaml", "harness"]),
        (("axes: {threads: int}", "axes: {threads: int}\nsheep: 1"), ["lock_scaling.yaml", "sheep"]),
        (("variants: [mutex, ticket]", "variants: [mutex, tocket]"), ["lock_scaling.yaml", "tocket"]),
        (("name: lock_scaling", "name: other"), ["lock_scaling.yaml", "other"]),
        (("title: Tiny", "title: [Tiny"), ["lock_scaling.yaml:5", "YAML"]),
        (("title: Tiny", "title: Tiny\ntitle: Other"), ["lock_scaling.yaml:5", "'title' appears twice"]),
        (("  ticket: {label", "  mutex: {label"), ["lock_scaling.yaml:12", "'mutex' appears twice"]),
        (("profiles:", "\tprofiles:"), ["lock_scaling.yaml:13", "YAML"]),
        (("number: 1", "number: one"), ["lock_scaling.yaml: number", "integer"]),
        (("threads: [1, 2]", "threads: [1, two]"), ["lock_scaling.yaml", "axis threads: 'two' is not of type int"]),
        (("threads: [1, 2]", "threads: [1, true]"), ["lock_scaling.yaml", "axis threads: True is not of type int"]),
        (("min_blocks: 2", "min_blocks: 20"), ["lock_scaling.yaml", "smoke", "min_blocks 20 is more than"]),
        (("metric: cost", "metric: cots"), ["lock_scaling.yaml", "unknown metric 'cots'"]),
    ],
)
def test_a_malformed_entry_is_one_line(lab, change, words):
    file = lab / "catalogue" / "lock_scaling.yaml"
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(LabError) as caught:
        catalogue.load.__wrapped__()
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "no mapping"), (b"- a\n", "no mapping"), (b"\xff\xfe", "not UTF-8"), (b"\x00", "YAML")]
)
@pytest.mark.parametrize("name", ["lock_scaling.yaml", "claims/lock_scaling.yaml"])
def test_a_file_that_is_no_entry_is_one_line(lab, name, content, words):
    (lab / "catalogue" / "claims").mkdir()
    (lab / "catalogue" / name).write_bytes(content)
    with pytest.raises(LabError, match=f"^{name}: .*{words}.*; ") as caught:
        catalogue.load.__wrapped__()
    assert "\n" not in str(caught.value)


def test_an_empty_catalogue_is_named(tmp_path):
    with pytest.raises(LabError, match=f"no catalogue entry .*{tmp_path}.*LAB_CATALOGUE"):
        catalogue.load.__wrapped__(tmp_path)


def test_values_may_be_relative_to_the_cpus_of_a_host():
    relative = ("cpus", "12*cpus", "0*cpus", "spread", 5)
    assert [selectors.absolute(value, 3) for value in relative] == [3, 36, "0*cpus", "spread", 5]
    with pytest.raises(LabError, match="'2\\*cpus' is relative to the CPUs of a host, and none is given"):
        selectors.absolute("2*cpus", None)
