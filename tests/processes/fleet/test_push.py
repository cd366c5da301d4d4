"""What is copied to a host, and what becomes of what lies there; `make` and `ssh` are words of a shell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from pipeline.bench import local_hosts
from pipeline.fleet import push
from pipeline.fleet.config import Host
from pipeline.ground import paths
from pipeline.ground.errors import LabError

MAKE = """#!/bin/sh
echo "made $*"
exit $(cat status 2>/dev/null || echo 0)
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout to push, and an `ssh` to this machine, where `make` only says that it was called."""
    folder = tmp_path / "lab"
    for name in ("Makefile", "pipeline/a.py", "docs/x.md", "tests/t.py", "out/built"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / ".gitignore").write_text("/out/\n")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    monkeypatch.setattr(paths, "ROOT", folder)
    programs = local_hosts.ssh(tmp_path / "bin")
    (programs / "make").write_text(MAKE)
    (programs / "make").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return folder


def pushed(tmp_path: Path) -> tuple[Path, str]:
    """The folder on the host, with a blank in its name, and what was said there."""
    root, log = tmp_path / "its home" / "lab", tmp_path / "push.log"
    push.push(Host(name="bob", ssh="bob.test", root=str(root)), push.parcel(), log, Console(quiet=True))
    return root, log.read_text()


def there(root: Path) -> set[str]:
    return {str(one.relative_to(root)) for one in root.rglob("*") if one.is_file()} - {push.LIST}


def test_what_a_host_needs_is_copied_and_made_and_what_is_no_longer_part_of_it_goes(checkout, tmp_path):
    root, said = pushed(tmp_path)
    assert there(root) == {".gitignore", "Makefile", "pipeline/a.py"}  # no tests, no pages, nothing that was built
    assert said == "made --no-print-directory harness .venv/.ready-fleet\n"
    (root / "runs").mkdir()
    (root / "runs" / "journal").write_text("measured there")
    (checkout / "pipeline" / "a.py").rename(checkout / "pipeline" / "b.py")
    pushed(tmp_path)
    assert there(root) == {".gitignore", "Makefile", "pipeline/b.py", "runs/journal"}


def test_somebodys_own_checkout_is_left_alone(checkout, tmp_path):
    root, _ = pushed(tmp_path)
    (root / ".git").mkdir()
    (root / "Makefile").write_text("theirs")
    with pytest.raises(LabError, match="bob: not pushed: .* is a checkout of somebody's; update it with git"):
        pushed(tmp_path)
    assert (root / "Makefile").read_text() == "theirs"


def test_a_host_that_cannot_build_is_told_with_its_last_words(checkout, tmp_path):
    root, _ = pushed(tmp_path)
    (root / "status").write_text("2")
    with pytest.raises(LabError, match="bob: not pushed: made .* \\(all of it: .*push.log\\)") as error:
        pushed(tmp_path)
    assert error.value.status == 5
