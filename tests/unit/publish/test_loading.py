"""nbformat is loaded without the parser of addresses that jsonschema would make, and nobody else misses it."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from pipeline.publish import loading

FRESH = ("nbformat", "jsonschema", loading.UNUSED, "lark")


def test_what_no_notebook_needs_is_not_loaded_and_can_be_afterwards(monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.partition(".")[0] in FRESH]:
        monkeypatch.delitem(sys.modules, name)
    nbformat = loading.nbformat()
    nbformat.validate(nbformat.v4.new_notebook())
    assert "jsonschema" in sys.modules and not {loading.UNUSED, "lark"} & set(sys.modules)
    assert importlib.util.find_spec(loading.UNUSED)


def test_a_parser_that_is_there_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, loading.UNUSED, sys)
    loading.nbformat()
    assert sys.modules[loading.UNUSED] is sys
