"""Another source for a loaded function, or for a module that is imported again."""

from __future__ import annotations

import ast
import gc
import importlib.util
import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from drawn import ROOT


class OtherSource(SourceFileLoader):
    """The finder and the loader of one module whose source is another."""

    def __init__(self, path: Path, source: str):
        super().__init__(".".join(path.relative_to(ROOT).with_suffix("").parts), str(path))
        self.source = source

    def find_spec(self, name: str, *_: Any) -> Any:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _: str) -> Any:
        return compile(self.source, self.path, "exec")


def outermost(source: str, line: int) -> tuple[int | None, bool]:
    """The first line of the outermost function that a line is of, None where of none; and whether it is of its body."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first <= line <= (node.end_lineno or 0):
                return first, node.body[0].lineno <= line
    return None, False


def exchange(path: Path, source: str, first: int) -> bool:
    """Give the loaded function that begins at a line the code that it has in another source."""
    codes, found = [compile(source, path, "exec")], None
    while codes and not found:
        code = codes.pop()
        inner = [one for one in code.co_consts if isinstance(one, CodeType)]
        found = next((one for one in inner if one.co_firstlineno == first and one.co_name[0] != "<"), None)
        codes += inner
    old = [
        one
        for one in gc.get_objects()
        if isinstance(one, FunctionType)
        and (one.__code__.co_filename, one.__code__.co_firstlineno) == (str(path), first)
        and one.__code__.co_qualname == found.co_qualname
    ]
    for one in old:
        one.__code__ = found
    return bool(old)


def forget() -> None:
    """Let the pipeline and the tests be imported again."""
    for name in [name for name, one in sys.modules.items() if _ours(name, one)]:
        del sys.modules[name]


def _ours(name: str, module: Any) -> bool:
    """Whether a module is the pipeline's or the tests'."""
    file = getattr(module, "__file__", None) or ""
    inside = file.startswith(f"{ROOT}{os.sep}") and "site-packages" not in file
    return name != "__main__" and (inside or name.split(".")[0] == "pipeline")
