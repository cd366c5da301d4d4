"""Validation of a run from elsewhere, which is believed only as far as it can be checked: words, numbers, names,
checksums.

`untrusted_tar` has written plain files of known names. Here `run.json` and the journal are read as data, each text and
each number within limits, and every raw file is compared with the checksum that the journal or the archive names. What
the run says about itself stays what it says: a journal can be forged, and a page calls such a run contributed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pipeline.bundle import journal, run_file
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.profile import PROFILES
from pipeline.collection import redaction, share
from pipeline.collection.packed_size import most_of_a_log
from pipeline.collection.stream import Refused
from pipeline.collection.untrusted_tar import RAW
from pipeline.ground import durable
from pipeline.host import fingerprint
from pipeline.publish import host_facts

TEXT = 1000  # characters of any text
LEAVES = 20_000  # texts and numbers of run.json: of a host of a thousand CPUs some ten thousand
TRIALS = 100_000
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)", re.ASCII)
RUNTIME = re.compile(r"c|fio|jdk\d{1,3}(-\d{1,2})?", re.ASCII)
REVISION = re.compile(r"([0-9a-f]{7,40}\+?)?", re.ASCII)
PLAIN = re.compile(r"[\w=.,%+-]{1,200}", re.ASCII)
SUM = re.compile(r"[0-9a-f]{64}", re.ASCII)
MOST = {"block": 1_000_000, "order": 10_000_000, "attempt": 1000}


def run_json(folder: Path) -> dict[str, Any]:
    """Check `run.json` and write it anew with what is on the list of `redaction` alone; what it says then.

    Refused names the first value that cannot be.
    """
    info = _json((folder / share.RUN).read_bytes(), share.RUN)
    if not isinstance(info, dict) or type(info.get("format")) is not int:
        raise Refused(f"{share.RUN} is none of a run")
    if run_file.newer(info):
        raise Refused(f"has bundle format {info['format']}, this version reads up to {run_file.FORMAT}: update the Lab")
    if info["format"] != run_file.MEASURED or "kind" in info:
        raise Refused(f"{share.RUN} is none of a run that was measured")
    _plain(info, share.RUN, LEAVES)
    if wrong := run_file.problem(info):
        raise Refused(f"{share.RUN} is damaged ({wrong})")
    if info["profile"] not in PROFILES or not DATE.fullmatch(info["created"]) or not REVISION.fullmatch(info["git"]):
        raise Refused(f"{share.RUN} has a profile, date or revision that is none")
    if wrong := [name for name in info["runtimes"] if not RUNTIME.fullmatch(name)]:
        raise Refused(f"{share.RUN} names the runtime {wrong[0][:40]!r}, which is none")
    if not (1 <= info["host"]["cpu"]["cpus"] <= 4096 and 0 < info["host"]["memory_bytes"] < 1 << 50):
        raise Refused(f"{share.RUN} has a number of CPUs or a size of memory that no host has")
    kept = redaction.of_run(info) | {"shared": _shared(info.get("shared"))}
    try:
        fingerprint.state(kept["host"], kept["runtimes"])
        host_facts.moves(kept["host"]), host_facts.identifies(kept)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Refused(f"{share.RUN} lacks a fact of the host or has it in another shape ({error})") from None
    durable.write(folder / share.RUN, json.dumps(kept, indent=1, sort_keys=True) + "\n")
    return kept


def renamed(folder: Path, info: Mapping[str, Any], name: str) -> None:
    """Call the run as its folder will be called; its content id does not depend on it."""
    durable.write(folder / share.RUN, json.dumps({**info, "name": name}, indent=1, sort_keys=True) + "\n")


def _shared(told: Any) -> dict[str, str]:
    """What its owner says of it."""
    if not isinstance(told, dict):
        raise Refused(f"{share.RUN} does not say that it is shared; make the file with: lab share RUN")
    lengths = share.SIGNS | {"licence": 40, "of": 12}
    kept = {name: told[name] for name in lengths if name in told}
    if wrong := [name for name, text in kept.items() if not isinstance(text, str) or len(text) > lengths[name]]:
        raise Refused(f"{share.RUN}: shared.{wrong[0]} is no text of at most {lengths[wrong[0]]} characters")
    return kept


def journal_lines(bundle: Bundle) -> list[dict]:
    """The journal's lines, each of a trial that this version's catalogue could have planned; Refused names the line."""
    content = bundle.read_raw(journal.FILE)
    if not content.endswith(b"\n"):
        raise Refused(f"{journal.FILE} ends within a line")
    lines = journal.parse(content, bundle.name)
    known, names = catalogue.load(), set()
    for number, line in enumerate(lines, 1):
        where = f"{journal.FILE} line {number}"
        _plain(line, where, LEAVES)
        if (experiment := line.get("experiment")) is not None and experiment not in known:
            raise Refused(f"{where}: {str(experiment)[:60]!r} is no experiment of this version; update the Lab")
        if "trial" in line:
            _trial(line, known[line["experiment"]], bundle.info["runtimes"], where)
            name = line["experiment"], line["trial"]
            if name in names:
                raise Refused(f"{where}: {line['trial']} comes twice")
            names.add(name)
    if not names or len(names) > TRIALS:
        raise Refused(f"holds {len(names):,} trials; 1 to {TRIALS:,} are read")
    return lines


def _trial(line: Mapping[str, Any], entry: Experiment, runtimes: Collection[str], where: str) -> None:
    if not PLAIN.fullmatch(line["trial"]) or ".." in line["trial"]:
        raise Refused(f"{where}: {line['trial'][:60]!r} is no name of a trial")
    if line["variant"] not in entry.variants or line["runtime"] not in runtimes:
        raise Refused(
            f"{where}: {line['variant'][:60]!r} on {line['runtime'][:40]!r} is none of {entry.name}'s variants in this "
            "version; share the run's other experiments (--experiments), or update the Lab"
        )
    for axis, kind in entry.axes.items():
        value = line["axes"].get(axis)
        if value is not None and type(value) is not {"int": int, "str": str}[kind]:
            raise Refused(f"{where}: {axis} is {str(value)[:40]!r}, not of type {kind}")
    for name, most in MOST.items():
        if not 0 <= line[name] <= most:
            raise Refused(f"{where}: {name} {line[name]} is beyond 0 to {most:,}")
    for name, sha256 in line.get("files", {}).items():
        found = RAW.fullmatch(name)
        if not found or found[1] != entry.name or not name.startswith(f"raw/{entry.name}/{line['trial']}."):
            raise Refused(f"{where} names the file {name[:100]!r}, which is none of this trial")
        if not SUM.fullmatch(sha256):
            raise Refused(f"{where} has a checksum that is none")


def archives(files: Iterable[Path], lines: list[dict]) -> None:
    """Refused unless there is an archive for every experiment of the journal that wrote files, and no other."""
    held = {file.name.removesuffix(".tar.xz") for file in files} - {journal.FILE}
    named = {line["experiment"] for line in journal.trials(lines) if line.get("files")}
    if held != named:
        name = sorted(held ^ named)[0]
        raise Refused(f"{name} is in the journal or in an archive, and not in both")


def raw_files(bundle: Bundle, lines: list[dict], experiment: str) -> None:
    """Compare every raw file of an experiment with its checksum, and see that there is no other; Refused names it."""
    sums = {name: sha for line in journal.trials(lines, experiment) for name, sha in line.get("files", {}).items()}
    held = bundle.unpacked(experiment) if sums else {}
    if unknown := sorted(held.keys() - sums.keys()):
        raise Refused(f"{experiment}.tar.xz holds {unknown[0]}, which the journal does not name")
    for name, sha in sums.items():
        content = bundle.verified(name, sha)
        if name.endswith(".hlog"):
            most_of_a_log(content, name)


def _json(content: bytes, name: str) -> Any:
    def no_number(word: str) -> None:
        raise ValueError(word)

    try:
        return json.loads(content, parse_constant=no_number)
    except (ValueError, RecursionError):
        raise Refused(f"{name} is no JSON") from None


def _plain(value: Any, where: str, most: int) -> None:
    """Refused unless all texts are short and printable, all numbers finite, and there are few of both."""
    left = most
    waiting = [value]
    while waiting:
        one = waiting.pop()
        left -= 1
        if left < 0:
            raise Refused(f"{where} holds more than {most:,} values")
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and not (len(one) <= TEXT and one.isprintable()):
            raise Refused(f"{where} holds a text that is longer than {TEXT:,} characters or not printable")
        elif isinstance(one, (int, float)) and not (math.isfinite(one) and abs(one) < 1 << 63):
            raise Refused(f"{where} holds a number beyond 64 bits")
