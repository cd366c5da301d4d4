"""The comparisons of the bench, by part: `catalogue/bench/<part>.yaml`, checked when it is read."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import ValidationError

from pipeline.catalogue.document import Document, Strict, first_fault
from pipeline.ground import paths
from pipeline.ground.errors import LabError

One = TypeVar("One", bound=Strict)


class _Compared(Strict, Generic[One]):
    compared: list[One]


def declared(part: str, kind: type[One]) -> list[One]:
    """What a part compares, in the order of its file; `kind` is what the part takes for one.

    LabError names file, line and key of what is malformed.
    """
    document = Document(paths.catalogue() / "bench" / f"{part}.yaml", f"bench/{part}.yaml")
    try:
        return _Compared[kind].model_validate(document.data).compared
    except ValidationError as error:
        where, what, missing = first_fault(error)
        raise LabError(f"{document.place(where)}: {document.path(where, missing)}: {what}; correct it") from None
