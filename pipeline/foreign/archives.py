"""Archives of several files, tar or zip, packed or not: the names in them, and what to do; nothing is unpacked here."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath

from pipeline.foreign.files import UNREADABLE, File
from pipeline.foreign.names import listed, shown
from pipeline.ground.errors import LabError

BLOCK = 512  # bytes: a header of a tar, and what its contents are filled up to
PIECE = 1 << 20  # bytes that are read at once
MOST_MEMBERS, MOST_BYTES = 1_000, 1 << 28  # of an archive that are looked at
NAMED = 3  # members that are named
PLAIN = b"\x0007"  # kinds of members that are files
ZIP = b"PK\x03\x04"
RUN, JOURNAL = "run.json", "journal.jsonl"


def refuse(file: File, head: bytes) -> None:
    """LabError for an archive, which says what it holds and what to do; nothing for any other file. head: its first
    bytes, unpacked."""
    if head.startswith(ZIP):
        kind, names = "zip", _of_zip(file)
    elif _is_header(head[:BLOCK]):
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


def _is_header(block: bytes) -> bool:
    """Whether a block begins a member of a tar: its sum is the one that it tells."""
    if len(block) < BLOCK or not block[0]:
        return False
    told = _octal(block[148:156])
    return told is not None and told == sum(block[:148]) + sum(block[156:]) + 8 * 32


def _octal(field: bytes) -> int | None:
    """A number of a header; None where it is none."""
    text = field.strip(b"\0 ")
    return int(text, 8) if text and all(one in b"01234567" for one in text) else None


def _of_tar(file: File) -> list[str]:
    """The names of the files in a tar, as far as it is looked at; LabError (status 4) where it cannot be unpacked."""
    found: list[str] = []
    try:
        with file.open() as content:
            read = 0
            for _ in range(MOST_MEMBERS):
                block = content.read(BLOCK)
                size = _octal(block[124:136]) if _is_header(block) else None
                if size is None:
                    break
                kind = block[156:157] or b"\0"
                if kind in PLAIN:
                    found.append(_name(block))
                left = -(-size // BLOCK) * BLOCK if kind in PLAIN or kind.isalpha() else 0
                read += left
                if read > MOST_BYTES:
                    break
                while left and (piece := content.read(min(left, PIECE))):
                    left -= len(piece)
    except UNREADABLE as error:
        raise LabError(f"{file.name}: cannot be unpacked ({error}); copy it again", 4) from None
    return found


def _name(block: bytes) -> str:
    """The name in a header, which a longer one may go before: then its first 100 characters."""
    fields = [block[345:500], block[:100]] if block[257:263] == b"ustar\0" else [block[:100]]
    parts = [one.partition(b"\0")[0].decode("utf-8", "replace") for one in fields]
    return "/".join(one for one in parts if one)


def _of_zip(file: File) -> list[str]:
    """The names of the files in a zip; LabError (status 4) where it is not whole."""
    try:
        with zipfile.ZipFile(file.path) as content:
            return [one for one in content.namelist()[:MOST_MEMBERS] if not one.endswith("/")]
    except (zipfile.BadZipFile, NotImplementedError, *UNREADABLE) as error:
        raise LabError(f"{file.name}: a zip that is not whole ({shown(str(error))}); copy it again", 4) from None
