"""Digests: any change of a name, a byte or a word is another digest, and code is found where it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground import digest
from pipeline.ingest import ingest

LETTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
WORDS = st.lists(st.text(LETTERS, max_size=4), max_size=4)


@given(WORDS, WORDS)
def test_other_words_are_another_digest(first, second):
    assert (digest.files([], *first) == digest.files([], *second)) == (first == second)


def test_a_changed_byte_name_or_order_is_another_digest_and_a_missing_file_none(tmp_path):
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.write_text("1"), b.write_text("2")
    first = digest.files([a, b])
    assert re.fullmatch("[0-9a-f]{64}", first) and digest.files([a, b]) == first
    assert digest.files([b, a]) != first and digest.files([a, b], "") != first
    assert digest.files([a, tmp_path / "none.py", tmp_path]) == digest.files([a]) != first
    b.write_text("3")
    changed = digest.files([a, b])
    assert changed != first
    b.rename(tmp_path / "c.py")
    assert digest.files([a, tmp_path / "c.py"]) != changed


def test_where_a_file_lies_does_not_matter(tmp_path):
    """A checkout elsewhere keeps what was made of the same code."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("1")
    assert digest.files([tmp_path / "one" / "a.py"]) == digest.files([tmp_path / "two" / "a.py"])


def test_code_is_the_source_of_rooms_of_modules_and_of_all():
    every = digest.code()
    assert every == sorted(every) and {file.suffix for file in every} == {".py", ".mplstyle", ".css", ".html"}
    assert set(digest.code("hdr")) == set((digest.PACKAGE / "hdr").glob("*.py"))
    assert digest.code("measure/noise.py") == [digest.PACKAGE / "measure" / "noise.py"]
    assert set(digest.code("hdr", "draw")) == set(digest.code("hdr")) | set(digest.code("draw")) < set(every)
    assert not [file for file in every if "__pycache__" in file.parts]


@pytest.mark.parametrize("room", ingest.CODE)
def test_what_tables_depend_on_is_there(room):
    """A room that is renamed must not silently drop out of the digest."""
    assert (digest.PACKAGE / room).exists() and digest.code(room)


def test_tables_depend_on_all_code_that_ingest_imports():
    """Except what only says where files are and how a run is measured: entries are part of the digest by their axes."""
    source = "".join(file.read_text(encoding="utf-8") for file in (digest.PACKAGE / "ingest").glob("*.py"))
    rooms = set(re.findall(r"^from pipeline\.(\w+)", source, re.M)) - {"ground", "catalogue", "ingest"}
    rooms.add("models")  # by measure/states.py
    assert rooms == {Path(room).parts[0] for room in ingest.CODE} - {"ingest"}
