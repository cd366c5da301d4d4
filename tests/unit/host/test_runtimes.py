"""JDKs as they lie on a host."""

from __future__ import annotations

from pathlib import Path

import pytest
from jdk_homes import jdk

from pipeline.ground.errors import LabError
from pipeline.host import runtimes


@pytest.fixture(autouse=True)
def fresh():
    runtimes.jdks.cache_clear()
    yield
    runtimes.jdks.cache_clear()


def test_two_jdks_of_one_version_are_two_runtimes(tmp_path, monkeypatch):
    homes = [jdk(tmp_path / name, "21.0.1") for name in ("b", "a")] + [jdk(tmp_path / "c", "17")]
    monkeypatch.setenv("LAB_JDKS", ":".join(map(str, [*homes, homes[0]])))
    assert list(runtimes.jdks()) == ["jdk17", "jdk21", "jdk21-2"]
    assert [Path(one.home).name for one in runtimes.jdks().values()] == ["c", "a", "b"]


@pytest.mark.parametrize(("version", "mode"), [("1.8.0_402", 0o755), ("soon", 0o755), ("21", 0o644), ("", 0o755)])
def test_a_home_in_lab_jdks_that_is_no_jdk_is_named(tmp_path, monkeypatch, version, mode):
    home = jdk(tmp_path / "home", version, mode)
    monkeypatch.setenv("LAB_JDKS", str(home))
    with pytest.raises(LabError, match=f"LAB_JDKS: {home} is not the home of a JDK 17 or later") as caught:
        runtimes.jdks()
    assert caught.value.status == 5


def test_what_is_archived_of_a_runtime_names_no_path():
    told = runtimes.Runtime("jdk21", "21.0.1", "Test", "21.0.1+12", "/home/somebody/jdk").public()
    assert told == {"name": "jdk21", "version": "21.0.1", "vendor": "Test", "build": "21.0.1+12"}


def test_a_built_harness_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_JDKS", str(jdk(tmp_path / "home", "21")))
    monkeypatch.setattr(runtimes.paths, "java_harness", lambda: tmp_path / "none.jar")
    with pytest.raises(LabError, match="the Java harness is not built; run: make harness"):
        runtimes.all_runtimes()
    monkeypatch.setattr(runtimes.paths, "java_harness", lambda: tmp_path)
    monkeypatch.setattr(runtimes.paths, "c_harness", lambda: tmp_path / "none")
    with pytest.raises(LabError, match="the C harness is not built; run: make harness"):
        runtimes.all_runtimes()
