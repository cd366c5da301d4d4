"""Which experiment studies take that need any: `catalogue/bench/archived.yaml`."""

from __future__ import annotations

from functools import cache

import yaml

from pipeline.catalogue.document import Strict
from pipeline.ground import paths


class Archived(Strict):
    """toy: the harness's experiment of a trial without a plan."""

    toy: str


@cache
def chosen() -> Archived:
    """The choice of the checkout, whatever catalogue a test has."""
    file = paths.ROOT / "catalogue" / "bench" / "archived.yaml"
    return Archived.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
