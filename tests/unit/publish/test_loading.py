"""Libraries are loaded without what the Lab does not use of them, and nobody else misses that."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

from pipeline.publish import loading

pytestmark = pytest.mark.thorough  # each loads them anew
FRESH = ("nbformat", "jsonschema", loading.ADDRESSES, "lark", "myst_nb", "jupyter_cache", "sqlalchemy")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if none of these were loaded."""
    for name in [name for name in sys.modules if name.partition(".")[0] in FRESH]:
        monkeypatch.delitem(sys.modules, name)


def loaded(*packages: str) -> set[str]:
    return {name.partition(".")[0] for name in sys.modules} & set(packages)


def test_a_notebook_is_checked_without_a_parser_of_addresses():
    nbformat = loading.nbformat()
    nbformat.validate(nbformat.v4.new_notebook())
    assert loaded("jsonschema") and not loaded(loading.ADDRESSES, "lark")
    assert importlib.util.find_spec(loading.ADDRESSES)


def test_executed_notebooks_become_pages_without_a_database():
    assert callable(loading.myst_nb().sphinx_setup)
    assert loaded("myst_nb") and not loaded("jupyter_cache", "sqlalchemy")
    assert callable(importlib.import_module("jupyter_cache").get_cache)


@pytest.mark.parametrize(("name", "load"), [(loading.ADDRESSES, loading.nbformat), ("jupyter_cache", loading.myst_nb)])
def test_what_is_there_stays(name, load, monkeypatch: pytest.MonkeyPatch):
    there = ModuleType(name)
    there.get_cache = None
    monkeypatch.setitem(sys.modules, name, there)
    load()
    assert sys.modules[name] is there
