"""What an author types: a kit, its texts, a whole page, a citation, and the check that draws the figure again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pipeline.ground import paths

EXPERIMENT, FIGURE = "clock", "clock_cost"  # the quickest page of the archived run
OF = ("--run", paths.REFERENCE)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> dict[str, str]:
    """The environment in which the archived run's figure is drawn."""
    return {"LAB_BUILD": str(tmp_path_factory.mktemp("build"))}


def test_an_author_gets_what_to_paste_and_a_reader_can_check_it(call, drawn, tmp_path):
    missing = call("kit", *OF, FIGURE, **drawn)
    assert (missing.returncode, missing.stderr) == (
        2,
        "lab: run 'reference' has no figures yet; draw them with: make figures RUN=reference\n",
    )
    assert call("figures", "--run", paths.REFERENCE, "--experiments", EXPERIMENT, **drawn).returncode == 0
    text = call("kit", *OF, FIGURE, "--for", "hugo", **drawn)
    folder = Path(drawn["LAB_BUILD"]) / paths.REFERENCE / "kit" / FIGURE
    assert text.stdout == (folder / "paste" / "hugo.md").read_text() and text.stdout.startswith("{{< figure src=")
    told = call("kit", *OF, FIGURE, **drawn)
    assert told.stdout.startswith(f"{folder}\n") and told.stdout.endswith((folder / "paste" / "github.md").read_text())
    wrong = call("kit", *OF, FIGURE, "--for", "hogu", **drawn)
    assert wrong.returncode == 2 and "there is no target 'hogu'; there are: github, " in wrong.stderr

    # The reader has the file alone: the figure is drawn again from the raw files, in a folder of its own.
    file = Path(shutil.copy(folder / f"{FIGURE}.png", tmp_path / "from-the-web.png"))
    elsewhere = {"LAB_BUILD": str(tmp_path / "empty")}
    (cut := tmp_path / "cut.png").write_bytes(file.read_bytes()[:-200])
    told = call("check", str(file), str(folder / f"{FIGURE}.svg"), str(cut), **elsewhere)
    said = [f"same bytes: {name} is figure {FIGURE} of run" for name in ("from-the-web.png", f"{FIGURE}.svg")]
    *same, differs = told.stdout.splitlines()
    assert [line.rpartition(" ")[0] for line in same] == said and differs == "differs: cut.png"
    assert told.returncode == 1 and not (tmp_path / "empty" / paths.REFERENCE).exists()
    assert call("check", str(tmp_path / "gone.png")).returncode == 2


def test_a_whole_page_names_only_files_beside_it_and_keeps_its_tables(call, drawn):
    page = Path(call("kit", *OF, "--page", EXPERIMENT, "--for", "quarto", **drawn).stdout.strip())
    text = page.read_text()
    assert page.name == "quarto.md" and text.startswith("# ") and "{#fig-clock-cost fig-alt=" in text
    assert "| JDK 17" in text and "<table" not in text and "<details" not in text and "answer = " not in text
    named = {word.split("](")[1].split(")")[0] for word in text.split() if "](" in word and ".svg" in word}
    assert named and {file.name for file in page.parent.glob("*.svg")} >= named


@pytest.mark.prove  # the same page in another syntax: tests/unit/kit/test_page.py has each
def test_a_whole_page_for_an_editor_of_blocks_has_its_pictures_beside_it(call, drawn):
    assert call("figures", "--run", paths.REFERENCE, "--experiments", EXPERIMENT, **drawn).returncode == 0
    blocks = Path(call("kit", *OF, "--page", EXPERIMENT, "--for", "wordpress", **drawn).stdout.strip())
    assert blocks.name == "wordpress.html" and blocks.with_name(f"{FIGURE}.png").exists()
    assert f'<img src="{FIGURE}.png"' in blocks.read_text() and "<!-- wp:list-item -->" in blocks.read_text()


def test_a_run_is_cited(call):
    told = {form: call("cite", paths.REFERENCE, "--format", form).stdout for form in ("text", "cff", "bibtex", "csl")}
    assert told["text"].startswith("Mechanical Sympathy Lab, run ") and told["cff"].startswith("cff-version: 1.2.0\n")
    assert told["bibtex"].startswith("@misc{lab-") and told["csl"].startswith("[\n")
    wrong = call("cite", paths.REFERENCE, "--format", "ris")
    assert (wrong.returncode, wrong.stderr) == (2, "lab: there is no format 'ris'; there are: text, cff, bibtex, csl\n")
