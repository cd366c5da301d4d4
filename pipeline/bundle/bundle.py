"""The run bundle: `run.json`, the journal and the raw files, checked against their sums."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.bundle import checksums, journal, packed, run_file
from pipeline.ground import digest, durable, origin, paths
from pipeline.ground.errors import LabError
from pipeline.host import fingerprint
from pipeline.host.load import Load
from pipeline.host.runtimes import Runtime


def git_revision() -> str:
    """The project's revision, with `+` appended when the tree differs from it; empty outside a checkout; of a
    parcel that of the checkout that it was made of."""
    if told := origin.told():
        return told["git"]
    command = ["git", "-C", str(paths.ROOT), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


@lru_cache(maxsize=1)  # one command opens its run many times
def _lines(content: bytes, run: str) -> list[dict]:
    return journal.parse(content, run)


@dataclass
class Bundle:
    """One run's folder. `info` is run.json."""

    folder: Path
    info: dict
    _unpacked: dict[Path, Mapping[str, bytes]] = field(default_factory=dict, repr=False, compare=False)
    _checksums: dict[str, str] = field(default_factory=dict, repr=False)  # of what an archive holds in another form

    def __reduce__(self) -> tuple:
        """For another process, which unpacks for itself: what was unpacked here lies in a file without a name."""
        return Bundle, (self.folder, self.info)

    @property
    def name(self) -> str:
        """The folder's: a bundle from elsewhere may lie here under another name than it was measured under."""
        return self.folder.name

    @classmethod
    def open(cls, run: str) -> Bundle:
        """Open an existing bundle; LabError when it is missing, damaged or of a newer format."""
        folder = paths.bundle(run)
        file = folder / "run.json"
        try:
            info = json.loads(file.read_text(encoding="utf-8"))
            newer = run_file.newer(info)
        except FileNotFoundError:
            raise LabError(f"run {run!r} does not exist; measure it with: make report RUN={run}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise LabError(f"run {run!r}: run.json is damaged; restore it or measure under another name") from None
        if newer:
            raise LabError(
                f"run {run!r} has bundle format {info['format']}; this version reads up to {run_file.FORMAT}: "
                "update the Lab"
            )
        if wrong := run_file.problem(info):
            raise LabError(f"run {run!r}: run.json is damaged ({wrong}); restore it or measure under another name")
        return cls(folder, info)

    @classmethod
    def create_or_resume(
        cls, run: str, profile: str, seed: int, available: dict[str, Runtime], io_folder: Path
    ) -> Bundle:
        """Open the bundle to measure into it, or create it.

        Raises LabError when it belongs to another host or profile, or holds trials of another version of a runtime:
        what is measured on two is never mixed. What no trial of it ran on may have changed, which the journal then has.
        """
        if paths.is_archived(run):
            raise LabError(f"run {run!r} is an archived one and is never measured into; choose RUN=<name>")
        folder = paths.bundle(run)
        here = fingerprint.take(io_folder)
        if (folder / "run.json").exists():
            bundle = cls.open(run)
            if fingerprint.identity(bundle.info["host"]) != fingerprint.identity(here):
                raise LabError(f"run {run!r} was measured on another host; choose another name: make report RUN=<name>")
            if bundle.info["profile"] != profile:
                measured = bundle.info["profile"]
                raise LabError(f"run {run!r} has profile {measured}, not {profile}; choose another RUN=<name>")
            bundle._check_runtimes(available)
            bundle._drop_cut_line()
            bundle._note_changes(here, available)
            return bundle
        return cls.create(folder, profile, seed, available, here)

    @classmethod
    def create(
        cls, folder: Path, profile: str, seed: int, available: Mapping[str, Runtime], host: dict[str, Any]
    ) -> Bundle:
        """A new bundle, without a journal."""
        folder.mkdir(parents=True, exist_ok=True)
        info = {
            "format": run_file.MEASURED,
            "name": folder.name,
            "profile": profile,
            "seed": seed,
            "created": _now(),
            "git": git_revision(),
            "harness": checksums.of_harnesses(),
            "host": host,
            "runtimes": {name: runtime.public() for name, runtime in available.items()},
        }
        durable.write(folder / "run.json", json.dumps(info, indent=1, sort_keys=True) + "\n")
        return cls(folder, info)

    @property
    def has_journal(self) -> bool:
        """Whether the journal is there, packed or not: it is not before the first trial."""
        return (self.folder / journal.FILE).exists() or self.packed(journal.FILE, self.folder).exists()

    def journal(self) -> list[dict]:
        """All journal lines (`pipeline.bundle.journal.parse`); empty before the first."""
        if not self.has_journal:
            return []
        return list(_lines(self.read_raw(journal.FILE), self.name))

    def state(self) -> dict[str, str]:
        """The state of the host as it was last seen by this run (`pipeline.host.fingerprint.state`)."""
        seen = fingerprint.state(self.info["host"], self.info["runtimes"])
        for line in journal.host_changes(self.journal()):
            seen |= {name: after for name, (_, after) in line["changes"].items()}
        return seen

    def _check_runtimes(self, available: Mapping[str, Runtime]) -> None:
        """LabError for a runtime that trials ran on and that is another one by now."""
        used = {line["runtime"] for line in journal.trials(self.journal()) if line["status"] == journal.MEASURED}
        before, now = self.state(), fingerprint.versions({name: one.public() for name, one in available.items()})
        for name in (name for name in available if name in used):
            if any(fact in before and before[fact] != now[fact] for fact in (name, f"vendor of {name}")):
                raise LabError(
                    f"run {self.name!r} was measured with {name} {before[name]}, not {now[name]}; "
                    "choose another RUN=<name>"
                )

    def _note_changes(self, here: dict[str, Any], available: Mapping[str, Runtime]) -> None:
        """Write a journal line when the host is the same machine in another state: microcode, governor, ..."""
        now = fingerprint.state(here, {name: runtime.public() for name, runtime in available.items()})
        before = self.state()
        changes = {name: [before[name], now[name]] for name in before if now.get(name, before[name]) != before[name]}
        if changes:
            self.append({"event": "host_changed", "at": _now(), "changes": changes})

    def note_busy(self, load: Load) -> None:
        """Write a journal line: other processes used the CPU when measuring began or went on."""
        self.append({"event": "host_busy", "at": _now(), **asdict(load)})

    def _drop_cut_line(self) -> None:
        """Remove a last line that a kill cut short, so that the next one starts on a line of its own."""
        file = self.folder / journal.FILE
        if file.exists() and not (content := file.read_bytes()).endswith(b"\n"):
            os.truncate(file, content.rfind(b"\n") + 1)

    def append(self, entry: dict) -> None:
        """Append one line to the journal and flush it to disk."""
        with (self.folder / journal.FILE).open("ab") as out:
            out.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
            out.flush()
            os.fsync(out.fileno())

    def read_raw(self, name: str) -> bytes:
        """The unpacked bytes of a file of the bundle, archived or not; LabError when it is missing."""
        path = self.folder / name
        if path.exists():
            return path.read_bytes()
        archive = self.packed(Path(name).parent.name or name, self.folder)
        if archive.exists() and name in (files := self._files(archive)):
            return files[name]
        raise LabError(f"run {self.name!r}: {name} is missing; restore it or measure the run again", 4)

    def raw_bytes(self, experiment: str) -> int:
        """How many bytes an experiment's raw files have as they lie there, packed or not: the more, the longer anything
        that reads them takes."""
        packed, loose = self.packed(experiment, self.folder), self.folder / "raw" / experiment
        return sum(file.stat().st_size for file in (packed, *loose.rglob("*")) if file.is_file())

    @staticmethod
    def packed(what: str, folder: Path) -> Path:
        """The archive of an experiment's raw files, or of the journal, in an archived bundle."""
        return folder / f"{what}.tar.xz"

    def _files(self, archive: Path) -> Mapping[str, bytes]:
        """The files of an archive, unpacked when it is another than the last one."""
        if archive not in self._unpacked:
            try:
                files, checksums = packed.unpack(archive)
            except packed.DAMAGE:
                told = f"run {self.name!r}: {archive.name} is damaged; restore it from the archive"
                raise LabError(told, 4) from None
            # Of one experiment at a time, beside the journal: a run's files together take what no table of them does.
            journals = self.packed(journal.FILE, self.folder)
            self._unpacked = {path: held for path, held in self._unpacked.items() if path == journals}
            self._unpacked[archive] = files
            self._checksums.update(checksums)
        return self._unpacked[archive]

    def verified_path(self, name: str, sha256: str) -> Path:
        """A raw file that may be larger than memory, its checksum compared; LabError when it is missing or changed."""
        path = self.folder / name
        try:
            found = digest.large(path)
        except OSError:
            raise LabError(f"run {self.name!r}: {name} is missing; restore it or import the files again", 4) from None
        if found != sha256:
            raise LabError(f"run {self.name!r}: {name} was changed after the run (checksum); restore it", 4)
        return path

    def unpacked(self, experiment: str) -> Mapping[str, bytes]:
        """All files of the archive of an experiment, whether the journal names them or not."""
        return self._files(self.packed(experiment, self.folder))

    def recoded(self, name: str) -> bool:
        """Whether a raw file that was read lies in the archive in another form than it was written in."""
        return name in self._checksums and not (self.folder / name).exists()

    def verified(self, name: str, sha256: str) -> bytes:
        """The bytes of a raw file whose checksum agrees with the journal's; LabError when it was changed.

        Of a file that the archive holds in another form, the archive's own checksum.
        """
        content = self.read_raw(name)
        expected = sha256 if (self.folder / name).exists() else self._checksums.get(name, sha256)
        if hashlib.sha256(content).hexdigest() != expected:
            raise LabError(f"run {self.name!r}: {name} was changed after the run (checksum); restore it", 4)
        return content
