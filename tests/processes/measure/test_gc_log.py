"""The log of pauses that a trial asks its virtual machine for, as every JDK of this host writes it."""

from __future__ import annotations

import shlex
import subprocess
import time

import pytest
from living import PATIENCE_S

from pipeline.host import runtimes
from pipeline.ingest.gc_log import gc
from pipeline.measure.environment import environment
from pipeline.measure.trial import LOG_FLAGS

JDKS = list(runtimes.jdks().values())
PROGRAM = """
public class Collects {
    public static void main(String[] arguments) {
        System.out.println(System.nanoTime());
        System.gc();
    }
}
"""


@pytest.mark.parametrize("jdk", JDKS, ids=lambda jdk: jdk.name)
@pytest.mark.parametrize("collector", ["Serial", "G1"])
def test_a_collection_is_an_event_of_the_clock_that_the_program_reads(jdk, collector, tmp_path):
    source, log = tmp_path / "Collects.java", tmp_path / "t.gc.log"
    source.write_text(PROGRAM)
    flags = [f"-XX:+Use{collector}GC", *shlex.split(LOG_FLAGS["gc"].format(log))]
    told = subprocess.run(
        [jdk.java(), *flags, str(source)],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
        timeout=PATIENCE_S,
    )
    full = [event for event in gc(log.read_text()) if event["t_ns"] >= int(told.stdout)]
    assert [event["kind"] for event in full].count("safepoint_gc") == 1
    assert all(0 < event["size"] <= time.monotonic_ns() - event["t_ns"] for event in full)
