"""Archives of several files, tar or zip, packed or not: the names in them, and what to do; nothing is unpacked here."""

from __future__ import annotations

import io
import itertools
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath

from pipeline.foreign.files import UNREADABLE, File
from pipeline.foreign.names import listed, shown
from pipeline.ground.errors import LabError

MOST_MEMBERS, MOST_BYTES = 1_000, 1 << 26  # of an archive that are looked at
NAMED = 3  # members that are named
ZIP = b"PK\x03\x04"
RUN, JOURNAL = "run.json", "journal.jsonl"


def refuse(file: File, head: bytes) -> None:
    """LabError for an archive, which says what it holds and what to do; nothing for any other file. head: its first
    bytes, unpacked."""
    if head.startswith(ZIP):
        kind, names = "zip", _of_zip(file)
    elif _is_tar(head):
        kind, names = "tar", _of_tar(file)
    else:
        return
    raise LabError(f"{file.name}: {_said(kind, names)}")


def _said(kind: str, names: Sequence[str]) -> str:
    """What an archive is, and what to do: a run that was shared, the folder of a run, or files."""
    tops = {str(PurePosixPath(one)) for one in names}
    if RUN in tops and f"{JOURNAL}.tar.xz" in tops:
        return f"a {kind} as lab share writes it; give it without a group, alone: lab import FILE"
    if {RUN, JOURNAL} <= tops:
        return f"a {kind} of what is in the folder of a run; unpack it into data/runs/NAME, NAME as its {RUN} tells it"
    runs = [PurePosixPath(one).parent.name for one in names if PurePosixPath(one).name == RUN]
    runs = [one for one in runs if any(PurePosixPath(name).parts[-2:] == (one, JOURNAL) for name in names)]
    if runs:
        what = f"run {listed(runs[:1])}" if len(runs) == 1 else f"runs {listed(runs, NAMED)}"
        where = f"data/runs/{shown(runs[0])}/{RUN}"
        return f"a {kind} of the folder of {what}; unpack it so that {where} is there, and use the run by its name"
    if not names:
        return f"a {kind} that holds no file; pack it again"
    return f"a {kind} that holds {listed(list(names), NAMED)}; unpack it and give its files"


def _is_tar(head: bytes) -> bool:
    """Whether a file begins with a member of a tar."""
    try:
        tarfile.TarInfo.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "replace")
    except tarfile.HeaderError:
        return False
    return True


def _of_tar(file: File) -> list[str]:
    """The names of the files in a tar, as far as it is looked at and whole."""
    found: list[str] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(file.head(MOST_BYTES)), mode="r:", errors="replace") as content:
            for member in itertools.islice(content, MOST_MEMBERS):
                if member.isfile():
                    found.append(member.name)
    except (tarfile.TarError, ValueError, LookupError, OverflowError):  # behind a damaged one
        pass
    return found


def _of_zip(file: File) -> list[str]:
    """The names of the files in a zip; LabError (status 4) where it is not whole."""
    try:
        with zipfile.ZipFile(file.path) as content:
            return [one for one in content.namelist()[:MOST_MEMBERS] if not one.endswith("/")]
    except (zipfile.BadZipFile, RuntimeError, *UNREADABLE) as error:  # the second: what the library does not know
        raise LabError(f"{file.name}: a zip that is not whole ({shown(str(error))}); copy it again", 4) from None
