"""Which machine this is, as a keyed sum: the ids themselves stay on their machine."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

MACHINE, BOOT = Path("/etc/machine-id"), Path("/proc/sys/kernel/random/boot_id")
PURPOSE = b"mechanical-sympathy-lab"
LENGTH = 12


def boot() -> str:
    """Twelve digits of the kernel that runs here since it began: containers of one machine share them."""
    return _keyed(BOOT)


def machine() -> str:
    """Twelve digits that stay this machine's; of a container without an id, as long as its kernel runs."""
    return _keyed(MACHINE) or boot()


def _keyed(file: Path) -> str:
    """The sum of the id in a file; empty where there is none."""
    try:
        told = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return hmac.new(told.encode(), PURPOSE, hashlib.sha256).hexdigest()[:LENGTH] if told else ""
