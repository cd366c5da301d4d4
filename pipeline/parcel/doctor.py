"""doctor: what a host has and lacks for a parcel, and what is therefore not measured (`./doctor`)."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.catalogue import catalogue
from pipeline.ground import origin, paths
from pipeline.host import runtimes
from pipeline.measure import doctor
from pipeline.parcel import usable_jdks
from pipeline.plan import plan

TOOLS = {"fio": "the referee of file IO", "strace": "counts futex calls"}
WIDTH = 14


def lines(profile: str) -> Iterator[str]:
    """Every finding in a line: the host, the runtimes, what lacks, what of a profile is not measured."""
    parcel, found = origin.told(), usable_jdks.take()
    yield _line("parcel", f"lab-{parcel['sum'][:12]}, of revision {parcel['git'] or 'unknown'}")
    for sentence in found.left_out:
        yield _line("left out", sentence)
    for name, told in doctor.examine(TOOLS):
        yield _line(name, told)
    if why := native():
        yield _line("native library", f"{why}; JVMs can pin no thread then, and Java is not measured")
    yield from (_line("not measured", sentence) for sentence in not_measured(profile))


def not_measured(profile: str) -> Iterator[str]:
    """What of a profile this host leaves out, in sentences."""
    plans, failed = plan.each(catalogue.load().values(), profile, runtimes.all_runtimes())
    yield from (f"{name}: {error}" for name, error in failed.items())
    for one in plans:
        yield from (f"{one.entry.name}: {sentence}" for sentence in one.left_out)


def native() -> str:
    """Why the library by which JVMs pin their threads cannot be loaded here; empty where it can."""
    try:
        import ctypes

        ctypes.CDLL(str(paths.native_library()))
    except (OSError, ImportError) as error:
        return str(error)
    return ""


def _line(name: str, words: str) -> str:
    return f"{name:{WIDTH}} {words}"
