"""Which reader is a file's: the formats that are read, recognised by what is in a file, never by its name.

Another format is a module with a `FORMAT` and its line in FORMATS; the other steps are in CONTRIBUTING.md.
"""

from __future__ import annotations

import math

from pipeline.foreign import archives, csv_samples, diagnosis, fio, hgrm, hlog, jmh
from pipeline.foreign.files import File
from pipeline.foreign.names import shown
from pipeline.foreign.reading import EDITED, LATEST_S, Format, Found, Options
from pipeline.ground.errors import LabError

FORMATS: dict[str, Format] = {
    one.name: one for one in (hlog.FORMAT, hgrm.FORMAT, jmh.FORMAT, fio.FORMAT, csv_samples.FORMAT)
}


def format_of(file: File, name: str = "") -> Format:
    """The format of a file, or the one that is asked for by name.

    LabError for a name that is none, and for a file that is of none of them, with the nearest that is known.
    """
    if name and name not in FORMATS:
        raise LabError(f"--format {name[:40]!r}: no such format; there are: {', '.join(FORMATS)}")
    head = file.head()
    archives.refuse(file, head)
    if name:
        return FORMATS[name]
    if not head.strip():
        raise LabError(f"{file.name}: the file is empty; measure again")
    if head.split() in ([b"[]"], [b"[", b"]"]):
        raise LabError(f"{file.name}: a list without a result, as of JMH where no benchmark matched; measure again")
    near = diagnosis.nearest(head)
    if found := next((one for one in FORMATS.values() if one.recognises(head)), None):
        if not (near and found is csv_samples.FORMAT):
            return found
    known = f"none of the formats read here ({', '.join(FORMATS)})"
    if near:
        raise LabError(f"{file.name}: {known}; nearest: {near}")
    if csv_samples.has_columns(head):
        return csv_samples.FORMAT
    raise LabError(f"{file.name}: {known}, but {diagnosis.described(head)}; {diagnosis.remedy(head)}")


def read(file: File, options: Options, name: str = "") -> tuple[Format, Found]:
    """What a file holds, and its format; LabError, one line with the file's name, for anything that cannot be read."""
    found = Found()
    of = format_of(file, name or (csv_samples.FORMAT.name if options.value else ""))
    of.read(file, options, found)
    if not found.things:
        raise LabError(f"{file.name}: holds no measurement; is it whole?")
    for thing, values in found.values.items():
        if wrong := next((one for one in values if not 0 <= one.value < math.inf), None):
            told = f"{shown(thing.name)}: {wrong.measure.name} {float(wrong.value)!r} is no number from 0 on"
            raise LabError(f"{file.name}: {told}; {EDITED}", 4)
    if found.begun is not None and not 0 <= found.begun < LATEST_S:
        raise LabError(f"{file.name}: began {float(found.begun)!r} s after 1970, which is no date; {EDITED}", 4)
    return of, found
