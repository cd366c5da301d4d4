"""The catalogue: what is measured, declared in `catalogue/<experiment>.yaml`, one entry per file.

Every other module takes its knowledge of an experiment from here; none of them names one.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from pipeline import paths
from pipeline.catalogue.entry import Experiment
from pipeline.errors import LabError


class _UniqueKeys(yaml.SafeLoader):
    """YAML of which the last of two equal keys does not silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} appears twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _mapping(path: Path) -> dict[str, Any]:
    """A file's top-level mapping; LabError names file and line."""
    name = path.name if path.parent == paths.catalogue() else f"{path.parent.name}/{path.name}"
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _UniqueKeys)
    except UnicodeDecodeError:
        raise LabError(f"{name}: not UTF-8 text; save the file as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise LabError(f"{name}{line}: not readable as YAML ({error.problem}); correct that line") from None
    except yaml.YAMLError as error:
        raise LabError(f"{name}: not readable as YAML ({str(error).splitlines()[0]}); correct the file") from None
    if not isinstance(data, dict):
        raise LabError(f"{name}: its top level is no mapping `key: value`; correct the file")
    return data


@cache
def load(folder: Path | None = None) -> dict[str, Experiment]:
    """All entries of the catalogue, by name, in the order of their numbers.

    Raises LabError naming the file and the key when an entry is malformed.
    """
    folder = folder or paths.catalogue()
    entries = []
    for path in sorted(folder.glob("*.yaml")):
        data = _mapping(path)
        claims = folder / "claims" / path.name
        if claims.exists():
            data["claims"] = _mapping(claims)
        try:
            entry = Experiment.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "entry"
            what = first["msg"].removeprefix("Value error, ")
            raise LabError(f"{path.name}: {where}: {what}; correct the catalogue entry") from None
        if entry.name != path.stem:
            raise LabError(f"{path.name}: name is {entry.name!r}; the file must be called {entry.name}.yaml")
        entries.append(entry)
    if not entries:
        raise LabError(f"no catalogue entry (*.yaml) in {folder}; restore the folder or correct LAB_CATALOGUE")
    return {entry.name: entry for entry in sorted(entries, key=lambda e: e.number)}


def experiment(name: str, folder: Path | None = None) -> Experiment:
    """The entry called `name`; LabError lists the known names."""
    entries = load(folder)
    if name not in entries:
        raise LabError(f"unknown experiment {name!r}; the catalogue has: {', '.join(entries)}")
    return entries[name]
