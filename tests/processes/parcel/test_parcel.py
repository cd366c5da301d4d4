"""A parcel from home to a host and back: made, unpacked, measured with, its run imported; and what it refuses."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import parcels
import pytest
from laboratory import PROGRAM, one_clear_line
from living import PATIENCE_S

from pipeline.ground import paths
from pipeline.host import runtimes
from pipeline.parcel import jdks

ROOT = os.geteuid() == 0
INTERPRETER = 3  # the program header of a binary that is linked dynamically


@pytest.fixture(scope="module")
def parcel(tmp_path_factory) -> Path:
    return parcels.make(tmp_path_factory.mktemp("home"), "--jdks", parcels.newest())


@pytest.fixture
def host(parcel, tmp_path) -> Path:
    """The parcel in an empty folder with a blank in its name."""
    folder = tmp_path / "a host"
    folder.mkdir()
    return Path(shutil.copy(parcel, folder))


@pytest.fixture(scope="module")
def measured(parcel, tmp_path_factory) -> Path:
    """The folder of a parcel that has measured: with a lock of its own, for other tests measure on this machine."""
    file = Path(shutil.copy(parcel, tmp_path_factory.mktemp("measured")))
    first = parcels.sh(file, "doctor", "--profile", "smoke")
    assert first.returncode == 0 and "left out" not in first.stdout, first.stdout + first.stderr
    folder = file.with_suffix("")
    own_lock(folder)
    done = parcels.sh(file, "measure", "--profile", "smoke", "--run", "there")
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    assert re.search(r"Run there: 4 configurations of 1 experiment \(smoke\) on c, jdk", done.stdout), done.stdout
    assert f"{folder}/there.lab: 8 trials" in done.stdout or "there.lab: " in done.stdout, done.stdout
    return folder


def own_lock(folder: Path) -> None:
    lock = folder / "pipeline" / "bundle" / "lock.py"
    text = lock.read_text()
    lock.write_text(re.sub(r"^FOLDERS = .*$", f"FOLDERS = (Path({str(folder)!r}),)", text, flags=re.M))
    assert lock.read_text() != text


def test_what_a_host_measured_is_a_run_at_home_with_the_numbers_that_it_wrote(measured, tmp_path):
    told = {f"LAB_{name}": str(tmp_path / name.lower()) for name in ("RUNS", "BUILD", "CATALOGUE")}
    (tmp_path / "catalogue").mkdir()
    (tmp_path / "catalogue" / "lock_scaling.yaml").write_text(parcels.BOTH)

    def lab(*words: str) -> subprocess.CompletedProcess:
        return subprocess.run([*PROGRAM, *words], env=os.environ | told, capture_output=True, text=True)

    taken = lab("import", str(measured / "there.lab"))
    assert taken.returncode == 0 and "there.lab: imported " in taken.stdout, taken.stdout + taken.stderr
    name = re.search(r"imported (\S+): ", taken.stdout)[1]
    rows = json.loads(lab("analyse", "--run", name, "--json").stdout.splitlines()[-1])
    assert {(row["variant"], row["runtime"][:3]) for row in rows} >= {("mutex", "c"), ("monitor", "jdk")}
    info = json.loads((tmp_path / "runs" / name / "run.json").read_text())
    assert info["harness"]["parcel"] == measured.name.removeprefix("lab-") and info["git"]
    before = json.loads((measured / "data" / "runs" / "there" / "run.json").read_text())
    assert info["harness"] == before["harness"] and info["runtimes"] == before["runtimes"]
    home = {one.name: one.public() for one in runtimes.jdks().values()}
    cut = next(name for name in info["runtimes"] if name.startswith("jdk"))
    assert info["runtimes"][cut] in [told | {"name": cut} for told in home.values()]  # named as at home


def test_the_same_command_goes_on_and_what_is_complete_is_measured_no_more(measured):
    again = parcels.sh(measured / "measure", "--profile", "smoke", "--run", "there")
    assert again.returncode == 0 and "there.lab: " in again.stdout, again.stderr


def test_it_measures_with_the_jars_of_the_checkout_and_with_a_c_harness_that_needs_nothing(measured):
    for jar in (paths.java_harness(), paths.java_harness().with_name("lab-whitebox.jar"), paths.native_library()):
        there = measured / jar.relative_to(paths.ROOT)
        assert hashlib.sha256(there.read_bytes()).digest() == hashlib.sha256(jar.read_bytes()).digest(), jar.name
    assert INTERPRETER in headers(Path(sys.executable))
    assert INTERPRETER not in headers(measured / paths.c_harness().relative_to(paths.ROOT))


def headers(program: Path) -> list[int]:
    """The kinds of the program headers of an ELF file of 64 bits."""
    content = program.read_bytes()
    at, size, count = struct.unpack("<Q", content[32:40])[0], *struct.unpack("<HH", content[54:58])
    return [struct.unpack("<I", content[at + size * one : at + size * one + 4])[0] for one in range(count)]


def test_the_library_of_jvms_needs_a_c_library_of_2012():
    versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", paths.native_library().read_bytes())
    assert max((int(one), int(two)) for one, two in versions) <= (2, 17)


def test_the_modules_of_a_cut_jdk_are_those_that_the_jar_needs():
    command = [Path(parcels.newest()) / "bin" / "jdeps", "--ignore-missing-deps", "--multi-release", "17"]
    told = subprocess.run(
        [*command, "--print-module-deps", paths.java_harness()], capture_output=True, text=True, check=True
    )
    # Agrona has an agent that other programs start, and makes source code, which no kernel asks for.
    assert set(told.stdout.strip().split(",")) - {"java.instrument", "java.compiler"} <= set(jdks.MODULES)


def test_the_class_data_of_a_cut_jdk_are_taken(measured):
    (java,) = measured.glob("jdks/*/bin/java")
    told = subprocess.run([java, "-Xshare:on", "-version"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr


def test_nothing_is_written_but_the_folder_and_no_package_is_needed(measured):
    assert sorted(one.name for one in measured.parent.iterdir()) == [measured.name, f"{measured.name}.run"]
    assert not list(measured.rglob("*.pyc"))


@pytest.mark.prove
def test_ctrl_c_ends_in_order_with_what_there_is(host):
    assert parcels.sh(host, "doctor").returncode == 0
    folder = host.with_suffix("")
    own_lock(folder)
    command = ["sh", str(host), "measure", "--profile", "smoke"]
    environment = {"PATH": "/usr/bin:/bin", "PYTHON": parcels.python()}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    file = folder / "data" / "runs" / "smoke" / "journal.jsonl"
    for _ in range(int(PATIENCE_S / 0.02)):
        if file.exists() and b'"trial"' in file.read_bytes():
            break
        try:
            process.wait(0.02)
            break
        except subprocess.TimeoutExpired:
            continue
    process.send_signal(signal.SIGINT)
    said, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (130, 0), said + complaint  # 0: it was as fast
    assert "Traceback" not in said + complaint and "smoke.lab: " in said
    assert parcels.sh(folder / "measure", "--profile", "smoke").returncode == 0


def test_its_help_and_what_is_in_it_need_no_unpacking(host):
    said = parcels.sh(host, "--help")
    assert said.returncode == 0 and f"sh {host.name} measure --profile quick" in said.stdout
    said = parcels.sh(host, "check")
    assert said.returncode == 0 and f"{host.name} is whole: sha256 {host.stem.removeprefix('lab-')}" in said.stdout
    assert [one.name for one in host.parent.iterdir()] == [host.name]


@pytest.mark.parametrize("at", [-100, 3000])
def test_a_damaged_parcel_runs_nothing(host, at):
    content = bytearray(host.read_bytes())
    content[at] ^= 1
    host.write_bytes(content)
    one_clear_line(parcels.sh(host, "measure"), 4, "is damaged (its sum is another); copy it again")
    host.write_bytes(content[:-5000])
    one_clear_line(parcels.sh(host, "measure"), 4, "copy it again")
    assert [one.name for one in host.parent.iterdir()] == [host.name]


def test_without_a_python_that_is_new_enough_it_says_so(host, tmp_path):
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    for python in (str(old), str(tmp_path / "absent")):
        one_clear_line(parcels.sh(host, "measure", PYTHON=python), 5, "no Python 3.9 or later is here")


def test_a_parcel_of_another_architecture_says_so(host):
    content = host.read_bytes()
    here = os.uname().machine.encode()
    other = b"mips64" if len(here) == 6 else b"mips64-"
    changed = content.replace(b'"architecture": "' + here, b'"architecture": "' + other, 1)
    head, rest = changed.split(b"\n", 2)[:2], changed.split(b"\n", 2)[2]
    total = hashlib.sha256(rest).hexdigest().encode()
    host.write_bytes(b"\n".join([head[0], b"sum=" + total, rest]))
    one_clear_line(parcels.sh(host, "measure"), 5, "this parcel is for Linux on mips64")


def test_a_run_of_another_parcel_is_refused(measured, host):
    assert parcels.sh(host, "doctor").returncode == 0
    folder = host.with_suffix("")
    shutil.copytree(measured / "data", folder / "data")
    file = folder / "data" / "runs" / "there" / "run.json"
    file.write_text(file.read_text().replace(measured.name.removeprefix("lab-"), "0" * 12))
    refused = parcels.sh(folder / "measure", "--profile", "smoke", "--run", "there")
    one_clear_line(refused, 2, f"run 'there' is of parcel lab-{'0' * 12}")


@pytest.mark.prove
def test_a_jdk_that_does_not_start_is_left_out_and_the_rest_is_measured(host):
    assert parcels.sh(host, "doctor").returncode == 0
    folder = host.with_suffix("")
    own_lock(folder)
    (java,) = folder.glob("jdks/*/bin/java")
    java.write_text(
        '#!/bin/sh\necho "java: /lib/libc.so.6: version \\`GLIBC_2.99\' not found (required by java)" >&2\nexit 1\n'
    )
    done = parcels.sh(folder / "measure", "--profile", "smoke", LAB_JDKS="")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " is left out: it needs glibc 2.99, and this host has glibc" in done.stdout


@pytest.fixture
def mounted(host, tmp_path) -> Iterator:
    """Puts the parcel on a file system of its own; only root may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()

    def mount(options: str) -> Path:
        if not ROOT or subprocess.run(["mount", "-t", "tmpfs", "-o", options, "lab", disk]).returncode:
            pytest.skip("a tmpfs cannot be mounted here")
        return Path(shutil.copy(host, disk))

    yield mount
    if disk.is_mount():
        subprocess.run(["umount", disk], check=True)


def test_a_folder_from_which_no_program_may_run_is_said(mounted):
    one_clear_line(parcels.sh(mounted("noexec"), "measure"), 5, "is mounted noexec", "copy the parcel")


def test_too_little_room_is_said_before_anything_is_unpacked(mounted, host):
    file = mounted(f"size={host.stat().st_size + (8 << 20)}")
    one_clear_line(parcels.sh(file, "measure"), 5, "MB free, and", "MB are needed")
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_a_parcel_without_jdks_is_small_and_takes_those_of_the_host(tmp_path):
    file = parcels.make(tmp_path, "--jdks", "none")
    assert file.stat().st_size < 3_000_000
    assert "no JDK: it takes the host's" in parcels.sh(file, "check").stdout
    doctor = parcels.sh(file, "doctor", LAB_JDKS=parcels.newest())
    assert doctor.returncode == 0 and re.search(r"^jdk\d+ ", doctor.stdout, re.M), doctor.stdout + doctor.stderr


def test_what_cannot_be_made_is_one_line(tmp_path):
    told = {"LAB_BUILD": str(tmp_path)}
    command = [*PROGRAM, "parcel", "--jdks", str(tmp_path)]
    ended = subprocess.run(command, env=os.environ | told, capture_output=True, text=True)
    one_clear_line(ended, 2, "--jdks: ", "is no home of a JDK that is found here")


@pytest.mark.prove
def test_a_run_is_taken_to_another_machine_of_ones_own_by_share_too(measured, tmp_path):
    runs = shutil.copytree(measured / "data" / "runs", tmp_path / "runs")
    told = {"LAB_RUNS": str(runs), "LAB_BUILD": str(tmp_path / "build")}
    command = [*PROGRAM, "share", "there", "--whole"]
    done = subprocess.run(command, env=os.environ | told, capture_output=True, text=True)
    assert done.returncode == 0 and "there.lab" in done.stdout, done.stderr
    assert (tmp_path / "build" / "share" / "there.lab").read_bytes() == (measured / "there.lab").read_bytes()
    refused = subprocess.run([*command, "--by", "me"], env=os.environ | told, capture_output=True, text=True)
    one_clear_line(refused, 2, "--whole writes a run as it is")
