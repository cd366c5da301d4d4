"""The entries of the catalogue: each has its notebook, and no code of the pipeline knows one by name."""

from __future__ import annotations

import ast
import re

import pytest

from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.publish import notebooks

ENTRIES = list(catalogue.load().values())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_every_entry_has_a_clean_notebook(entry):
    path = paths.notebooks() / f"{entry.number:02d}_{entry.name}.ipynb"
    assert path.exists()
    assert not notebooks.check_clean(path)


def test_every_committed_notebook_is_clean():
    for path in paths.notebooks().rglob("*.ipynb"):
        assert not notebooks.check_clean(path), path


def test_the_pipeline_names_no_experiment_and_no_variant():
    """No module of the pipeline has a name of the catalogue in its code: what differs is in the catalogue."""
    others = {"clock", "ipc"}  # also a key of the harness contract, and how Jupyter's messages travel
    names = {entry.name for entry in ENTRIES} - others
    names |= {name for entry in ENTRIES for name in entry.variants if "_" in name}  # one word may be any word
    quoted = re.compile(rf"""["'](?:{"|".join(names)})["']""")  # what may be one; a comment may quote it too
    for path in (paths.ROOT / "pipeline").rglob("*.py"):
        nodes = ast.walk(ast.parse(text)) if quoted.search(text := path.read_text()) else ()
        assert not names & {node.value for node in nodes if isinstance(node, ast.Constant)}, path
