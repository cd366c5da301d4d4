"""One set of versions in pyproject.toml, the lock files and environment.yml, and nothing that names a registry."""

from __future__ import annotations

import itertools
import re
import tomllib

import pytest
import yaml

from pipeline.ground import paths

LOCKS = {
    "requirements.lock": "runtime",
    "requirements-test.lock": "test",
    "requirements-import.lock": "import",
    "requirements-mutants.lock": "mutants",
    "requirements-uv.lock": "uv",
}


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
    every = [locked(lock) for lock in LOCKS if LOCKS[lock] != "uv"]
    for one, other in itertools.combinations(every, 2):
        assert all(one[name] == other[name] for name in one.keys() & other.keys())


@pytest.mark.parametrize("group", ["test", "import"])
def test_a_report_needs_no_package_of_the_tests_or_of_large_imports(group):
    assert not locked("requirements.lock").keys() & pins(group).keys()


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
    assert given == pins("runtime") | pins("test") | pins("import")
