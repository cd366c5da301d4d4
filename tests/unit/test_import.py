"""Importing the pipeline changes nothing for whoever imports it."""

from __future__ import annotations

import importlib
import logging
import pkgutil
import signal

import matplotlib
import pandas as pd
import pytest

import pipeline

MODULES = sorted(module.name for module in pkgutil.walk_packages(pipeline.__path__, "pipeline."))
OPTIONS = {"display.max_colwidth": 50, "display.max_rows": 60, "display.precision": 6}
LOGGERS = ("papermill", "traitlets")


@pytest.mark.thorough  # of all rooms
def test_every_module_is_imported_and_changes_no_global():
    from papermill.engines import papermill_engines  # takes a second, which a process that only collects need not spend

    before = signal.getsignal(signal.SIGINT)
    for name in MODULES:
        importlib.import_module(name)
    assert {name: pd.get_option(name) for name in OPTIONS} == OPTIONS
    assert "lab" not in papermill_engines._engines
    assert [logging.getLogger(one).level for one in LOGGERS] == [logging.NOTSET] * 2
    assert matplotlib.rcParams["svg.hashsalt"] is None and signal.getsignal(signal.SIGINT) == before
