"""`lab import` as three users call it, each from files to a published figure; and without a checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import forked
import numpy as np
import pytest
from laboratory import DATA, PROGRAM, one_clear_line
from living import PATIENCE_S
from own_files import hlog, records, sides

from pipeline.ground import paths

OWN = DATA / "own"


@pytest.fixture
def folder(tmp_path) -> Path:
    return sides(tmp_path / "logs", {"old": 3, "new": 3}, seconds=8, tags=("READ-rt", "READ-st")).parent


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess:
    told = os.environ | {"LAB_RUNS": str(folder / "runs"), "LAB_BUILD": str(folder / "build")}
    return forked.run(words, told, folder, timeout=PATIENCE_S)


def lab(folder: Path, *words: str, status: int = 0) -> str:
    done = ran(folder, *words)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def test_from_logs_to_a_figure_that_is_checked(folder):
    told = lab(
        folder, "import", "before=logs/old/*.hlog", "after=logs/new/*.hlog", "--as", "checkout", "--limit", "99: 9 ms"
    )
    assert "before   3 sessions (cassandra-stress, READ-rt, READ-st, ns)" in told
    assert re.search(r"READ-rt  p99  .* ms -> .* ms: .* % slower \[.*\] over 3 and 3 sessions", told)
    assert "figures change, histogram, over_time, percentiles" in told
    page = (folder / "build" / "checkout" / "report" / "index.html").read_text()
    assert "checkout" in page and "figures/percentiles.svg" in page and str(folder) not in page
    kit = lab(folder, "kit", "percentiles", "--run", "checkout", "--for", "hugo")
    assert "Recorded by cassandra-stress; 6 sessions." in kit
    svg = folder / "build" / "checkout" / "kit" / "percentiles" / "percentiles.svg"
    assert lab(folder, "check", str(svg)).startswith("same bytes: percentiles.svg is figure percentiles of run ")
    compared = json.loads(lab(folder, "compare", "checkout:before", "checkout:after", "--format", "json"))
    assert compared["way"] == "repeated" and compared["counts"]["slower"] >= 3
    lab(folder, "compare", "checkout:before", "checkout:after", "--fail-on", "slower", status=1)


def test_a_sweep_of_fio_becomes_a_curve(folder):
    told = json.loads((OWN / "fio_plus.json").read_text())
    for depth in (1, 2, 4, 8, 16, 32):
        job = told["jobs"][0]
        job["job options"]["iodepth"] = str(depth)
        job["read"]["iops"] = 1000.0 * depth / (1 + 0.05 * depth)
        (folder / f"depth{depth}.json").write_text(json.dumps(told))
    told = lab(folder, "import", "disk=depth*.json", "--as", "disk", "--series", "read")
    assert "p99_by_iodepth" in told
    fitted = json.loads(lab(folder, "fit", "scaling", "disk", "--x", "iodepth", "--y", "iops", "--json"))
    assert fitted["disk, read"]["model"] in ("amdahl", "usl")
    assert "give --capacity" in lab(folder, "fit", "jcurve", "disk", "--x", "iops", status=2)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nothing.hlog",), "'nothing.hlog': matches no file"),
        (("logs/old/r1.hlog", "--unit", "parsec"), "--unit 'parsec': no unit of time"),
        (("logs/old/r1.hlog", "--unit", "us"), "its values are in ns (cassandra-stress records in ns)"),
        (("logs/old/r1.hlog", "--limit", "x"), "limit 'x' is not PERCENTILE: VALUE UNIT"),
        (("logs/old/r1.hlog", "--open", "--closed"), "the load is one of the two"),
        (("logs/old/r1.hlog", "--as", "../x"), "is not a plain name"),
    ],
)
def test_what_cannot_be_imported_is_one_line(folder, words, says):
    one_clear_line(ran(folder, "import", *words), 2, says)
    assert not list((folder / "runs").glob("*")), "nothing is left behind"


def test_a_dry_run_writes_nothing(folder):
    told = lab(folder, "import", "logs/old/r1.hlog", "--dry-run")
    assert told.startswith(
        "r1  r1.hlog: hlog (cassandra-stress), values in ns (cassandra-stress records in ns): READ-rt, 3,200 values"
    )
    assert not (folder / "runs").exists()


def test_a_name_that_commands_a_terminal_reaches_neither_screen_nor_page(folder):
    path = hlog(folder / "evil.hlog", records(1, 5, tags=("A",)))
    path.write_text(path.read_text().replace("Tag=A", "Tag=\x1b[2J<script>alert(1)</script>"))
    told = lab(folder, "import", "evil.hlog", "--as", "evil", "--title", "<img src=x onerror=alert(2)>")
    assert "\x1b" not in told
    for file in (folder / "build" / "evil").rglob("*"):
        if file.suffix in (".html", ".svg", ".json", ".csv"):
            text = file.read_text()
            assert "\x1b" not in text
            if file.suffix in (".html", ".svg"):
                assert "<script>alert" not in text and "<img src=x" not in text


@pytest.mark.prove
def test_a_package_without_a_checkout_imports_and_draws(folder):
    """The wheel, in an environment that has what it needs and nothing of this project, no JDK and no compiler."""
    uv = paths.ROOT / ".venv" / "bin" / "uv"
    if not uv.exists():
        pytest.skip("uv is not in .venv: `make harness` brings it")
    command = [uv, "build", "--wheel", "--offline", "--out-dir", folder / "dist", paths.ROOT]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    site = folder / "site"
    shutil.unpack_archive(wheel, site, "zip")
    empty = folder / "empty"
    empty.mkdir()
    told = {
        "PATH": str(Path(sys.executable).parent),
        "HOME": str(empty),
        "TEST_LOCK_FOLDER": str(folder),
        "PYTHONPATH": os.pathsep.join([str(site), sysconfig.get_path("purelib")]),
    }

    def run(*words: str, status: int = 0) -> str:
        command = [*PROGRAM, *words]
        done = subprocess.run(command, cwd=empty, env=told, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    pattern = str(folder / "logs")
    out = run("import", f"before={pattern}/old/*.hlog", f"after={pattern}/new/*.hlog", "--as", "here")
    assert "figures change, histogram, over_time, percentiles" in out
    assert (empty / "data" / "runs" / "here" / "run.json").exists()
    assert (empty / "build" / "here" / "report" / "index.html").exists()
    assert "slower" in run("compare", "here:before", "here:after")
    assert "READ-rt" in run("hlog", f"{pattern}/old/r1.hlog")
    assert "percentiles" in run("kit", "percentiles", "--run", "here", "--for", "html")
    out = run("versus", "a=/bin/true", "b=/bin/true", "--minutes", "0.05", "--as", "programs")
    assert "a compared with itself" in out and (empty / "build" / "programs" / "report" / "index.html").exists()
    assert "measuring needs a checkout of the project" in run("report", status=2)


def jmh(file: Path, faster: dict[str, float], seed: int) -> None:
    """Results of JMH of five forks each: six benchmarks that nothing reaches, and those in `faster`, by a factor."""
    chance = np.random.default_rng(seed)
    drift = chance.normal(1, 0.002)  # of this invocation: all of its benchmarks have it
    results = []
    for name in [*(f"Baseline.b{number}" for number in range(6)), *faster]:
        forks = (100 * drift * faster.get(name, 1.0) * chance.normal(1, 0.003, (5, 3))).tolist()
        every = [value for fork in forks for value in fork]
        primary = {"score": float(np.mean(every)), "scoreError": "NaN", "scoreUnit": "ns/op", "rawData": forks}
        results.append({"benchmark": f"org.example.{name}", "mode": "avgt", "threads": 1, "primaryMetric": primary})
    file.write_text(json.dumps(results))


def test_controls_give_one_session_of_several_forks_a_verdict(folder):
    """From the command line to the page: six benchmarks that the change cannot reach tell what runs do to a number."""
    jmh(folder / "main.json", {"Map.get": 1.0, "Map.put": 1.0}, 1)
    jmh(folder / "branch.json", {"Map.get": 1.3, "Map.put": 1.0}, 2)
    files = ("main=main.json", "branch=branch.json")
    plain = json.loads(lab(folder, "import", *files, "--as", "plain", "--no-page", "--json"))
    (found,) = plain["comparisons"]
    assert not {row["verdict"] for row in found["rows"]} & {"slower", "faster"}, "one session a side has no verdict"
    told = json.loads(lab(folder, "import", *files, "--as", "map", "--controls", "Baseline.*", "--json"))
    (found,) = told["comparisons"]
    rows = {row["label"]: row for row in found["rows"]}
    assert set(rows) == {"Map.get", "Map.put"}, "a control is no row"
    assert rows["Map.get"]["verdict"] == "slower" and rows["Map.put"]["verdict"] in ("same", "undecided")
    assert rows["Map.get"]["ratio"] == pytest.approx(1.3, rel=0.02)
    assert "Map.get" in Path(told["page"]).read_text()
    lab(folder, "compare", "map:main", "map:branch", "--fail-on", "slower", status=1)


def test_too_few_controls_decide_nothing_and_none_that_match_are_named(folder):
    jmh(folder / "main.json", {"Map.get": 1.0}, 1)
    jmh(folder / "branch.json", {"Map.get": 1.3}, 2)
    files = ("main=main.json", "branch=branch.json")
    told = json.loads(
        lab(folder, "import", *files, "--as", "few", "--controls", "Baseline.b[0-2]", "--no-page", "--json")
    )
    assert "slower" not in {row["verdict"] for row in told["comparisons"][0]["rows"]}
    assert "'Nothing.*'" in lab(folder, "import", *files, "--as", "none", "--controls", "Nothing.*", status=2)
