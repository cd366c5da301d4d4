"""The words that docs/style.md does not use stand in no text that a reader sees."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from pipeline.ground import paths

NOT_USED = [
    re.compile(pattern)
    for pattern in (
        r"\b[Bb]eside\b",
        r"\bwhat (?:comes|came|becomes) of (?:it|them)\b",
        r"\b(?:is|are|was|were|be|been) told\b(?! (?:apart|from|to)\b)",
        r"\bto be had\b",
        r"\b[Ww]ho (?:prefers|wants|asks|looks|reads|goes)\b",
        r"\b(?:both|all \d+) JDKs\b",
        r"\bJDK \d+ and (?:on )?JDK \d+\b",
        r"\d times (?:slower|faster|longer|shorter|higher|lower|more|fewer|less)\b",
        r"\bwould have been\)",
        r"\b(?:as far as this shows|however great)\b",
        r"(?<!checked )(?<!validated )(?<!reason )(?<!does )\b[Aa]gainst\b(?! each other\b|=)",
    )
]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def visible() -> Iterator[tuple[str, str]]:
    """(file, text) of all that a reader of pages, documents, help and messages sees; code in texts is left out."""
    root = paths.ROOT
    for file in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]:
        if file.name != "style.md":
            yield file.name, CODE.sub("", file.read_text(encoding="utf-8"))
    yield "Makefile", "\n".join(re.findall(r"## (.*)", (root / "Makefile").read_text(encoding="utf-8")))
    for file in sorted((root / "notebooks").rglob("*.ipynb")):
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            for one in [CODE.sub("", text)] if cell["cell_type"] == "markdown" else strings(text):
                yield f"{file.name} {cell['id']}", one
    for file in sorted((root / "catalogue").rglob("*.yaml")):
        yield from (
            (f"catalogue/{file.name}", one)
            for one in words(yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader))
        )
    yield "claims.csv", (paths.published() / "claims.csv").read_text(encoding="utf-8")
    for file in sorted((root / "pipeline").rglob("*.py")):
        yield from ((str(file.relative_to(root)), one) for one in strings(file.read_text(encoding="utf-8")))
    for file in templates(root / "pipeline"):
        yield str(file.relative_to(root)), file.read_text(encoding="utf-8")


def templates(folder: Path) -> list[Path]:
    return sorted(file for kind in ("*.j2", "*.html", "*.js") for file in folder.rglob(kind))


def strings(code: str) -> Iterator[str]:
    """The strings of a module that are words, without those that document it."""
    documents: set[int] = set()  # a walk meets a statement before what stands in it
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Expr):
            documents.add(id(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            if id(node) not in documents:
                yield node.value


def words(entry: object) -> Iterator[str]:
    """The values of an entry that are words."""
    if isinstance(entry, dict):
        entry = list(entry.values())
    if isinstance(entry, list):
        for one in entry:
            yield from words(one)
    elif isinstance(entry, str) and " " in entry:
        yield entry


@pytest.mark.parametrize(
    "text",
    [
        "beside one thread",
        "| command | what comes of it |",
        "the rest is told.",
        "answers are to be had",
        "Who prefers conda finds it",
        "on both JDKs",
        "on JDK 17 and on JDK 25",
        "3.1 times slower",
        "(one of 7 % would have been)",
        "FileChannel against streams",
        "Predicted against measured",
    ],
)
def test_what_is_not_used_is_found(text):
    assert any(one.search(text) for one in NOT_USED)


@pytest.mark.parametrize(
    "text",
    [
        "besides",
        "not told apart from A",
        "unless it is told to stop",
        "ten times as many",
        "JDK 17 and 25",
        "validated against a schema",
    ],
)
def test_what_may_be_said_is_not_found(text):
    assert not any(one.search(text) for one in NOT_USED)


def test_only_words_that_a_reader_sees_are_looked_at():
    code = '"""Beside itself."""\nkey = "beside"\nsaid = f"a {key} beside b"  # beside\n'
    assert list(strings(code)) == ["a ", " beside b"]
    assert list(words({"beside": {"label": "a beside b", "runs": "beside"}})) == ["a beside b"]


def test_no_text_that_a_reader_sees_uses_them():
    texts = list(visible())
    kinds = {Path(where.partition(" ")[0]).suffix for where, _ in texts}
    assert kinds >= {"", ".md", ".ipynb", ".yaml", ".csv", ".py"}
    assert [f"{where}: {text}" for where, text in texts for one in NOT_USED if one.search(text)] == [], "docs/style.md"


def test_the_style_shows_ten_pairs_of_before_and_after():
    lines = (paths.ROOT / "docs" / "style.md").read_text(encoding="utf-8").splitlines()
    pairs = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    assert len(pairs) == 10 and all(len(pair) == 2 for pair in pairs)
    assert not [after for _, after in pairs for one in NOT_USED if one.search(after)]
    assert len([before for before, _ in pairs if any(one.search(before) for one in NOT_USED)]) >= 7
