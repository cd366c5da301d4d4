"""The host on the pages: what moves a measurement first, in words, and nothing of what could not be seen."""

from __future__ import annotations

import copy
import re

import pytest
from publish_toy import HOST

from pipeline.publish import host_facts

INFO = {"host": HOST, "runtimes": {}, "tools": {"numpy": "2"}, "git": "", "seed": 1}


def told(host) -> dict[str, str]:
    """Heading -> words of every row that is shown."""
    shown = host_facts.folded(type("Bundle", (), {"info": INFO | {"host": host}}))
    return dict(re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td></tr>", shown))


@pytest.fixture
def bare() -> dict:
    """A machine of one's own that shows everything."""
    host = copy.deepcopy(HOST)
    host["cpu"] |= {"governor": "powersave", "turbo_disabled": "0", "boost": "1", "hypervisor": "none seen"}
    host["cpu"] |= {"idle_states": "POLL, C1 (off)", "microcode": "<1>", "smt": "on", "threads_per_core": "2"}
    return host | {"cpu_limit": "1.5 CPUs", "numa_balancing": "1", "machine": {"vendor": "V", "product": "P"}}


def test_what_can_move_a_measurement_stands_first_and_is_said_in_words(bare):
    rows = told(bare)
    assert next(iter(rows)) == "Frequency"
    assert rows["Frequency"] == "governor powersave; boost on; turbo on" and rows["Hypervisor"] == "none seen"
    assert rows["CPUs"] == (
        "2 usable; 1 socket, 2 cores in a socket, 2 threads in a core, 1 NUMA node; "
        "more than their quota of 1.5 CPUs is enough for"
    )
    assert rows["Sleep of an idle CPU"] == "states POLL, C1 (off); driver haltpoll; polls 200 µs before it sleeps"
    assert rows["Caches"] == "L1d 2 × 32 KiB, L3 32 MiB"
    assert rows["Huge pages"] == "where a program asks for them (madvise)"
    assert rows["Memory"] == "8.0 GiB; moved between NUMA nodes by the kernel: on"
    assert rows["Files of the IO experiments"].startswith("ext4 on vda1; said to be a turning disk; IO scheduler none;")
    assert rows["Machine"] == "V; P" and rows["Microcode"] == "&lt;1&gt;"
    assert list(rows).index("Files of the IO experiments") < list(rows).index("Processor")


def test_what_could_not_be_seen_has_no_row_and_is_named_once():
    rows = told(HOST)
    assert not {"Frequency", "Microcode", "Machine", "Firmware"} & set(rows)
    assert rows["Not visible here"] == "frequency, kernel settings"
    assert "not visible here" not in "".join(rows.values())


def test_faults_that_the_cpu_does_not_have_are_one_row():
    rows = told(HOST)
    assert rows["Not affected"] == "meltdown" and rows["mds"] == "Mitigation; Clear buffers"
