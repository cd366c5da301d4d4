"""The hosts of a collection: summaries from three places, and which of them are looked at.

`data/collection/` holds those that come with the Lab, every imported run has its own next to it, and of a run that was
measured here one is made below `build/`. Where a summary lies says what a page calls it; what is in it cannot.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pipeline.bundle import content_id
from pipeline.bundle.bundle import Bundle
from pipeline.collection import redaction, summary
from pipeline.collection.staging import STAGED, SUMMARY
from pipeline.ground import digest, durable, paths
from pipeline.ground.errors import LabError
from pipeline.host import cpus, fingerprint
from pipeline.measure import states
from pipeline.words.numbers import counted

WITH_THE_LAB, CONTRIBUTED, HERE = "comes with the Lab", "contributed", "measured here"
VENDORS = {"amd": "AMD", "intel": "Intel", "ampere": "Ampere", "neoverse": "Arm", "cortex": "Arm", "apple": "Apple"}
BARE = ("none seen", fingerprint.UNKNOWN)
CODE = ("analyse", "bundle", "catalogue", "hdr", "ingest", "measure/states.py", "models")
CODE += ("collection/summary.py", "collection/redaction.py")


@dataclass(frozen=True)
class Host:
    """One run of one host. `folder` holds its summary, `told` is what host.json says, `label` is no other's; `apart` is
    what else tells its machine from one of the same facts, where that is known."""

    folder: Path
    origin: str
    run: str
    told: dict[str, Any] = field(repr=False)
    label: str = ""
    apart: str = ""

    @property
    def id(self) -> str:
        return self.told["id"]

    @property
    def vendor(self) -> str:
        words = re.findall(r"[a-z]+", self.told["host"]["cpu"]["model"].lower())
        return next((VENDORS[word] for word in words if word in VENDORS), "other")

    @property
    def virtualised(self) -> bool:
        return self.told["host"]["cpu"]["hypervisor"] not in BARE

    @property
    def noisy_pct(self) -> float:
        return 100 * self.told["noisy"] / max(self.told["trials"], 1)

    @property
    def moved(self) -> dict[str, float]:
        """Of the time the share in which its CPUs were in another state than is meant, by kind of state; without a
        kind of which there was one."""
        shares = self.told.get("states", {})
        meant = {"way": states.NEAR, "core": states.ALONE}
        return {name: 1 - shares[name].get(meant[name], 0.0) for name in meant if name in shares}

    @property
    def jdks(self) -> list[str]:
        return sorted(
            (name for name in self.told["runtimes"] if name.startswith("jdk")), key=lambda name: (len(name), name)
        )

    @property
    def machine(self) -> str:
        """Tells machines apart as far as their facts do (`pipeline.host.fingerprint.identity`)."""
        return self.apart or fingerprint.identity(self.told["host"])


def every(runs: Sequence[str] = ()) -> list[Host]:
    """All hosts, in the order of their names; `runs`: of those measured here, besides the ones that have a summary.

    A shared file of a run that is itself among them is not another host's, and left out.
    """
    found = every_committed()
    found += [
        Host(one, CONTRIBUTED, one.parent.name, told)
        for one, told in _summaries(paths.runs().glob(f"*/{SUMMARY}"))
        if not one.parent.name.startswith(STAGED)
    ]
    here = {name: of_run(name) for name in runs}
    for file in sorted(paths.build().glob(f"*/{SUMMARY}/{summary.HOST}")):
        name = file.parent.parent.name
        if name not in here and not paths.is_archived(name) and (paths.runs() / name).exists():
            here[name] = of_run(name)
    found += here.values()
    ours = {host.id for host in found if host.origin != CONTRIBUTED}
    return _labelled([host for host in found if host.told["shared"].get("of") not in ours])


def every_committed() -> list[Host]:
    """The hosts that come with the Lab."""
    return _labelled(
        [
            Host(one, WITH_THE_LAB, "", told)
            for one, told in _summaries(one.parent for one in committed().glob(f"*/{summary.HOST}"))
        ]
    )


def committed() -> Path:
    """Where the summaries lie that come with the Lab."""
    return paths.ROOT / "data" / "collection"


def _summaries(folders: Iterable[Path]) -> Iterable[tuple[Path, dict[str, Any]]]:
    for folder in sorted(folders):
        if told := summary.told(folder):
            yield folder, told


def of_run(run: str, processes: int | None = None) -> Host:
    """The host of a run, summarised anew where its files, the catalogue or the code that reads them changed, by so many
    processes (None: as there are CPUs); LabError without one."""
    bundle = Bundle.open(run)
    if (told := summary.told(bundle.folder / SUMMARY)) and "shared" in bundle.info:
        return _labelled([Host(bundle.folder / SUMMARY, CONTRIBUTED, run, told)])[0]
    folder = paths.build() / run / SUMMARY
    code = [*digest.code(*CODE), *sorted(paths.catalogue().rglob("*.yaml"))]
    stamp, now = folder / "stamp", digest.files(code, *_held(bundle))
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != now:
        shutil.rmtree(folder, ignore_errors=True)
        summary.write(run, folder, processes or len(cpus.usable()))
        durable.write(stamp, now)
    origin = WITH_THE_LAB if paths.is_archived(run) else HERE
    return _labelled([Host(folder, origin, run, summary.told(folder))])[0]


def _held(bundle: Bundle) -> list[str]:
    """What a summary is made of: the run's content, and its archives as they lie there, for they may be without some
    histograms, of which a content's id says nothing."""
    archives = [(file.name, file.stat()) for file in sorted(bundle.folder.glob(bundle.packed("*", Path()).name))]
    return [content_id.content_id(bundle), *(f"{name} {lie.st_size} {lie.st_mtime_ns}" for name, lie in archives)]


def _labelled(hosts: list[Host]) -> list[Host]:
    """The hosts with labels of which no two are the same: what their owners call them, or their CPUs, and how many
    these are where hosts that are called alike differ in it."""
    called = [(redaction.called(host.told), host.told["host"]["cpu"]["cpus"]) for host in hosts]
    sizes = Counter(name for name, _ in set(called))
    names = [f"{name} ({counted(size, 'CPU')})" if sizes[name] > 1 else name for name, size in called]
    known = [
        (name.lower(), size, host.told["created"], host.id) for (name, size), host in zip(called, hosts, strict=True)
    ]
    order = sorted(range(len(hosts)), key=known.__getitem__)
    found, seen = [], dict.fromkeys(names, 0)
    for at in order:
        seen[names[at]] += 1
        number = f" ({seen[names[at]]})" if seen[names[at]] > 1 else ""
        found.append(replace(hosts[at], label=names[at] + number))
    return found


def chosen(hosts: Sequence[Host], where: Sequence[str]) -> list[Host]:
    """The hosts that `NAME=VALUE[,VALUE]` words select: vendor, virtualised (yes, no), origin, jdk (25), noisy (a limit
    in percent). LabError for a name that there is not, and where none is left."""
    left = list(hosts)
    for word in where:
        name, equals, text = word.partition("=")
        values = [value.strip().lower() for value in text.split(",")]
        if not equals or name not in FILTERS:
            raise LabError(f"{word!r} is not NAME=VALUE with NAME one of: {', '.join(FILTERS)}")
        left = [host for host in left if FILTERS[name](host, values)]
    if not left:
        raise LabError(f"no host is left by --where {' '.join(where)}; there are {len(hosts)}" if where else "no host")
    return left


def _quiet(host: Host, values: list[str]) -> bool:
    with contextlib.suppress(ValueError):
        return host.noisy_pct <= float(values[0])
    raise LabError(f"noisy={values[0]}: a limit in percent, as 5")


FILTERS = {
    "vendor": lambda host, values: host.vendor.lower() in values,
    "virtualised": lambda host, values: ("yes" if host.virtualised else "no") in values,
    "origin": lambda host, values: any(value in host.origin.lower() for value in values),
    "jdk": lambda host, values: any(f"jdk{value.removeprefix('jdk')}" in host.jdks for value in values),
    "noisy": _quiet,
}


def table(hosts: Sequence[Host], name: str, **where: Any) -> pd.DataFrame:
    """The rows of a table of the summaries (`summary.TABLES`) whose columns have the values of `where`, one host after
    the other, with the column `host`, its label. Of many hosts, only what fits into memory may be asked for."""
    return plain(arrow(hosts, name, where), name).to_pandas()


def arrow(hosts: Sequence[Host], name: str, where: Mapping[str, Any]) -> pa.Table:
    """As `table`, as Arrow has it: text as numbers of a list of words."""
    parts = [schema(name).empty_table()]
    for host in hosts:
        rows = summary.rows(host.folder, name, where)
        label = pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(rows), np.int32)), pa.array([host.label]))
        parts.append(rows.append_column("host", label))
    return pa.concat_tables(parts).unify_dictionaries()


def plain(rows: pa.Table, name: str) -> pa.Table:
    """The rows of `arrow` with text as text."""
    return rows.cast(pa.schema([*summary.TABLES[name].items(), ("host", pa.string())]))


def schema(name: str) -> pa.Schema:
    words = pa.dictionary(pa.int32(), pa.string())
    columns = {**summary.TABLES[name], "host": pa.string()}
    return pa.schema([(column, words if kind == pa.string() else kind) for column, kind in columns.items()])


def machines(hosts: Sequence[Host]) -> list[Host]:
    """One host for each machine, its run with most trials: hosts, not runs, are what an interval over hosts counts."""
    best: dict[str, Host] = {}
    for host in hosts:
        if host.machine not in best or host.told["trials"] > best[host.machine].told["trials"]:
            best[host.machine] = host
    return [host for host in hosts if best[host.machine] is host]
