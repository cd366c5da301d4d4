"""The figures of a comparison hold every row, and its page shows them without asking anybody for anything."""

import re

import pytest
from compared import EVERY, FakeRun, info, rows

from pipeline.compare import figures, pages
from pipeline.ground import paths

pytestmark = pytest.mark.thorough

NATIVE = tuple(("native", "c", n) for n in (3, 5, 6, 7, 9, 10, 11, 12))
JDK = {"name": "jdk17", "version": "17.0.16", "vendor": "A", "build": "17.0.16+1"}


@pytest.fixture
def found(against):
    """Another JDK: of eight configurations on it four are slower and one is faster; twelve of C cannot have changed."""
    after = rows(2, (*EVERY, *NATIVE), times={"slow": 1.3, ("fast", "jdk17", 1): 0.7})
    return against("a", "b", [FakeRun("a", rows(1, (*EVERY, *NATIVE))), FakeRun("b", after, info(runtimes__jdk17=JDK))])


def test_the_overview_has_a_point_for_every_row(found):
    figure = found.show()
    assert len(figure.data) == 8 and figure.data["verdict"].value_counts()["slower"] == 4
    assert "4 slower" in figure.alt


def test_what_changed_has_a_line_of_its_own_and_the_rest_strips(found):
    data = found.show("example").data
    lines = data.groupby("line").size()
    assert set(lines[lines == 1].index) >= {"slow, threads 2, JDK 17", "fast, threads 1, JDK 17"}
    assert lines["cannot have changed"] == 12 and data["verdict"].value_counts()["control"] == 12
    assert lines.sum() == 8 + 12


def test_both_sides_stand_on_one_axis(found):
    data = found.curves("example", "cost").data
    assert set(data["series"]) == {"before", "after"} and set(data["x"]) == {1, 2, 4, 8}
    assert data["mark"].value_counts().to_dict() == {"trial": 160, "estimate": 16}


def test_the_page_has_the_answer_every_row_and_no_address(found, tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_BUILD", str(tmp_path))
    monkeypatch.setattr(figures, "shifts", lambda *_: "none")  # nobody measured histograms
    page = pages.write(found)
    assert page == paths.build() / "compare" / "a..b" / "index.html"
    html = page.read_text()
    assert "4 slower than before, 1 faster" in html
    assert len(re.findall(r'<span class="(?:slower|faster|same|undecided)">', html)) == 8 + 5
    assert not re.search(r"(?:src|srcset)=\"(?:https?:)?//|@import|url\(", html)
    linked = re.findall(r'(?:href|src|srcset)="([^"#]+)"', html)
    assert linked and all((page.parent / name).exists() for name in linked)
    again = {file: file.read_bytes() for file in page.parent.rglob("*") if file.is_file()}
    pages.write(found)
    assert all(file.read_bytes() == content for file, content in again.items())
