"""The harness of users' programs: what it measures, and programs that harm neither the host nor the trial."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from living import until

from pipeline.ground import paths


def run(folder: Path, *argv: str, shell: bool = False, **more) -> subprocess.CompletedProcess:
    """One trial of a command as the pipeline starts it; `more`: of what stands in the file of commands."""
    out, prepare = more.pop("out", False), more.pop("prepare", None)
    place = {"dirs": [more.pop("dir", str(folder))]}
    side = {"argv": [" ".join(argv)] if shell else list(argv), "prepare": prepare, "out": out} | place
    told = {"shell": shell, "timeout_s": 20, "axes": ["threads"], "value": None, "expect": None, "sides": {"it": side}}
    words = more.pop("words", [])
    (folder / "commands.json").write_text(json.dumps(told | more))
    command = [sys.executable, "-E", "-s", "-S", str(paths.command_harness()), "own", "--variant", "program"]
    command += ["--commands", str(folder / "commands.json"), "--side", "it", "--out", str(folder / "t.hlog"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def measures(done: subprocess.CompletedProcess) -> dict[str, list[float]]:
    assert done.returncode == 0, done.stderr
    rows: dict[str, list[float]] = {}
    told = json.loads(done.stdout)["measures"]
    for name, value in zip(told["name"], told["value"], strict=True):
        rows.setdefault(name, []).append(value)
    return rows


def fails(done: subprocess.CompletedProcess, words: str, status: int = 4) -> None:
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("lab-command: ") and words in done.stderr and done.stderr.count("\n") == 1


def alive(marker: str) -> list[str]:
    found = []
    for folder in filter(str.isdigit, os.listdir("/proc")):
        try:
            if marker in Path("/proc", folder, "cmdline").read_text():
                found.append(folder)
        except OSError:
            continue
    return found


def test_an_execution_is_timed_from_outside_and_its_children_count(tmp_path):
    work = "x = sum(range(3_000_000))"
    found = measures(run(tmp_path, sys.executable, "-c", f"import os\n{work}\nos.fork() or exit({work})\nos.wait()"))
    (time_ns,), (cpu_ns,) = found["time_ns"], found["cpu_ns"]
    alone = measures(run(tmp_path, sys.executable, "-c", work))["cpu_ns"][0]
    assert time_ns > 0 and cpu_ns > alone  # what the child used is in it, for the program waited for it


def test_several_executions_are_rows_of_one_trial(tmp_path):
    done = run(tmp_path, "true", words=["--executions", "7"])
    assert len(measures(done)["time_ns"]) == 7 and len(measures(done)["empty_ns"]) == 1
    assert json.loads(done.stdout)["iterations"]["iteration"] == list(range(7))


def read(folder: Path, *words: str) -> dict | None:
    done = run(folder, "true", words=["--executions", "2", *words])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["readings"]


def test_the_state_of_the_cpus_is_read_around_executions_that_are_pinned(tmp_path):
    native, cpus = ["--native", str(paths.native_library())], sorted(os.sched_getaffinity(0))[:2]
    for own in (cpus[:1], cpus):
        found = read(tmp_path, *native, "--cpus", ",".join(map(str, own)))
        assert found["iteration"] == [gap for gap in range(3) for _ in own]
        assert found["thread"] == [*range(len(own))] * 3
        assert all(value > 0 for name in ("chain_ns", "wide_ns") for value in found[name])
        ways = list(zip(found["thread"], found["word_ns"], strict=True))
        assert all((way is None) == (thread == len(own) - 1) and (way or 1) > 0 for thread, way in ways)
    assert read(tmp_path, *native) is None and read(tmp_path, "--cpus", str(cpus[0])) is None
    (tmp_path / "broken.so").write_text("no library")
    assert read(tmp_path, "--native", str(tmp_path / "broken.so"), "--cpus", str(cpus[0])) is None


def test_one_execution_that_waited_makes_no_long_program(tmp_path):
    once = f"test -e {tmp_path}/waited || {{ touch {tmp_path}/waited; sleep 0.3; }}"
    found = measures(run(tmp_path, once, shell=True, words=["--executions", "7"]))
    assert max(found["time_ns"]) > 3e8 and len(found["empty_ns"]) == 1


def test_a_peak_is_the_program_s_or_not_known(tmp_path):
    """Linux counts to a program's peak what its parent had when it was started."""
    many = measures(run(tmp_path, sys.executable, "-c", "x = bytearray(150_000_000); x[::4096] = x[::4096]"))
    assert many["peak_bytes"][0] > 150_000_000 and "peak_bytes" not in measures(run(tmp_path, "true"))


def test_axes_and_out_are_filled_in_and_other_braces_are_left(tmp_path):
    words = ["--threads", "3"]
    measures(run(tmp_path, "sh", "-c", "echo {threads} {other} > {out}", out=True, words=words))
    assert (tmp_path / "t.written").read_text() == "3 {other}\n"
    fails(run(tmp_path, "true", words=["--cores", "3"]), "--cores: no such option, and no axis", 2)


def test_the_environment_is_whole_and_padded_and_python_s_own_is_not_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    told = 'echo "$PYTHONPATH ${#LAB_PADDING}" > {out}'
    measures(run(tmp_path, "sh", "-c", told, out=True, words=["--padding", "77"]))
    assert (tmp_path / "t.written").read_text() == "/nowhere 77\n"


@pytest.mark.parametrize(
    ("argv", "more", "words"),
    [
        (["sh", "-c", "echo lost >&2; exit 3"], {}, "ended with status 3; its last words: lost"),
        (["sh", "-c", "kill -SEGV $$"], {}, "ended by signal 11"),
        (["sh", "-c", r"printf '\033[31mred\n\a' >&2; exit 1"], {}, "its last words:"),
        (["./nothing"], {}, "./nothing: No such file or directory"),
        (["true"], {"out": True}, "wrote nothing to {out}"),
        (["mkdir", "{out}"], {"out": True}, "wrote nothing to {out}"),
        (["ln", "-s", "/etc/passwd", "{out}"], {"out": True}, "wrote nothing to {out}"),
        (["true"], {"expect": "hello"}, "did not print 'hello' (--expect)"),
        (["true"], {"value": "x=(.*)"}, "printed nothing that --value 'x=(.*)' finds a number in"),
        (["echo", "x=many"], {"value": "x=(.*)"}, "finds a number in"),
        (["true"], {"prepare": "exit 7"}, "--prepare ended with status 7"),
        (["sleep", "600"], {"timeout_s": 0.2}, "no end after 0.2 s"),
        (["sh", "-c", "trap '' TERM; sleep 600"], {"timeout_s": 0.2}, "no end after 0.2 s"),
    ],
)
def test_a_program_that_fails_is_one_line(argv, more, words, tmp_path):
    done = run(tmp_path, *argv, **more)
    fails(done, words)
    assert all(one.isprintable() for one in done.stderr.rstrip("\n"))


def test_a_folder_that_is_gone_is_said(tmp_path):
    fails(run(tmp_path, "true", dir=str(tmp_path / "gone")), "--dir", 5)


def test_a_number_is_read_from_what_is_printed(tmp_path):
    assert measures(run(tmp_path, "echo", "rate: 1.5e3 ops/s", value="rate: ([0-9.e+]+)"))["value"] == [1500.0]
    assert measures(run(tmp_path, "echo 20 | tr 2 3", shell=True, value=r"\d+"))["value"] == [30.0]


def test_what_leaves_its_group_is_found_ended_and_counted(tmp_path):
    marker = f"86{os.getpid()}.25"
    script = f"setsid sleep {marker} & (setsid setsid sleep {marker} &) ; sleep {marker} & exit 0"
    found = measures(run(tmp_path, "sh", "-c", script))
    assert found["left_behind"][0] >= 2
    assert until(lambda: not alive(marker))


def test_a_daemon_that_holds_the_output_open_does_not_hold_the_trial(tmp_path):
    measures(run(tmp_path, "sh", "-c", "setsid sleep 500 & echo done", expect="done"))


def test_endless_output_is_dropped_and_told(tmp_path):
    found = measures(run(tmp_path, "sh", "-c", "head -c 100000000 /dev/zero; head -c 50000000 /dev/zero >&2"))
    assert found["dropped_bytes"][0] > 50_000_000


def test_closed_streams_and_a_changed_program_are_no_matter(tmp_path):
    measures(run(tmp_path, "sh", "-c", "exec >&- 2>&-; exec true"))
    measures(run(tmp_path, "sh", "-c", "test -t 0 || exec echo none", expect="none"))


def test_preparing_comes_before_each_execution(tmp_path):
    words = ["--executions", "3"]
    how = {"prepare": "echo x >> count", "value": r"\d+", "words": words}
    found = measures(run(tmp_path, "sh", "-c", "wc -l < count", **how))
    assert found["value"] == [1.0, 2.0, 3.0]
