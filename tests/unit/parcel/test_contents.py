"""What goes into a parcel: all that runs on a host, and nothing that needs a package."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from pipeline.bundle import checksums
from pipeline.ground import digest, paths
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime
from pipeline.parcel import contents, jdks

ON_THE_HOST = ("parcel.host", "parcel.measuring", "parcel.doctor", "parcel.usable_jdks", "parcel.unpacking")
# Of rooms that go along, what only a checkout imports: the check of the catalogue, and the making of a parcel.
AT_HOME = {"pipeline.catalogue.check", "pipeline.catalogue.document"}


@pytest.fixture(scope="module")
def code(tmp_path_factory) -> dict[str, Path | bytes]:
    return contents._code(tmp_path_factory.mktemp("code"))


def imported(file: Path) -> set[str]:
    """What a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{one.name}" for one in node.names}
    return found


def test_what_runs_on_a_host_imports_only_what_goes_along_and_the_standard_library(code):
    held = {name.removesuffix(".py").replace("/", "."): file for name, file in code.items() if name.endswith(".py")}
    left, seen = [f"pipeline.{name}" for name in ON_THE_HOST], set()
    while left:
        module = left.pop()
        if module in seen:
            continue
        seen.add(module)
        for one in imported(held[module]) - AT_HOME:
            if one.partition(".")[0] != "pipeline":
                assert one.partition(".")[0] in sys.stdlib_module_names, f"{module} imports {one}"
                continue
            named = one if one in held else one.rpartition(".")[0]
            assert named in held or f"{named}.__init__" in held, f"{module} imports {one}, which does not go along"
            left += [named] if named in held else []
    assert "pipeline.measure.trial" in seen and "pipeline.bundle.single_file" in seen


def test_how_it_is_called_and_the_checked_catalogue_are_in_it(code):
    assert {"measure", "doctor", "parcel.py", "LICENSE", "catalogue/catalogue.checked"} <= code.keys()
    assert not [name for name in code if name.endswith(".yaml")]


def test_what_it_says_of_itself(monkeypatch):
    monkeypatch.setattr(contents.bundle, "git_revision", lambda: "0123456789ab")
    monkeypatch.setattr(contents.runtimes, "version", lambda program: f"{program} 12")
    about = contents._about([Runtime("jdk25", "25.0.3", "Toy", "25.0.3+9", "/opt/jdk")])
    checkout = checksums.of_sources()
    assert about["harness"] == checkout
    assert about["compiler"] == "cc 12" and about["git"] == "0123456789ab"
    assert "/opt" not in str(about) and about["jdks"]["jdk25"]["build"] == "25.0.3+9"
    assert about["takes"]["c"] > 0 and about["takes"]["java"] > about["takes"]["c"]


def test_a_harness_that_is_not_built_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    with pytest.raises(LabError, match="lab-harness.jar is not built; run: make harness"):
        contents._harnesses()


@pytest.mark.parametrize("cuts", [{"jdk17"}, {"jdk17", "jdk25"}])
def test_a_jdk_that_cannot_be_cut_is_said_and_left_out_and_without_any_there_is_no_parcel(monkeypatch, tmp_path, cuts):
    found = {name: Runtime(name, name[3:], "Toy", "", f"/opt/{name}") for name in ("jdk17", "jdk25")}

    def cut(jdk: Runtime, folder: Path) -> None:
        if jdk.name in cuts:
            raise jdks.Uncut(jdk, "no jlink")
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "java").touch()

    said: list[str] = []
    monkeypatch.setattr(contents.runtimes, "jdks", lambda: found)
    monkeypatch.setattr(contents.runtimes, "version", lambda program: "cc 12")
    monkeypatch.setattr(contents.bundle, "git_revision", lambda: "")
    monkeypatch.setattr(contents, "_static", lambda: None)
    monkeypatch.setattr(contents, "_harnesses", dict)
    monkeypatch.setattr(contents.jdks, "cut", cut)
    if len(cuts) == 2:
        with pytest.raises(LabError, match="no JDK can be cut; --jdks none makes a parcel that takes the host's"):
            contents.collect("", tmp_path, said.append)
    else:
        made = contents.collect("", tmp_path, said.append)
        assert "jdks/jdk25/bin/java" in made.files and set(made.about["jdks"]) == {"jdk25"}
    assert said[0] == "jdk17 (Toy 17) cannot be cut and is left out: no jlink" and len(said) == len(cuts)


def test_without_jdks_none_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.setattr(contents, "_static", lambda: None)
    monkeypatch.setattr(contents, "_harnesses", dict)
    monkeypatch.setattr(contents, "_about", lambda kept: {"jdks": kept})
    monkeypatch.delattr(contents.runtimes, "jdks")
    made = contents.collect("none", tmp_path, print)
    assert made.about == {"jdks": []} and not [name for name in made.files if name.startswith("jdks/")]
    assert digest.PACKAGE / "parcel" / "host.py" == made.files["pipeline/parcel/host.py"]
