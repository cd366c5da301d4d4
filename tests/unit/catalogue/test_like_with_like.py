"""What claims about messages compare: ways that wait alike, and no streams, which are each in a state of their own."""

from __future__ import annotations

import pytest

from pipeline.catalogue import catalogue

ENTRY = catalogue.load()["ipc"]
# Ends that read these sleep where they find nothing; of all others they look again and again.
SLEEPERS = {"ring_futex", "pipe", "unix", "tcp", "tcp_batch"}


def _sleeps(variant: str) -> bool:
    return variant.removeprefix("c_") in SLEEPERS


def test_every_variant_waits_in_the_way_that_its_label_tells():
    for name, variant in ENTRY.variants.items():
        assert ("polled" in variant.label) == name.endswith("_spin")
        assert ("sleeping" in variant.label) == name.endswith("_futex")


@pytest.mark.parametrize("claim", ["C17", "C21"])
def test_ratios_are_of_ends_that_wait_alike(claim: str):
    for effect in ENTRY.claims[claim].effects:
        of, to = effect.selections()
        assert _sleeps(of["variant"]) == _sleeps(to["variant"]), effect.label


def test_the_ring_is_compared_with_tcp_in_both_ways_to_wait():
    assert [_sleeps(effect.selections()[0]["variant"]) for effect in ENTRY.claims["C17"].effects] == [False, True]


def test_no_language_is_judged_by_a_stream_between_two_ends():
    """Of which one finds the ring full and the other one empty, or the reverse."""
    for effect in ENTRY.claims["C21"].effects:
        for side in effect.selections():
            assert side["pattern"] != "stream" or side["variant"].endswith("_solo"), effect.label
