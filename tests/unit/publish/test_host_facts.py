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
    shown = host_facts.folded(type("Bundle", (), {"info": INFO | {"host": host}, "journal": lambda: []}))
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


PLACES = {"cpu": [0, 1, 2, 3], "core": [0, 0, 2, 2], "cache": [0, 0, 0, 0], "package": [0, 0, 0, 0]}


def test_where_the_cpus_lie_is_said_of_those_that_the_run_could_use(bare):
    bare["cpu"] |= {
        "topology": PLACES | {"usable": [True, True, False, False]},
        "topology_doubts": ["<One> is in doubt."],
    }
    bare["cpu_limit"] = "none"
    assert told(bare)["CPUs"] == (
        "2 usable; 1 core in 1 package, 2 threads; 1 last-level cache; the machine has 2 more CPUs; "
        "no limit on their time; &lt;One&gt; is in doubt."
    )


def test_where_the_kernel_says_nothing_of_the_cpus_there_are_no_words_for_it(bare):
    bare["cpu"]["topology"] = {"cpu": [0, 1]}
    assert told(bare | {"cpu_limit": "none"})["CPUs"] == "2 usable; no limit on their time"
    assert host_facts.picture(bare) == "" and host_facts.picture({"told": "a host of somebody else's"}) == ""


def test_the_picture_is_of_the_whole_machine_and_of_an_older_run_as_far_as_it_tells(bare):
    bare["cpu"]["topology"] = PLACES
    assert "2 cores in 1 package, 2 threads each; 1 last-level cache" in host_facts.picture(bare)
    older = HOST["cpu"] | {"thread_siblings": {"0": [0], "1": [1]}}
    assert "2 cores in 1 package, 1 thread each" in host_facts.picture(HOST | {"cpu": older})


def test_a_table_that_is_none_is_refused_where_the_facts_are_read(bare):
    bare["cpu"]["topology"] = {"cpu": [0, 1], "core": [0]}
    with pytest.raises(ValueError, match="different lengths"):
        host_facts.moves(bare)


def test_the_clock_of_the_cores_is_that_under_each_runtime():
    def lines(**cycles: float) -> list[dict]:
        return [{"runtime": name, "readings": {"chain_ns": [ns, ns, ns]}} for name, ns in cycles.items()]

    assert host_facts.core_clocks([]) == host_facts.core_clocks([{"runtime": "c"}]) == ""
    assert host_facts.core_clocks(lines(jdk17=0.3267, c=0.3265)) == "C 3.06 GHz, JDK 17 3.06 GHz"
    said = host_facts.core_clocks(lines(jdk17=0.375, c=0.3265) * 5)
    assert said.startswith("C 3.06 GHz, JDK 17 2.67 GHz; wide vector instructions")
