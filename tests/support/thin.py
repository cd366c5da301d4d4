"""Whether thin data costs a page: every notebook computed for runs of which little is left (`thinning`).

Each run is a bundle of its own whose raw files are those of the archived run, or of one of one's own, which has what
the harness records by now: all from ingest on is real. A notebook's cells are executed in one process, not each in
a kernel: a page takes seconds.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import thinning
from thinning import Thinned

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths

DATA_LINE = re.compile(rb"Tag=|\d")  # of a histogram log: one for each row of the JSON beside it


def write(
    seed: int, folder: Path, of: str = paths.REFERENCE, lines: Callable[[list[dict]], list[dict]] = list
) -> Thinned:
    """A bundle in `folder` of what the seed leaves of a run, or of these `lines` of its journal."""
    source = Bundle.open(of)
    left = thinning.thinned(source.info, lines(source.journal()), seed)
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(left.info | {"name": folder.name}), encoding="utf-8")
    for name in journal.experiments(left.lines):
        if (archive := source.packed(name, source.folder)).exists():
            source.packed(name, folder).symlink_to(archive)
    kept = [_less(source, line, left, folder) if line.get("experiment") in left.kept else line for line in left.lines]
    for name in {name for line in kept for name in line.get("files", ())}:
        if (loose := source.folder / name).exists() and not (own := folder / name).exists():
            own.parent.mkdir(parents=True, exist_ok=True)
            own.symlink_to(loose)
    (folder / journal.FILE).write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
    return left


def _less(source: Bundle, line: dict, left: Thinned, folder: Path) -> dict:
    """A trial whose raw files, written anew, lack some series; a part that had no others keeps them."""
    files = dict(line.get("files", {}))
    for name in [file for file in files if file.endswith(".json")]:
        told, part = json.loads(source.read_raw(name)), journal.part_of(line, name)

        def kept(series: Sequence[str], part: str = part) -> list[bool]:
            return [not left.lacks(line["experiment"], f"{part}.{one}" if part else one) for one in series]

        rows = kept(told["iterations"]["series"])
        log = f"{name.removesuffix('.json')}.hlog"
        if not any(rows):
            continue
        told["iterations"] = _rows(told["iterations"], rows)
        told["measures"] = _rows(told["measures"], kept(told["measures"]["series"]))
        each, logged = iter(rows), source.read_raw(log).splitlines(keepends=True)
        contents = {name: json.dumps(told).encode()}
        contents[log] = b"".join(one for one in logged if not DATA_LINE.match(one) or next(each))
        for file, content in contents.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)
            files[file] = hashlib.sha256(content).hexdigest()
    return line | {"files": files} if "trial" in line else line


def _rows(columns: Mapping[str, list], kept: Sequence[bool]) -> dict[str, list]:
    return {name: [value for value, one in zip(values, kept, strict=True) if one] for name, values in columns.items()}


def shown(entry: Experiment, given: Mapping[str, Any]) -> Iterator[str]:
    """What the cells of a notebook show, executed one after the other in this process; what one raises is raised."""
    file = paths.notebooks() / f"{entry.number:02d}_{entry.name}.ipynb"
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), f"<{cell['id']}>", "exec"), names)
        if "parameters" in cell["metadata"].get("tags", ()):
            names |= given
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"<{cell['id']}>", "eval"), names)
            yield value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def pages(seed: int, experiments: Sequence[str] = (), of: str = paths.REFERENCE) -> Iterator[dict[str, str]]:
    """Of each page of the run of a seed (LAB_RUNS): the page, what is left of its experiment, how it was `lost`."""
    left = write(seed, paths.bundle("thin"), of)
    for name in [name for name in experiments or catalogue.load() if name in journal.reported(left.lines)]:
        about = {"page": name, "left": left.words[name], "lost": ""}
        try:
            for _ in shown(catalogue.experiment(name), {"run": "thin", "measuring": False}):
                pass
        except Exception as error:
            at = [f"{Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)[-3:]]
            about["lost"] = f"{type(error).__name__}: {error} ({' > '.join(at)})"
        yield about
