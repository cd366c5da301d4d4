"""An effect beside its rule, as a picture: what it says in words is what is drawn, and it never leaves its frame."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.publish.interval_plot import WIDTH, interval_plot

NAN, SVG = math.nan, "{http://www.w3.org/2000/svg}"
NUMBERS = st.just(0.0) | st.floats(1e-9, 1e15)
BOUNDS = st.sampled_from(["low", "high", "above", "below"])
RULES = st.lists(st.dictionaries(BOUNDS, NUMBERS, min_size=1), max_size=3)


def numbers(low: float, estimate: float, high: float) -> dict[str, float]:
    return {"effect": estimate, "low": low, "high": high, "level": 0.95}


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '))


def test_an_interval_and_its_rule_lie_on_one_axis():
    picture = drawn(interval_plot(numbers(20, 25, 30), "ns", [{"low": 10, "high": 40}], "10 to 40 ns"))
    assert picture.get("aria-label") == "25 [20, 30] ns; the claim holds where it is 10 to 40 ns"
    (rule,) = picture.iter(f"{SVG}rect")
    (dot,) = picture.iter(f"{SVG}circle")
    left, right = float(rule.get("x")), float(rule.get("x")) + float(rule.get("width"))
    assert left < float(dot.get("cx")) < right and (left + right) / 2 == pytest.approx(float(dot.get("cx")), abs=0.2)
    assert [text.text for text in picture.iter(f"{SVG}text")] == ["10 ns", "40 ns"]


def test_a_ratio_is_drawn_by_its_logarithm_and_shows_1():
    picture = drawn(interval_plot(numbers(0.25, 1, 4), "ratio", [{"low": 4}], "a ratio of at least 4"))
    path = next(one for one in picture.iter(f"{SVG}path") if one.get("class") == "interval").get("d")
    ends = [float(x) for x in re.findall(r"[MH]([\d.]+)", path)[:2]]
    assert sum(ends) / 2 == pytest.approx(float(next(picture.iter(f"{SVG}circle")).get("cx")), abs=0.2)
    assert [text.text for text in picture.iter(f"{SVG}text")] == ["4", "1"]


@pytest.mark.parametrize(
    ("effect", "unit"), [(numbers(NAN, 2, NAN), "ns"), (numbers(1, 1, 1), "yes/no"), (numbers(None, None, None), "ns")]
)
def test_without_an_interval_there_is_no_picture(effect, unit):
    assert interval_plot(effect, unit, [{"low": 1}], "at least 1") == ""


@given(st.tuples(*[NUMBERS | st.just(math.inf)] * 3).map(sorted), RULES, st.sampled_from(["ratio", "ns", "1", "steps"]))
def test_nothing_leaves_the_frame(ends, rule, unit):
    svg = interval_plot(numbers(*ends), unit, rule, "a <rule> & more")
    if not svg:
        return
    picture = drawn(svg)
    xs = [float(one.get(name)) for one in picture.iter() for name in ("x", "cx") if one.get(name)]
    assert all(-2 <= x <= WIDTH + 2 for x in xs) and "nan" not in svg


def test_a_negative_difference_is_drawn_too():
    assert "<circle" in interval_plot(numbers(-3, -2, 1), "ns", [{"below": 0}], "below 0 ns")
