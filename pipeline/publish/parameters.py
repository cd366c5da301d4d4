"""A notebook's parameters: the cell tagged `parameters` declares names, defaults and, through them, types.

papermill itself only warns about an unknown name, and runs the notebook with its defaults: a typo would be reported
as a measurement. Here an unknown or ill-typed parameter is an error.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pipeline.ground.errors import LabError

if TYPE_CHECKING:
    from nbformat import NotebookNode

PLAIN = (int, float, str, bool, list, dict)


def declared(notebook: NotebookNode, name: str) -> dict[str, Any]:
    """Parameters and defaults of a notebook, in order. LabError when it has no `parameters` cell or a default in it
    is not a plain value (int, float, str, bool, list, dict or None)."""
    cells = [cell for cell in notebook.cells if "parameters" in cell.get("metadata", {}).get("tags", [])]
    if len(cells) != 1:
        raise LabError(f"{name}: {len(cells)} cells are tagged 'parameters'; tag the one cell that declares them")
    try:
        statements = ast.parse(cells[0].source).body
    except SyntaxError as error:
        raise LabError(f"{name}: the parameters cell is not Python: line {error.lineno}: {error.msg}") from None
    defaults: dict[str, Any] = {}
    for statement in statements:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        for target in targets:
            if not isinstance(target, ast.Name):
                continue
            try:
                defaults[target.id] = ast.literal_eval(statement.value)
            except ValueError:
                raise LabError(f"{name}: parameter {target.id}: its default is no plain value; write it out") from None
    return defaults


def type_name(default: Any) -> str:
    """The type a default stands for, in words: `int`, `list of str`; `any` for None."""
    if default is None:
        return "any"
    if isinstance(default, list) and default:
        return f"list of {type_name(default[0])}"
    return type(default).__name__


def plain(value: Any) -> Any:
    """The value with NumPy scalars and arrays as Python's own: papermill would pass them on as strings."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def fits(value: Any, default: Any) -> bool:
    """Whether a value has the type of the default: an int may stand for a float, a bool for neither."""
    if default is None:
        return value is None or isinstance(value, PLAIN)
    if isinstance(default, float):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if type(value) is not type(default):
        return False
    if isinstance(default, list) and default:
        return all(fits(item, default[0]) for item in value)
    return True


def check(defaults: dict[str, Any], given: dict[str, Any], name: str) -> dict[str, Any]:
    """The given parameters as plain values. LabError names a parameter that is unknown or of another type, and what
    is accepted."""
    accepted = ", ".join(f"{key} ({type_name(default)})" for key, default in defaults.items()) or "none"
    checked = {}
    for key, value in given.items():
        if key not in defaults:
            raise LabError(f"{name}: unknown parameter {key!r}; it accepts: {accepted}")
        value = plain(value)
        if not fits(value, defaults[key]):
            raise LabError(f"{name}: parameter {key}: {value!r} is not of type {type_name(defaults[key])}")
        checked[key] = float(value) if isinstance(defaults[key], float) else value
    return checked
