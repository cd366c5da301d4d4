"""Runtimes: every JDK found on the host, and C. Runtime names are `jdk<feature>` and `c`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from pipeline.ground import origin, paths
from pipeline.ground.errors import LabError

OLDEST_JDK = 17
ABSENT = "not installed"  # the version of a runtime that a host lacks
JDK_FOLDERS = (
    "/usr/lib/jvm",
    "/usr/java",
    "/opt/java",
    "~/.sdkman/candidates/java",
    "~/.jdks",
    "/Library/Java/JavaVirtualMachines",
)
# Flags every trial's JVM gets. VM warnings go to standard error, so that standard output ends with the JSON object.
# Reflection makes method handles otherwise, and compiles them (JEP 416, JDK 18): a seventh of a short trial's time,
# only to map the page of the JVM's counters.
COMMON_FLAGS = (
    "-XX:+DisplayVMOutputToStderr",
    "-Xshare:auto",
    "-Xms64m",
    "-Xmx512m",
    "-Djdk.reflect.useNativeAccessorOnly=true",
)


@dataclass(frozen=True)
class Runtime:
    """A JDK (`home` is its folder, `build` what its vendor calls this very build) or a native harness (both empty)."""

    name: str
    version: str
    vendor: str
    build: str = ""
    home: str = ""

    def java(self) -> str:
        return str(Path(self.home) / "bin" / "java")

    def public(self) -> dict[str, str]:
        """What may be archived: no path of the machine."""
        return {key: value for key, value in asdict(self).items() if key != "home"}


def _candidates() -> list[Path]:
    homes = [Path(p) for p in os.environ.get("LAB_JDKS", "").split(":") if p]
    if homes:
        return homes
    if home := os.environ.get("JAVA_HOME"):
        homes.append(Path(home))
    if java := shutil.which("java"):
        homes.append(Path(java).resolve().parent.parent)
    for folder in JDK_FOLDERS:
        root = Path(folder).expanduser()
        homes += sorted(p for p in root.glob("*") if p.is_dir()) if root.is_dir() else []
        homes += sorted(root.glob("*/Contents/Home")) if root.is_dir() else []
    return homes


def _release(home: Path) -> tuple[str, str, str] | None:
    """Version, vendor and build from the JDK's `release` file, None when the folder is no JDK."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    values = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.M))
    if not re.match(r"\d", values.get("JAVA_VERSION", "")) or not os.access(home / "bin" / "java", os.X_OK):
        return None
    return values["JAVA_VERSION"], values.get("IMPLEMENTOR", "unknown vendor"), values.get("JAVA_RUNTIME_VERSION", "")


@cache
def jdks() -> dict[str, Runtime]:
    """All JDKs of version 17 or later, by name, oldest first. LAB_JDKS (colon-separated homes) replaces the search;
    LabError when one of its homes is none."""
    found: dict[Path, tuple[int, str, str, str]] = {}
    for home in _candidates():
        resolved = home.resolve()
        if resolved not in found and (release := _release(resolved)):
            feature = int(re.match(r"\d+", release[0])[0])
            if feature >= OLDEST_JDK:
                found[resolved] = (feature, *release)
        if resolved not in found and os.environ.get("LAB_JDKS", "").strip(":"):
            raise LabError(f"LAB_JDKS: {home} is not the home of a JDK {OLDEST_JDK} or later; correct or remove it", 5)
    named: dict[str, Runtime] = {}
    for home, (feature, *about) in sorted(found.items(), key=lambda item: (item[1], str(item[0]))):
        name = f"jdk{feature}"
        twins = sum(1 for other in named if other.split("-")[0] == name)
        name += f"-{twins + 1}" if twins else ""
        named[name] = Runtime(name, *about, str(home))
    return named


def all_runtimes() -> dict[str, Runtime]:
    """Every runtime of this host; LabError names what to install or build when there is none of a kind. A parcel goes
    without a JDK, and knows what compiled its C harness."""
    found, parcel = dict(jdks()), origin.told()
    if not found and not parcel:
        raise LabError("no JDK 17 or later found; install one (Debian: openjdk-17-jdk) or set JAVA_HOME", 5)
    if not paths.java_harness().exists():
        raise LabError("the Java harness is not built; run: make harness", 5)
    if not paths.c_harness().exists():
        raise LabError("the C harness is not built; run: make harness", 5)
    found["c"] = Runtime("c", parcel.get("compiler") or version("cc") or "unknown compiler", "C")
    found["fio"] = Runtime("fio", version("fio") or ABSENT, "fio")
    return found


def version(program: str) -> str:
    """The first line that `program --version` prints; empty when it is not installed."""
    if not shutil.which(program):
        return ""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    return told[0].strip() if told else ""


@cache
def refusal(java: str, flags: tuple[str, ...]) -> str:
    """Why this JVM refuses these flags, in its own words; empty when it starts."""
    if not flags:
        return ""
    started = subprocess.run([java, *flags, "-version"], capture_output=True, text=True, check=False)
    if started.returncode == 0:
        return ""
    lines = [line for line in (started.stdout + started.stderr).splitlines() if line.strip()]
    about_flags = [line for line in lines if "option" in line.lower() or "Error:" in line]
    return (about_flags or lines or [f"exit status {started.returncode}"])[0].strip()
