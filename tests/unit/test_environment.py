"""One set of versions in pyproject.toml, requirements.lock, environment.yml, and nothing that names a registry."""

from __future__ import annotations

import re
import tomllib

import yaml

from pipeline import paths


def project() -> dict[str, str]:
    data = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    return dict(pin.split("==") for pin in data["dependencies"] + data["optional-dependencies"]["test"])


def test_every_dependency_is_pinned_exactly():
    assert all(re.fullmatch(r"\d[\w.]*", version) for version in project().values())


def test_the_lock_has_the_same_versions_with_hashes_and_no_address():
    text = (paths.ROOT / "requirements.lock").read_text()
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.M))
    for name, version in project().items():
        assert locked[name] == version
    for block in re.split(r"\n(?=[a-z])", text.strip()):
        assert "--hash=sha256:" in block, block
    assert "://" not in text and "index-url" not in text


def test_conda_has_the_same_versions():
    listed = yaml.safe_load((paths.ROOT / "environment.yml").read_text())["dependencies"]
    pip = next(item["pip"] for item in listed if isinstance(item, dict))
    conda = [item for item in listed if isinstance(item, str)]
    pins = dict(re.split("==?", item) for item in conda + pip if re.search(r"[\w-]=+\d", item) and ">=" not in item)
    assert pins == project()
