"""new: the least experiment that keeps every rule of CONTRIBUTING.md, under a name of one's own.

Templates are the files themselves with `$name` and the like in them. A line that ends in `# if java` is there where the
experiment has a kernel in Java, one that ends in `# if not java` where it has none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from pathlib import Path
from string import Template

from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.ground.errors import LabError

TEMPLATES = Path(__file__).parent / "templates"
LANGUAGES = ("java", "c")
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST = 24  # characters: with so many the templates' lines keep their widths
CONDITION = re.compile(r" *# if (not )?(\w+)$", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Words of Java that no package can be called.
RESERVED = set(
    "abstract assert boolean break byte case catch char class const continue default do double else enum extends false "
    "final finally float for goto if implements import instanceof int interface long native new null package private "
    "protected public return short static strictfp super switch synchronized this throw throws transient true try void "
    "volatile while".split()
)


def create(name: str, languages: Collection[str] = ()) -> list[Path]:
    """Write catalogue entry, claims, notebook and a kernel for each of the languages (both when none is given), and
    register them; returns the files that were written or changed.

    LabError when the name is invalid or taken; nothing is written then.
    """
    languages = languages or LANGUAGES
    words = _words(name)
    new = {
        paths.catalogue() / f"{name}.yaml": "entry.yaml",
        paths.catalogue() / "claims" / f"{name}.yaml": "claims.yaml",
        paths.notebooks() / f"{int(words['number']):02d}_{name}.ipynb": "notebook.ipynb",
    }
    if "java" in languages:
        new[_java() / words["family"] / f"{words['class']}.java"] = "experiment.java"
    if "c" in languages:
        new[_c() / "experiments" / words["family"] / f"{name}.c"] = "experiment.c"
    texts = {file: _filled(template, words, languages) for file, template in new.items()}
    if there := [file for file in texts if file.exists()]:
        raise LabError(f"experiment {name!r}: there is a file {there[0]} already; choose another name")
    texts[_claims()] = _claims().read_text(encoding="utf-8") + _filled("claims.csv", words, languages)
    if "java" in languages:
        texts[_registry()] = _registered_java(words)
    if "c" in languages:
        texts[_definitions()] = _registered_c(name)
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return list(texts)


def _java() -> Path:
    return paths.ROOT / "harness" / "java" / "src" / "main" / "java" / "lab" / "experiments"


def _c() -> Path:
    return paths.ROOT / "harness" / "c" / "src"


def _registry() -> Path:
    return _java() / "Registry.java"


def _definitions() -> Path:
    return _c() / "registry.def"


def _claims() -> Path:
    return paths.published() / "claims.csv"


def _words(name: str) -> dict[str, str]:
    """What stands in the templates for the experiment; LabError when it cannot be called so."""
    family, class_name = name.replace("_", ""), "".join(word.capitalize() for word in name.split("_"))
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        what = f"use up to {LONGEST} lower-case letters, digits and single _ between them, a letter first"
        raise LabError(f"experiment name {name[:60]!r} is not valid; {what}")
    entries = catalogue.load()
    if name in entries or f"EXPERIMENT({name})" in _definitions().read_text(encoding="utf-8").split():
        raise LabError(f"experiment {name!r} exists already; choose another name")
    code = [COMMENT.sub("", file.read_text(encoding="utf-8")) for file in (TEMPLATES / "experiment.java", _registry())]
    if family in RESERVED or class_name in re.findall(r"\w+", " ".join(code)):
        raise LabError(f"experiment name {name!r}: Java has another use for {family} or {class_name}; choose another")
    with _claims().open(encoding="utf-8", newline="") as file:
        claims = [int(row["id"][1:]) for row in csv.DictReader(file)]
    return {
        "name": name,
        "family": family,
        "class": class_name,
        "title": name.replace("_", " ").capitalize(),
        "number": str(1 + max(entry.number for entry in entries.values())),
        "claim": f"C{1 + max(claims):02d}",
    }


def _filled(template: str, words: dict[str, str], languages: Collection[str]) -> str:
    """A template with the words in place, and of its lines those that the languages have."""

    def has(line: str) -> bool:
        condition = CONDITION.search(line)
        return condition is None or (condition[2] in languages) != bool(condition[1])

    lines = (TEMPLATES / template).read_text(encoding="utf-8").splitlines()
    text = "".join(f"{CONDITION.sub('', line)}\n" for line in lines if has(line))
    return Template(text).substitute(words)


def _registered_java(words: dict[str, str]) -> str:
    """Registry.java with the class imported, in the order of imports, and last in the list."""
    lines = _registry().read_text(encoding="utf-8").splitlines()
    imports = [at for at, line in enumerate(lines) if line.startswith("import lab.experiments.")]
    ordered = sorted([*(lines[at] for at in imports), f"import lab.experiments.{words['family']}.{words['class']};"])
    lines[imports[0] : imports[-1] + 1] = ordered
    text = "\n".join(lines) + "\n"
    return re.sub(r"^( +)(new \w+\(\))\);$", rf"\1\2,\n\1new {words['class']}());", text, flags=re.M)


def _registered_c(name: str) -> str:
    lines = _definitions().read_text(encoding="utf-8").split()
    return "\n".join(sorted([*lines, f"EXPERIMENT({name})"])) + "\n"
