"""How much a histogram log may come to, seen before anything is made of its payloads."""

from __future__ import annotations

from pipeline.collection.stream import MB, Refused
from pipeline.hdr.v2 import PayloadError, unwrap
from pipeline.publish.packing import PAYLOAD

MOST = 64 * MB  # bytes of all counters of one log


def most_of_a_log(content: bytes, name: str) -> None:
    """Refused when the payloads of a log, unpacked one by one, come to more than MOST."""
    total = 0
    for found in PAYLOAD.finditer(content.decode("utf-8", errors="replace")):
        try:
            total += len(unwrap(found[0]))
        except PayloadError as error:
            raise Refused(f"{name}: {error}") from None
        if total > MOST:
            raise Refused(f"{name}: its histograms unpack to more than {MOST // MB} MB")
