"""Class data: what a JVM has parsed and verified of the harness's classes once, in a file that the JVMs of trials map.

It saves time before a trial's warm-up and nothing in it (docs/decisions/0029). The JVM says itself whether it takes the
file: not after another build of the jar or the JDK, nor with flags that lay out objects or classes otherwise. Where it
does not, or none can be made, trials start without.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from pipeline.ground import paths
from pipeline.host import runtimes
from pipeline.host.runtimes import Runtime
from pipeline.measure.environment import environment

MAKER = "lab.ClassData"
LONGEST_S = 60


def make(jdks: Iterable[Runtime]) -> None:
    """Make the class data of those JDKs that have none which they take; a second or two, once for each build."""
    jdks = list(jdks)
    with ThreadPoolExecutor(len(jdks) or 1) as pool:
        if any(pool.map(_made, jdks)):
            _taken.cache_clear()


def flags(jdk: Runtime, own: tuple[str, ...]) -> tuple[str, ...]:
    """The flags by which this JDK's JVMs with flags of their `own` map the class data; none where they do not."""
    return _mapping(jdk) if _taken(jdk, own) else ()


def refusal(jdk: Runtime, own: tuple[str, ...]) -> str:
    """Why this JDK's JVMs refuse flags of their `own`, in their words; empty where they start."""
    return "" if _taken(jdk, own) else runtimes.refusal(jdk.java(), own)


def _mapping(jdk: Runtime) -> tuple[str, ...]:
    return (f"-XX:SharedArchiveFile={paths.from_root(paths.class_data(jdk.name))}",)


@cache
def _taken(jdk: Runtime, own: tuple[str, ...]) -> bool:
    """Whether a JVM starts where it must share class data, and would end otherwise."""
    if not paths.class_data(jdk.name).exists():
        return False
    return _started(jdk, *_mapping(jdk), *own, "-Xshare:on", *_classpath(), "-version")


def _made(jdk: Runtime) -> bool:
    """Whether there was something to make."""
    if flags(jdk, ()):
        return False
    _make(jdk)
    return True


def _make(jdk: Runtime) -> None:
    """Into a file of its own first: another process may make the same, and trials map only whole ones."""
    made = paths.class_data(jdk.name)
    unfinished = made.with_name(f"{made.name}.{os.getpid()}")
    try:
        made.parent.mkdir(parents=True, exist_ok=True)
        native = f"-Dlab.native={paths.from_root(paths.native_library())}"
        if _started(jdk, f"-XX:ArchiveClassesAtExit={unfinished}", native, *_classpath(), MAKER):
            unfinished.replace(made)
    except OSError:  # without a file, or a place for one, there is none
        pass
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _classpath() -> tuple[str, str]:
    """As trials have it: class data are of the jar by that name."""
    return "-cp", paths.from_root(paths.java_harness())


def _started(jdk: Runtime, *arguments: str) -> bool:
    """Whether a JVM of a trial's kind came to a good end."""
    command = [jdk.java(), *runtimes.COMMON_FLAGS, *arguments]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, cwd=paths.ROOT, env=environment(), capture_output=True, timeout=LONGEST_S)
        return done.returncode == 0
    return False
