"""Calls to wake others, counted by thread from what strace wrote."""

from __future__ import annotations

from pipeline.ingest.futex_log import wakes

# Cut from a trace of notify_cost on JDK 17.
TRACE = """\
30254<java> futex(0x7faa20015608, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 0, NULL <unfinished ...>
30256<G1 Main Marker> <... futex resumed>) = 0
30256<G1 Main Marker> futex(0x7faa20013468, FUTEX_WAKE_PRIVATE, 1) = 0
7606<t0> futex(0x7f9d3813d57c, FUTEX_WAKE_PRIVATE, 1 <unfinished ...>
7604<waiter> futex(0x7f9d3813d57c, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 0, NULL <unfinished ...>
7606<t0> <... futex resumed>)           = 0
7604<waiter> <... futex resumed>)       = -1 EAGAIN (Resource temporarily unavailable)
7606<t0> futex(0x7f9d3813d578, FUTEX_WAKE_BITSET, 1, NULL, 0xffffffff) = 1
30260<VM Thread> futex(0x7faa20015458, FUTEX_WAKE_OP_PRIVATE, 1, 1, 0x7faa20015454, FUTEX_OP_SET<<28) = 1
30254<java> <... futex resumed>)        = ?
"""


def test_a_call_counts_once_for_the_thread_that_makes_it_whether_somebody_slept_or_not():
    assert wakes(TRACE) == {"java": 0, "G1 Main Marker": 1, "t0": 2, "waiter": 0, "VM Thread": 1}


def test_what_is_no_call_of_futex_counts_for_nobody():
    assert wakes("") == wakes("7606<t0> +++ exited with 0 +++\n7606<t0> read(3, FUTEX_WAKE, 1) = 1\n7<t0> fut") == {}
