"""The set-up scripts: pip's settings reach uv, and a missing tool is named with the package that has it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from pipeline.ground import paths


def test_what_pip_was_told_is_handed_to_uv(tmp_path):
    """A mirror and a certificate set for pip, in a file and in the environment, reach uv (a stand-in)."""
    home = tmp_path / "lab"
    (home / "harness").mkdir(parents=True)
    shutil.copy(paths.ROOT / "harness" / "python.sh", home / "harness")
    programs = home / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "uv").write_text("#!/bin/sh\nenv\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    settings = tmp_path / "pip.conf"
    settings.write_text("[global]\nindex-url = mirror://a\nextra-index-url =\n    mirror://b\n    mirror://c\n")
    own = {name: value for name, value in os.environ.items() if not re.match("(PIP|UV|SSL)_", name)}
    told = {"PIP_CONFIG_FILE": str(settings), "PIP_CERT": "/certificate"}
    script = ["sh", str(home / "harness" / "python.sh"), "sync"]
    ran = subprocess.run(script, env=own | told, capture_output=True, text=True)
    seen = dict(line.split("=", 1) for line in ran.stderr.splitlines() if "=" in line)
    assert (seen["UV_DEFAULT_INDEX"], seen["UV_INDEX"].split()) == ("mirror://a", ["mirror://b", "mirror://c"])
    assert seen["SSL_CERT_FILE"] == "/certificate" and seen["UV_PYTHON_DOWNLOADS"] == "never"
    ran = subprocess.run(script, env=own | told | {"UV_DEFAULT_INDEX": "mirror://d"}, capture_output=True, text=True)
    assert "UV_DEFAULT_INDEX=mirror://d" in ran.stderr.splitlines()


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


def test_words_of_a_jvm_and_options_of_a_compiler_are_no_missing_tool():
    """JAVA_TOOL_OPTIONS makes each JVM say a line of its own; CC may have options behind it."""
    told = {"JAVA_TOOL_OPTIONS": "-Dany=thing", "CC": "cc -g"}
    script = ["sh", str(paths.ROOT / "harness" / "doctor.sh")]
    ran = subprocess.run(script, capture_output=True, text=True, env=os.environ | told)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
