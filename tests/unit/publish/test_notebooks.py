"""Notebooks before they are executed: parameters are checked, broken ones named, committed ones clean."""

import json

import nbformat
import numpy as np
import pytest
from publish_toy import entry, isolate

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.publish import notebooks, parameters

MOST_LINES = 120  # of code


@pytest.fixture
def toy_run(monkeypatch, tmp_path):
    return isolate(monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"thread": [1]},
            r"01_toy.ipynb: unknown parameter 'thread'; it accepts: run \(str\), .*threads \(list of int\)",
        ),
        ({"threads": 4}, r"parameter threads: 4 is not of type list of int"),
        ({"threads": ["4"]}, r"parameter threads: \['4'\] is not of type list of int"),
        ({"threads": [True]}, r"parameter threads"),
        ({"scale": "fast"}, r"parameter scale: 'fast' is not of type float"),
        ({"scale": True}, r"parameter scale: True is not of type float"),
        ({"label": 3}, r"parameter label: 3 is not of type str"),
    ],
)
def test_a_wrong_parameter_is_an_error_not_a_warning(toy_run, given, message):
    with pytest.raises(LabError, match=message):
        notebooks.execute(entry(1, "toy"), toy_run, "quick", given)
    assert not notebooks.executed(entry(1, "toy"), toy_run).exists()


def test_types_are_those_of_the_defaults():
    source = 'a = 1\nb: float = 2.0\nc = "x"\nd = True\ne = [1.5]\nf = {}\ng = []\nh = None'
    cell = nbformat.v4.new_code_cell(source, metadata={"tags": ["parameters"]})
    defaults = parameters.declared(nbformat.v4.new_notebook(cells=[cell]), "n")
    names = [parameters.type_name(default) for default in defaults.values()]
    assert names == ["int", "float", "str", "bool", "list of float", "dict", "list", "any"]
    given = {"a": np.int32(3), "b": 4, "e": (1, np.float64(2.5)), "f": {"k": np.int64(1)}, "g": ["any"], "h": "x"}
    checked = parameters.check(defaults, given, "n")
    assert checked == {"a": 3, "b": 4.0, "e": [1, 2.5], "f": {"k": 1}, "g": ["any"], "h": "x"}
    assert json.loads(json.dumps(checked)) == checked and isinstance(checked["b"], float)


@pytest.mark.parametrize(
    ("number", "name", "message"),
    [
        (4, "undeclared", "04_undeclared.ipynb: 0 cells are tagged 'parameters'"),
        (6, "damaged", "06_damaged.ipynb: not a notebook"),
        (7, "absent", "07_absent.ipynb: the notebook is missing"),
    ],
)
def test_a_broken_notebook_is_named(toy_run, number, name, message):
    with pytest.raises(LabError, match=message):
        notebooks.execute(entry(number, name), toy_run, "quick")


@pytest.mark.parametrize("path", sorted((paths.ROOT / "notebooks").rglob("*.ipynb")), ids=lambda p: p.name)
def test_committed_notebooks_are_clean(path):
    assert notebooks.check_clean(path) == []


@pytest.mark.parametrize("path", sorted((paths.ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.name)
def test_an_experiments_notebook_is_thin(path):
    """It holds parameters, calls and words; what computes, selects or falls back is the pipeline's."""
    cells = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    lines = [line for cell in cells for line in cell.source.splitlines() if line.strip()]
    assert 0 < len(lines) <= MOST_LINES


def test_an_unclean_notebook_is_noticed(tmp_path):
    cells = [
        {"cell_type": "code", "id": "a", "outputs": [{}], "execution_count": 3},
        {"cell_type": "code", "outputs": [], "execution_count": None},
        {"cell_type": "markdown", "id": "a"},
    ]
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert [p.removeprefix("n.ipynb: ") for p in notebooks.check_clean(path)] == [
        "cell 0 has outputs",
        "cell 0 has an execution count",
        "cell 1 has no id",
        "cell id a is used twice",
    ]
