"""The pages of 2 and of many hosts: complete, legible, escaped, the same whatever the order of the files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import many_hosts
import pandas as pd
import pytest

from pipeline.catalogue import catalogue
from pipeline.collection import figures, filtering, headlines, hosts, pages, summary
from pipeline.collection.claims import CANNOT
from pipeline.draw.hosts import ROOM
from pipeline.words.numbers import counted

pytestmark = pytest.mark.thorough
OURS = len(hosts.every_committed())


def laboratory(folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("LAB_RUNS", str(folder / "runs"))
    patch.setenv("LAB_BUILD", str(folder / "build"))
    one = catalogue.load()["whitebox"]
    patch.setattr(pages, "catalogue", SimpleNamespace(load=lambda: {"whitebox": one}))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    laboratory(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Callable[[int], tuple[list[hosts.Host], Path]]:
    """So many imported hosts with those that come with the Lab, and the first of their pages, which are made once."""

    @cache
    def of(count: int) -> tuple[list[hosts.Host], Path]:
        folder = tmp_path_factory.mktemp("hosts")
        with pytest.MonkeyPatch.context() as patch:
            laboratory(folder, patch)
            many_hosts.write(folder / "runs", count)
            found = hosts.every()
            return found, pages.write(found)

    return of


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict]] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))


def tags(page: Path) -> list[tuple[str, dict]]:
    parser = Tags()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser.seen


def files(folder: Path) -> dict[str, bytes]:
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@pytest.mark.parametrize("count", [0, 4, 16])
def test_pages_ask_for_nothing_else_and_every_link_leads_somewhere(written, count: int):
    found, index = written(count)
    for page in index.parent.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "http" not in text and "None" not in text and "nan" not in re.sub(r"<[^>]*>", "", text).split()
        for tag, attributes in tags(page):
            target = attributes.get("href") or attributes.get("src") or attributes.get("srcset")
            if target and not target.startswith("#") and (name := target.partition("#")[0]) and "whitebox" in name:
                assert (index.parent / name).exists(), target
            assert tag != "img" or attributes["alt"]
    shown = [attributes["data-host"] for tag, attributes in tags(index) if tag == "tr" and "data-host" in attributes]
    assert sorted(shown) == sorted(host.label for host in found)
    text = index.read_text(encoding="utf-8")
    rows = pd.read_csv(index.parent / "claims.csv")
    asked = rows[rows["state"] != CANNOT].groupby(["claim", "scope"], dropna=False).ngroups
    assert f" of {counted(asked, 'claim')} that could be asked of a runtime hold on one host" in text
    assert ("checked for consistency" in text) == (count > 0) and f"<b>{OURS}</b> come with the Lab" in text


def test_the_list_of_hosts_has_the_columns_that_tell_something(place: Path):
    (folder,) = many_hosts.write(place / "runs", 1)
    told = json.loads((folder / summary.HOST).read_text())
    for by, governor, kept in (("", "not visible here", set()), ("A. N. Other", "powersave", {"by", "governor"})):
        told["shared"]["by"], told["host"]["cpu"]["governor"] = by, governor
        (folder / summary.HOST).write_text(json.dumps(told))
        table = pages._hosts(hosts.every(), [])
        heads = re.findall(r"<th[^>]*>([^<]*)</th>", table)
        assert heads == [one for one in pages.HEAD if one not in {"by", "governor"} - kept]
        assert "(R)" not in table and table.count("<td") == (OURS + 1) * len(heads)


def test_what_owners_wrote_is_text(place: Path):
    (folder,) = many_hosts.write(place / "runs", 1)
    told = json.loads((folder / summary.HOST).read_text())
    told["shared"] |= {"label": "<script>alert(1)</script> $\\frac{1}{2}$", "by": '"><img src=x>'}
    (folder / summary.HOST).write_text(json.dumps(told))
    index = pages.write(hosts.every())
    for page in index.parent.glob("*.html"):
        assert all(tag not in ("img",) or attributes["src"] != "x" for tag, attributes in tags(page))
        assert "<script>alert" not in page.read_text(encoding="utf-8")
    assert "alert(1)" in (index.parent / "figures" / "hosts_whitebox.svg").read_text(encoding="utf-8")


def test_the_order_of_files_changes_no_byte(written, place: Path):
    found, index = written(4)
    first = files(index.parent)
    assert files(pages.write(hosts._labelled(found[::-1])).parent) == first
    assert {"hosts.csv", "claims.parquet", "across.csv", "estimates/whitebox.parquet", "ratios/whitebox.csv"} <= set(
        first
    )


def test_csv_and_parquet_say_the_same(written):
    folder = written(0)[1].parent
    for name in ("hosts", "claims", "estimates/whitebox"):
        text, table = pd.read_csv(folder / f"{name}.csv"), pd.read_parquet(folder / f"{name}.parquet")
        table = table[table["headline"]] if "headline" in table else table
        assert len(text) == len(table) and list(text) == list(table)
    assert [*pd.read_csv(folder / "hosts.csv")["host"]] == [host.label for host in hosts.every_committed()]


@pytest.mark.parametrize("count", [2, 20, 200])
def test_a_figure_of_many_hosts_stays_of_a_size(place: Path, count: int):
    many_hosts.write(place / "runs", count - 2)
    found = hosts.every()
    rows = hosts.table(found, "estimates", experiment="lock_scaling", headline=True)
    figure = figures.by_host(found, catalogue.experiment("lock_scaling"), rows, [found[0].label])
    count = len(found)
    assert figure.data["host"].nunique() == count
    from pipeline.draw.style import LIGHT

    svg = figure.svg(LIGHT).decode()
    height = float(re.search(r'height="([\d.]+)pt"', svg)[1]) / 72
    assert height < 16 and len(svg) < 1_500_000
    named = sum(host.label in svg for host in found)
    assert named == count if count <= ROOM else 2 <= named < 12


def test_the_configurations_that_differ_most_come_first():
    found = hosts.every_committed()
    rows = hosts.table(found, "estimates", experiment="lock_scaling", headline=True)
    order = headlines.spread(rows)
    assert order["hosts"].is_monotonic_decreasing and order["factor"].iloc[0] > 3
    assert all(part["factor"].is_monotonic_decreasing for _, part in order.groupby("hosts"))
    assert len(headlines.shown(rows, 2)) == headlines.MOST and len(headlines.shown(rows, 500)) == headlines.FEWEST


def test_a_figure_without_a_row_for_each_host_has_no_filter(written):
    found, index = written(0)
    assert filtering.strips("<svg/>", [str(number) for number in range(ROOM + 1)], found) == ""
    svg = (index.parent / "figures" / "hosts_whitebox.svg").read_text(encoding="utf-8")
    labels = [host.label for host in found if "whitebox" in host.told["experiments"]]
    strips = filtering.strips(svg, labels, found)
    assert (
        strips.count("<span") == len(labels) * svg.count('id="axes_') and strips.count(f'data-host="{labels[0]}"') > 0
    )
