"""Notes on files without duplicates: alike notes of a group's files are one note, so that a hundred files do not tell a
hundred times that they have no head."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.foreign.names import shown
from pipeline.own.sessions import Read
from pipeline.words.numbers import counted


def notes(read: Sequence[Read]) -> list[list[str]]:
    """The notes of each session, as many lists as sessions. What several files of a group (without groups: several
    files) have alike stands at the first of them: `r1.txt and 4 more files of before: no head`."""
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for at, one in enumerate(read):
        group = one.session.group if one.session.named else ""
        titles = [shown(path.name) for path in one.session.files]
        for note in one.found.notes:
            title = next((title for title in titles if note.startswith(f"{title}: ")), "")
            found.setdefault((group, note[len(title) :]), []).append((at, title))
    made: list[list[str]] = [[] for _ in read]
    for (group, rest), places in found.items():
        first, title = places[0]
        more = f" and {counted(len(places) - 1, 'more file')}" if title and len(places) > 1 else ""
        made[first].append(title + more + (f" of {group}" if more and group else "") + rest)
    return made
