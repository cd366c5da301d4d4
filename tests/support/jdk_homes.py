"""Folders that look like the home of a JDK."""

from pathlib import Path


def jdk(home: Path, version: str, mode: int = 0o755) -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nIMPLEMENTOR="Test"\n')
    (home / "bin" / "java").write_text("#!/bin/sh\n")
    (home / "bin" / "java").chmod(mode)
    return home
