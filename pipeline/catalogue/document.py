"""A YAML file of the catalogue whose every value knows its line, and the types that it is checked against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.ground.errors import LabError


class _UniqueKeys(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # the fast one where libyaml is there
    """YAML of which the last of two equal keys does not silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} appears twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


class Strict(BaseModel):
    """A type of a document that is no entry: an unknown key is a fault, and what is read does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def first_fault(error: ValidationError) -> tuple[tuple[str | int, ...], str, bool]:
    """Of the first fault that a type found in a document: its place, what is wrong, and whether the last part of the
    place is a key that is missing."""
    first = error.errors()[0]
    kind, what = first["type"], first["msg"].removeprefix("Value error, ")
    if kind == "unexpected_keyword_argument":  # pydantic speaks of dataclasses as of functions
        what = "Extra inputs are not permitted"
    elif kind == "dataclass_type":
        what = f"Input should be a valid dictionary or instance of {first['ctx']['class_name']}"
    return tuple(first["loc"]), what, kind == "missing"


class Document:
    """A file's top-level mapping, `data`, and the lines it was written on."""

    def __init__(self, path: Path, name: str) -> None:
        """LabError names file (as `name`) and line when the file is no YAML mapping."""
        self.name = name
        try:
            text = path.read_text(encoding="utf-8")
            loader = _UniqueKeys(text)
            try:
                self._node = loader.get_single_node()
                self.data: dict[str, Any] = loader.construct_document(self._node) if self._node else None
            finally:
                loader.dispose()
        except UnicodeDecodeError:
            raise LabError(f"{name}: not UTF-8 text; save the file as UTF-8") from None
        except yaml.MarkedYAMLError as error:
            line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
            raise LabError(f"{name}{line}: not readable as YAML ({error.problem}); correct that line") from None
        except yaml.YAMLError as error:
            raise LabError(f"{name}: not readable as YAML ({str(error).splitlines()[0]}); correct the file") from None
        if not isinstance(self.data, dict):
            raise LabError(f"{name}: its top level is no mapping `key: value`; correct the file")

    def place(self, where: Sequence[str | int]) -> str:
        """`file:line` of the value at a path of keys and positions, or of what encloses it when it is not there.

        Parts that are no key of the file (the tags by which pydantic names a kind) are passed over.
        """
        steps = self._steps(where)
        return f"{self.name}:{steps[-1][1] if steps else 1}"

    def path(self, where: Sequence[str | int], missing: bool = False) -> str:
        """A path as a reader finds it in the file, parts passed over as in `place`; missing: the last one is not there.

        Of the whole file it is empty.
        """
        parts = [part for part, _ in self._steps(where)]
        return ".".join(str(part) for part in [*parts, *(where[-1:] if missing else ())])

    def _steps(self, where: Sequence[str | int]) -> list[tuple[str | int, int]]:
        """Those parts of a path that are in the file, each with its line."""
        node, steps = self._node, []
        for part in where:
            if isinstance(node, yaml.MappingNode):
                found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
                if found:
                    node = found[1]
                    steps.append((part, found[0].start_mark.line + 1))
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                steps.append((part, node.start_mark.line + 1))
        return steps
