"""share: one file of a few MB that holds all that the pages of a run need, and of its machine what may be known.

The file is a gzip tar (an ending that issue trackers take) of `run.json`, the packed journal, a packed archive for each
experiment, as `pipeline.bundle.packed` has them, and a README: the archived bundle, format 1, with `shared` in its
`run.json`. The logs of compilations and of machine code, which name folders of the JDK, are in it reduced to what
ingest reads of them. What it tells about the machine is said before it is written (`Parcel.told`).
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.bundle import content_id, entries, journal, single_file
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import archive_exclusions
from pipeline.collection import redaction
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import fingerprint, topology, topology_summary
from pipeline.publish import packing
from pipeline.words.numbers import counted

LICENCE = "CC-BY-4.0"
RUN, README = "run.json", "README.txt"
DICTIONARY = 16 << 20  # bytes: whoever unpacks a file that nobody trusts needs no more memory than this and a little
SIGNS = {"by": 60, "label": 80, "note": 400}  # what its owner says of it, and how long at most
LONG = ("cpu.thread_siblings", "cpu.topology", "cpu.mitigations")  # facts by CPU or by fault: said as a line
OF_A_TRIAL = ("trial", "experiment", "variant", "runtime", "harness", "axes", "command", "parts", "started", "exit")
OF_A_TRIAL += ("cpus", "distance", "node", "readings")
OF_A_TRIAL += ("status", "reason", "wall_s", "noise", "files", "block", "order", "attempt", "took_s", "sitting")
OF_AN_EVENT = {
    "planned": ("event", "experiment", "overrides", "configurations", "left_out"),
    "finished": ("event", "experiment", "ended_by", "blocks", "spent_s"),
    "host_changed": ("event", "at", "changes"),
    "host_busy": ("event", "at", "pct", "processes"),
    "deciding": ("event", "minutes"),
    "sitting": ("event", "number", "at", "minutes", "rounds", "verdicts", "left_out", "configurations", "fill"),
    "sat": ("event", "number", "rounds", "spent_s"),
}
PROMISE = """A run of the Mechanical Sympathy Lab, shared by its owner under {licence}.

lab import FILE     checks every byte of it and makes a run of it here
lab collection      shows it next to the runs of other hosts

{told}
"""


@dataclass(frozen=True)
class Parcel:
    """A file to share: what it is called, its members, and what it tells about the machine, line by line."""

    name: str
    members: dict[str, bytes]
    told: list[str]

    def write(self, folder: Path) -> Path:
        """Write it into `folder`; the same run makes the same bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{self.name}.part"
        with part.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as out:
            with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
                for name, content in self.members.items():
                    member = tarfile.TarInfo(name)
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        return part.rename(folder / self.name)


def pack(run: str, experiments: Sequence[str] = (), **signs: str) -> Parcel:
    """What `lab share` writes of a run.

    experiments: names, all where there are none. signs: `by`, `label` and `note`, words of its owner. LabError when the
    run holds none of them, when one of its files was changed, or when something in it must not leave (named).
    """
    bundle = _measured_here(run)
    lines = [line for line in bundle.journal() if not experiments or line.get("experiment") in (None, *experiments)]
    if not journal.trials(lines):
        raise LabError(f"run {run!r} holds no trial to share; measure it with: make report RUN={run}")
    names = redaction.own_names()
    shared = {"licence": LICENCE, **_signs(signs, names), "of": content_id.content_id(bundle)}
    info = redaction.of_run(bundle.info) | {"shared": shared}
    _refuse(f"run {run!r}: run.json, ", redaction.leaves(info), names, _versions(info))
    members = {journal.FILE: b"".join(_line(one, names) for one in lines)}
    _refuse(f"run {run!r}: ", [(journal.FILE, members[journal.FILE].decode())], names, _versions(info))
    told = _told(bundle, info, lines)
    with tempfile.TemporaryDirectory(prefix="lab-share-") as scratch:
        packed = dict(_packed(bundle, lines, names, info, Path(scratch)))
        packing.write(members, Path(scratch) / "journal", DICTIONARY)
        packed[f"{journal.FILE}.tar.xz"] = (Path(scratch) / "journal").read_bytes()
    head = {
        RUN: (json.dumps(info, indent=1, sort_keys=True) + "\n").encode(),
        README: PROMISE.format(licence=LICENCE, told="\n".join(told)).encode(),
    }
    name = f"lab-{redaction.slug(info)}-{info['created'][:10]}-{content_id.of(info, members[journal.FILE])}.tgz"
    return Parcel(name, head | dict(sorted(packed.items())), told)


def write_whole(run: str) -> Path:
    """Write a run as measured (`pipeline.bundle.single_file`), for a machine of one's own. LabError as `pack`."""
    bundle = _measured_here(run)
    folder().mkdir(parents=True, exist_ok=True)
    return single_file.write(bundle, folder() / f"{run}{single_file.SUFFIX}")


def _measured_here(run: str) -> Bundle:
    bundle = Bundle.open(run)
    if "shared" in bundle.info:
        raise LabError(f"run {run!r} came from elsewhere; hand on the file that it came in")
    if entries.own(bundle):
        raise LabError(f"run {run!r} is of imported files; share a run that was measured, or the files themselves")
    return bundle


def _signs(signs: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """What the owner says, where something is said. The owner's own name may stand in `by`, where it was asked for."""
    for name, text in signs.items():
        if len(text) > SIGNS[name] or not text.isprintable():
            raise LabError(f"--{name} {text[:40]!r}: at most {SIGNS[name]} characters of one line")
    searched = [(name, text) for name, text in signs.items() if name != "by"]
    _refuse("--", searched, names, ())
    return {name: text for name, text in signs.items() if text}


def _refuse(where: str, texts: Iterable[tuple[str, Any]], names: Iterable[str], but: Iterable[str]) -> None:
    """LabError that names the first text in which something must not leave; `but`: versions, which look like it."""
    names = list(names)
    for place, value in texts:
        text = str(value)
        for version in but:
            text = text.replace(version, "")
        if what := redaction.found_in(text, names):
            raise LabError(f"{where}{place} holds {what}, which must not leave this machine; nothing was written")


def _versions(info: Mapping[str, Any]) -> list[str]:
    """Versions of four numbers are written as addresses are."""
    told = [one.get(key, "") for one in info["runtimes"].values() for key in ("build", "version")]
    return sorted((one for one in {*told, *info.get("tools", {}).values()} if one), key=len, reverse=True)


def _line(line: Mapping[str, Any], names: Sequence[str]) -> bytes:
    """A line of the journal as it leaves: fields that are known, folders replaced, no names of processes."""
    known = OF_A_TRIAL if "trial" in line else OF_AN_EVENT.get(line["event"], ())
    if not known:
        return b""
    kept = {key: line[key] for key in known if key in line}
    if kept.get("reason") and redaction.found_in(redaction.redacted(kept["reason"]), names):
        kept["reason"] = redaction.NOT_SHARED
    if "processes" in kept:
        kept["processes"] = []
    if "changes" in kept:
        kept["changes"] = {
            name: values for name, values in kept["changes"].items() if name not in ("kernel command line",)
        }
    text = json.dumps(kept, separators=(",", ":"))
    return redaction.redacted(text).encode() + b"\n"


def _packed(
    bundle: Bundle, lines: Sequence[dict], names: Sequence[str], info: Mapping[str, Any], scratch: Path
) -> Iterable[tuple[str, bytes]]:
    """(name, bytes) of the archive of each experiment, one after the other: a run's files together take too much."""
    for experiment in sorted(journal.experiments(lines)):
        trials = journal.trials(lines, experiment)
        sums = {name: sha for line in trials for name, sha in line.get("files", {}).items()}
        if not sums:
            continue
        measured = {name: bundle.verified(name, sha) for name, sha in sums.items()}
        files = {name: _without_places(content) for name, content in measured.items()}
        altered = {name for name in files if files[name] != measured[name] or bundle.recoded(name)}
        parts = {name: journal.part_of(line, name) for line in trials for name in line.get("files", {})}
        without = archive_exclusions.of(experiment, trials, bundle.info)
        path = scratch / f"{experiment}.tar.xz"
        packing.pack(files, path, (), without, parts, altered, DICTIONARY)
        texts = ((name, _searched(content)) for name, content in packing.unpack(path)[0].items())
        _refuse(f"run {bundle.name!r}: ", texts, names, _versions(info))
        yield path.name, path.read_bytes()


def _without_places(content: bytes) -> bytes:
    try:
        return redaction.redacted(content.decode()).encode()
    except UnicodeDecodeError:
        return content


def _searched(content: bytes) -> str:
    """A file's text without the histograms, whose digits may spell anything."""
    return packing.PAYLOAD.sub("", content.decode("utf-8", errors="replace"))


def _told(bundle: Bundle, info: Mapping[str, Any], lines: Sequence[dict]) -> list[str]:
    """What the file tells, line by line, and what it does not."""
    host, trials = info["host"], journal.trials(lines)
    states = Counter(line["status"] for line in trials)
    shared = info["shared"]
    found = [
        f"measured   {counted(states[journal.MEASURED], 'trial')} of "
        f"{counted(len(journal.experiments(lines)), 'experiment')}, {info['created'][:10]}, profile {info['profile']}",
        f"host       {fingerprint.sentence(host)}",
    ]
    for name, value in redaction.leaves({key: one for key, one in host.items()}):
        if value not in ("", fingerprint.UNKNOWN) and not name.startswith(LONG):
            found.append(f"  {name:34} {value}")
    if where := topology_summary.line(topology.machine(host.get("cpu", {}))):
        found.append(f"  {'cpu.topology':34} {where}")
    found.append(f"  {'cpu.mitigations':34} what the kernel does against faults of the CPU")
    found += [f"runtime    {name}: {one['version']} ({one['vendor']})" for name, one in info["runtimes"].items()]
    found += [f"{name:10} {shared[name]}" for name in (*SIGNS, "licence") if name in shared]
    away = [*redaction.left_out(bundle.info["host"]), "names of the machine, its user, the run and other processes"]
    found.append(f"left out   {', '.join(away)}, folders outside the project, addresses")
    return found


def folder() -> Path:
    """Where files to share are written."""
    return paths.build() / "share"
