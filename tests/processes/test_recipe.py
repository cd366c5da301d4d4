"""The recipe of CONTRIBUTING.md in a copy of the project: `lab new`, from the harness to the page.

Beside it the smallest experiment whose trials have parts; its files are in tests/data/recipe.
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from laboratory import DATA, PROGRAM
from living import PATIENCE_S

from pipeline.ground import paths
from pipeline.host import runtimes

RECIPE = DATA / "recipe"
SOURCES = ("toy/Toy.java", "toy/ToyPair.java", "Registry.java")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "jmh", "test-classes", "surefire-reports")


def ran(*command: object, cwd: Path, status: int = 0) -> str:
    environment = os.environ | {"PYTHONPATH": str(cwd), "TEST_LOCK_FOLDER": str(cwd)}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def insert(file: Path, before: str, text: str) -> None:
    """Put a line before the first that begins like `before`, or at the end."""
    old = file.read_text(encoding="utf-8")
    assert before in old
    file.write_text(old.replace(before, text + before, 1) if before else old + text, encoding="utf-8")


def build_java(project: Path) -> None:
    """What `mvn package` does after such a change, without the tests of all other experiments."""
    java = project / "harness" / "java"
    sources = [java / "src/main/java/lab/experiments" / name for name in SOURCES]
    tools = Path(next(iter(runtimes.jdks().values())).java()).parent
    jar, classes = java / "target" / "lab-harness.jar", project / "classes"
    ran(tools / "javac", "--release", "17", "-Xlint:all", "-Werror", "-cp", jar, "-d", classes, *sources, cwd=project)
    ran(tools / "jar", "--update", "--file", jar, "-C", classes, ".", cwd=project)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the new experiment `toy`, as `lab new` makes it, and the kernels of `toy_pair`."""
    folder = tmp_path_factory.mktemp("recipe") / "lab"
    for name in ("catalogue", "harness", "notebooks", "pipeline", "data/published"):
        shutil.copytree(paths.ROOT / name, folder / name, ignore=LEFT_OUT)
    shutil.copy(paths.ROOT / "requirements.lock", folder)
    lab(folder, "new", "toy")
    experiments = folder / "harness/java/src/main/java/lab/experiments"
    shutil.copy(RECIPE / "ToyPair.java", experiments / "toy")
    insert(experiments / "Registry.java", "            new NotifyCost()", "            new ToyPair(),\n")
    insert(experiments / "Registry.java", "\n/** The one place", "import lab.experiments.toy.ToyPair;\n")
    shutil.copy(RECIPE / "toy_pair.c", folder / "harness/c/src/experiments/toy")
    insert(folder / "harness/c/src/registry.def", "", "EXPERIMENT(toy_pair)\n")
    build_java(folder)
    ran("make", "-s", "-C", "harness/c", "all", cwd=folder)
    return folder


def lab(project: Path, *arguments: str, status: int = 0) -> str:
    for name in [name for name in os.environ if name.startswith("LAB_")]:
        assert name == "LAB_JDKS", f"{name} would lead out of the copy"
    return ran(*PROGRAM, *arguments, cwd=project, status=status)


@pytest.mark.prove
def test_a_new_experiment_leads_from_the_harness_to_the_page_as_it_stands(project):
    lab(project, "report", "--profile", "smoke", "--run", "trial", "--experiments", "toy")
    journal = [json.loads(line) for line in (project / "data/runs/trial/journal.jsonl").read_text().splitlines()]
    trials = [line for line in journal if "trial" in line]
    assert {line["status"] for line in trials} == {"measured"}
    blocks, threads = 1, 2
    assert len([line for line in trials if line["attempt"] == 0]) == blocks * threads * (len(runtimes.jdks()) + 1)
    estimates = pd.read_parquet(project / "build/trial/toy/estimates.parquet")
    assert set(estimates["variant"]) == {"count", "c_count"} and (estimates["estimate"] > 0).all()
    files = {file.name for file in (project / "build/trial/figures").iterdir()}
    suffixes = (".svg", "-dark.svg", ".csv", ".json")
    assert files == {f"toy_cost{suffix}" for suffix in suffixes}
    page, index = ((project / "build/report" / f"{name}.html").read_text() for name in ("toy", "index"))
    assert "figures/toy_cost.svg" in page and "An increment by one thread" in page
    assert "An increment costs something" in index and "An increment by one thread takes" in index


def test_a_failing_check_is_an_experiments_own_business(project):
    out = project / "none" / "x.hlog"
    listed = json.loads(ran(project / "harness/c/build/lab-harness", "--list", cwd=project).splitlines()[-1])
    assert "toy" in [one["name"] for one in listed["experiments"]]
    ran(
        project / "harness/c/build/lab-harness",
        "toy",
        "--variant",
        "count",
        "--warmup",
        "0",
        "--iterations",
        "1",
        "--out",
        out,
        cwd=project,
        status=5,
    )
    lab(project, "report", "--run", "trial", "--experiments", "toys", status=2)


class Pair:
    """Two parts of a trial, started by hand: main part and peer, each of either harness."""

    def __init__(self, project: Path, folder: Path, harnesses: tuple[str, ...], iterations: int) -> None:
        java = next(iter(runtimes.jdks().values())).java()
        programs = {
            "java": [java, "-jar", project / "harness/java/target/lab-harness.jar"],
            "c": [project / "harness/c/build/lab-harness"],
        }
        self.page = folder / "page"
        self.page.write_bytes(bytes(4096))
        self.outs = [folder / f"{part}.hlog" for part in range(2)]
        size = f"toy_pair --variant words --warmup 2 --iterations {iterations} --iteration-ms 2".split()
        self.parts = [
            subprocess.Popen(
                [*map(str, [*programs[harness], *size, "--meet", self.page, "--part", f"{part}/2", "--out", out])],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for part, (harness, out) in enumerate(zip(harnesses, self.outs, strict=True))
        ]

    def has_met(self) -> bool:
        return int.from_bytes(self.page.read_bytes()[128:136], sys.byteorder) >= 4

    def ended(self) -> list[tuple[int, str, str]]:
        told = [part.communicate(timeout=PATIENCE_S) for part in self.parts]
        return [(part.returncode, *texts) for part, texts in zip(self.parts, told, strict=True)]


HARNESSES = list(itertools.product(("java", "c"), repeat=2))


@pytest.mark.parametrize("harnesses", HARNESSES)
def test_two_parts_meet_whatever_they_are_written_in(project, tmp_path, harnesses):
    (ping, said, _), (pong, answered, _) = ended = Pair(project, tmp_path, harnesses, 20).ended()
    assert (ping, pong) == (0, 0), ended
    trials = [json.loads(text.splitlines()[-1]) for text in (said, answered)]
    assert all(check["passed"] for trial in trials for check in trial["checks"])
    mine, theirs = (trial["iterations"]["operations"] for trial in trials)
    assert mine == theirs and min(mine) > 0  # warm-up and iterations made again are as many on both sides
    assert [trial["iterations"]["phase"].count("measured") for trial in trials] == [20, 20]
    assert [trial["parameters"]["part"] for trial in trials] == ["0/2", "1/2"]


@pytest.mark.parametrize("harnesses", HARNESSES)
def test_a_part_that_is_killed_ends_the_other(project, tmp_path, harnesses):
    pair = Pair(project, tmp_path, harnesses, 100_000)
    while not pair.has_met():
        assert [part.poll() for part in pair.parts] == [None, None]
        time.sleep(0.01)
    pair.parts[1].kill()
    (status, said, cause), _ = pair.ended()
    assert (status, said) == (4, "") and cause.endswith("another part failed\n")
    assert not any(tmp_path.glob("0.hlog*"))


def test_a_trial_of_two_parts_leads_from_the_catalogue_to_the_tables(project):
    entry = shutil.copy(RECIPE / "toy_pair.yaml", project / "catalogue" / "toy_pair.yaml")
    try:
        lab(project, "measure", "--profile", "smoke", "--run", "pairs", "--experiments", "toy_pair")
        lab(project, "ingest", "--run", "pairs")
    finally:
        Path(entry).unlink()
    journal = [json.loads(line) for line in (project / "data/runs/pairs/journal.jsonl").read_text().splitlines()]
    trials = [line for line in journal if "trial" in line and line["attempt"] == 0]
    assert {line["status"] for line in trials} == {"measured"}
    assert len(trials) == 2 * len(runtimes.jdks()) + 1
    assert {line["parts"]["peer"]["command"][0] for line in trials if line["variant"] != "pair"} == {"{c}"}
    assert all(
        line["parts"]["peer"]["command"][0] == line["command"][0] for line in trials if line["variant"] == "pair"
    )
    tables = project / "build/pairs/toy_pair"
    rows = pd.read_parquet(tables / "iterations.parquet")
    assert set(rows["series"]) == {"t0", "peer.t0"} and (rows["operations"] > 0).all()
    checks = pd.read_parquet(tables / "checks.parquet")
    both = [f"{part}the other part passed it on as often" for part in ("", "peer.")]
    assert (
        checks["passed"].all() and [sum(checks["name"] == name) for name in both] == [len(rows["trial"].unique())] * 2
    )
