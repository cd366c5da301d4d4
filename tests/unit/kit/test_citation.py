"""A citation says who, what, when and where: each part in its own place of every format."""

from __future__ import annotations

import json
import re

import yaml

from pipeline.kit.citation import Citation
from pipeline.kit.settings import Settings

AUTHOR = Settings(author="Ada", orcid="0000-0002-1825-0097", site="https://example.org/lab")


def cited(settings: Settings = AUTHOR) -> Citation:
    return Citation("lab1-ab12", "quick", "2026-11-21", "a host", settings)


def fields(entry: str) -> dict[str, str]:
    return dict(re.findall(r"^  (\w+) = \{(.*)\},?$", entry, re.M))


def test_every_format_has_the_day():
    assert (fields(cited().bibtex())["year"], fields(cited().bibtex())["month"]) == ("2026", "11")
    assert yaml.safe_load(cited().cff())["date-released"] in ("2026-11-21",)
    assert json.loads(cited().csl())[0]["issued"] == {"date-parts": [[2026, 11, 21]]}
    assert ", 2026-11-21." in cited().text()


def test_the_line_names_the_figure_and_where_it_lies():
    line = "Ada, Mechanical Sympathy Lab, run lab1-ab12 (quick), figure one, 2026-11-21."
    assert cited().text("one") == f"{line} https://example.org/lab/lab1-ab12/figures/one.svg CC-BY-4.0."
    bare = "Mechanical Sympathy Lab, run lab1-ab12 (quick), 2026-11-21. CC-BY-4.0."
    assert cited(Settings()).text() == bare


def test_without_an_author_the_lab_is_cited_and_no_orcid():
    anonymous = cited(Settings(orcid="0000-0002-1825-0097"))
    assert yaml.safe_load(anonymous.cff())["authors"] == [{"name": "Mechanical Sympathy Lab"}]
    told = yaml.safe_load(cited().cff())
    assert told["authors"] == [{"name": "Ada", "orcid": "https://orcid.org/0000-0002-1825-0097"}]
    assert told["url"] == fields(cited().bibtex())["url"] == json.loads(cited().csl())[0]["URL"]
    assert "url" not in yaml.safe_load(anonymous.cff()) and "url" not in fields(anonymous.bibtex())
    assert "URL" not in json.loads(anonymous.csl())[0]


def test_a_name_is_written_as_it_is_spelt():
    named = cited(Settings(author="Ádám Ünal"))
    assert all("Ádám Ünal" in text for text in (named.cff(), named.csl(), named.bibtex(), named.text()))
