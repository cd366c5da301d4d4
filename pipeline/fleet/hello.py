"""What a machine says of itself before it measures: run on the host, it prints one line of JSON.

    python -m pipeline.fleet.hello

Nothing here names a user, a machine, an address or a folder: the machine's id leaves it as a keyed sum.
"""

from __future__ import annotations

import json
import os
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

from pipeline.bundle import sums
from pipeline.ground import digest, paths
from pipeline.ground.errors import LabError
from pipeline.host import cpus, ids, load, runtimes
from pipeline.host.visible import read

LENGTH = 12
SAMPLE_S = 2.0
GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
# What of Dask's settings makes an idle worker busy (docs/fleet.md): setting -> what it should be.
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "10s",
    "distributed.admin.tick.limit": "1h",
    "distributed.admin.system-monitor.interval": "60s",
}


def revision() -> str:
    """Twelve digits of all that decides what is measured here and how: pipeline, catalogue, harnesses."""
    entries = sorted(paths.catalogue().rglob("*.yaml"))
    return digest.files([*digest.code(), *entries], *sums.of_harnesses().values())[:LENGTH]


def facts(sample_s: float = SAMPLE_S) -> dict[str, Any]:
    """All of it; `sample_s`: for how long others' use of the CPUs is watched."""
    try:
        found, lacks = runtimes.jdks(), ""
    except LabError as error:
        found, lacks = {}, str(error)
    built = paths.java_harness().exists() and paths.c_harness().exists()
    folder = paths.runs() if paths.runs().is_dir() else paths.home()
    return {
        "machine": ids.machine(),
        "boot": ids.boot(),
        "revision": revision(),
        "built": built,
        "jdks": {name: one.version for name, one in found.items()},
        "lacks": lacks.replace(str(Path.home()), "~"),
        "compiler": shutil.which("cc") is not None,
        "dask": _version("distributed"),
        "cpus": len(cpus.usable()),
        "free_bytes": shutil.disk_usage(folder).free,
        "load": round(os.getloadavg()[0], 2),
        "others_pct": round(load.sample(sample_s).pct, 1) if sample_s else 0.0,
        "governor": read(GOVERNOR),
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def loud() -> list[str]:
    """The settings of Dask here that make a worker busy which has nothing to do."""
    import dask
    import distributed  # noqa: F401  (its defaults)

    return [name for name, quiet in QUIET.items() if str(dask.config.get(name)) != str(quiet)]


def of_worker() -> dict[str, Any]:
    """`facts` of the machine of a Dask worker, without a wait, and which of its settings are loud."""
    return facts(0.0) | {"loud": loud()}


if __name__ == "__main__":
    print(json.dumps(facts()))
