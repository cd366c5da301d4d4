"""A comparison in words and as data: the answer first, nothing dropped, the same bytes twice."""

import io
import json

import jsonschema
import pandas as pd
import pytest
from compared import EVERY, FakeRun, info, rows
from markdown_it import MarkdownIt

from pipeline.compare import export, text

pytestmark = pytest.mark.thorough

NUMBER = {"type": ["number", "null"]}
ROW = {
    "type": "object",
    "required": [
        "experiment",
        "metric",
        "variant",
        "axes",
        "ratio",
        "low",
        "high",
        "verdict",
        "reason",
        "unit",
        "class",
        "smallest",
    ],
    "properties": {
        **dict.fromkeys(("before", "before_low", "after", "after_high", "ratio", "low", "high", "level"), NUMBER),
        "verdict": {"enum": ["slower", "faster", "higher", "lower", "differs", "same", "undecided"]},
        "kind": {"enum": ["ratio", "difference"]},
        "method": {"enum": ["paired", "repeated", "controls", "alone"]},
        "axes": {"type": "object"},
        "trials_before": {"type": "integer"},
        "class": {"enum": ["uncontended", "contended", "woken", "io"]},
        "cycle_ns": NUMBER,
        "smallest": NUMBER,
    },
}
SIDE = {"type": "object", "required": ["runs", "runtime", "host"]}
FACT = {"type": "object", "required": ["group", "name", "before", "after"]}
SCHEMA = {
    "type": "object",
    "required": ["format", "way", "margin", "answer", "changed", "controls", "counts", "rows", "missing", "notes"],
    "properties": {
        "format": {"const": 1},
        "before": SIDE,
        "after": SIDE,
        "rows": {"type": "array", "items": ROW},
        "changed": {"type": "array", "items": FACT},
        "missing": {"type": "array", "items": {"type": "object", "required": ["side", "reason", "variant"]}},
    },
}


@pytest.fixture
def found(against):
    """One slower variant, a row without an interval, one that only one side has, and a kernel or not."""

    def made(told=None):
        after = rows(2, EVERY[:-1], times={"slow": 1.3})
        few = (after["variant"] == "fast") & (after["threads"] == 1) & (after["block"] > 2)
        return against("a", "b", [FakeRun("a", rows(1)), FakeRun("b", after[~few], told)])

    return made


def test_the_answer_stands_first_and_nothing_is_dropped(found):
    lines = text.plain(found(), every=True).splitlines()
    assert lines[0].startswith("answer   Of 11 comparisons: 4 slower than before; ")
    assert lines[3] == "changed  nothing that the Lab can see (--facts lists all)"
    named = "\n".join(lines)
    assert "slower (4)" in named and "example  only before  native, C  [after: not measured]" in named
    assert named.count("example  ") >= 11 and "(2 trials after)" in named
    assert "geometric mean" in named and "slower (4) · faster (0)" in named
    short = text.plain(found())
    assert "same within 5 % (" in short and "geometric" not in short and short.count("\nexample ") == 5


def test_without_controls_the_answer_says_what_to_do(found):
    told = text.answer(found(info(host__kernel="Linux 6.2.0")))
    assert "4 differ between these two runs, by the change or by the run; 7 undecided." in told
    assert told.endswith("lab compare a,a-2 b,b-2") and "same" not in told


def test_markdown_is_tables_that_hold_what_was_said(found):
    made = found()
    made.table.loc[0, "label"] = hostile = "a|b_c_ [x](y) <b>*`"
    tokens = MarkdownIt("commonmark").enable("table").parse(text.markdown(made, every=True, facts=True))
    cells = [token.children for token in tokens if token.type == "inline"]
    said = ["".join(part.content for part in children) for children in cells]
    assert any(hostile in one for one in said)
    assert sum(token.type == "table_open" for token in tokens) == 2 + len(made.counts)  # of facts and of classes too
    assert not [part for children in cells for part in children if part.type in ("link_open", "html_inline", "em_open")]


def test_json_keeps_to_its_schema_and_csv_has_every_row(found):
    made = found()
    document = json.loads(export.as_json(made), parse_constant=pytest.fail)
    jsonschema.validate(document, SCHEMA)
    assert document["counts"]["slower"] == 4 and len(document["rows"]) == 11 and len(document["missing"]) == 1
    assert [row["low"] for row in document["rows"] if row["reason"] == "2 trials after"] == [None]
    table = pd.read_csv(io.StringIO(export.csv(made)))
    assert len(table) == 11 and set(table["axes"]) == {f"threads {n}" for n in (1, 2, 4, 8)}


def test_the_same_runs_give_the_same_bytes(found):
    for form in (text.plain, text.markdown, export.as_json, export.csv):
        assert form(found()) == form(found())
