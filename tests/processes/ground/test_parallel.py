"""What a few processes make is what one makes, in the same order; a fault ends them."""

from __future__ import annotations

import os

import pytest

from pipeline.ground import parallel
from pipeline.ground.errors import LabError

NAMES = ["a", "bbb", "cc", "dddd"]  # sorted


def test_results_are_in_the_order_of_the_names():
    told = []
    made = parallel.each(named, NAMES, 2, len, told.append)
    assert [name for name, _ in made] == NAMES == sorted(told)
    assert os.getpid() not in {process for _, process in made}


def test_what_one_raises_is_raised():
    with pytest.raises(LabError, match="dddd is too long"):
        parallel.each(short, NAMES, 2, len)


def named(name: str) -> tuple[str, int]:
    return name, os.getpid()


def short(name: str) -> str:
    if len(name) > 3:
        raise LabError(f"{name} is too long")
    return name


def test_nobody_waits_for_the_others_after_a_fault(tmp_path):
    never = tmp_path / "never"
    os.mkfifo(never)  # which nobody writes
    with pytest.raises(LabError, match="no more"):
        parallel.each(waiting, [str(never), ""], 2, len)


def waiting(place: str) -> str:
    if place:
        return open(place, encoding="utf-8").read()
    raise LabError("no more")
