"""Execute the experiments' notebooks, which never measure then, and only when what they depend on has changed."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.declared import plain
from pipeline.catalogue.entry import Experiment
from pipeline.ground import digest, durable, paths
from pipeline.ground.errors import LabError
from pipeline.publish import loading, parameters

if TYPE_CHECKING:
    from nbformat import NotebookNode

ANALYSIS_S = 900
ELSEWHERE = ("publish", "kit", "bench", "scaffold", "commands", "__pycache__")


@dataclass(frozen=True)
class Result:
    """One notebook of a report. `failed` is the reason in one line, empty when it succeeded."""

    experiment: str
    notebook: Path
    failed: str = ""
    seconds: float = 0.0
    up_to_date: bool = False


def source(entry: Experiment) -> Path:
    """The experiment's notebook: notebooks/<number>_<name>.ipynb, or the one that its entry names."""
    if not entry.notebook:
        return paths.notebooks() / f"{entry.number:02d}_{entry.name}.ipynb"
    place = paths.notebooks() / entry.notebook
    return place if place.exists() else next(digest.PACKAGE.glob(f"*/{place.name}"), place)  # of an installed package


def executed(entry: Experiment, run: str) -> Path:
    """Where the executed notebook is kept."""
    return paths.build() / run / "notebooks" / source(entry).name


def read(path: Path) -> NotebookNode:
    """Read a notebook file; LabError when it is missing or no notebook."""
    nbformat = loading.nbformat()  # not before it is needed: nothing does when all notebooks are up to date
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
def _code() -> str:
    """Digest of what computes and draws: every room but those that nothing in a notebook calls, and the pins."""
    rooms = sorted(room.name for room in digest.PACKAGE.iterdir() if room.name not in ELSEWHERE)
    return digest.files(
        [*digest.code(*rooms), *sorted(paths.published().glob("*.csv")), paths.ROOT / "requirements.lock"]
    )


def key(entry: Experiment, run: str, profile: str, given: dict[str, Any]) -> str:
    """Hash of everything an executed notebook depends on: itself, the pipeline, the catalogue entry, its parameters,
    and this experiment's lines of the run's journal (which hold the checksums of the raw files)."""
    bundle = Bundle.open(run)
    lines = journal.of(bundle.journal(), entry.name)
    parts = [
        source(entry).read_text(encoding="utf-8"),
        _code(),
        json.dumps(plain(entry)),
        profile,
        json.dumps([parameters.plain(given), bundle.info, lines], sort_keys=True),
    ]
    return digest.files([], *parts)


def _partial(entry: Experiment, run: str) -> bool:
    """Whether the measuring of an experiment has begun and not ended."""
    lines = Bundle.open(run).journal() if (paths.bundle(run) / "run.json").exists() else []
    return bool(journal.planned(lines, entry.name) and not journal.finished(lines, entry.name))


def _stamp(entry: Experiment, run: str) -> Path:
    return executed(entry, run).with_suffix(".stamp.json")


def recall(entry: Experiment, run: str) -> Result | None:
    """The result of the last execution, None when there was none."""
    try:
        stamp = json.loads(_stamp(entry, run).read_text(encoding="utf-8"))
        return Result(**stamp["result"] | {"notebook": executed(entry, run), "up_to_date": True})
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def up_to_date(entry: Experiment, run: str, profile: str, given: dict[str, Any]) -> Result | None:
    """The result of the last execution if it succeeded and another one would give the same; None otherwise."""
    last = recall(entry, run)
    if last is None or last.failed or not last.notebook.exists():
        return None
    try:
        stamp = json.loads(_stamp(entry, run).read_text(encoding="utf-8"))
        return last if stamp["key"] == key(entry, run, profile, given) else None
    except (LabError, OSError, KeyError):
        return None


def check(entry: Experiment, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters as the notebook gets them; LabError when it does not take one of them."""
    name = source(entry).name
    return parameters.check(parameters.declared(read(source(entry)), name), given, name)


def execute(
    entry: Experiment, run: str, profile: str, given: dict[str, Any] | None = None, *, limit_s: float = ANALYSIS_S
) -> Result:
    """Execute the experiment's notebook for a run as it is, with the parameters `given` beside run and profile.

    A cell that raises, a kernel that dies and a notebook that does not end within `limit_s` give a failed Result; what
    was executed is kept.
    Raises LabError: a missing or damaged notebook, an unknown or ill-typed parameter, an interrupt (status 130).
    """
    out = executed(entry, run)
    out.parent.mkdir(parents=True, exist_ok=True)
    for stale in (out, _stamp(entry, run)):
        stale.unlink(missing_ok=True)
    checked = check(entry, {"run": run, "profile": profile, "measuring": False} | (given or {}))
    from pipeline.publish import kernel  # slow to load

    started = time.monotonic()
    failed = kernel.execute(source(entry), out, checked, limit_s, _partial(entry, run))
    result = Result(entry.name, out, failed, round(time.monotonic() - started, 1))
    try:
        stamp = key(entry, run, profile, given or {})
    except LabError:
        stamp = ""  # the notebook failed before there was a run
    told = asdict(result) | {"notebook": out.name}
    durable.write(_stamp(entry, run), json.dumps({"key": stamp, "result": told}) + "\n")
    return result
