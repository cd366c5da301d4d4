"""The mutants of a room that a seed draws."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

ROOT = Path(__file__).resolve().parents[2]
EVERY = "*"
ROOMS = {  # and the modules in which numbers and sentences are made; what only places them on a screen is not drawn
    **dict.fromkeys(("analyse", "models", "compare", "session", "kit"), (EVERY,)),
    "explore": ("data", "times", "selected", "state", "overlaid", "words"),
}
KINDS = (  # operators that take each other's place
    {"Add", "Sub"},
    {"Mul", "Div", "FloorDiv", "Mod", "Pow"},
    {"BitOr", "BitAnd", "BitXor"},
    {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    {"Is", "IsNot"},
    {"UAdd", "USub", "Invert"},
)


def operators() -> dict[str, Any]:
    """Those of cosmic-ray that need no argument, without replacements by another kind."""
    found = {}
    for name in plugins.operator_names():
        operator, (*_, old, new) = plugins.get_operator(name), ["", "", *name.split("_")]
        pair = name.count("_") == 2 and old != "Delete"
        if not operator.arguments() and (not pair or any({old, new} <= kind for kind in KINDS)):
            found[name] = operator()
    return found


def places(source: str) -> dict[tuple, list[tuple[str, int]]]:
    """Every place of a module that has mutants: beginning and end to its mutants, (operator, occurrence)."""
    nodes, found = list(ast_nodes(get_ast(source))), {}
    told = [span for node in ast.walk(ast.parse(source)) for span in uncomputed(node)]
    for name, operator in operators().items():
        spans = [span for node in nodes for span in operator.mutation_positions(node)]
        for occurrence, span in enumerate(spans):
            if not any(first <= span[0] and span[1] <= last for first, last in told):
                found.setdefault(span, []).append((name, occurrence))
    return found


def uncomputed(node: ast.AST) -> Iterator[tuple]:
    """The spans of a node's annotations and of the arguments of its decorators."""
    parts = [getattr(node, name, None) for name in ("annotation", "returns")]
    for call in getattr(node, "decorator_list", ()):
        parts += [*call.args, *(one.value for one in call.keywords)] if isinstance(call, ast.Call) else []
    for one in parts:
        if one is not None:
            yield (one.lineno, one.col_offset), (one.end_lineno, one.end_col_offset)


def drawn(room: str, seed: int, count: int) -> list[dict[str, Any]]:
    """`count` mutants: file, line, operator, occurrence, and the first line that differs, before and after."""
    folder = ROOT / "pipeline" / room
    sources = {path: path.read_text() for name in ROOMS[room] for path in sorted(folder.glob(f"{name}.py"))}
    every = [(path, span, made) for path, text in sources.items() for span, made in sorted(places(text).items())]
    choose = random.Random(f"{room} {seed}")
    choose.shuffle(every)
    found: list[dict[str, Any]] = []
    for path, span, made in every:
        name, occurrence = choose.choice(made)
        mutant = mutate_code(sources[path], plugins.get_operator(name)(), occurrence)
        try:
            compile(mutant, path, "exec")
        except SyntaxError:  # a bare * among parameters
            continue
        pairs = zip(sources[path].splitlines(), mutant.splitlines(), strict=False)
        before, after = next((a.strip(), b.strip()) for a, b in pairs if a != b)
        place = {"file": str(path.relative_to(ROOT)), "line": span[0][0], "operator": name, "occurrence": occurrence}
        found.append(place | {"before": before, "after": after})
        if len(found) == count:
            break
    return found


def source(mutant: dict[str, Any]) -> str:
    """The whole module with the mutant in it."""
    text = (ROOT / mutant["file"]).read_text()
    return mutate_code(text, plugins.get_operator(mutant["operator"])(), mutant["occurrence"])
