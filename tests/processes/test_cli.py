"""The command line in the hands of a hostile user: one line, a documented exit status, no traceback."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jdk_homes import jdk
from laboratory import DATA, PROGRAM, make_room, one_clear_line
from living import PATIENCE_S
from tiny_run import measure

from pipeline.bundle import journal
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import runtimes

HLOG = DATA / "hlog" / "tagged_v13.hlog"
QUEUE = ("fit", "queue", "--service-mean", "1", "--service-var", "1")
DEVICE = Path("/dev/full")  # every write to it fails as on a full disk


@pytest.fixture(autouse=True)
def fresh(lab):
    runtimes.jdks.cache_clear()
    yield
    runtimes.jdks.cache_clear()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["Missing command", "lab --help"]),
        (("fit",), ["Missing command", "lab fit --help"]),
        (("frob",), ["'frob'"]),
        (("hlog",), ["file", "lab hlog --help"]),
        (("hlog", "x", "--start", "soon"), ["--start"]),
        (("measure", "--profile"), ["--profile"]),
        (("measure", "--sheep", "1"), ["--sheep"]),
        (("fit", "scaling", "x", "--seed", "-1"), ["--seed", "0"]),
        (("fit", "jcurve", "nowhere.csv"), ["nowhere.csv: no such file", "load, latency"]),
        (("fit", "queue", "--rate", "1", "--service-mean", "1"), ["--service-var"]),
        (("fit", "contention", "--section", "20"), ["--variant", "--section and --outside"]),
        (("fit", "contention", "--run", "nowhere", "--variant", "x"), ["'nowhere' does not exist"]),
        ((*QUEUE, "--rate", "1"), ["the load, is 1", "lower the rate"]),
        ((*QUEUE, "--rate", "nan"), ["rate is nan"]),
        ((*QUEUE, "--rate", "0.5", "--service-var", "-1"), ["variance is -1"]),
        (("plan", "--experiments", "lock_scaling;clock"), ["'lock_scaling;clock'"]),
        (("hlog", str(HLOG), "--hgrm", "--json"), ["--hgrm and --json", "one of the two"]),
        (("hlog", str(HLOG), "--hgrm", "--unit-ratio", "0"), ["unit ratio 0", "1e-9"]),
        (("export", "--run", "nowhere"), ["'nowhere' does not exist"]),
    ],
)
def test_wrong_usage_is_one_line(call, arguments, words):
    one_clear_line(call(*arguments), 2, *words)


def test_the_command_line_itself_loads_nothing_that_computes():
    heavy = {"numpy", "pandas", "scipy", "matplotlib"}
    loads = f"import sys; from pipeline.commands import cli; print(*{heavy} & {{*sys.modules}})"
    ran = subprocess.run([sys.executable, "-c", loads], cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


def test_a_log_of_histograms_is_told_without_scipy():
    loads = f"import sys; sys.argv = ['lab', 'hlog', {str(HLOG)!r}]; from pipeline.commands import cli\n"
    loads += "try:\n    cli.main()\nexcept SystemExit:\n    print('scipy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", loads], cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "False"


def test_experiments_are_taken_once_whatever_the_blanks(call):
    told = call("plan", "--profile", "smoke", "--experiments", " lock_scaling , lock_scaling,", "--json")
    assert told.returncode == 0 and len(json.loads(told.stdout)) == 4


@pytest.mark.parametrize("arguments", [("plan", "--profile", "smoke"), ("hlog", str(HLOG), "--json")])
def test_output_to_a_full_disk_is_one_line(arguments):
    with DEVICE.open("w") as full:
        program = [*PROGRAM, *arguments]
        ran = subprocess.run(
            program, stdout=full, stderr=subprocess.PIPE, text=True, cwd=paths.ROOT, timeout=PATIENCE_S
        )
    assert ran.returncode == 5 and len(ran.stderr.splitlines()) == 1, ran.stderr
    assert "No space left on device" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "into"),
    [
        *(("plan --profile smoke", into) for into in (">&-", "| true", "| head -n 1")),
        (f"hlog {HLOG} --json", "| true"),
        (f"hlog {HLOG}", "| head -n 1"),
    ],
)
def test_output_that_nobody_reads_is_no_fault(arguments, into):
    line = f"{sys.executable} -c 'from pipeline.commands.cli import main; main()' {arguments} {into}"
    ran = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True, cwd=paths.ROOT, timeout=PATIENCE_S)
    assert ran.stderr == ""


def test_words_that_the_terminal_cannot_show_are_escaped(call, lab):
    file = lab / "catalogue" / "lock_scaling.yaml"
    file.write_text(file.read_text().replace("mutex:", "mütex:").replace("[mutex,", "[mütex,"), encoding="utf-8")
    told = call("plan", "--profile", "smoke", PYTHONIOENCODING="ascii", LC_ALL="C", COLUMNS="40", NO_COLOR="1")
    assert told.returncode == 0 and "m\\xfctex" in told.stdout and not told.stderr


def test_intervals_are_shown_also_where_there_are_none(call, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("threads,throughput\n1,10\n2,19\n")
    told = call("fit", "scaling", str(table))
    assert told.returncode == 0 and "cannot be identified here" in told.stdout
    assert "lambda   –" in told.stdout


def test_a_j_curve_of_a_file(call, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("load,latency\n" + "".join(f"{load},{2 + load / (100 - load)}\n" for load in (10, 40, 60, 80, 95)))
    told = call("fit", "jcurve", str(table), "--json")
    parameters = json.loads(told.stdout)["parameters"]
    assert {name: round(one["estimate"], 6) for name, one in parameters.items()} == {"L0": 2, "q": 1, "knee": 0.666667}
    assert all(one["low"] <= one["estimate"] <= one["high"] for one in parameters.values())
    shown = call("fit", "jcurve", str(table))
    assert "above 90 % are not fitted (95 %)" in shown.stdout and "knee     0.667 [0.667, 0.667]" in shown.stdout


def test_what_the_models_say_of_a_queue(call):
    told = json.loads(call(*QUEUE, "--rate", "0.8", "--json").stdout)
    assert told["rho"] == 0.8 and set(told["models"]) == {"dd1", "md1", "mm1", "mg1"}
    assert round(told["models"]["md1"]["p99"], 2) == 11.36 and round(told["models"]["mm1"]["mean_in_system"], 9) == 5
    shown = call(*QUEUE, "--rate", "0.8").stdout
    assert "load 0.8; times in the unit of the service mean" in shown and "exponential service" in shown
    several = call(*QUEUE, "--rate", "1.6", "--servers", "2").stdout
    assert "load 0.8;" in several and "mgc" in several and "–" in several
    others = json.loads(call(*QUEUE, "--rate", "0.8", "--arrival-cv2", "0", "--per-batch", "1", "--json").stdout)
    assert {"kingman", "batch"} < set(others["models"])


@pytest.mark.parametrize("line", ["garbage", "[1, 2]", '{"experiment": "lock_scaling", "trial": "x"}', "\udcff\udcfe"])
def test_a_damaged_journal_line_is_named(measured_run, call, line):
    """Every other damage is among the unit tests of `bundle`."""
    file = measured_run.folder / journal.FILE
    lines = file.read_text().splitlines()
    lines[2] = line
    file.write_text("\n".join(lines) + "\n", errors="surrogateescape")
    before = file.read_bytes()
    for verb in ("ingest", "measure"):
        arguments = ("--profile", "smoke") if verb == "measure" else ()
        one_clear_line(call(verb, "--run", "r", *arguments), 2, "journal.jsonl line 3 is damaged")
    assert file.read_bytes() == before


@pytest.mark.parametrize("text", ["", '{"format": 1}', "\udcff"])
def test_a_damaged_run_json_is_named(measured_run, call, text):
    (measured_run.folder / "run.json").write_text(text, errors="surrogateescape")
    for arguments in (("ingest",), ("measure", "--profile", "smoke")):
        one_clear_line(call(*arguments, "--run", "r"), 2, "run.json is damaged")


def test_a_run_goes_on_only_with_the_runtimes_it_began_with(measured_run):
    info = json.loads((measured_run.folder / "run.json").read_text())
    info["runtimes"]["c"]["version"] = "cc 4.2"
    (measured_run.folder / "run.json").write_text(json.dumps(info))
    lines = (measured_run.folder / journal.FILE).read_text().splitlines(keepends=True)
    (measured_run.folder / journal.FILE).write_text("".join(line for line in lines if '"finished"' not in line))
    with pytest.raises(LabError, match="was measured with c cc 4.2, not .*choose another RUN=<name>"):
        measure()


def test_an_export_that_cannot_be_written_or_holds_nothing_is_one_line(measured_run, call, tmp_path):
    (tmp_path / "file").write_text("")
    export = ("export", "--run", "r", "--series", "t*")
    one_clear_line(call(*export, "--to", str(tmp_path / "file")), 5, str(tmp_path / "file"), "File exists")
    one_clear_line(call(*export, "--to", str(tmp_path / "file" / "below")), 5, "Not a directory")
    one_clear_line(call("export", "--run", "r"), 2, "no value of any metric", "t0")
    one_clear_line(call("export", "--run", "r", "--series", "sheep"), 2, "no value of sheep in measured")
    one_clear_line(call(*export, "--where", "threads=3"), 2, "threads=3 was not measured; there are: 1, 2")


def test_an_experiment_that_a_run_does_not_hold_is_named(measured_run, call, lab):
    file = lab / "catalogue" / "lock_scaling.yaml"
    other = file.read_text().replace("name: lock_scaling", "name: clock").replace("number: 1", "number: 2")
    (lab / "catalogue" / "clock.yaml").write_text(other)
    for verb in ("ingest", "analyse", "claims", "figures"):
        told = call(verb, "--run", "r", "--experiments", "clock")
        one_clear_line(told, 2, "run 'r' holds no trial of clock", "it holds: lock_scaling")
    assert call("ingest", "--run", "r").returncode == 0


@pytest.mark.parametrize(("version", "mode"), [("1.8.0_402", 0o755), ("soon", 0o755), ("21", 0o644), ("", 0o755)])
def test_a_home_in_lab_jdks_that_is_no_jdk_is_named(call, tmp_path, version, mode):
    home = jdk(tmp_path / "home", version, mode)
    one_clear_line(call("plan", "--profile", "smoke", LAB_JDKS=str(home)), 5, f"LAB_JDKS: {home} is not", "17")


def test_without_a_compiler_a_built_harness_still_runs(call):
    told = call("plan", "--profile", "smoke", PATH="/nonexistent")
    assert told.returncode == 0, told.stderr


def test_a_run_folder_that_cannot_be_written_is_one_line(call, lab):
    (lab / "runs").write_text("a file in place of the folder")
    one_clear_line(call("measure", "--run", "r", "--profile", "smoke"), 5, str(lab / "runs"))


@pytest.mark.parametrize("left", [0, 40])
def test_a_disk_that_fills_up_loses_nothing(call, small_disk, left):
    (small_disk / "filler").write_bytes(bytes((256 - left) * 1024))
    stopped = call("measure", "--run", "r", "--profile", "smoke", LAB_RUNS=str(small_disk))
    one_clear_line(stopped, 5, "No space left on device")
    make_room(small_disk)
    told = call("measure", "--run", "r", "--profile", "smoke", LAB_RUNS=str(small_disk))
    assert told.returncode == 0, told.stderr
    lines = [json.loads(line) for line in (small_disk / "r" / journal.FILE).read_text().splitlines()]
    trials = [line["trial"] for line in lines if "trial" in line and line["attempt"] == 0]
    assert len(trials) == 8 == len(set(trials))
    assert {line["status"] for line in lines if "trial" in line} == {"measured"}
    assert call("ingest", "--run", "r", LAB_RUNS=str(small_disk)).returncode == 0


@pytest.mark.parametrize("name", ["a b", "it's", '"; exit 7; "', "$(id)", ""])
def test_make_hands_a_name_on_as_it_is(tmp_path, name):
    shutil.copy(paths.ROOT / "Makefile", tmp_path)
    (tmp_path / "lab").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "lab").chmod(0o755)
    command = ["make", "-s", "-o", "harness", "figures", "LAB=./lab", f"RUN={name.replace('$', '$$')}"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["figures", "--run", name, "--experiments", ""]
