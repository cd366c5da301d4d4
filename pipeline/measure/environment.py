"""What the processes of a trial inherit of the environment."""

from __future__ import annotations

import os

from pipeline.catalogue.entry import COMMAND

# Everything else (JAVA_TOOL_OPTIONS, LD_PRELOAD, MALLOC_*) could change the result.
KEPT = ("PATH", "HOME", "TMPDIR")


def environment(harness: str = "") -> dict[str, str]:
    """The whole environment of a trial's process, and of a referee's in `lab bench`; a user's program has theirs."""
    if harness == COMMAND:
        return dict(os.environ)
    return {key: os.environ[key] for key in KEPT if key in os.environ} | {"LC_ALL": "C.UTF-8"}
