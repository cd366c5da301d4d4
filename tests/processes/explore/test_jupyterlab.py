"""The explorer in a real JupyterLab, started as `make lab` starts it: controls, brush, theme, and no other host."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from browser_check import MISSING, browser
from jupyter_lab import SETTLED_MS, chart, described, jupyter_lab, page, run_all, theme, view

from pipeline.explore import data, times, what_if
from pipeline.explore.selection import Opened
from pipeline.explore.timeline_chart import TOLD
from pipeline.ground import paths
from pipeline.hdr import percentiles
from pipeline.words.numbers import quantity

BACKGROUND = "(drawing) => getComputedStyle(drawing).backgroundColor"
# Of the x axis and the y axis, what each tick says and where it stands; they are drawn in any order.
TICKS = """() => [...document.querySelectorAll(".vega-embed svg .role-axis-label")].filter(
  (axis) => axis.querySelector("text")).map((axis) => [...axis.querySelectorAll("text")].map(
    (tick) => tick.textContent + Math.round(tick.getBoundingClientRect().x)).sort())"""
FOCUSED = "document.activeElement.closest('.widget-dropdown')?.querySelector('label')?.textContent"
MOST_KEYS = 60
NUMBERS = "[aria-roledescription='text mark'][aria-label]"


def test_jupyterlab_has_the_vega_lite_that_the_charts_are_for():
    told = Path(sys.prefix) / "share/jupyter/lab/static/third-party-licenses.json"
    packages = {one["name"]: one["versionInfo"] for one in json.loads(told.read_text())["packages"]}
    assert packages["vega-lite"].startswith("5."), "the charts are Vega-Lite 5: move `charts.MIME` and the schema"


@pytest.mark.skipif(browser() is None, reason=MISSING)
def test_the_explorer_as_a_reader_uses_it(tmp_path: Path):
    problems: list[str] = []
    run = Opened("reference", "lock_scaling")
    state = run.choices.default
    with jupyter_lab(tmp_path) as address, page(problems) as looked:
        run_all(looked, address, "explore/explorer.ipynb")
        assert described(looked).startswith("Cost per operation by threads: ")

        # A control, by the keyboard alone.
        _choose_by_keyboard(looked, "Metric", "Throughput")
        looked.locator("[role='graphics-document'][aria-label^='Throughput by threads: ']").wait_for()
        _moved_and_back(looked)
        looked.get_by_label("Metric", exact=True).select_option("Cost per operation")

        # What is kept is below build/, and the page says where.
        looked.get_by_role("button", name="Keep", exact=True).click()
        told = looked.get_by_role("status").filter(has_text="Kept, with what to paste").locator("code").inner_text()
        assert "<h1>Cost per operation" in (paths.ROOT / told).read_text()

        # The numbers are ours.
        view(looked, "Percentiles")
        table = data.percentile_curves([run], replace(state, view="percentiles")).tables["nines"]
        shown = looked.locator("table.lab-explore tbody tr").first.inner_text().split("\t")
        assert shown[0] == table["curve"].iloc[0] and quantity(table["p50"].iloc[0], "ns") in shown

        _moved_and_back(looked)

        _what_if(looked)

        # The whole stretch has the trial's own percentiles, and a part of it others.
        view(looked, "Timeline")
        whole = _numbers(looked)
        assert whole == _percentiles(run, replace(state, view="timeline"))
        _drag(looked, (0.2, 0.1), (0.45, 0.12))
        looked.wait_for_timeout(SETTLED_MS)
        assert _numbers(looked) != whole
        _double_click(looked, (0.6, 0.12))
        looked.wait_for_timeout(SETTLED_MS)
        assert _numbers(looked) == whole

        light = chart(looked).evaluate(BACKGROUND)
        theme(looked, dark=True)
        view(looked, "Histogram")
        assert chart(looked).evaluate(BACKGROUND) != light
        _moved_and_back(looked)
    assert problems == []


def _choose_by_keyboard(looked, label: str, option: str) -> None:
    """Tab to a list of the explorer's and press an arrow key until it shows an option above the one it shows."""
    for _ in range(MOST_KEYS):
        if looked.evaluate(FOCUSED) == label:
            break
        looked.keyboard.press("Tab")
    assert looked.evaluate(FOCUSED) == label
    for _ in range(MOST_KEYS):
        if looked.evaluate("document.activeElement.selectedOptions[0].label") == option:
            return
        looked.keyboard.press("ArrowUp")
    raise AssertionError(f"no arrow key leads to {option}")


def _what_if(looked) -> None:
    """Another lock, and one change alone; a run from before services were logged says that it has no such lock."""
    if what_if.opened("reference") is None:
        assert looked.get_by_text("No lock of this run was measured with work outside it").count() == 1
        return
    looked.get_by_label("Lock", exact=True).select_option("MCS, work outside")
    looked.locator(
        "[role='graphics-document'][aria-label^='Throughput by threads, predicted and measured: MCS']"
    ).wait_for()
    looked.locator("select[multiple]", has_text="section halved").select_option(["2 locks"])
    looked.locator("[role='graphics-document'][aria-label$='as it is; 2 locks.']").wait_for()
    assert looked.get_by_text("prediction only", exact=True).count() == 1
    assert looked.locator("table.lab-explore tbody tr", has_text="2 locks").count() == 1


def _moved_and_back(looked) -> None:
    """A drag moves the axes, x too, and a double click puts them back."""
    ticks = looked.evaluate(TICKS)
    _drag(looked, (0.5, 0.3), (0.7, 0.6))
    looked.wait_for_function(f"(was) => JSON.stringify(({TICKS})()[0]) !== JSON.stringify(was)", arg=ticks[0])
    _double_click(looked, (0.6, 0.4))
    looked.wait_for_function(f"(was) => JSON.stringify(({TICKS})()) === JSON.stringify(was)", arg=ticks)


def _double_click(looked, at: tuple[float, float]) -> None:
    """At a place in the chart, as parts of its width and height."""
    box = chart(looked).bounding_box()
    chart(looked).dblclick(position={"x": at[0] * box["width"], "y": at[1] * box["height"]})


def _drag(looked, start: tuple[float, float], end: tuple[float, float]) -> None:
    chart(looked).scroll_into_view_if_needed()
    box = chart(looked).bounding_box()
    first, last = ((box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end))
    looked.mouse.move(*first)
    looked.mouse.down()
    looked.mouse.move(*last, steps=8)
    looked.mouse.up()


def _numbers(looked) -> list[int]:
    """The values in the table of the stretch, in the order of their size."""
    told = looked.locator(NUMBERS).evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
    return sorted(int(one) for one in told if re.fullmatch(r"\d+", one))


def _percentiles(run: Opened, state) -> list[int]:
    """The same by the pipeline."""
    found = []
    for curve in times.timeline([run], state).curves:
        merged = run.histograms(state.series, state.phase)[times.shown_trial(curve, state)]
        known = [percent for percent in TOLD if percentiles.supported(merged.total, percent)]
        found += percentiles.percentiles(merged, known)
    return sorted(found)
