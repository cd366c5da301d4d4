"""What differs between two runs, and that two hosts are not before and after."""

import pytest
from compared import HOST, info

from pipeline.compare import facts, sides
from pipeline.ground.errors import LabError
from pipeline.host.fingerprint import UNKNOWN

BOTH = sides.parse("a", "b")


def changed(before, after, both=BOTH):
    return [(fact.group, fact.words()) for fact in facts.compare(both, before, after) if fact.differs]


def test_what_differs_is_told_by_group():
    after = info(
        host__kernel="Linux 6.2.0",
        host__cpu__microcode="0x2",
        host__io__scheduler="none",
        host__tuned_profile="latency",
        host__brand_new="on",
        git="bbb",
        tools={"numpy": "3"},
    )
    before = info(
        host__cpu__microcode="0x1", host__io__scheduler="bfq", host__tuned_profile="balanced", tools={"numpy": "2"}
    )
    before["host"]["brand_new"] = "off"
    assert changed([before], [after]) == [
        ("kernel", "kernel Linux 6.1.0 → Linux 6.2.0"),
        ("microcode and firmware", "microcode 0x1 → 0x2"),
        ("file system", "io.scheduler bfq → none"),
        ("CPU settings", "tuned profile balanced → latency"),
        ("host", "brand new off → on"),
        ("Lab", "git aaa → bbb"),
        ("tools", "numpy 2 → 3"),
    ]


@pytest.mark.parametrize("value", [UNKNOWN, None])
def test_what_one_side_could_not_see_is_no_difference(value):
    after = info() if value is None else info(host__cpu__governor=value)
    assert changed([info(host__cpu__governor="performance")], [after]) == []


def test_repeated_runs_tell_every_value_of_a_side():
    both = sides.parse("a1,a2", "b1,b2")
    after = [info(host__kernel="Linux 6.2.0"), info()]
    assert changed([info(), info()], after, both) == [("kernel", "kernel Linux 6.1.0 → Linux 6.2.0 or Linux 6.1.0")]


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (info(host__cpu__model="Other CPU"), "different hosts .CPU model: Example CPU, Other CPU."),
        (info(host__cpu__cpus=8), "CPUs: 2, 8"),
        (info(host__machine={"product": "Y"}), "machine: X, Y"),
    ],
)
def test_another_host_is_refused(after, words):
    with pytest.raises(LabError, match=words) as error:
        facts.compare(BOTH, [info(host__machine={"product": "X"})], [after])
    assert error.value.status == 2


def test_a_host_without_its_sibling_threads_is_the_same_host():
    before = info(host__cpu=HOST["cpu"] | {"cpus": 4, "smt": "on"})
    after = info(host__cpu=HOST["cpu"] | {"cpus": 2, "smt": "off"})
    assert changed([before], [after]) == [("CPU settings", "smt on → off")]
