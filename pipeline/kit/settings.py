"""What an author sets once: `lab.toml` beside the README, every key optional."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from pipeline.ground import paths
from pipeline.ground.errors import LabError

FILE = "lab.toml"
ADDRESS = re.compile(r"https://[\w.:-]+(/[\w.~%+-]*)*", re.ASCII)
ORCID = re.compile(r"(\d{4}-){3}\d{3}[\dX]", re.ASCII)
SPDX = re.compile(r"[\w.+-]+", re.ASCII)


class Settings(BaseModel):
    """author and orcid (0000-0000-0000-0000): who is cited; site: the absolute address below which the kit's files will
    lie; licence: an SPDX identifier, of figures and data; default_target: whose text is printed where none is named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    author: str = ""
    orcid: str = ""
    site: str = ""
    licence: str = "CC-BY-4.0"
    default_target: str = "github"

    @field_validator("site")
    @classmethod
    def _absolute(cls, site: str) -> str:
        if site and not ADDRESS.fullmatch(site):
            raise ValueError(f"{site!r} is not an absolute https address, such as https://example.org/lab")
        return site.rstrip("/")

    @field_validator("orcid")
    @classmethod
    def _number(cls, orcid: str) -> str:
        number = orcid.removeprefix("https://orcid.org/")
        if number and not ORCID.fullmatch(number):
            raise ValueError(f"{orcid!r} is not an ORCID, such as 0000-0002-1825-0097")
        return number

    @field_validator("licence")
    @classmethod
    def _identifier(cls, licence: str) -> str:
        if not SPDX.fullmatch(licence):
            raise ValueError(f"{licence!r} is not an SPDX identifier, such as CC-BY-4.0")
        return licence

    def at(self, content_id: str) -> str:
        """Where the figures of a run will lie, ending in a slash; empty without a site."""
        return f"{self.site}/{content_id}/figures/" if self.site else ""


def read(**given: Any) -> Settings:
    """The settings of `lab.toml`, over which goes what is `given` and not empty; LabError for a wrong one."""
    file = paths.home() / FILE
    told = _told(file) | {name: value for name, value in given.items() if value}
    try:
        return Settings(**told)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        where = f"--{name}" if given.get(name) else f"{FILE}: {name}"
        if first["type"] == "extra_forbidden":
            raise LabError(
                f"{where}: there is no such setting; there are: {', '.join(Settings.model_fields)}"
            ) from None
        raise LabError(f"{where}: {first['msg'].removeprefix('Value error, ')}") from None


def _told(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LabError(f"{FILE}: not TOML: {error}") from None
