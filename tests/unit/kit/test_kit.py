"""The files of a kit: what is in them, that they repeat, and that a change of a pixel or a number is noticed."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import re
import shutil
from collections import Counter

import jsonschema
import pytest
import yaml
from figures import case
from kit_toy import SITE, draw
from laboratory import DATA
from PIL import Image

from pipeline.bundle.bundle import Bundle
from pipeline.draw.style import DARK, LIGHT
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.kit import card, check, figure_files, provenance, settings, svg, verify
from pipeline.kit.citation import Citation
from pipeline.kit.kit import Kit
from pipeline.kit.settings import Settings

pytestmark = pytest.mark.thorough


@pytest.fixture
def kit(monkeypatch, tmp_path) -> Kit:
    return draw(monkeypatch, tmp_path)


def adaptive(name: str) -> str | None:
    made = svg.adaptive(case(name).svg(LIGHT), name)
    return made and made.decode()


# --- the adaptive SVG ------------------------------------------------------------------------------------------------


def test_an_adaptive_figure_has_all_its_colours_in_both_themes():
    """With the variables put in, it is the light and the dark file of the report but for its identifiers."""
    figure = case("near_one")
    text = adaptive("near_one")
    light, dark = (dict(re.findall(r"--(i\d+):(#\w+)", rules)) for rules in re.findall(r"#lab-near_one\{(.*?)\}", text))
    for theme, inks in ((LIGHT, light), (DARK, dark)):
        body = re.sub(r"var\(--(i\d+)\)", lambda one, inks=inks: inks[one[1]], text)
        styles = re.findall(r'style="([^"]*)"', body)
        assert styles == re.findall(r'style="([^"]*)"', figure.svg(theme).decode())
    assert (
        light.keys() == dark.keys() and LIGHT.background in light.values() and "var(" not in figure.svg(DARK).decode()
    )


def test_identifiers_of_two_figures_in_one_page_never_meet():
    texts = [adaptive(name) for name in ("near_one", "percentiles", "parts")]
    found = Counter(one for text in texts for one in re.findall(r'\bid="([^"]+)"', text))
    assert [one for one, times in found.items() if times > 1] == []
    for text in texts:
        named = set(re.findall(r'\bid="([^"]+)"', text))
        assert set(re.findall(r'(?:xlink:href="|url\()#([^")]+)', text)) <= named


def test_a_figure_with_pixels_has_no_adaptive_file():
    assert svg.adaptive(b'<svg><image xlink:href="data:"/></svg>', "pixels") is None


def test_an_inline_svg_has_no_prologue_and_its_style_reaches_nothing_else():
    text = svg.inline(adaptive("near_one").encode())
    assert text.startswith("<svg ") and "<!DOCTYPE" not in text
    rules = re.search(r"<style[^>]*>(.*?)</style>", text)[1]
    assert set(re.findall(r"(?:^|[{}])([^{}@]+)\{", rules)) == {"#lab-near_one", "#lab-near_one *"}


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_kit_holds_all_its_files_and_their_sums_and_repeats(kit):
    folder = kit.write()
    names = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    told = json.loads((folder / "near_one.json").read_text())
    assert names == {*told["files"], "near_one.json"} and {"index.html", "paste/hugo.md", "CITATION.cff"} < names
    for name, digest in told["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    first = {name: (folder / name).read_bytes() for name in names}
    (folder / "stale").touch()
    Kit.of("toys", "near_one", Settings()).write()
    assert first == {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_pictures_keep_their_pixels_and_say_where_they_come_from(kit):
    for name, content in kit.files().items():
        if name.endswith(".png") and "card" not in name:
            ours, drawn = (
                Image.open(io.BytesIO(one))
                for one in (content, kit.figure.pixels(name.removeprefix("near_one").replace("png", "svg")))
            )
            assert ours.tobytes() == drawn.tobytes() and ours.info["dpi"] == drawn.info["dpi"]
            assert ours.info["Title"] == kit.figure.words["title"] and "0123456789ab" not in ours.info["Source"]
    files = kit.files()
    dark = files["near_one-dark.svg"].decode()
    assert f'aria-label="{kit.figure.words["brief"]}"' in dark and "<dc:date>2026-01-02</dc:date>" in dark
    assert re.findall(r"<desc>(.*?)</desc>", dark) == [kit.figure.words["alt"]]


def test_a_site_gives_addresses_and_tags_for_machines(kit):
    there = Kit.of("toys", "near_one", Settings(site=f"{SITE}/"))
    files, base = there.files(), f"{SITE}/{kit.citation.content_id}/figures/"
    assert f'content="{base}near_one-card.png"' in files["meta.html"].decode()
    assert json.loads(files["near_one.json"])["permalink"] == f"{base}near_one.svg"
    assert "meta.html" not in kit.files()


@pytest.mark.parametrize("length", [1, 8, 40])
def test_a_card_is_of_its_size_and_its_title_can_be_read_in_a_feed(kit, length):
    picture = card.draw(
        "Widely separated words " * length, ["A finding. " * 9 * length] * 3, "host " * 40, kit.figure.pixels(".svg")
    )
    assert Image.open(io.BytesIO(picture)).size == (1200, 630) and len(picture) < 300_000
    em = card.TITLE_PT * card.DPI / 72 * 200 / card.WIDTH  # where it is shown 200 px wide
    assert 0.729 * em >= 9


# --- words ------------------------------------------------------------------------------------------------------------


def test_a_citation_is_valid_and_the_same_in_all_formats(kit):
    schema = json.loads(lzma.decompress((DATA / "kit" / "cff-1.2.0.schema.json.xz").read_bytes()))  # CC-BY-4.0
    # Of its two formats `uri` has a pattern as well.
    author = Settings(author="Ada & Co_", orcid="0000-0002-1825-0097", site=SITE)
    for given in (Settings(), author):
        cited = Citation.of(Bundle.open("toys"), given)
        told = yaml.safe_load(cited.cff())
        jsonschema.validate(told, schema, format_checker=jsonschema.FormatChecker(["date"]))
        (csl,) = json.loads(cited.csl())
        assert told["title"] == csl["title"] and csl["issued"] == {"date-parts": [[2026, 1, 2]]}
        assert cited.content_id in cited.text() and "2026-01-02" in cited.text("near_one")
        assert cited.content_id in cited.bibtex() and cited.bibtex().count("{") == cited.bibtex().count("}")
    assert r"author = {{Ada \& Co\_}}" in cited.bibtex()


def test_settings_are_read_from_lab_toml_and_wrong_ones_named(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_HOME", str(tmp_path))
    assert settings.read() == Settings()
    (tmp_path / "lab.toml").write_text('author = "Ada"\nsite = "https://a.example/"\n')
    assert settings.read(site="").site == "https://a.example" and settings.read(site=SITE).site == SITE
    for wrong, told in {
        'site = "http://a.example"': "lab.toml: site: 'http://a.example' is not an absolute https address",
        'site = "https://a.example/x)y"': "lab.toml: site: 'https://a.example/x)y' is not an absolute https address",
        'orcid = "12"': "lab.toml: orcid: '12' is not an ORCID",
        'licence = "my own"': "lab.toml: licence: 'my own' is not an SPDX identifier",
        'autor = "Ada"': "lab.toml: autor: there is no such setting; there are: author, ",
        "author = ": "lab.toml: not TOML: ",
    }.items():
        (tmp_path / "lab.toml").write_text(wrong)
        with pytest.raises(LabError, match=re.escape(told)):
            settings.read()
    (tmp_path / "lab.toml").unlink()
    with pytest.raises(LabError, match="--site: 'example.org' is not"):
        settings.read(site="example.org")


def test_a_figure_that_is_not_there_is_named_with_its_neighbours(kit):
    with pytest.raises(LabError, match="run 'toys' has no figure 'near_ine'; the nearest are: near_one"):
        figure_files.read("toys", "near_ine")
    words = paths.figures("toys") / "near_one.json"
    words.write_text(json.dumps(json.loads(words.read_text()) | {"brief": ""}))
    with pytest.raises(LabError, match="figure near_one has no brief; draw it anew with: make figures RUN=toys"):
        figure_files.read("toys", "near_one")
    shutil.rmtree(paths.figures("toys"))
    with pytest.raises(LabError, match="run 'toys' has no figures yet; draw them with: make figures RUN=toys"):
        figure_files.read("toys", "near_one")


# --- check ------------------------------------------------------------------------------------------------------------


def checked(file) -> tuple[int, str]:
    (found,) = check.check([file], drawn=paths.build())
    return found.status, found.says


def test_every_picture_of_a_kit_is_the_same_when_it_is_made_again(kit):
    folder = Kit.of("toys", "near_one", Settings(author="Ada", site=SITE), 600).write()
    files = [*folder.glob("*.png"), *folder.glob("*.svg"), folder / "near_one.json"]
    assert len(files) == 7
    for file in files:
        assert checked(file) == (0, f"same bytes: {file.name} is figure near_one of run {kit.citation.content_id}")


def test_a_changed_picture_differs(kit):
    folder = kit.write()
    image = Image.open(folder / "near_one.png")
    image.putpixel((700, 300), (255, 0, 0))
    (folder / "near_one.png").write_bytes(provenance.png(_png(image), image.info | {"Title": "near", "dpi": ""}))
    text = (folder / "near_one.svg").read_text()
    number = re.search(r'd="M ([\d.]+)', text)[1]
    (folder / "near_one.svg").write_text(text.replace(number, f"{float(number) + 1:.2f}", 1))
    words = folder / "near_one.json"
    words.write_text(words.read_text().replace("3.1x", "1.3x"))
    for name in ("near_one.png", "near_one.svg", "near_one.json"):
        assert checked(folder / name) == (1, f"differs: {name}")


def test_other_last_digits_are_told_from_another_figure(kit):
    """As they differ between architectures: a coordinate moves by a hundredth, a number in its tenth digit."""
    folder = kit.write()
    text = (folder / "near_one.svg").read_text()
    number = re.search(r'd="M (\d\d+\.\d\d)', text)[1]
    (folder / "near_one.svg").write_text(text.replace(number, f"{float(number) + 0.01:.2f}", 1))
    assert checked(folder / "near_one.svg") == (1, "other last digits: near_one.svg")


def test_a_picture_of_a_changed_run_is_of_no_run(kit):
    file = kit.write() / "near_one.png"
    with (paths.bundle("toys") / "journal.jsonl").open("a") as journal:
        journal.write('{"event": "finished", "experiment": "toy", "ended_by": "blocks", "blocks": 1, "spent_s": 1}\n')
    told = f"run {kit.citation.content_id} is not here; get it from whoever published the figure"
    assert checked(file) == (2, told)


@pytest.mark.parametrize("what", ["stripped", "foreign PNG", "foreign SVG", "text", "bytes", "forged"])
def test_a_stripped_or_foreign_file_has_no_provenance(kit, tmp_path, what):
    image = Image.open(kit.write() / "near_one.png")
    bare = io.BytesIO()
    image.save(bare, "png")
    contents = {
        "stripped": bare.getvalue(),
        "foreign PNG": provenance.png(bare.getvalue(), {"lab": "[1]"}),
        "foreign SVG": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "text": "größer".encode("latin-1"),
        "bytes": b"\x89PNG\r\n\x1a\n" + bytes(99),
        "forged": b"<lab:provenance>{&quot;run&quot;: 1}</lab:provenance>",
    }
    file = tmp_path / "it.png"
    file.write_bytes(contents[what])
    assert checked(file) == (2, f"no provenance in {file}: no kit made it, or a platform has removed it")


def test_forged_settings_and_names_are_differences(kit, tmp_path):
    record = kit.record("near_one.png")
    several = {"settings": {"site": "javascript:1"}}, {"settings": 1}, {"figure": "../x"}, {"file": "index.html"}
    for forged in (*several, {"width": [1]}):
        file = tmp_path / "forged.svg"
        file.write_bytes(f"<lab:provenance>{json.dumps(record | forged)}</lab:provenance>".encode())
        assert checked(file)[0] == 1, forged


def test_of_two_runs_of_one_measurement_that_of_the_same_name_is_meant(kit):
    shutil.copytree(paths.bundle("toys"), paths.bundle("another"))
    info = json.loads((paths.bundle("toys") / "run.json").read_text())
    (paths.bundle("another") / "run.json").write_text(json.dumps(info | {"name": "another"}))
    wanted = kit.citation.content_id
    assert check.find(wanted, "toys") == "toys" and check.find(wanted, "another") == "another"
    assert check.find(wanted, "gone") == "another" and check.find("0" * 12, "toys") is None


def test_verify_notices_a_kit_that_differs(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    draw(monkeypatch, tmp_path, paths.REFERENCE)
    shutil.move(paths.bundle(paths.REFERENCE), paths.archive(paths.REFERENCE))
    assert verify.compare(paths.REFERENCE) == ["missing: kit.sha256 of reference; lab verify --accept writes it"]
    verify.accept(paths.REFERENCE)
    assert verify.compare(paths.REFERENCE) == []
    words = paths.figures(paths.REFERENCE) / "near_one.json"
    words.write_text(words.read_text().replace("12 trials", "13 trials"))
    assert verify.compare(paths.REFERENCE) == ["differs: kit of reference/near_one"]


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "png", dpi=image.info["dpi"])
    return out.getvalue()
