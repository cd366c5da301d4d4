"""archive: make a run one of the committed ones, packed (`pipeline.bundle.packed` says what is kept of each file)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from pipeline.bundle import journal as journals
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import archive_exclusions
from pipeline.ground import durable, paths
from pipeline.ground.errors import LabError
from pipeline.publish import packing

LIMIT_BYTES = 10_000_000  # about 1 MB for each experiment: a clone must stay quick


def archive(run: str, name: str = paths.REFERENCE, coarse: bool = False) -> tuple[Path, int]:
    """Replace the archived run `name` by a packed copy of a run; returns its folder and its size in bytes. coarse: with
    the values of histograms to 0.8 %: 0.4 % took a quarter off where the clock steps by single ns, and this a ninth
    more of that archive (28 November 2026).

    The same run packs to the same bytes. Raises LabError when the run is missing, one of its files was changed, or one
    would not read back as it should, and for a name that no archived run can have.
    """
    source = Bundle.open(run)
    if not (source.folder / journals.FILE).exists():
        raise LabError(f"run {run!r} is not one that was measured here; archive a run of data/runs")
    journal = source.journal()
    paths.bundle(name)  # which refuses what is no plain name
    target = paths.archive(name)
    if target.exists() and not paths.is_archived(name):
        raise LabError(f"data/{name} is no archived run; choose another name for --as")
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    contents: dict[str, dict[str, bytes]] = {}
    evidence: set[str] = set()
    shown: set[str] = set()  # experiments, the logs of whose first trial are kept whole, as evidence
    parts: dict[str, str] = {}
    for line in journals.trials(journal):
        files = {name: source.verified(name, sha256) for name, sha256 in line.get("files", {}).items()}
        parts |= {name: journals.part_of(line, name) for name in files}
        contents.setdefault(line["experiment"], {}).update(files)
        logs = {name for name in files if name.endswith(".log")}
        if logs and line["experiment"] not in shown:
            shown.add(line["experiment"])
            evidence |= logs
    for experiment, files in contents.items():
        without = archive_exclusions.of(experiment, journals.trials(journal, experiment), source.info)
        packing.pack(files, source.packed(experiment, part), evidence, without, parts, coarse=coarse)
    packing.write({journals.FILE: (source.folder / journals.FILE).read_bytes()}, source.packed(journals.FILE, part))
    info = source.info | {"name": name, "measured_as": source.name}
    durable.write(part / "run.json", json.dumps(info, indent=1, sort_keys=True) + "\n")
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    return target, sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
