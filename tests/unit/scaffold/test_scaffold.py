"""`lab new`: what it writes is an experiment of the catalogue, registered once; what it refuses it leaves alone."""

from __future__ import annotations

import csv
import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from pipeline.catalogue import catalogue, check
from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.publish import notebooks
from pipeline.scaffold import scaffold

pytestmark = pytest.mark.thorough

JAVA, C = "harness/java/src/main/java/lab/experiments", "harness/c/src"
LONG = "a2345678901234567_901234"


@pytest.fixture
def project(tmp_path: Path, tmp_path_factory, monkeypatch) -> Path:
    """The files of the project that a new experiment changes, or that it might be mistaken for."""
    for folder in ("catalogue", "notebooks"):
        shutil.copytree(paths.ROOT / folder, tmp_path / folder)
    for file in ("data/published/claims.csv", f"{JAVA}/Registry.java", f"{C}/registry.def"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(paths.ROOT / file, tmp_path / file)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(catalogue, "load", cache(catalogue.load.__wrapped__))
    monkeypatch.setattr(check, "entry", read_once)
    monkeypatch.setenv("LAB_BUILD", str(tmp_path_factory.mktemp("build")))
    return tmp_path


READ: dict[tuple[bytes, ...], Experiment] = {}
FRESH = check.entry


def read_once(path: Path) -> Experiment:
    """An entry of the catalogue; one with the same name and bytes, claims too, is the one read before."""
    claims = path.parent / "claims" / path.name
    key = path.name.encode(), path.read_bytes(), claims.read_bytes() if claims.exists() else b""
    if key not in READ:
        READ[key] = FRESH(path)
    return READ[key]


def files(folder: Path) -> dict[str, str]:
    return {str(one.relative_to(folder)): one.read_text() for one in folder.rglob("*") if one.is_file()}


def lines_of(made: dict[str, str]) -> list[tuple[str, str]]:
    """The lines of files, of a notebook those of its cells."""
    texts = {
        file: "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]) if ".ipynb" in file else text
        for file, text in made.items()
    }
    return [(file, line) for file, text in texts.items() for line in text.splitlines()]


@pytest.mark.parametrize("languages", [(), ("java",), ("c",), ("java", "c")])
@pytest.mark.parametrize("name", ["spin", "my_new_lock", LONG])
def test_an_entry_with_kernels_in_the_languages_a_notebook_and_a_claim(project, name, languages):
    before = files(project)
    last = max(catalogue.load().values(), key=lambda entry: entry.number)
    written = scaffold.create(name, languages)
    after = files(project)
    changed = {file for file, text in after.items() if before.get(file) != text}
    assert {str(file.relative_to(project)) for file in written} == changed
    catalogue.load.cache_clear()
    entry = catalogue.experiment(name)
    assert (entry.number, len(entry.claims), entry.title) == (last.number + 1, 1, name.replace("_", " ").capitalize())
    kernels = {variant.harness for variant in entry.variants.values()}
    assert kernels == set(languages or ("java", "c"))
    assert {name for sweep in entry.profiles["smoke"].sweeps for name in sweep.variants} == set(entry.variants)
    (judged,) = entry.claims.values()
    assert judged.runtimes == (["jdk"] if "java" in kernels else ["c"])
    with (project / "data/published/claims.csv").open() as file:
        told = list(csv.DictReader(file))
    assert [row["id"] for row in told if row["topic"] == name] == list(entry.claims)
    assert len({row["id"] for row in told}) == len(told) and set(told[-1]) == set(told[0])
    path = notebooks.source(entry)
    assert path in written and not notebooks.check_clean(path)
    assert f'Session("{name}"' in "".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])
    made = {file: text for file, text in after.items() if file not in before}
    assert not re.search(r"# if|\$", "".join(made.values()))
    assert [line for file, line in lines_of(made) if len(line) > (100 if file.endswith(".c") else 120)] == []


def test_a_kernel_is_registered_once_and_in_its_place(project):
    scaffold.create("my_new_lock")
    registry = (project / JAVA / "Registry.java").read_text().splitlines()
    imports = [line for line in registry if line.startswith("import lab.experiments.")]
    assert imports == sorted(imports) and imports.count("import lab.experiments.mynewlock.MyNewLock;") == 1
    assert [line for line in registry if "MyNewLock()" in line] == ["            new MyNewLock());"]
    assert registry[registry.index("            new MyNewLock());") - 1].endswith("(),")
    kernel = (project / JAVA / "mynewlock/MyNewLock.java").read_text()
    assert "package lab.experiments.mynewlock;" in kernel and "class MyNewLock implements" in kernel
    definitions = (project / C / "registry.def").read_text().split()
    assert definitions == sorted(definitions) and definitions.count("EXPERIMENT(my_new_lock)") == 1
    text = (project / C / "experiments/mynewlock/my_new_lock.c").read_text()
    assert "experiment_my_new_lock = {" in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "is not valid"),
        ("Spin", "is not valid"),
        ("2spin", "is not valid"),
        ("spin__lock", "is not valid"),
        ("_spin", "is not valid"),
        ("spin_", "is not valid"),
        ("spin-lock", "is not valid"),
        ("../spin", "is not valid"),
        ("spin lock\n", "is not valid"),
        ("spin\n", "is not valid"),
        (LONG + "5", "up to 24"),
        ("lock_scaling", "exists already"),
        ("probe", "exists already"),  # a kernel of the C harness that no entry has
        ("int", "Java has another use for int"),
        ("trial", "for trial or Trial"),
        ("registry", "for registry or Registry"),
        ("false_sharing", "exists already"),
        ("false", "Java has another use for false"),
    ],
)
def test_a_name_that_is_invalid_or_taken_is_refused_and_nothing_is_written(project, name, words):
    before = files(project)
    with pytest.raises(LabError, match=re.escape(words)) as refused:
        scaffold.create(name)
    assert "\n" not in str(refused.value) and refused.value.status == 2
    assert files(project) == before


def test_a_file_that_is_there_already_is_never_written_over(project):
    mine = project / C / "experiments/spin/spin.c"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    before = files(project)
    with pytest.raises(LabError, match=r"spin\.c already"):
        scaffold.create("spin")
    assert files(project) == before
    scaffold.create("spin", ["java"])
    assert mine.read_text() == "mine"
    catalogue.load.cache_clear()
    with pytest.raises(LabError, match="exists already"):
        scaffold.create("spin", ["c"])
