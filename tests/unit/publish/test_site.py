"""What the report is made of, without building it: pages without a network, numbers, tables, and what is recalled."""

import json
from pathlib import Path

import pytest
from publish_toy import entry, isolate

from pipeline.publish import html_tables, notebooks, site


@pytest.fixture
def toys(monkeypatch, tmp_path):
    return isolate(monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("html", "external"),
    [
        ('<script src="https://x.org/a.js"></script>', True),
        ('<img alt="" src="//x.org/a.png">', True),
        ('<link rel="stylesheet" href="http://x.org/a.css">', True),
        ("<style>a{background:url(https://x.org/a.png)}</style>", True),
        ('<a href="https://x.org">a source</a>', False),
        ('<img src="figures/a.svg"><svg xmlns="http://www.w3.org/2000/svg"/>', False),
    ],
)
def test_resources_from_the_network_are_found(tmp_path, html, external):
    (tmp_path / "p.html").write_text(html)
    assert bool(site.external_resources(tmp_path)) == external


def test_text_columns_of_a_table_are_marked():
    head = "<tr><th></th><th>name</th><th>ns</th></tr>"
    body = f"<tr><th>0</th><td>none</td><td>1,200.5</td></tr><tr><th>1</th><td>{'long ' * 9}</td><td>NaN</td></tr>"
    aligned = html_tables.align(f"<table>{head}{body}</table>")
    assert '<th class="text">name</th><th>ns</th>' in aligned
    assert '<td class="text">none</td><td>1,200.5</td>' in aligned and '<td class="text long">' in aligned
    uneven = "<table><tr><th>a</th></tr><tr><td>b</td><td>c</td></tr></table>"
    assert html_tables.align(uneven) == uneven


def test_recall_survives_a_damaged_stamp(toys):
    toy = entry(1, "toy")
    stamp = Path(notebooks.executed(toy, "toys")).with_suffix(".stamp.json")
    stamp.parent.mkdir(parents=True)
    for damaged in ("", "{", json.dumps({"key": ""}), json.dumps({"result": {"what": 1}})):
        stamp.write_text(damaged)
        assert notebooks.recall(toy, "toys") is None
