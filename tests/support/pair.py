"""The tiny experiment with a part beside one of its variants, for harnesses that do not meet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from laboratory import TINY

from pipeline.catalogue import catalogue
from pipeline.ground import paths

PEER = "{peer: {harness: c, runs: ticket, parameters: {outside: 20, sample-every: 1}}}"
ALONE = "runs: pthread_mutex"
# The C harness, told nothing of a meeting; `extra` is run before with `part` as it was told.
HARNESS = """#!{python}
import os, sys
part, arguments = "", sys.argv[1:]
if "--meet" in arguments:
    at = arguments.index("--meet")
    assert os.stat(arguments[at + 1]).st_size == 4096 and arguments[at + 2] == "--part"
    part = arguments[at + 3]
    del arguments[at : at + 4]
{extra}
os.execv({harness!r}, [{harness!r}, *arguments])
"""


def pair(lab: Path, monkeypatch: pytest.MonkeyPatch, extra: str = "", more: str = "", variant: str = "") -> None:
    """Variant mutex has a `peer` beside it from now on, and `variant`; `more` goes before the entry's metrics."""
    text = TINY.replace(ALONE, f"{ALONE}, beside: {PEER}{variant}").replace("metrics:", f"{more}\nmetrics:")
    (lab / "catalogue" / "lock_scaling.yaml").write_text(text)
    catalogue.load.cache_clear()
    script = lab / "harness"
    script.write_text(HARNESS.format(python=sys.executable, extra=extra, harness=str(paths.c_harness())))
    script.chmod(0o755)
    monkeypatch.setattr(paths, "c_harness", lambda: script)
