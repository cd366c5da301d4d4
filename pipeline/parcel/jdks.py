"""A JDK cut to what trials need of it: `jlink`, the class data of its own classes, and what it says of itself."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime
from pipeline.words.numbers import counted

# What the harness and the libraries in its jar use (a test asks jdeps). The JVM itself is in the first, with its
# collectors and compilers, and with all flags.
MODULES = ("java.base", "java.management", "jdk.management", "jdk.unsupported")
# The class data that JDKs bring for their own classes -> the flags of the JVMs that map it; those that trials have.
CLASS_DATA = {
    "classes.jsa": (),
    "classes_nocoops.jsa": ("-XX:-UseCompressedOops",),
    "classes_coh.jsa": ("-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"),
}
SERVER = Path("lib", "server")


class Uncut(LabError):
    """Why a JDK cannot be cut, in one line."""

    def __init__(self, jdk: Runtime, why: str) -> None:
        super().__init__(f"{jdk.name} ({jdk.vendor} {jdk.version}) cannot be cut and is left out: {why}", 5)


def cut(jdk: Runtime, folder: Path) -> None:
    """Make of a JDK one with MODULES alone in `folder`, which is not there yet. Uncut where that cannot be done.

    It is linked from `jmods`, or from the JDK's own run-time image where that was built for it (JEP 493).
    """
    home = Path(jdk.home)
    jlink = home / "bin" / "jlink"
    if not jlink.exists():
        raise Uncut(jdk, f"there is no jlink in {home}; install the whole JDK (Debian: openjdk-17-jdk-headless)")
    options = ["--no-header-files", "--no-man-pages", "--add-modules", ",".join(MODULES), "--output", str(folder)]
    if why := _failed(str(jlink), *options):
        hint = "" if (home / "jmods").is_dir() else f" (there are no jmods in {home})"
        raise Uncut(jdk, why + hint)
    (folder / "release").write_text(release((home / "release").read_text(), (folder / "release").read_text()))
    for name, flags in CLASS_DATA.items():
        if (home / SERVER / name).exists():
            # Where there is none, JVMs start without, as at home.
            _failed(str(folder / "bin" / "java"), *flags, "-Xshare:dump")


def release(home: str, linked: str) -> str:
    """What a cut JDK says of itself: what it said as a whole, but for its modules. Pages name it as always."""
    modules = re.search(r"^MODULES=.*$", linked, re.M)
    return re.sub(r"^MODULES=.*$", lambda _: modules[0], home, flags=re.M) if modules else home


def _failed(*command: str) -> str:
    """What a command complained of first; empty where it came to a good end."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return lines[0] if lines else f"{Path(command[0]).name} ended with status {done.returncode}"


def chosen(named: str, found: dict[str, Runtime]) -> list[Runtime]:
    """Those of the JDKs found here that go along: all, or those with one of the homes. LabError for a home that is
    none."""
    by_home = {Path(one.home).resolve(): one for one in found.values()}
    homes = [Path(home).resolve() for home in named.split(":") if home]
    if unknown := [home for home in homes if home not in by_home]:
        has = f"{counted(len(by_home), 'home')}: {', '.join(map(str, by_home))}" if by_home else "none"
        raise LabError(f"--jdks: {unknown[0]} is no home of a JDK that is found here; there is {has}")
    return [by_home[home] for home in homes] if homes else list(found.values())
