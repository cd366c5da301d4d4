"""The processes of a trial: they begin together, end together, and the one that is to blame is named."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from living import PATIENCE_S, alive, gone, until

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.measure import processes
from pipeline.measure.processes import Start

SLEEP = "import time; time.sleep(300)"
SEES_IT = "import sys, time; time.sleep(0.1); sys.exit('lab: another part failed')"


def starts(folder: Path, **code: str) -> list[Start]:
    """Python programs as the parts of a trial; the main part is called `main` here."""
    return [
        Start("" if name == "main" else name, [sys.executable, "-c", program], folder / f"{name}.hlog")
        for name, program in code.items()
    ]


def run(folder: Path, **code: str) -> list[processes.Ended]:
    with processes.meeting(len(code)) as page:
        ended = processes.run(starts(folder, **code), [], dict(os.environ), page)
    processes.forget([one.start for one in ended])
    assert not list(folder.iterdir()), "what they said was read and removed"
    return ended


def fails(status: int, line: str, after: float = 0) -> str:
    return f"import sys, time; time.sleep({after}); print({line!r}, file=sys.stderr); sys.exit({status})"


def test_one_process_is_measured_and_tells_what_it_used(tmp_path):
    [one] = run(tmp_path, main="import time; print('a'); print('b')\nfor _ in range(50): time.sleep(0.001)")
    assert (one.told, one.exit, one.status) == (["a", "b"], 0, "measured") and not one.at_fault
    assert one.usage.ru_nvcsw >= 50 and processes.outcome([one]) == ("measured", "")


@pytest.mark.parametrize(
    "warning",
    [
        "OpenJDK 64-Bit Server VM warning: Sharing is only supported for boot loader classes",
        "Warning: 'NoSuchMethodError' on register of jdk.test.whitebox.WhiteBox::getObjectSize0(Ljava/lang/Object;)J",
    ],
)
def test_the_reason_is_what_the_harness_said_and_no_warning_of_the_jvm(tmp_path, warning):
    said = f"{warning}\nlab: --level 9: must be from 0 to 4\n{warning}"
    assert processes.outcome(run(tmp_path, main=fails(2, said))) == (
        "bad_argument",
        "lab: --level 9: must be from 0 to 4",
    )
    assert processes.outcome(run(tmp_path, main=fails(1, warning))) == ("crashed", "exit status 1")


@pytest.mark.parametrize(
    ("exit_status", "status"),
    [
        (2, "bad_argument"),
        (3, "unsupported"),
        (4, "check_failed"),
        (5, "no_resources"),
        (1, "crashed"),
        (77, "crashed"),
    ],
)
def test_the_status_is_that_of_the_part_which_failed_with_its_name(tmp_path, monkeypatch, exit_status, status):
    monkeypatch.setattr(processes, "GRACE_S", 0.1)
    line = "lab: why\nx warning: y"
    ended = run(tmp_path, main=SLEEP, peer=fails(exit_status, line))
    assert processes.outcome(ended) == (status, "peer: lab: why")
    assert [one.exit for one in ended] == [-signal.SIGKILL, exit_status] and ended[0].killed == processes.GIVEN_UP
    assert processes.outcome(run(tmp_path, main=fails(exit_status, line), peer=SLEEP)) == (status, "lab: why")


def test_a_part_that_ends_because_of_another_is_not_to_blame(tmp_path):
    ended = run(tmp_path, main=SEES_IT, peer=fails(4, "lab: lost"), third=SEES_IT)
    assert processes.outcome(ended) == ("check_failed", "peer: lab: lost") and not ended[0].killed
    assert processes.outcome(ended[::2]) == ("crashed", "lab: another part failed; third: lab: another part failed")


def test_what_several_parts_say_by_themselves_is_told_the_main_part_first(tmp_path):
    ended = run(tmp_path, main=fails(4, "lab: connection lost", 0.2), peer="import os; os.kill(os.getpid(), 11)")
    assert processes.outcome(ended) == ("check_failed", "lab: connection lost; peer: exit status -11")


def test_a_part_that_ends_well_leaves_the_others_their_time(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "GRACE_S", 0)
    ended = run(tmp_path, main="import time; time.sleep(0.3); print('whole')", peer="")
    assert processes.outcome(ended) == ("measured", "") and ended[0].told == ["whole"]


def test_parts_that_do_not_end_are_killed_and_named(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "TIMEOUT_S", 1)
    ended = run(tmp_path, main="", peer=SLEEP)
    assert processes.outcome(ended) == ("timeout", "peer: no end after 1 s")
    assert processes.outcome(run(tmp_path, main=SLEEP)) == ("timeout", "no end after 1 s")


MEETS = """
import mmap, os, sys
page = os.open(sys.argv[1], os.O_RDWR)
assert os.fstat(page).st_size == 4096
words = mmap.mmap(page, 4096)
assert words[:2048] == bytes(2048), "another trial was here"
words[2048 + {own}] = 1
while not words[2048 + {other}]: pass
"""


def test_the_parts_share_a_page_of_zeros_that_nobody_had_before(tmp_path):
    for _ in range(2):
        with processes.meeting(2) as page:
            assert os.readlink(f"/proc/self/fd/{page}") == "/memfd:meeting (deleted)", "nothing to leave behind"
            parts = starts(tmp_path, main=MEETS.format(own=0, other=1), peer=MEETS.format(own=1, other=0))
            parts = [Start(one.name, [*one.argv, f"/proc/self/fd/{page}"], one.log) for one in parts]
            assert processes.outcome(processes.run(parts, [], dict(os.environ), page)) == ("measured", "")
    with processes.meeting(1) as page:
        assert page is None


def test_a_process_that_cannot_be_watched_is_ended_and_the_reason_said(tmp_path, monkeypatch):
    def refuse(pid):
        started.append(pid)
        raise OSError(38, "Function not implemented")

    started = []
    monkeypatch.setattr(processes.os, "pidfd_open", refuse)
    with pytest.raises(LabError, match="pidfd_open, which Linux has since 5.3 .Function not implemented") as caught:
        processes.run(starts(tmp_path, main=SLEEP), [], dict(os.environ), None)
    assert caught.value.status == 5 and gone(started)


PARENT = """
import os, pathlib, sys
from pipeline.measure import processes
folder = pathlib.Path(sys.argv[1])
writes = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid()) + '.'); time.sleep(300)"
parts = [processes.Start(n, [sys.executable, "-c", writes, str(folder / n)], folder / f"{n}.hlog") for n in "ab"]
with processes.meeting(2) as page:
    processes.run(parts, [], dict(os.environ), page)
"""


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL])
def test_no_part_outlives_us(tmp_path, kind):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)], cwd=paths.ROOT, stderr=subprocess.PIPE, text=True
    )
    files = [tmp_path / "a", tmp_path / "b"]
    assert until(lambda: all(file.exists() and file.read_text().endswith(".") for file in files))
    pids = [int(file.read_text()[:-1]) for file in files]
    assert all(map(alive, pids))
    parent.send_signal(kind)
    parent.communicate(timeout=PATIENCE_S)
    assert gone(pids) and parent.returncode == -kind


def test_usage_is_that_of_each_process_with_its_children(tmp_path):
    burns = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burns.format(0.2)!r}])"
    ended = run(tmp_path, main=burns.format(0.4), peer=child)
    used = [one.usage.ru_utime + one.usage.ru_stime for one in ended]
    assert used[0] >= 0.4 and used[1] >= 0.2
    assert all(isinstance(one.usage, resource.struct_rusage) for one in ended)
