"""What a host measured comes home: every archive compared with its sum, every file in it with the journal.

A host's run is taken over as a whole or not at all: it is put together beside the runs, and one rename shows it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.ground import durable, paths
from pipeline.ground.errors import LabError

DAMAGED = 4
RUN = "run.json"


class Damaged(LabError):
    """What arrived is not what was measured."""

    def __init__(self, message: str) -> None:
        super().__init__(message, DAMAGED)


class Arriving:
    """A run on its way. `contents` is what `pipeline.fleet.task.contents` said of it."""

    def __init__(self, run: str, contents: Mapping[str, Any]) -> None:
        """Damaged when its journal or `run.json` cannot be read, or goes back behind what was gathered before."""
        self.run, self.sums = run, contents["archives"]
        self.content = {name: contents[name] for name in (RUN, journal.FILE)}
        self.stage = paths.runs() / f".arriving-{run}"
        try:
            info = json.loads(self.content[RUN])
            self.lines = journal.parse(self.content[journal.FILE], run)
        except ValueError:
            raise Damaged(f"its {RUN} arrived damaged") from None
        except LabError as error:
            raise Damaged(str(error)) from None
        self.bundle = Bundle(self.stage, info)
        self._goes_on()

    def _goes_on(self) -> None:
        before = paths.bundle(self.run) / journal.FILE
        if before.exists() and not self.content[journal.FILE].startswith(before.read_bytes()):
            raise Damaged(f"run {self.run!r} here is another one than on its host; move {before.parent} away")

    @property
    def here(self) -> bool:
        """Whether all of it was gathered before."""
        folder = paths.bundle(self.run)
        files = {folder / name: content for name, content in self.content.items()}
        same = all(file.exists() and file.read_bytes() == content for file, content in files.items())
        return same and all(Bundle.packed(name, folder).exists() for name in self.sums)

    def begin(self) -> None:
        """An empty place for it."""
        shutil.rmtree(self.stage, ignore_errors=True)
        self.stage.mkdir(parents=True)
        for name, content in self.content.items():
            (self.stage / name).write_bytes(content)

    def take(self, experiment: str, content: bytes) -> bool:
        """Keep the archive of an experiment; whether it is whole: every file that the journal names, and no other."""
        if hashlib.sha256(content).hexdigest() != self.sums[experiment]:
            return False
        file = Bundle.packed(experiment, self.stage)
        file.write_bytes(content)
        trials = journal.trials(self.lines, experiment)
        sums = {name: sha for line in trials for name, sha in line.get("files", {}).items()}
        try:
            if self.bundle.unpacked(experiment).keys() != sums.keys():
                return False
            for name, sha in sums.items():
                self.bundle.verified(name, sha)
        except LabError:
            return False
        return True

    def keep(self) -> Path:
        """Put the run in the place of what was gathered before."""
        folder = paths.bundle(self.run)
        old = folder.with_name(f".left-{self.run}")
        shutil.rmtree(old, ignore_errors=True)
        if folder.exists():
            folder.rename(old)
        self.stage.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
        return folder


def remember(file: Path, told: Mapping[str, Any]) -> None:
    """Write what is known of a fleet's hosts."""
    file.parent.mkdir(parents=True, exist_ok=True)
    durable.write(file, json.dumps(told, indent=1, sort_keys=True) + "\n")


def remembered(file: Path) -> dict[str, Any]:
    """What was known of a fleet's hosts; LabError when the file is damaged, empty where there is none."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return {"hosts": dict(told["hosts"]), **{key: told[key] for key in ("name", "profile")}}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError):
        raise LabError(f"{file} is damaged; remove it, and run the fleet again") from None
