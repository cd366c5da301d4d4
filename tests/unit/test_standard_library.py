"""The rooms that measure need the standard library of Python 3.9 and nothing else: a host that is measured has no more.

So it is for every run. Only what checks YAML knows libraries, and is imported where there is YAML to check.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from planted import copied, planted
from rooms import inside, modules

from pipeline.ground import paths

ROOMS = ("ground", "words", "host", "catalogue", "plan", "bundle", "measure", "parcel")
MODULES = ("models.gaps",)  # of other rooms, which these import
CHECKING = {"catalogue.check": {"pydantic"}, "catalogue.document": {"pydantic", "yaml"}}
OLDEST = (3, 9)
# Names younger than that, by module; by method; and keywords by function.
YOUNGER = {
    "contextlib": {"aclosing", "chdir"},
    "dataclasses": {"KW_ONLY"},
    "datetime": {"UTC"},
    "enum": {"StrEnum", "ReprEnum", "verify"},
    "hashlib": {"file_digest"},
    "inspect": {"get_annotations"},
    "itertools": {"batched", "pairwise"},
    "math": {"cbrt", "exp2", "fma", "sumprod"},
    "operator": {"call"},
    "platform": {"freedesktop_os_release"},
    "os": {"eventfd", "splice"},
    "statistics": {"correlation", "covariance", "kde", "linear_regression"},
    "sys": {"orig_argv", "stdlib_module_names"},
    "types": {"EllipsisType", "NoneType", "UnionType"},
    "typing": {"Concatenate", "Never", "NotRequired", "ParamSpec", "Required", "Self", "TypeAlias", "TypeGuard"}
    | {"assert_never", "override", "reveal_type"},
}
METHODS = {"bit_count", "hardlink_to", "is_junction", "total"}
KEYWORDS = {
    "zip": {"strict"},
    "dataclass": {"kw_only", "match_args", "slots", "weakref_slot"},
    "field": {"kw_only"},
    **dict.fromkeys(("bisect", "bisect_left", "bisect_right", "insort"), {"key"}),
}
LIBRARIES = {"tomllib"}  # modules that are younger
EXCEPTIONS = {("ground.arithmetic", "sys.orig_argv")}  # by which `lab` begins anew; a parcel begins otherwise
TYPES = re.compile(r"[A-Z]\w*[a-z]\w*|bool|bytes|dict|float|int|list|set|str|tuple")


def needed(package: Path) -> dict[str, Path]:
    """The modules of these rooms, by their names without the package's."""
    known = {inside(name): file for name, file in modules(package).items()}
    return {name: file for name, file in known.items() if name.partition(".")[0] in ROOMS or name in MODULES}


def faults(package: Path) -> list[str]:
    found = []
    for name, file in needed(package).items():
        found += [f"{name}: {what}" for what in of_module(name, file.read_text(encoding="utf-8"), file.parent)]
    return found


@cache
def of_module(name: str, text: str, folder: Path) -> list[str]:
    """What a module of these rooms has that it must not."""
    try:
        tree = ast.parse(text, feature_version=OLDEST)
    except SyntaxError as error:
        return [f"line {error.lineno} is no Python 3.9: {error.msg}"]
    return [*_imports(name, tree, folder), *_younger(name, tree), *_unions(tree)]


def _imports(name: str, tree: ast.Module, folder: Path) -> Iterator[str]:
    inner = {node for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) for node in ast.walk(each)}
    for node in ast.walk(tree):
        for module in _modules(node):
            top, _, rest = module.partition(".")
            if top == "pipeline":
                room = rest.partition(".")[0]
                if room not in ROOMS and not any(rest == one or rest.startswith(f"{one}.") for one in MODULES):
                    if room != "models" or rest != "models":  # `from pipeline.models import gaps` is told as both
                        yield f"imports {module}, which may need more than the standard library"
                elif rest in CHECKING and name not in CHECKING and node not in inner:
                    yield f"imports {module} where there may be nothing to check; do so in a function"
            elif top in LIBRARIES or top not in sys.stdlib_module_names:
                if top not in CHECKING.get(name, ()) and not (folder / f"{top}.py").exists():
                    yield f"imports {module}, which is not of the standard library of Python 3.9"


def _modules(node: ast.AST) -> list[str]:
    """What an import may import, with dots."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        inner = [f"{node.module}.{alias.name}" for alias in node.names] if node.module.startswith("pipeline") else []
        return [node.module, *inner]
    return []


def _younger(name: str, tree: ast.Module) -> Iterator[str]:
    used = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            used |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
            used.add(f"{node.value.id if isinstance(node.value, ast.Name) else node.value.attr}.{node.attr}")
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for keyword in sorted({one.arg for one in node.keywords} & KEYWORDS.get(called, set())):
                yield f"line {node.lineno}: {called}({keyword}=) is younger than Python 3.9"
            if called in METHODS and isinstance(node.func, ast.Attribute):
                yield f"line {node.lineno}: .{called}() is younger than Python 3.9"
    for module, names in YOUNGER.items():
        for one in sorted({f"{module}.{each}" for each in names} & used):
            if (name, one) not in EXCEPTIONS:
                yield f"{one} is younger than Python 3.9"


def _unions(tree: ast.Module) -> Iterator[str]:
    """`X | Y` of types where it is evaluated: annotations are not, with the import that says so."""
    lazy = any(isinstance(one, ast.ImportFrom) and one.module == "__future__" for one in tree.body)
    told: set[ast.AST] = set()
    for node in ast.walk(tree) if lazy else ():
        for one in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            told.update(ast.walk(one) if one else ())
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and node not in told:
            if any(_type(side) for side in (node.left, node.right)):
                yield f"line {node.lineno}: a union of types by | is evaluated; write Union"


def _type(side: ast.expr) -> bool:
    if isinstance(side, ast.Subscript):
        side = side.value
        return isinstance(side, ast.Name) and bool(re.fullmatch(r"dict|list|tuple|set|Literal|Callable", side.id))
    if isinstance(side, ast.Constant):
        return side.value is None
    return isinstance(side, ast.Name) and bool(TYPES.fullmatch(side.id))


def test_what_measures_needs_the_standard_library_of_python_3_9_alone():
    assert faults(paths.ROOT / "pipeline") == []


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    return copied(tmp_path_factory.mktemp("planted"))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("measure/noise.py", "import numpy", "imports numpy"),
        ("measure/noise.py", "def f():\n    from rich.text import Text", "imports rich.text"),
        ("bundle/journal_schema.py", "import tomllib", "imports tomllib"),
        ("catalogue/check.py", "import rich", "imports rich"),
        ("plan/plan.py", "from pipeline.models import scaling", "imports pipeline.models.scaling"),
        ("plan/plan.py", "from pipeline.catalogue import check", "imports pipeline.catalogue.check where"),
        ("models/gaps.py", "import scipy.special", "imports scipy.special"),
        ("host/ids.py", "match 1:\n    case 1:\n        pass", "is no Python 3.9"),
        ("host/ids.py", "from datetime import UTC", "datetime.UTC is younger"),
        ("host/ids.py", "import datetime\nNOW = datetime.datetime.now(datetime.UTC)", "datetime.UTC is younger"),
        ("host/ids.py", "zip((), (), strict=True)", "zip(strict=) is younger"),
        ("host/ids.py", "bisect.bisect_left((), 1, key=abs)", "bisect_left(key=) is younger"),
        ("host/ids.py", "import hashlib\nhashlib.file_digest", "hashlib.file_digest is younger"),
        ("host/ids.py", "(3).bit_count()", ".bit_count() is younger"),
        ("host/ids.py", "Told = int | None", "a union of types"),
        ("host/ids.py", "isinstance(1, int | str)", "a union of types"),
        ("host/ids.py", "Lines = list[str] | dict[str, int]", "a union of types"),
    ],
)
def test_a_planted_fault_is_found(copy: Path, file: str, text: str, words: str):
    with planted(copy, file, text):
        found = faults(copy)
    assert [one for one in found if words in one] == found != []
