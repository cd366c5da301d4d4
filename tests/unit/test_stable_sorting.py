"""Rows of one key keep their order: a quick sort orders equals by the CPU's vector units, and figures follow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pipeline.ground import paths


def unstable(text: str) -> list[int]:
    """Lines that sort a table by one column and do not ask for a stable order; several columns always have one."""
    found = []
    for node in ast.walk(ast.parse(text)) if "sort_values" in text else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sort_values":
            several = node.args and isinstance(node.args[0], ast.List) and len(node.args[0].elts) > 1
            if not several and not any(one.arg == "kind" for one in node.keywords):
                found.append(node.lineno)
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('t.sort_values("x")', [1]),
        ("s.sort_values()", [1]),
        ("t.sort_values(['x'])", [1]),
        ("t.sort_values(keys)", [1]),
        ('t.sort_values("x", kind="stable")', []),
        ("t.sort_values(['x', 'y'])", []),
    ],
)
def test_what_is_not_stable_is_found(text, found):
    assert unstable(text) == found


def test_every_table_is_sorted_in_a_stable_order():
    files: list[Path] = sorted((paths.ROOT / "pipeline").rglob("*.py"))
    assert [f"{file.name}:{line}" for file in files for line in unstable(file.read_text(encoding="utf-8"))] == []
