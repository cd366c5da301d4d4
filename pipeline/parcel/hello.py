"""What a host says of itself before it measures for a fleet: one line of JSON from `./fleet hello`.

Nothing here names a user, a machine, an address or a folder: the machine's ids leave it as keyed sums.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from pipeline.ground import origin, paths
from pipeline.ground.errors import LabError
from pipeline.host import cpus, ids, load, runtimes
from pipeline.host.kernel_file import read
from pipeline.parcel import usable_jdks

GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def facts() -> dict[str, Any]:
    """All of it, after a look at what others use of the CPUs; `revision` and `parcel` say with what is measured here,
    `lacks` why JDKs are missing."""
    told = origin.told()
    lacks = list(usable_jdks.take().left_out)
    try:
        found = runtimes.jdks()
    except LabError as error:
        found, lacks = {}, [*lacks, str(error)]
    return {
        "machine": ids.machine(),
        "boot": ids.boot(),
        "revision": told["revision"],
        "parcel": told["sum"],
        "jdks": {name: one.version for name, one in found.items()},
        "lacks": "; ".join(lacks).replace(str(Path.home()), "~"),
        "cpus": len(cpus.usable()),
        "free_bytes": shutil.disk_usage(paths.ROOT).free,
        "load": round(os.getloadavg()[0], 2),
        "others_pct": round(load.sample().pct, 1),
        "governor": read(GOVERNOR),
    }
