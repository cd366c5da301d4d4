"""The usable JDKs of a parcel: those that start on this host, and why the others do not."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.ground import origin, paths

NEEDS = re.compile(r"version `(GLIBC_[\d.]+)' not found")


@dataclass(frozen=True)
class Started:
    """The homes of those that start, and a sentence for each that does not."""

    homes: tuple[str, ...]
    left_out: tuple[str, ...]


def jdks() -> Started:
    """Those of the parcel; none where it brings none, or LAB_JDKS names others."""
    held: Mapping[str, Mapping[str, str]] = {} if os.environ.get("LAB_JDKS") else origin.told().get("jdks", {})
    homes, left_out = [], []
    for name, about in held.items():
        home = paths.ROOT / "jdks" / name
        if why := problem(home):
            left_out.append(f"{name} ({about['vendor']} {about['version']}) is left out: {why}")
        else:
            homes.append(str(home))
    return Started(tuple(homes), tuple(left_out))


def take() -> Started:
    """The same, and from now on these are the JDKs of this host; where there is none, those that are found on it."""
    found = jdks()
    if found.homes:
        os.environ["LAB_JDKS"] = ":".join(found.homes)
    return found


def problem(home: Path) -> str:
    """Why a JDK does not start; empty where it does."""
    try:
        done = subprocess.run([str(home / "bin" / "java"), "-version"], capture_output=True, text=True, check=False)
    except OSError as error:
        return f"its program cannot be started ({error.strerror}); it needs glibc" + _here()
    if done.returncode == 0:
        return ""
    said = done.stderr + done.stdout
    if needed := NEEDS.findall(said):
        newest = max(needed, key=_numbers).replace("GLIBC_", "")
        return f"it needs glibc {newest}" + _here()
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[0][:200] if lines else f"java -version ended with status {done.returncode}"


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _here() -> str:
    """The C library of this host, as far as it says."""
    try:
        told = os.confstr("CS_GNU_LIBC_VERSION")
    except (OSError, ValueError):
        told = None
    return f", and this host has {told}" if told else ", which this host does not have"
