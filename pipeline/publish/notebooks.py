"""Execute the experiments' notebooks one at a time, and only when something they depend on has changed."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline import paths, plan
from pipeline.bundle import Bundle, write_durably
from pipeline.catalogue import Experiment
from pipeline.errors import LabError
from pipeline.measure import finished
from pipeline.publish import parameters

if TYPE_CHECKING:
    from nbformat import NotebookNode

ANALYSIS_S = 900


@dataclass(frozen=True)
class Result:
    """One notebook of a report. `failed` is the reason in one line, empty when it succeeded."""

    experiment: str
    notebook: Path
    failed: str = ""
    seconds: float = 0.0
    up_to_date: bool = False


def source(entry: Experiment) -> Path:
    """The experiment's notebook: notebooks/<number>_<name>.ipynb."""
    return paths.notebooks() / f"{entry.number:02d}_{entry.name}.ipynb"


def executed(entry: Experiment, run: str) -> Path:
    """Where the executed notebook is kept."""
    return paths.build() / run / "notebooks" / source(entry).name


def read(path: Path) -> NotebookNode:
    """Read a notebook file; LabError when it is missing or no notebook."""
    import nbformat  # seconds to load, and nothing needs it when all notebooks are up to date

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.read(path, as_version=4)
            nbformat.validate(notebook)
            return notebook
    except FileNotFoundError:
        raise LabError(f"{path.name}: the notebook is missing; restore it or remove its catalogue entry") from None
    except Exception as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise LabError(f"{path.name}: not a notebook: {first[:200]}") from None


def check_clean(path: Path) -> list[str]:
    """What a committed notebook must not have: outputs, execution counts, or cells without an id of their own.

    An id that is missing in the file is invented at every reading, and each save would differ from the last.
    """
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    problems = [f"{path.name}: cell {n} has outputs" for n, cell in enumerate(cells) if cell.get("outputs")]
    problems += [
        f"{path.name}: cell {n} has an execution count" for n, cell in enumerate(cells) if cell.get("execution_count")
    ]
    ids = [cell.get("id") for cell in cells]
    problems += [f"{path.name}: cell {n} has no id" for n, cell_id in enumerate(ids) if not cell_id]
    problems += [f"{path.name}: cell id {i} is used twice" for i in sorted({i for i in ids if i and ids.count(i) > 1})]
    return problems


@cache
def _pipeline_hash() -> str:
    """Hash of what computes and draws: the package without its command line and its publishing, and the pins."""
    package = Path(__file__).resolve().parent.parent
    files = [p for p in sorted(package.rglob("*")) if p.suffix in (".py", ".mplstyle") and p.is_file()]
    files = [p for p in files if p.parent != Path(__file__).resolve().parent and p.name != "cli.py"]
    files += [*sorted(paths.published().glob("*.csv")), paths.ROOT / "requirements.lock"]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def key(entry: Experiment, run: str, profile: str, given: dict[str, Any]) -> str:
    """Hash of everything an executed notebook depends on: itself, the pipeline, the catalogue entry, its parameters,
    and this experiment's lines of the run's journal (which hold the checksums of the raw files)."""
    bundle = Bundle.open(run)
    lines = [line for line in bundle.journal() if line.get("experiment") == entry.name]
    parts = [
        source(entry).read_text(encoding="utf-8"), _pipeline_hash(), entry.model_dump_json(), profile,
        json.dumps([parameters.plain(given), bundle.info, lines], sort_keys=True),
    ]  # fmt: skip
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _stamp(entry: Experiment, run: str) -> Path:
    return executed(entry, run).with_suffix(".stamp.json")


def recall(entry: Experiment, run: str) -> Result | None:
    """The result of the last execution, None when there was none."""
    try:
        stamp = json.loads(_stamp(entry, run).read_text(encoding="utf-8"))
        return Result(**stamp["result"] | {"notebook": executed(entry, run), "up_to_date": True})
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def up_to_date(entry: Experiment, run: str, profile: str, given: dict[str, Any], measuring: bool) -> Result | None:
    """The result of the last execution if it succeeded and another one would give the same; None otherwise."""
    last = recall(entry, run)
    if last is None or last.failed or not last.notebook.exists():
        return None
    try:
        if measuring and not finished(Bundle.open(run).journal(), entry.name):
            return None
        stamp = json.loads(_stamp(entry, run).read_text(encoding="utf-8"))
        return last if stamp["key"] == key(entry, run, profile, given) else None
    except (LabError, OSError, KeyError):
        return None


def check(entry: Experiment, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters as the notebook gets them; LabError when it does not take one of them."""
    name = source(entry).name
    return parameters.check(parameters.declared(read(source(entry)), name), given, name)


def execute(
    entry: Experiment,
    run: str,
    profile: str,
    given: dict[str, Any] | None = None,
    *,
    measuring: bool = True,
    limit_s: float | None = None,
) -> Result:
    """Execute the experiment's notebook for a run, with the parameters `given` beside run, profile and measuring.

    A cell that raises, a kernel that dies and a notebook that does not end within `limit_s` (default: three times
    the profile's budget and a quarter of an hour) give a failed Result; what was executed is kept.
    Raises LabError: a missing or damaged notebook, an unknown or ill-typed parameter, an interrupt (status 130).
    """
    out = executed(entry, run)
    out.parent.mkdir(parents=True, exist_ok=True)
    for stale in (out, _stamp(entry, run)):
        stale.unlink(missing_ok=True)
    checked = check(entry, {"run": run, "profile": profile, "measuring": measuring} | (given or {}))
    limit_s = limit_s or 3 * plan.profile_of(entry, profile).budget_s + ANALYSIS_S
    from pipeline.publish import kernel  # as slow to load as nbformat

    started = time.monotonic()
    failed = kernel.execute(source(entry), out, checked, limit_s)
    result = Result(entry.name, out, failed, round(time.monotonic() - started, 1))
    try:
        stamp = key(entry, run, profile, given or {})
    except LabError:
        stamp = ""  # the notebook failed before there was a run
    told = asdict(result) | {"notebook": out.name}
    write_durably(_stamp(entry, run), json.dumps({"key": stamp, "result": told}) + "\n")
    return result
