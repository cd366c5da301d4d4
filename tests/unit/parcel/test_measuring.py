"""Measuring from a parcel: what is said before, the blocks, the run as one file, and what is refused."""

from __future__ import annotations

import json

import pytest

from pipeline.bundle import journal, single_file
from pipeline.bundle.bundle import Bundle
from pipeline.collection import untrusted_tar
from pipeline.ground import origin
from pipeline.ground.errors import INTERRUPTED
from pipeline.host.load import Load, Process
from pipeline.host.runtimes import Runtime
from pipeline.parcel import doctor, host, measuring, usable_jdks


def test_it_says_what_it_measures_measures_and_writes_the_run_as_one_file(parcel, lab, capsys):
    assert host.main(["measure", "--profile", "smoke"]) == 0
    said = capsys.readouterr()
    first, *_, last = said.out.splitlines()
    assert first.startswith("Run smoke: 4 configurations of 1 experiment (smoke) on c, about 1 minute at most.")
    path = lab / "parcel" / f"smoke{single_file.SUFFIX}"
    assert last.startswith(f"{path}: 8 trials, ") and last.endswith("lab import smoke.lab") and not said.err
    assert journal.finished(Bundle.open("smoke").journal(), "lock_scaling")["ended_by"] == "blocks"
    assert Bundle.open("smoke").info["harness"] == {**origin.told()["harness"], "parcel": "ab" * 6}
    (lab / "opened").mkdir()
    untrusted_tar.unpack(path, lab / "opened")
    assert json.loads((lab / "opened" / "run.json").read_text())["harness"]["parcel"] == "ab" * 6


def test_ctrl_c_keeps_what_there_is_and_the_same_command_continues(parcel, capsys):
    def stops(name: str) -> str:
        if len(parcel.ran) == 3:
            raise KeyboardInterrupt
        return "measured"

    parcel.status = stops
    assert host.main(["measure", "--profile", "smoke", "--run", "x"]) == INTERRUPTED
    said = capsys.readouterr().out
    assert "interrupted; the same command continues" in said and "x.lab: 2 trials" in said
    parcel.status = lambda name: "measured"
    assert host.main(["measure", "--profile", "smoke", "--run", "x"]) == 0
    assert "x.lab: 8 trials" in capsys.readouterr().out and len(parcel.ran) == 3 + 6


def test_a_busy_host_is_said_and_measuring_goes_on(parcel, monkeypatch, capsys):
    monkeypatch.setattr(measuring.load, "sample", lambda: Load(60.0, (Process("java", 7, 99.0),)))
    assert host.main(["measure", "--profile", "smoke"]) == 0
    assert "The host is busy: " in capsys.readouterr().out


@pytest.mark.parametrize("known", [{"parcel": "cd" * 6}, {}])
def test_a_run_of_another_parcel_is_refused(parcel, capsys, known):
    assert host.main(["measure", "--profile", "smoke"]) == 0
    file = Bundle.open("smoke").folder / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"harness": known}))
    capsys.readouterr()
    assert host.main(["measure", "--profile", "smoke"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert (f"is of parcel lab-{'cd' * 6}" if known else "is of no parcel") in line and "name another --run" in line


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["measure", "--profile", "vast"], 2, "invalid choice: 'vast'"),
        (["measure", "--experiments", "clock"], 2, "unknown experiment 'clock'"),
        (["measure", "--more", "5"], 2, "unrecognized arguments: --more 5; see: ./measure --help"),
        (["measure", "--run", "a/b"], 2, "'a/b' is not a plain name"),
    ],
)
def test_a_wrong_word_is_one_line(parcel, capsys, words, status, said):
    assert host.main(words) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("lab: ") and said in line


def test_another_architecture_is_refused_where_it_is_unpacked_too(parcel, monkeypatch, capsys):
    monkeypatch.setattr(host.platform, "machine", lambda: "aarch64")
    assert host.main(["doctor"]) == 5
    assert capsys.readouterr().err == "lab: this parcel is for x86_64, and this host is aarch64\n"


def test_where_nothing_can_be_measured_the_reason_is_the_answer(parcel, monkeypatch, capsys):
    monkeypatch.setattr(measuring.runtimes, "all_runtimes", lambda: {"jdk25": Runtime("jdk25", "25", "Toy")})
    assert host.main(["measure", "--profile", "smoke"]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("lab: lock_scaling: nothing to measure with these") and len(said.err.splitlines()) == 1


def test_the_doctor_says_what_lacks_and_what_is_not_measured_then(parcel, monkeypatch, capsys):
    monkeypatch.setattr(doctor.doctor, "examine", lambda tools: [("fio", f"not found ({tools['fio']})")])
    monkeypatch.setattr(doctor, "native", lambda: "version `GLIBC_2.99' not found")
    monkeypatch.setattr(
        doctor.usable_jdks, "take", lambda: usable_jdks.Started((), ("jdk17 (Toy 17) is left out: old",))
    )
    monkeypatch.setattr(measuring.plan, "left_out", lambda *_: ["Not measured where it needs 4 CPUs."])
    assert host.main(["doctor", "--profile", "smoke"]) == 0
    told = [line.split(None, 1) for line in capsys.readouterr().out.splitlines()]
    assert ["parcel", f"lab-{'ab' * 6}, of revision 0123456789ab"] in told
    text = [" ".join(" ".join(line).split()) for line in told]
    assert "left out jdk17 (Toy 17) is left out: old" in text
    assert "fio not found (the referee of file IO)" in text
    assert [one for one in text if "GLIBC_2.99" in one and "Java is not measured" in one]
    assert any("lock_scaling: Not measured where it needs 4 CPUs." in one for one in text)
