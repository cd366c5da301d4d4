"""Libraries of which the Lab uses a part, loaded without the rest: it costs more time than what is used."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

# jsonschema, with which nbformat checks a notebook, makes a parser of all international addresses where it can: a
# second of every command, for a format that nothing in a notebook has.
ADDRESSES = "rfc3987_syntax"
# MyST-NB can execute notebooks and keep what they printed in a database. Ours are executed before: nothing of it is
# called, and the library of databases alone takes as long as that parser.
EXECUTING = ("jupyter_cache", "jupyter_cache.base", "jupyter_cache.cache.db", "jupyter_cache.executors.utils")


class _Unused(ModuleType):
    """Stands for a module of which names are imported and nothing is called."""

    def __getattr__(self, name: str) -> None:
        return None


def nbformat() -> ModuleType:
    """The library that reads and checks notebooks."""
    return _without({ADDRESSES: None}, "nbformat")  # None: it cannot be imported, which jsonschema allows for


def myst_nb() -> ModuleType:
    """The extension of Sphinx that reads executed notebooks."""
    nbformat()
    return _without({name: _Unused(name) for name in EXECUTING}, "myst_nb.sphinx_ext")


def _without(stand_ins: dict[str, ModuleType | None], name: str) -> ModuleType:
    """Load a module with others in the place of some, unless those are there; who loads them for itself finds them."""
    placed = {one: stand_in for one, stand_in in stand_ins.items() if one not in sys.modules}
    sys.modules.update(placed)
    try:
        return importlib.import_module(name)
    finally:
        for one in placed:
            sys.modules.pop(one, None)
