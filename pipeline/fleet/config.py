"""fleet.yaml: which machines measure what; every fault in it is told with its line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator

from pipeline.catalogue import catalogue
from pipeline.catalogue.document import Document, Strict, first_fault
from pipeline.catalogue.profile import PROFILES
from pipeline.ground import paths
from pipeline.ground.errors import LabError

ROOT = "mechanical-sympathy-lab"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,28}", re.ASCII)
PRINTABLE = Annotated[str, Field(min_length=1, max_length=400)]


def _plain(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name[:60]!r} is not a plain name; use up to 29 letters, digits, - and _")
    return name


class Host(Strict):
    """A machine: what it is called here, how `ssh` calls it, where its parcels lie there (from the home folder, unless
    the path is absolute) and the homes of the JDKs to measure with (none: all that are found)."""

    name: str
    ssh: PRINTABLE
    root: PRINTABLE = ROOT
    jdks: list[PRINTABLE] = []

    _name = field_validator("name")(_plain)

    @field_validator("ssh")
    @classmethod
    def _no_option(cls, value: str) -> str:
        if value.startswith("-") or not value.isprintable() or re.search(r"\s", value):
            raise ValueError(f"{value[:60]!r} is no name of a machine for ssh")
        return value

    @field_validator("root")
    @classmethod
    def _no_lines(cls, value: str) -> str:
        if not value.isprintable() or value.strip("/") in ("", "~"):
            raise ValueError(f"{value[:60]!r} is no folder of its own; name one, as {ROOT}")
        return value.removeprefix("~/")

    @field_validator("jdks")
    @classmethod
    def _homes(cls, values: list[str]) -> list[str]:
        if wrong := [one for one in values if not one.startswith("/") or ":" in one or not one.isprintable()]:
            raise ValueError(f"{wrong[0][:60]!r} is no absolute path of a JDK's home")
        return values


class Fleet(Strict):
    """A fleet: `name` becomes part of its runs' names, `experiments` are measured on every host (empty: all)."""

    name: str
    profile: str = "quick"
    experiments: list[str] = []
    hosts: list[Host] = []

    _name = field_validator("name")(_plain)

    @field_validator("profile")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in PROFILES:
            raise ValueError(f"{value[:60]!r} is no profile; use one of: {', '.join(PROFILES)}")
        return value

    def run(self, host: str) -> str:
        """The name of a host's run, there and here."""
        return f"{self.name}.{host}"

    @property
    def hosts_by_name(self) -> dict[str, Host]:
        return {host.name: host for host in self.hosts}

    @property
    def measured(self) -> list[str]:
        """The names of the experiments, in the catalogue's order."""
        return [name for name in catalogue.load() if name in self.experiments or not self.experiments]


def load(path: Path, with_hosts: bool = True) -> Fleet:
    """The fleet that a file describes; LabError names the line of the first fault. with_hosts: it must name some."""
    try:
        document = Document(path, path.name)
    except FileNotFoundError:
        raise LabError(f"{path}: no such file; docs/fleet.md shows one of six lines") from None

    def wrong(where: tuple[str | int, ...], what: str, missing: bool = False) -> LabError:
        told = document.path(where, missing) or "file"
        return LabError(f"{document.place(where)}: {told}: {what}; correct that line")

    try:
        fleet = Fleet.model_validate(document.data)
    except ValidationError as error:
        raise wrong(*first_fault(error)) from None
    known = catalogue.load()
    for at, name in enumerate(fleet.experiments):
        if name not in known:
            raise wrong(("experiments", at), f"unknown experiment {name[:60]!r}; the catalogue has: {', '.join(known)}")
    for key in ("name", "ssh"):
        places = [(getattr(host, key), host.root if key == "ssh" else "") for host in fleet.hosts]
        for at, place in enumerate(places):
            if place in places[:at]:
                raise wrong(("hosts", at, key), f"{place[0]!r} is there twice")
    if with_hosts and not fleet.hosts:
        raise wrong(("hosts",), "names no host", "hosts" not in document.data)
    return fleet


def name_of(words: str) -> str:
    """The name of a fleet, given itself or by its file."""
    path = Path(words)
    return load(path, with_hosts=False).name if path.suffix in (".yaml", ".yml") else _checked(words)


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise LabError(f"{name[:60]!r} is no name of a fleet; give its file, as fleet.yaml")
    return name


def state_file(name: str) -> Path:
    """What is known of a fleet's hosts, next to their runs."""
    return paths.runs() / f".fleet-{name}.json"
