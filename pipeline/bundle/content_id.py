"""Which measurement a bundle is, whatever it is called and wherever and in whatever form it lies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle

LENGTH = 12
# What a copy is called, and what was added for handing it on: neither was measured.
NOT_MEASURED = {"name", "measured_as", "shared"}


def content_id(bundle: Bundle) -> str:
    """The first 12 hexadecimal digits of SHA-256 over `run.json` and the journal.

    `run.json` as compact JSON, keys sorted, without NOT_MEASURED; a line feed; the journal's complete lines. The
    journal has the checksum of every raw file as it was measured, so those are in it too, and an archived run, which
    has the same journal, has the id of the run it was made of. While a run is measured every trial changes its id.
    Raises LabError when the journal's archive is damaged.
    """
    return of(bundle.info, _complete(bundle))


def of(info: Mapping[str, Any], complete: bytes) -> str:
    """The id of what `run.json` and the complete lines of a journal say."""
    told = {key: value for key, value in info.items() if key not in NOT_MEASURED}
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode() + b"\n" + complete).hexdigest()[:LENGTH]


def _complete(bundle: Bundle) -> bytes:
    """The journal without a last line that a kill cut short: it is dropped when the run goes on."""
    if not bundle.has_journal:
        return b""
    content = bundle.read_raw(journal.FILE)
    return content[: content.rfind(b"\n") + 1]
