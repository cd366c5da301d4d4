"""What the types of the catalogue have in common. They are dataclasses of the standard library, for what measures needs
nothing else; who checks a YAML file against them (`pipeline.catalogue.check`) does so by pydantic, which reads them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_args

declared = dataclass(frozen=True, init=False)  # each type of the catalogue is


class Declared:
    """A type of an entry or of a part of one: made of keywords, so that fields may stand in any order. What is made
    does not change, and an unknown key is a fault."""

    __pydantic_config__ = {"extra": "forbid"}

    def __init__(self, **given: Any) -> None:
        for one in fields(self):
            if one.name in given:
                value = given.pop(one.name)
            elif one.default_factory is not MISSING:
                value = one.default_factory()
            elif one.default is not MISSING:
                value = one.default
            else:
                raise TypeError(f"{type(self).__name__} needs {one.name}")
            object.__setattr__(self, one.name, value)
        if given:
            raise TypeError(f"{type(self).__name__} has no {', '.join(given)}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """ValueError where the values do not fit each other."""


def told(description: str = "", default: Any = MISSING, **bounds: float) -> Any:
    """A field: what it says, its default, and what its value or length is at least or at most (`ge`, `min_length`)."""
    about = {"description": description, **bounds} if description else bounds
    if isinstance(default, (dict, list)):
        return dataclasses.field(default_factory=default.copy, metadata=about)
    return dataclasses.field(default=default, metadata=about)


@dataclass(frozen=True)
class Which:
    """Which type of a union is meant, so that an error is about that one: a mark of the union, for who checks it. A
    list among the types is not empty.

    by: the field that names the type, or what tells the name of a value's; names: of the types, in their order.
    """

    by: str | Callable[[Any], str]
    names: tuple[str, ...]

    def __get_pydantic_core_schema__(self, union: Any, handler: Any) -> dict[str, Any]:
        choices = {name: handler.generate_schema(one) for name, one in zip(self.names, get_args(union))}
        lists = {name: one | {"min_length": 1} for name, one in choices.items() if one["type"] == "list"}
        return {"type": "tagged-union", "choices": choices | lists, "discriminator": self.by}


def plain(value: Any, with_defaults: bool = True) -> Any:
    """What was declared as plain mappings, lists and values, as JSON and YAML have them; without defaults: fields that
    have their default are left out."""
    if isinstance(value, Declared):
        kept = (one for one in fields(value) if with_defaults or getattr(value, one.name) != _default(one))
        return {one.name: plain(getattr(value, one.name), with_defaults) for one in kept}
    if isinstance(value, Mapping):
        return {key: plain(one, with_defaults) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one, with_defaults) for one in value]
    return value


def _default(one: dataclasses.Field) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()
