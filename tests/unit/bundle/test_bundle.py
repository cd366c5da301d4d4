"""The run's folder: opened, resumed on the same host in the same or another state, and refused where it must be."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from pathlib import Path

import pytest
from publish_toy import HOST, trial, write_run

from pipeline.bundle import bundle, journal, run_file
from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime

# A host that shows what the toy hides.
SEEN = copy.deepcopy(HOST) | {"firmware": "Toy 1.0 2026", "kernel_command_line": "nohz_full=1 (sha256 012)"}
SEEN |= {"cpu_limit": "none"}
SEEN["cpu"] |= {"microcode": "0x1", "governor": "performance", "turbo_disabled": "0", "idle_states": "POLL, C1"}
RUNTIMES = {"c": Runtime("c", "cc 12", "C"), "jdk21": Runtime("jdk21", "21.0.1", "Toy", "21.0.1+12", "/opt/jdk")}


@pytest.fixture
def here(lab, monkeypatch) -> dict:
    """The host as the next look sees it; a test changes it."""
    host = copy.deepcopy(SEEN)
    monkeypatch.setattr(bundle.fingerprint, "take", lambda folder: host)
    monkeypatch.setattr(bundle, "git_revision", lambda: "0123456789ab")
    return host


def resumed(profile: str = "smoke", runtimes: dict[str, Runtime] = RUNTIMES) -> Bundle:
    return Bundle.create_or_resume("r", profile, 7, runtimes, Path("io"))


def changes(run: Bundle) -> list[dict]:
    return [line["changes"] for line in journal.host_changes(run.journal())]


def test_a_new_run_says_where_it_comes_from_and_names_no_path(here):
    run = resumed()
    info = json.loads((run.folder / "run.json").read_text())
    assert info == run.info and run_file.problem(info) == ""
    assert (info["format"], info["seed"], info["host"], info["git"]) == (1, 7, SEEN, "0123456789ab")
    assert "/opt" not in json.dumps(info) and info["runtimes"]["jdk21"]["build"] == "21.0.1+12"
    assert run.journal() == [] == changes(run)


def test_the_same_state_writes_no_line(here):
    first = resumed()
    first.append(trial(1, 1))
    assert resumed().journal() == resumed().journal() == [trial(1, 1)]


@pytest.mark.parametrize(
    ("change", "name", "after"),
    [
        (lambda host: host["cpu"].update(microcode="0x2"), "microcode", "0x2"),
        (lambda host: host["cpu"].update(governor="powersave"), "frequency governor", "powersave"),
        (lambda host: host["cpu"].update(turbo_disabled="1"), "turbo disabled", "1"),
        (lambda host: host["cpu"].update(idle_states="POLL, C1 (off)"), "idle states", "POLL, C1 (off)"),
        (lambda host: host.update(cpu_limit="1.5 CPUs"), "CPU limit", "1.5 CPUs"),
        (lambda host: host.update(firmware="Toy 1.1 2026"), "firmware", "Toy 1.1 2026"),
        (lambda host: host.update(kernel_command_line="(sha256 345)"), "kernel command line", "(sha256 345)"),
    ],
)
def test_another_state_of_the_host_is_told_once_and_told_again_when_it_goes_back(here, change, name, after):
    before = resumed().state()[name]
    change(here)
    assert changes(resumed()) == [{name: [before, after]}]
    assert changes(resumed()) == [{name: [before, after]}], "the state is known by now"
    here.update(copy.deepcopy(SEEN))
    back = resumed()
    assert changes(back) == [{name: [before, after]}, {name: [after, before]}]
    assert back.state()[name] == before
    assert journal.host_changes(back.journal())[0]["at"]


def test_another_build_of_a_runtime_is_another_state(here):
    resumed()
    later = RUNTIMES | {"jdk21": Runtime("jdk21", "21.0.1", "Toy", "21.0.1+13", "/opt/jdk")}
    assert changes(resumed(runtimes=later)) == [{"build of jdk21": ["21.0.1+12", "21.0.1+13"]}]


def test_several_changes_are_one_line(here):
    resumed()
    here["cpu"] |= {"microcode": "0x2", "governor": "powersave"}
    assert changes(resumed()) == [{"microcode": ["0x1", "0x2"], "frequency governor": ["performance", "powersave"]}]


def test_what_was_or_is_not_visible_is_no_change(here):
    resumed()
    here["cpu"] |= {"microcode": "not visible here", "governor": ""}
    assert changes(resumed()) == [] == changes(resumed(runtimes={"c": RUNTIMES["c"]}))


def test_a_run_of_before_the_state_was_recorded_goes_on(here):
    run = resumed()
    for name in ("firmware", "kernel_command_line"):
        del run.info["host"][name]
    for runtime in run.info["runtimes"].values():
        runtime.pop("build")
    (run.folder / "run.json").write_text(json.dumps(run.info))
    assert changes(resumed()) == []


def test_a_cut_last_line_is_removed_before_the_next_is_written(here):
    run = resumed()
    run.append(trial(1, 1))
    with (run.folder / journal.FILE).open("ab") as file:
        file.write(b'{"trial": "cut sho')
    here["cpu"]["microcode"] = "0x2"
    lines = resumed().journal()
    assert lines[0] == trial(1, 1) and lines[1]["event"] == "host_changed" and len(lines) == 2


@pytest.mark.parametrize(
    ("change", "profile", "runtimes", "words"),
    [
        (lambda host: host["cpu"].update(model="Other"), "smoke", RUNTIMES, "was measured on another host"),
        (lambda host: host["cpu"].update(cpus=64), "smoke", RUNTIMES, "was measured on another host"),
        (lambda host: host.update(kernel="Linux 7.0"), "smoke", RUNTIMES, "was measured on another host"),
        (lambda host: None, "full", RUNTIMES, "has profile smoke, not full"),
        (lambda host: None, "smoke", {"c": Runtime("c", "cc 13", "C")}, "was measured with c cc 12, not cc 13"),
    ],
)
def test_two_hosts_profiles_or_runtimes_are_never_mixed(here, change, profile, runtimes, words):
    run = resumed()
    run.append(trial(1, 1))
    change(here)
    with pytest.raises(LabError, match=f"run 'r' {words}.*; choose another"):
        resumed(profile, runtimes)
    assert run.journal() == [trial(1, 1)]


def test_a_runtime_that_no_trial_ran_on_may_have_changed_which_is_told(here):
    absent, installed = ({"fio": Runtime("fio", version, "fio")} for version in ("not installed", "fio-3.33"))
    run = resumed(runtimes=RUNTIMES | absent)
    run.append(trial(1, 1))
    run.append(trial(2, 1, runtime="fio", status="unsupported"))
    assert changes(resumed(runtimes=RUNTIMES | installed)) == [{"fio": ["not installed", "fio-3.33"]}]
    assert changes(resumed(runtimes=RUNTIMES | installed)) == [{"fio": ["not installed", "fio-3.33"]}], "told once"
    newer = {"c": Runtime("c", "cc 13", "C")}
    run.append(trial(3, 1, runtime="fio"))
    assert resumed(runtimes=RUNTIMES | installed), "measured with the one that came later"
    with pytest.raises(LabError, match="was measured with fio fio-3.33, not not installed"):
        resumed(runtimes=RUNTIMES | absent)
    with pytest.raises(LabError, match="was measured with c cc 12, not cc 13"):
        resumed(runtimes=RUNTIMES | newer)


def test_the_reference_is_never_measured_into(here):
    with pytest.raises(LabError, match="never measured into"):
        Bundle.create_or_resume(paths.REFERENCE, "smoke", 7, RUNTIMES, Path("io"))


def test_a_bundle_is_called_as_its_folder(lab):
    """A run from elsewhere, dropped in under another name, must not write over the tables of a run called as it was."""
    write_run(paths.bundle("mine"))
    paths.bundle("mine").rename(paths.bundle("theirs"))
    opened = Bundle.open("theirs")
    assert opened.name == "theirs" and opened.info["name"] == "mine"


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", "null", '{"format": 1}', "\udcff", "[" * 100_000])
def test_a_damaged_run_json_is_named(lab, text):
    write_run(paths.bundle("r"))
    (paths.bundle("r") / "run.json").write_text(text, errors="surrogateescape")
    with pytest.raises(LabError, match=r"run 'r': run.json is damaged.*; restore it or measure under another name"):
        Bundle.open("r")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"host": 3}, "host: "),
        ({"host": {"cpu": {}}}, "host.cpu.model: "),
        ({"seed": "one"}, "seed: "),
        ({"created": None}, "created: "),
        ({"runtimes": {"c": {"name": "c"}}}, "runtimes.c.version: "),
        ({"runtimes": []}, "runtimes: "),
        ({"tools": {"numpy": 2}}, "tools.numpy: "),
    ],
)
def test_a_value_of_a_wrong_type_in_run_json_is_named(lab, change, told):
    write_run(paths.bundle("r"))
    file = paths.bundle("r") / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(LabError, match=f"run 'r': run.json is damaged \\({told}"):
        Bundle.open("r")


@pytest.mark.parametrize("version", [3, "1", 1.5, None])
def test_a_newer_format_is_refused(lab, version):
    write_run(paths.bundle("r"))
    info = json.loads((paths.bundle("r") / "run.json").read_text()) | {"format": version}
    (paths.bundle("r") / "run.json").write_text(json.dumps(info))
    with pytest.raises(LabError, match=f"run 'r' has bundle format {version}; this version reads up to 2"):
        Bundle.open("r")


def test_a_missing_run_says_how_to_measure_it(lab):
    with pytest.raises(LabError, match="run 'r' does not exist; measure it with: make report RUN=r"):
        Bundle.open("r")


def test_raw_bytes_are_verified(lab):
    write_run(paths.bundle("r"))
    run = Bundle.open("r")
    file = run.folder / "raw" / "toy" / "x.hlog"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"log")
    assert run.verified("raw/toy/x.hlog", hashlib.sha256(b"log").hexdigest()) == b"log"
    with pytest.raises(LabError, match="raw/toy/x.hlog was changed after the run") as caught:
        run.verified("raw/toy/x.hlog", hashlib.sha256(b"other").hexdigest())
    assert caught.value.status == 4
    with pytest.raises(LabError, match="raw/toy/y.hlog is missing"):
        run.read_raw("raw/toy/y.hlog")


def test_raw_bytes_of_an_experiment_are_those_of_its_files_or_of_their_archive(lab):
    write_run(paths.bundle("r"))
    run = Bundle.open("r")
    folder = run.folder / "raw" / "toy"
    folder.mkdir(parents=True, exist_ok=True)
    before = run.raw_bytes("toy")
    (folder / "more.json").write_bytes(bytes(700))
    assert run.raw_bytes("toy") == before + 700 and run.raw_bytes("clock") == 0
    archived = Bundle.open(paths.REFERENCE)
    assert archived.raw_bytes("clock") == archived.packed("clock", archived.folder).stat().st_size


def test_another_process_unpacks_for_itself():
    """What one unpacked lies in a file that has no name, and a number that means another file elsewhere."""
    one = Bundle.open(paths.REFERENCE)
    lines = one.journal()
    other = pickle.loads(pickle.dumps(one))
    assert one._unpacked and not other._unpacked
    assert (other.folder, other.info, other.journal()) == (one.folder, one.info, lines)
