"""Checksums of the files that measure: two revisions of the Lab with the same sums measure alike."""

from __future__ import annotations

from pipeline.ground import digest, origin, paths

# What a trial's numbers depend on, by who measures; `lab`: which trials are run, how they are started and pinned.
SOURCES = {"java": ("java/src/main", "java/pom.xml"), "c": ("c/src", "c/jni", "c/Makefile"), "fio": ("fio",)}
SUFFIXES = (".java", ".c", ".h", ".py", ".xml", "Makefile")
LENGTH = 12


def of_harnesses() -> dict[str, str]:
    """Twelve hex digits for each harness, and for the rooms of the pipeline that plan and measure; in a parcel those of
    the checkout that it was made of, and the parcel's."""
    if told := origin.told():
        return {**told["harness"], "parcel": told["sum"][:LENGTH]}
    return of_sources()


def of_sources() -> dict[str, str]:
    """As `of_harnesses`, of a checkout."""
    found = {}
    for name, places in SOURCES.items():
        roots = [paths.ROOT / "harness" / place for place in places]
        files = [file for root in roots for file in ([root] if root.is_file() else root.rglob("*"))]
        found[name] = digest.files(sorted(file for file in files if file.name.endswith(SUFFIXES)))[:LENGTH]
    return found | {"lab": digest.files(digest.code("plan", "measure"))[:LENGTH]}
