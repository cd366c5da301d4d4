"""The run bundle: `run.json`, the journal, and the lock that keeps measuring alone on the machine."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from pipeline import host, packed, paths
from pipeline.errors import LabError
from pipeline.runtimes import Runtime

FORMAT = 1
JOURNAL = "journal.jsonl"
INFO = ("name", "profile", "seed", "created", "git", "host", "runtimes")
TRIAL = ("variant", "runtime", "axes", "block", "attempt", "status", "reason")


def write_durably(path: Path, text: str) -> None:
    """Write under a temporary name, flush to disk, rename: a reader sees all of it or nothing."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)


def git_revision() -> str:
    """The project's revision, with `+` appended when the tree differs from it; empty outside a checkout."""
    command = ["git", "-C", str(paths.ROOT), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


@dataclass
class Bundle:
    """One run's folder. `info` is run.json."""

    folder: Path
    info: dict
    _unpacked: dict[str, bytes] = field(default_factory=dict, repr=False)
    _checksums: dict[str, str] = field(default_factory=dict, repr=False)  # of what an archive holds in another form

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
            version = info["format"]
            newer = not isinstance(version, int) or version > FORMAT
            if not newer and any(key not in info for key in INFO):
                raise KeyError
        except FileNotFoundError:
            raise LabError(f"run {run!r} does not exist; measure it with: make report RUN={run}") from None
        except (ValueError, KeyError, TypeError):
            raise LabError(f"run {run!r}: run.json is damaged; restore it or measure under another name") from None
        if newer:
            raise LabError(
                f"run {run!r} has bundle format {version}; this version reads up to {FORMAT}: update the Lab"
            )
        return cls(folder, info)

    @classmethod
    def create_or_resume(
        cls, run: str, profile: str, seed: int, available: dict[str, Runtime], io_folder: Path
    ) -> Bundle:
        """Open the bundle to measure into it, or create it.

        Raises LabError when it belongs to another host or profile: trials of two machines are never mixed.
        """
        if run == "reference":
            raise LabError("run 'reference' is the archived one and is never measured into; choose RUN=<name>")
        folder = paths.bundle(run)
        here = host.fingerprint(io_folder)
        if (folder / "run.json").exists():
            bundle = cls.open(run)
            if host.identity(bundle.info["host"]) != host.identity(here):
                raise LabError(f"run {run!r} was measured on another host; choose another name: make report RUN=<name>")
            if bundle.info["profile"] != profile:
                measured = bundle.info["profile"]
                raise LabError(f"run {run!r} has profile {measured}, not {profile}; choose another RUN=<name>")
            for name, runtime in available.items():
                if (before := bundle.info["runtimes"].get(name)) not in (None, runtime.public()):
                    raise LabError(f"run {run!r} was measured with {name} {before['version']}, not {runtime.version}; "
                                   "choose another RUN=<name>")  # fmt: skip
            bundle._drop_cut_line()
            return bundle
        folder.mkdir(parents=True, exist_ok=True)
        info = {
            "format": FORMAT,
            "name": run,
            "profile": profile,
            "seed": seed,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "git": git_revision(),
            "host": here,
            "tools": {name: metadata.version(name) for name in ("numpy", "pandas", "matplotlib", "scipy", "papermill")},
            "runtimes": {name: runtime.public() for name, runtime in available.items()},
        }
        write_durably(folder / "run.json", json.dumps(info, indent=1, sort_keys=True) + "\n")
        return cls(folder, info)

    def journal(self) -> list[dict]:
        """All journal lines. A last line cut short by a kill is ignored: its trial counts as not run.

        Raises LabError naming the line when any other line is damaged.
        """
        if not (self.folder / JOURNAL).exists() and not self.packed(JOURNAL, self.folder).exists():
            return []
        *complete, _cut = self.read_raw(JOURNAL).split(b"\n")
        entries = []
        for number, line in enumerate(complete, 1):
            try:
                entry = json.loads(line)
                known = "event" in entry or ("trial" in entry and all(key in entry for key in TRIAL))
                if not (known and isinstance(entry["experiment"], str)):
                    raise ValueError
                entries.append(entry)
            except (ValueError, TypeError, KeyError):
                raise LabError(f"run {self.name!r}: journal.jsonl line {number} is damaged; restore the file") from None
        return entries

    def _drop_cut_line(self) -> None:
        """Remove a last line that a kill cut short, so that the next one starts on a line of its own."""
        file = self.folder / JOURNAL
        if file.exists() and not (content := file.read_bytes()).endswith(b"\n"):
            os.truncate(file, content.rfind(b"\n") + 1)

    def append(self, entry: dict) -> None:
        """Append one line to the journal and flush it to disk."""
        with (self.folder / JOURNAL).open("ab") as out:
            out.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
            out.flush()
            os.fsync(out.fileno())

    def read_raw(self, name: str) -> bytes:
        """The unpacked bytes of a file of the bundle, archived or not; LabError when it is missing."""
        path = self.folder / name
        if path.exists():
            return path.read_bytes()
        experiment = Path(name).parent.name
        if name not in self._unpacked and self.packed(experiment or name, self.folder).exists():
            self._unpack(self.packed(experiment or name, self.folder))
        if name in self._unpacked:
            return self._unpacked[name]
        raise LabError(f"run {self.name!r}: {name} is missing; restore it or measure the run again", 4)

    @staticmethod
    def packed(what: str, folder: Path) -> Path:
        """The archive of an experiment's raw files, or of the journal, in an archived bundle."""
        return folder / f"{what}.tar.xz"

    def _unpack(self, path: Path) -> None:
        try:
            files, checksums = packed.unpack(path)
        except packed.DAMAGE:
            raise LabError(f"run {self.name!r}: {path.name} is damaged; restore it from the archive", 4) from None
        self._unpacked.update(files)
        self._checksums.update(checksums)

    def verified(self, name: str, sha256: str) -> bytes:
        """The bytes of a raw file whose checksum agrees with the journal's; LabError when it was changed.

        Of a file that the archive holds in another form, the archive's own checksum.
        """
        content = self.read_raw(name)
        expected = sha256 if (self.folder / name).exists() else self._checksums.get(name, sha256)
        if hashlib.sha256(content).hexdigest() != expected:
            raise LabError(f"run {self.name!r}: {name} was changed after the run (checksum); restore it", 4)
        return content


@contextlib.contextmanager
def alone(run: str) -> Iterator[None]:
    """Hold the machine's measuring lock; LabError says who holds it. The kernel releases it if we are killed."""
    path = Path(tempfile.gettempdir()) / "mechanical-sympathy-lab.lock"
    with path.open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "another process"
            raise LabError(f"{holder} is measuring on this machine; two at once would disturb each other", 5) from None
        lock.truncate(0)
        lock.write(f"run {run!r} (process {os.getpid()})")
        lock.flush()
        yield
        lock.truncate(0)
