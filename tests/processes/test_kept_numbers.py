"""What a command computed of a run the next one reads, and says the same."""

from __future__ import annotations

from pathlib import Path

from laboratory import Call

from pipeline.ground import arithmetic, paths


def test_the_second_command_says_the_same_and_computes_nothing(call: Call, tmp_path: Path):
    asked = ("--run", paths.REFERENCE, "--experiments", "clock")
    said, when = [], []
    for command in ("claims", "analyse", "claims", "analyse"):
        ended = call(command, *asked, **_fixed(tmp_path))
        assert ended.returncode == 0, ended.stderr
        said.append(ended.stdout)
        when.append({file.name: file.stat().st_mtime_ns for file in _computed(tmp_path)})
    assert said[:2] == said[2:] and len(said[0]) > 400 and len(said[1]) > 1000
    assert set(when[0]) == {"metrics.parquet", "verdicts.parquet"} and when[1:] == [when[0]] * 3


def test_what_is_read_for_the_first_time_is_read_side_by_side_told_and_what_another_build_computes(
    call: Call, tmp_path: Path
):
    asked = ("claims", "--run", paths.REFERENCE, "--experiments", "clock,signalling_latency", "--json")
    told = [call(*asked, **_fixed(tmp_path / build)) for build in ("one", "one", "two")]
    assert [one.returncode for one in told] == [0, 0, 0]
    assert told[0].stdout == told[1].stdout == told[2].stdout != ""
    lines = ["clock: run reference read", "signalling_latency: run reference read"]
    assert sorted(line.partition("] ")[2] for line in told[0].stderr.splitlines()) == lines
    assert told[1].stderr == ""
    one, two = (
        {(file.parts[-3], file.name): file.read_bytes() for file in _computed(tmp_path / build)}
        for build in ("one", "two")
    )
    assert one == two and len(one) == 2 * 2


def _fixed(build: Path) -> dict[str, str]:
    """As `lab` begins (`pipeline.commands.start`)."""
    return arithmetic.environment({"LAB_BUILD": str(build)})


def _computed(build: Path) -> list[Path]:
    return [*(build / paths.REFERENCE).glob("*/computed/*")]
