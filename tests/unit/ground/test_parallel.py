"""What a few processes make is what one makes, in the same order."""

from __future__ import annotations

from pipeline.ground import parallel


def test_one_name_or_one_process_is_this_process():
    made = []
    assert parallel.each(lambda name: made.append(name) or name * 2, ["b"], 4) == ["bb"]
    assert parallel.each(lambda name: made.append(name) or name * 2, ["b", "aa"], 1, len) == ["bb", "aaaa"]
    assert made == ["b", "b", "aa"]
    assert parallel.each(str, [], 2) == []


def test_each_is_told_when_it_is_made():
    told = []
    parallel.each(lambda name: told.append(name), ["b", "a"], 1, done=lambda name: told.append(f"{name} done"))
    assert told == ["b", "b done", "a", "a done"]
