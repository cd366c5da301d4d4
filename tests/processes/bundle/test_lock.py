"""The machine's lock, between processes."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from living import PATIENCE_S

from pipeline.bundle import lock
from pipeline.ground import paths
from pipeline.ground.errors import LabError

HOLD = """
import pathlib, sys
from pipeline.bundle import lock
lock.FOLDERS = (pathlib.Path(sys.argv[2]),)
with lock.alone(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""

Holder = Callable[..., subprocess.Popen]


@pytest.fixture
def hold(own_lock, tmp_path) -> Iterator[Holder]:
    """Start another process that holds the lock until its input ends; all have ended when the test has."""
    started = []

    def start(run: str, **environment: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, run, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
            cwd=paths.ROOT,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_second_process_is_told_who_holds_it_whatever_its_temporary_folder(hold, tmp_path):
    first = hold("first", TMPDIR=str(tmp_path / "a"))
    assert first.stdout.readline() == "held\n"
    second = hold("second", TMPDIR=str(tmp_path / "b"))
    _, told = second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 1 and f"run 'first' (process {first.pid}) is measuring on this machine" in told
    with pytest.raises(LabError, match=rf"run 'first' \(process {first.pid}\) is measuring") as caught:
        with lock.alone("third"):
            pytest.fail("two hold it")
    assert caught.value.status == 5
    first.communicate(timeout=PATIENCE_S)
    with lock.alone("third"):
        assert lock.path().read_text() == f"run 'third' (process {os.getpid()})"
    assert lock.path().read_text() == ""


def test_the_kernel_releases_it_when_its_holder_is_killed(hold):
    first = hold("first")
    assert first.stdout.readline() == "held\n"
    first.send_signal(signal.SIGKILL)
    first.wait(timeout=PATIENCE_S)
    with lock.alone("second"):
        pass


def test_it_is_free_again_after_an_error_and_within_a_process_it_excludes_too(own_lock):
    with pytest.raises(KeyboardInterrupt), lock.alone("r"):
        with pytest.raises(LabError, match=f"run 'r' .process {os.getpid()}. is measuring"):
            lock.alone("other").__enter__()
        raise KeyboardInterrupt
    with lock.alone("again"):
        pass


def test_every_user_can_take_it_whoever_made_it(own_lock, tmp_path):
    before = os.umask(0o077)
    try:
        with lock.alone("r"):
            assert stat.S_IMODE(lock.path().stat().st_mode) == 0o666
    finally:
        os.umask(before)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_another_user_takes_it_in_a_sticky_folder(own_lock, tmp_path):
    """As in /dev/shm and /tmp: a file of root's that an O_CREAT of somebody else must not touch."""
    with lock.alone("r"):
        pass
    folder = paths.Path("/dev/shm") / f"lab-lock-test-{os.getpid()}"
    folder.mkdir()
    try:
        folder.chmod(0o1777)
        file = folder / lock.NAME
        file.touch()
        file.chmod(0o666)
        code = (
            "import os, sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True; "
            "from pathlib import Path; from pipeline.bundle import lock; lock.FOLDERS = (Path(sys.argv[2]),); "
            "os.setgid(65534); os.setuid(65534)\n"
            "with lock.alone('theirs'): print(lock.path().read_text())"
        )
        program = [sys.executable, "-c", code, str(paths.ROOT), str(folder)]
        ran = subprocess.run(program, capture_output=True, text=True)
        assert ran.returncode == 0 and ran.stdout.startswith("run 'theirs'"), ran.stderr
        file.chmod(0o600)
        refused = subprocess.run(program, capture_output=True, text=True)
        assert refused.returncode and f"{file} cannot be opened; ask its owner" in refused.stderr
    finally:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def test_where_it_lies_does_not_depend_on_the_environment(monkeypatch, tmp_path):
    first = lock.path()
    for name in ("TMPDIR", "TEMP", "TMP", "HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    assert lock.path() == first and first.parent in lock.FOLDERS


def test_without_shared_memory_it_lies_in_the_temporary_folder_of_all(monkeypatch, tmp_path):
    monkeypatch.setattr(lock, "FOLDERS", (tmp_path / "none", tmp_path))
    assert lock.path() == tmp_path / lock.NAME


def test_a_folder_that_cannot_take_the_file_is_passed_over(monkeypatch, tmp_path):
    """As that of a read-only container (simulated: root may write everywhere else)."""
    closed = tmp_path / "closed"
    closed.mkdir()
    monkeypatch.setattr(lock, "FOLDERS", (closed, tmp_path))
    monkeypatch.setattr(lock.os, "access", lambda folder, _: folder == tmp_path)
    assert lock.path() == tmp_path / lock.NAME
    (closed / lock.NAME).touch()
    assert lock.path() == closed / lock.NAME, "whoever finds it there must not take another"


def test_full_shared_memory_keeps_nobody_from_measuring(monkeypatch, small_disk):
    monkeypatch.setattr(lock, "FOLDERS", (small_disk,))
    (small_disk / "filler").write_bytes(bytes(256 << 10))
    with lock.alone("first"):
        with pytest.raises(LabError, match="another process is measuring"):
            lock.alone("second").__enter__()
    assert lock.path().parent == small_disk
