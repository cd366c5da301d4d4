"""Redaction of a run that leaves this machine: facts by an allow-list, and no name, path or address in any text.

Two nets, one behind the other. What is not on the list is left out, so that a fact which a later version records stays
here until somebody has decided on it. And whatever is left, of every file, is searched for what must not leave: the
names of this machine and its user, folders outside the project, addresses.
"""

from __future__ import annotations

import getpass
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.ground import paths
from pipeline.host import fingerprint
from pipeline.host.kernel_file import UNKNOWN

NOT_SHARED = "not shared"
ELSEWHERE = "{elsewhere}"  # in place of a folder that is not the project's
LONGEST = 300  # characters of a fact

# Folders that every Linux has, whoever works there.
COMMON = "dev/shm|proc/self|proc/sys|sys/|dev/null"
PATH = re.compile(rf"(?<![\w.{{}}/+~-])(?:~|[A-Za-z]:)?/(?!{COMMON})(?:[^\s/\"'\\,:;<>|()]+/)+[^\s/\"'\\,:;<>|()]*")
ADDRESSES = {
    "an IP address": re.compile(
        r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])"
    ),
    "a hardware address": re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![\w:])"),
    "an IPv6 address": re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{1,4}:){4,7}[0-9a-fA-F]{0,4}(?![\w:])"),
    "an e-mail address": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "a path": PATH,
}
# Names of users and machines that say nothing of anybody, and are words of the Lab's own files.
NOBODY = {"root", "user", "users", "lab", "java", "runner", "ubuntu", "debian", "admin", "test", "localhost", "home"}
SHORTEST = 3  # characters of a name that is searched for

DEVICE = re.compile(
    r"(sd[a-z]+|vd[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+|md\d+|dm-\d+|ram\d+)(p?\d+)?|tmpfs|overlay|none"
)
OPTIONS = re.compile(r"r[ow]|(no|rel|strict|lazy)?atime|nodiratime|(no)?discard(=async)?|sync|async|(no)?barrier(=\d)?")
OPTIONS_OF = re.compile(
    r"(data|commit|compress|compress-force|logbsize|logbufs|size|noquota|ssd|space_cache)(=[\w:.]+)?"
)
PROFILES = re.compile(
    r"accelerator-performance|balanced|balanced-battery|cpu-partitioning|desktop|hpc-compute|intel-sst|latency-performance"
    r"|network-latency|network-throughput|powersave|realtime|throughput-performance|virtual-guest|virtual-host"
)
SUM = re.compile(r"\s*\(sha256 [0-9a-f]+\)")  # of the whole command line: the same on no other machine


def _device(text: str) -> str:
    return text if DEVICE.fullmatch(text) or text == UNKNOWN else NOT_SHARED


def _options(text: str) -> str:
    words = text.split(",")
    return ",".join(word for word in words if OPTIONS.fullmatch(word) or OPTIONS_OF.fullmatch(word)) or NOT_SHARED


def _profile(text: str) -> str:
    return text if PROFILES.fullmatch(text) or text == UNKNOWN else NOT_SHARED


def _command_line(text: str) -> str:
    return SUM.sub("", text)


def _as_is(text: str) -> str:
    return text


Rule = Callable[[str], str]
CPU = ("model", "architecture", "microcode", "cpus", "threads_per_core", "cores_per_socket", "sockets", "numa_nodes")
CPU += ("hypervisor", "smt", "governor", "turbo_disabled", "idle_driver", "idle_governor", "halt_polling")
CPU += ("kvm_halt_polling", "frequency_driver", "energy_performance_preference", "boost", "idle_states")
CPU += ("idle_state_limit", "thread_siblings", "topology", "topology_doubts", "caches", "mitigations")
FACTS: dict[str, Rule] = {f"cpu.{name}": _as_is for name in CPU} | {
    "machine.vendor": _as_is,
    "machine.product": _as_is,
    "kernel": _as_is,
    "kernel_command_line": _command_line,
    "firmware": _as_is,
    "distribution": _as_is,
    "clocksource": _as_is,
    "transparent_huge_pages": _as_is,
    "numa_balancing": _as_is,
    "tuned_profile": _profile,
    "cpu_limit": _as_is,
    "memory_bytes": _as_is,
    "io.type": _as_is,
    "io.device": _device,
    "io.options": _options,
    "io.scheduler": _as_is,
    "io.rotational": _as_is,
    "io.logical_block_bytes": _as_is,
}
OF_A_RUNTIME = ("name", "version", "vendor", "build")
OF_THE_RUN = ("format", "profile", "seed", "created", "git", "harness", "tools")


def facts(host: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of `host` (of run.json) that are on the list, in the same shape; each in what may be shared of it."""
    return _kept(host, "")


def left_out(host: Mapping[str, Any]) -> list[str]:
    """The names of the facts that are not on the list."""
    known = tuple(f"{name}." for name in FACTS)
    return sorted(name for name, _ in leaves(host) if name not in FACTS and not name.startswith(known))


def _kept(value: Mapping[str, Any], place: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, one in value.items():
        name = f"{place}.{key}" if place else key
        if rule := FACTS.get(name):
            found[key] = rule(one) if isinstance(one, str) else one
        elif isinstance(one, Mapping) and (inside := _kept(one, name)):
            found[key] = inside
    return found


def of_run(info: Mapping[str, Any]) -> dict[str, Any]:
    """What run.json says of a run that leaves: neither its name nor anything that a later version adds."""
    runtimes = {
        name: {key: one[key] for key in OF_A_RUNTIME if key in one} for name, one in info.get("runtimes", {}).items()
    }
    kept = {key: info[key] for key in OF_THE_RUN if key in info}
    return {**kept, "name": "shared", "host": facts(info["host"]), "runtimes": runtimes}


def called(info: Mapping[str, Any]) -> str:
    """What the owner of a run that leaves calls its machine, or the CPU of that. info: as run.json, or as host.json."""
    return info["shared"].get("label") or fingerprint.sentence(info["host"]).split(",")[0]


def slug(info: Mapping[str, Any]) -> str:
    """`called` as part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", called(info).lower()).strip("-")[:40].strip("-") or "host"


def redacted(text: str) -> str:
    """A text of a run with every folder that is not the project's replaced; the same text where there is none."""
    root = str(paths.ROOT)
    return PATH.sub(lambda found: _inside(found[0], root), text) if "/" in text else text


def _inside(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/") if path.startswith(f"{root}/") else ELSEWHERE


def own_names() -> list[str]:
    """The names that must not leave: of this machine, of its user, and of the user's folder."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container's user without an entry
        user = ""
    node = platform.node()
    names = {node, node.split(".")[0], user, Path.home().name}
    return sorted(name for name in names if len(name) >= SHORTEST and name.lower() not in NOBODY)


def found_in(text: str, names: Iterable[str]) -> str:
    """What of a text must not leave, in words with the place's first characters; empty where nothing of it must."""
    for name in names:
        if re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", text, re.IGNORECASE):
            return f"the name {name!r}"
    for what, pattern in ADDRESSES.items():
        if seen := pattern.search(text):
            return f"{what} ({seen[0][:60]!r})"
    return ""


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted place, value) of everything that is neither a mapping nor a list, keys included as places."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from leaves(one, f"{place}.{key}" if place else str(key))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from leaves(one, place)
    else:
        yield place, value
