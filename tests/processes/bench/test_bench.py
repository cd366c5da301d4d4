"""bench: referees and trials for real, in small sizes. Nothing here asserts a timing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from laboratory import TINY, one_clear_line

from pipeline.bench import aa, bench, fio, interleave, jmh, kernel_trials, recording, scale, state
from pipeline.bench.comparisons import declared
from pipeline.ground import paths
from pipeline.ground.errors import LabError


@pytest.fixture(autouse=True)
def alone(own_lock):
    """A measuring lock of the test's own."""


def test_a_failed_referee_is_told_with_its_last_words() -> None:
    assert interleave.process(["/bin/sh", "-c", "echo hello"]) == "hello\n"
    with pytest.raises(LabError, match="sh failed: no such engine") as raised:
        interleave.process(["/bin/sh", "-c", "echo 'no such engine' >&2; exit 1"])
    assert raised.value.status == 4


def test_unknown_part_is_one_clear_line(call) -> None:
    one_clear_line(call("bench", "--only", "jmh,criterion"), 2, "criterion", "jmh, fio, recording, aa")


@pytest.mark.prove
def test_a_small_study_of_real_trials(lab: Path, capsys) -> None:
    kernels = [
        kernel_trials.Kernel(name=name, experiment="lock_scaling", variant=name, runtime="c", metric="cost")
        for name in ("mutex", "gone")
    ]
    sizes = aa.Sizes(pairs=3, comparisons=2, warmup=1, iterations=4, iteration_ms=1)
    file = bench.run(["aa"], {"aa": {"sizes": sizes, "kernels": kernels}})["aa"]
    written = json.loads(file.read_text())
    assert len(written["raw"]) == 2 * 6 and written["complete"]
    [compared] = written["comparisons"]
    assert (compared["name"], compared["rounds"], compared["unit"]) == ("mutex", 6, "ns")
    assert {row["kernel"] for row in written["rules"]} == {"mutex", "all"}
    assert written["recommendation"] in written["left_out"]
    assert any(line.startswith("gone:") for line in written["left_out"])
    assert "mutex" in capsys.readouterr().out
    assert not (lab / "build" / "bench" / "trials-aa").exists(), "the trials' files are removed"


@pytest.mark.prove
def test_recording_of_real_trials(lab: Path) -> None:
    sizes = recording.Sizes(rounds=3, warmup=1, iterations=12, iteration_ms=1)
    # An experiment whose operations are sampled, as those of the tiny one with its work outside the lock are not.
    text = TINY.replace("name: lock_scaling", "name: atomic_increment").replace(", outside: 10", "")
    text = text.replace("pthread_mutex", "lock_add").replace("runs: ticket", "runs: cas_loop")
    (lab / "catalogue" / "atomic_increment.yaml").write_text(text.replace("number: 1", "number: 2"))
    kernels = [recording.Kernel(experiment="atomic_increment", variant="mutex")]
    file = bench.run(["recording"], {"recording": {"sizes": sizes, "kernels": kernels}})["recording"]
    [compared] = json.loads(file.read_text())["comparisons"]
    assert compared["limits"] == [0.0, 1.25] and compared["referee"] > 0


@pytest.mark.prove
def test_a_multiplied_run_is_ingested_whole(lab: Path) -> None:
    # One thread: of more than there are CPUs iterations would be fewer and longer.
    timed = {"threads": 1, "warmup": 1, "iterations": 9, "iteration-ms": 1}
    about = {"experiment": "lock_scaling", "runtime": "c", "parameters": timed}
    kernels = [scale.Kernel(name=name, variant=name, **about) for name in ("mutex", "gone")]
    file = bench.run(["scale"], {"scale": {"sizes": scale.Sizes(1, 15, 25), "kernels": kernels}})["scale"]
    written = json.loads(file.read_text())
    each = 1 + 9
    rows = {row["histograms"]: row["rows"] for row in written["raw"]}
    assert set(rows) == {2 * each, 3 * each} and 2 * rows[3 * each] == 3 * rows[2 * each] > 0
    goals = [compared["referee"] for compared in written["comparisons"][:2]]
    assert goals == [scale.GOAL_NS, scale.GOAL_BYTES] and written["comparisons"][2]["limits"] == [0, scale.GROWTH]
    assert [line.split(":")[0] for line in written["left_out"]] == ["gone"]
    assert not (lab / "build" / "bench" / "trials-scale").exists()


@pytest.mark.skipif(shutil.which("fio") is None, reason="there is no fio")
def test_fio_and_our_harness_for_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("LAB_IO_DIR", str(tmp_path / "io"))
    sizes = fio.Sizes(rounds=1, most=1, file_size=16 << 20, passes=2)
    file = bench.run(["fio"], {"fio": {"sizes": sizes, "ways": declared("fio", fio.Way)[:1]}})["fio"]
    written = json.loads(file.read_text())
    assert {c["name"] for c in written["comparisons"]} >= {
        "c_write_read, c, write / fio_psync",
        "c_write_read, c, read / fio_psync",
    }
    assert {row["side"] for row in written["raw"]} == {"ours", "referee", "null"}
    assert not list((tmp_path / "io").iterdir()), "no file is left behind"


@pytest.mark.skipif(not jmh.JAR.exists() or not paths.java_harness().exists(), reason="JMH is built by `lab bench`")
def test_jmh_and_our_harness_for_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    kernels = [kernel for kernel in declared("jmh", jmh.Kernel) if kernel.name == "interface call, bimorphic"]
    sizes = jmh.Sizes(rounds=1, most=1, warmup=2, iterations=3, iteration_ms=2)
    file = bench.run(["jmh"], {"jmh": {"sizes": sizes, "kernels": kernels}})["jmh"]
    written = json.loads(file.read_text())
    assert {row["side"] for row in written["raw"]} == {"ours", "referee"}
    assert [len(row["ns_per_operation"]) for row in written["raw"] if row["side"] == "referee"] == [3, 3]


@pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built")
def test_our_side_takes_the_flags_of_a_comparison_beside_its_own(tmp_path: Path) -> None:
    side = kernel_trials.Ours(tmp_path / "work", "false_sharing")
    variant, flag = "array_volatile", "-XX:LoopStripMiningIter=0"
    [*_, newest] = side.runtimes(variant)
    sizes = {"threads": 1, "distance": 64, "placement": "spread", "warmup": 1, "iterations": 6, "iteration-ms": 1}
    command = side.trial(variant, newest, sizes, [flag])[0]["command"]
    assert flag in command and set(side.flags(variant, newest)) <= set(command)
    assert flag not in side.trial(variant, newest, sizes)[0]["command"]


@pytest.mark.prove
def test_a_small_study_of_states_beside_a_hog_and_without(lab: Path) -> None:
    kernels = [
        kernel_trials.Kernel(name="mutex", experiment="lock_scaling", variant="mutex", runtime="c", metric="cost")
    ]
    file = bench.run(["state"], {"state": {"rounds": state.HOGGED, "kernels": kernels}})["state"]
    written = json.loads(file.read_text())
    rounds = {row["round"]: row["kernel"] for row in written["raw"]}
    assert rounds == {at: "mutex" + (state.HOG if at == 4 else "") for at in range(5)}
    assert {row["kernel"] for row in written["scatter"]} == {*rounds.values()}
