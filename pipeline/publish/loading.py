"""nbformat, which reads and checks notebooks, in a tenth of the time that loading it takes."""

from __future__ import annotations

import sys
from types import ModuleType

# jsonschema, with which nbformat checks a notebook, makes a parser of all international addresses where it can: a
# second of every command, for a format that nothing in a notebook has.
UNUSED = "rfc3987_syntax"


def nbformat() -> ModuleType:
    """The module, loaded without what it never uses; who loads that for itself still finds it."""
    kept = sys.modules.setdefault(UNUSED, None)  # None: it cannot be imported, which jsonschema allows for
    try:
        import nbformat

        return nbformat
    finally:
        if kept is None:
            sys.modules.pop(UNUSED, None)
