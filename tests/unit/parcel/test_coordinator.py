"""What a host hears of its coordinator and says to it; without one it ends."""

from __future__ import annotations

import json
import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.measure.adaptive_sampling import Open, Wanted
from pipeline.parcel import coordinator
from pipeline.parcel.coordinator import Coordinator

NAMES = st.text(max_size=5)
OPEN = st.builds(
    Open, NAMES, NAMES, NAMES, st.lists(st.floats(0, 1)).map(tuple), st.frozensets(st.text(max_size=5), max_size=3)
)
WANTED = st.builds(
    Wanted,
    st.lists(OPEN, max_size=3).map(tuple),
    st.lists(OPEN, max_size=3).map(tuple),
    st.lists(st.tuples(NAMES, st.lists(NAMES, max_size=2).map(tuple)), max_size=3).map(tuple),
)


@given(WANTED)
def test_what_a_sitting_is_for_arrives_as_it_was(wanted):
    assert coordinator.decoded(json.loads(json.dumps(coordinator.encoded(wanted)))) == wanted


@pytest.fixture
def heard(monkeypatch) -> list:
    """Signals to this process, and what was ended because nobody is there, in place of doing it."""
    found: list = []
    monkeypatch.setattr(coordinator.os, "kill", lambda pid, number: found.append((pid == os.getpid(), number)))
    monkeypatch.setattr(coordinator, "alone", lambda: found.append("alone"))
    return found


def spoken(content: bytes, open_end: bool = False) -> Coordinator:
    """A coordinator that has said so much and is gone, unless its end stays open."""
    came, goes = os.pipe()
    os.write(goes, content)
    if not open_end:
        os.close(goes)
    return Coordinator(came)


def test_stop_is_ctrl_c_and_the_end_of_the_connection_ends_all(heard):
    spoken(b'\n\nnoise\n{"stop": true}\n[7]\n')._hear()
    assert heard == [(True, signal.SIGINT), "alone"]


def test_a_coordinator_that_is_silent_is_gone(heard, monkeypatch):
    monkeypatch.setattr(coordinator, "SILENCE_S", 0.02)
    spoken(b"\n", open_end=True)._hear()
    assert heard == ["alone"]


def test_an_answer_in_pieces_is_that_of_the_question(heard, capsys):
    wanted = Wanted((Open("C01", "x", "clock", (0.5,), frozenset({"a"})),))
    text = json.dumps({"wanted": coordinator.encoded(wanted)}).encode()
    came, goes = os.pipe()
    one = Coordinator(came)
    hearing = one.hear()
    for at in range(0, len(text), 7):
        os.write(goes, text[at : at + 7])
    os.write(goes, b"\n")
    assert one.wanted(file="r.lab", id="0" * 12) == wanted
    assert json.loads(capsys.readouterr().out) == {"asks": "wanted", "file": "r.lab", "id": "0" * 12}
    os.close(goes)
    hearing.join()  # within the fixture: afterwards the end of the connection would be that of the whole test run
    assert heard == ["alone"]
