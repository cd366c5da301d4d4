"""The doctor script names a missing tool and the package that has it."""

from __future__ import annotations

import subprocess

import pytest

from pipeline import paths


@pytest.mark.parametrize("tool", ["javac", "mvn", "cc", "python3"])
def test_a_missing_tool_is_one_line_with_its_package(tool, tmp_path):
    """The doctor script sees a PATH that has everything but one tool."""
    for name in ("sh", "sed", "javac", "mvn", "cc", "python3", "dirname"):
        found = subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, text=True).stdout.strip()
        if name != tool and found:
            (tmp_path / name).symlink_to(found)
    what = {"javac": "java", "mvn": "java", "cc": "c", "python3": "python"}[tool]
    script = str(paths.ROOT / "harness" / "doctor.sh")
    ran = subprocess.run(["/bin/sh", script, what], capture_output=True, text=True, env={"PATH": str(tmp_path)})
    lines = ran.stderr.splitlines()
    assert ran.returncode == 5 and len(lines) == 1, ran.stderr
    assert f"({tool})" in lines[0] and "apt-get install" in lines[0]
