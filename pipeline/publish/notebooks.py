"""Execute the experiments' notebooks one at a time, and only when something they depend on has changed."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
import warnings
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError

from pipeline import paths, plan
from pipeline.bundle import Bundle, write_durably
from pipeline.catalogue import Experiment
from pipeline.errors import LabError
from pipeline.measure import INTERRUPTED, finished
from pipeline.publish import kernel, parameters

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


def read(path: Path) -> nbformat.NotebookNode:
    """Read a notebook file; LabError when it is missing or no notebook."""
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
    started = time.monotonic()
    failed = _run(source(entry), out, checked, limit_s)
    result = Result(entry.name, out, failed, round(time.monotonic() - started, 1))
    try:
        stamp = key(entry, run, profile, given or {})
    except LabError:
        stamp = ""  # the notebook failed before there was a run
    told = asdict(result) | {"notebook": out.name}
    write_durably(_stamp(entry, run), json.dumps({"key": stamp, "result": told}) + "\n")
    return result


def _run(path: Path, out: Path, checked: dict[str, Any], limit_s: float) -> str:
    """Run papermill; the reason of the failure, empty when there is none."""
    logging.getLogger("papermill").setLevel(logging.ERROR)
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    with kernel.started_for(path.parent, out.with_suffix(".log"), limit_s) as process, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed = ""
        try:
            papermill.execute_notebook(
                path, out, checked, engine_name=kernel.ENGINE, kernel_name="python3", language="python",
                progress_bar=False, kernel=process,
            )  # fmt: skip
        except PapermillExecutionError as error:
            value = (str(error.evalue).strip().splitlines() or [""])[0]
            value = re.sub(r"\(\d+\.py, line (\d+)\)", r"(line \1 of its cell)", value)
            failed = value if error.ename == "LabError" else f"{error.ename}: {value}".rstrip(": ")
        except KeyboardInterrupt:
            process.interrupted = True
        except Exception as error:
            failed = f"the kernel died ({type(error).__name__}); was the memory used up? see {out.stem}.log beside it"
        if process.interrupted:
            raise LabError("interrupted; the same command continues where it stopped", INTERRUPTED)
        if process.expired:
            failed = f"no end after {limit_s:.0f} s: the kernel was killed; a smaller profile needs less time"
        return failed
