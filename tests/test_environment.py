"""One set of versions in pyproject.toml, the lock files and environment.yml, and nothing that names a registry."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml

from pipeline import paths

LOCKS = {"requirements.lock": "runtime", "requirements-test.lock": "test", "requirements-uv.lock": "uv"}


def pins(group: str) -> dict[str, str]:
    """The versions that pyproject.toml asks for: at runtime, for the tests, or to set up."""
    data = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())
    wanted = data["project"]["dependencies"] if group == "runtime" else data["dependency-groups"][group]
    return dict(pin.split("==") for pin in wanted)


def locked(lock: str) -> dict[str, str]:
    """The versions a lock file holds, by package and the condition it is for."""
    found = re.findall(r"^([\w.-]+)==([\w.]+)( ; [^\\]*)?", (paths.ROOT / lock).read_text(), re.M)
    return {name + condition.strip(): version for name, version, condition in found}


@pytest.mark.parametrize("group", LOCKS.values())
def test_every_dependency_is_pinned_exactly(group):
    assert all(re.fullmatch(r"\d[\w.]*", version) for version in pins(group).values())


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_the_same_versions_with_hashes_and_no_address(lock):
    text = (paths.ROOT / lock).read_text()
    assert pins(LOCKS[lock]).items() <= locked(lock).items()
    for block in re.split(r"\n(?=[a-z])", text.strip()):
        assert "--hash=sha256:" in block, block
    assert "://" not in text and "index-url" not in text


def test_the_locks_can_be_installed_together():
    runtime, tests = locked("requirements.lock"), locked("requirements-test.lock")
    assert all(runtime[name] == tests[name] for name in runtime.keys() & tests.keys())


def test_a_report_needs_no_tool_of_the_tests():
    assert not locked("requirements.lock").keys() & pins("test").keys()


def test_the_locked_uv_can_build_the_project():
    """Within these bounds uv builds by itself; outside, setting up would fetch a builder from the network."""
    least, below = re.findall(
        r"[\d.]+", tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["build-system"]["requires"][0]
    )
    number = [[int(part) for part in version.split(".")] for version in (least, pins("uv")["uv"], below)]
    assert number[0] <= number[1] < number[2]


def test_conda_has_the_same_versions():
    listed = yaml.safe_load((paths.ROOT / "environment.yml").read_text())["dependencies"]
    pip = next(item["pip"] for item in listed if isinstance(item, dict))
    conda = [item for item in listed if isinstance(item, str)]
    given = dict(re.split("==?", item) for item in conda + pip if re.search(r"[\w-]=+\d", item) and ">=" not in item)
    assert given == pins("runtime") | pins("test")


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
