"""Where this Lab comes from: what a parcel says of the checkout that it was made of. A checkout says nothing."""

from __future__ import annotations

import json
from typing import Any

from pipeline.ground import paths
from pipeline.ground.errors import LabError

FILE = "parcel.json"
DAMAGED = 4


def told() -> dict[str, Any]:
    """What lies in the root of an unpacked parcel (docs/parcel.md); empty in a checkout."""
    file = paths.ROOT / FILE
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError):
        raise LabError(f"{file} is damaged; remove its folder, and unpack the parcel again", DAMAGED) from None
