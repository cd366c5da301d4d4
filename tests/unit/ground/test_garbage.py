"""What lives as long as the process is not searched for garbage again and again."""

from __future__ import annotations

import gc
import weakref

from pipeline.ground import garbage


class Knot:
    def __init__(self) -> None:
        self.itself = self


def test_what_there_is_is_not_searched_and_what_comes_after_is():
    before = gc.get_threshold()
    there = Knot()
    try:
        garbage.seldom()
        assert gc.get_threshold() == garbage.THRESHOLDS and gc.get_freeze_count() > 0
        frozen, later = weakref.ref(there), weakref.ref(Knot())
        del there
        gc.collect()
        assert frozen() is not None and later() is None
    finally:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        gc.set_threshold(*before)
    assert frozen() is None
