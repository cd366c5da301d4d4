"""Two versions of a figure's file: last digits are told from another figure, in text and in pixels."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from pipeline.draw.similarity import DIGITS, DIGITS_KEPT, OTHER, SAME, likeness, numbers_digest

NUMBERS = st.lists(st.floats(1e-9, 1e12), min_size=1, max_size=20)


def csv(numbers) -> bytes:
    return ("x,label\n" + "".join(f"{number!r},threads 2\n" for number in numbers)).encode()


def png(pixels: np.ndarray, level: int = 6) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(buffer, "png", compress_level=level)
    return buffer.getvalue()


def svg(path: str, cloud: bytes = b"", name: str = "m0a2974cdf9") -> bytes:
    pixels = f'<image xlink:href="data:image/png;base64,\n{base64.b64encode(cloud).decode()}"/>' if cloud else ""
    return f'<svg><path id="{name}" d="{path}" style="fill: #0072b2"/>{pixels}</svg>'.encode()


@given(NUMBERS, st.floats(-9e-8, 9e-8))
def test_numbers_that_agree_to_the_digits_kept_are_other_last_digits(numbers, part):
    moved = [number * (1 + part) for number in numbers]
    assume(moved != numbers)
    assert likeness(csv(numbers), csv(moved)) == DIGITS
    assert likeness(csv(numbers), csv(numbers)) == SAME


@given(NUMBERS, st.sampled_from([-1, 1]))
def test_one_number_that_does_not_agree_is_another_figure(numbers, sign):
    moved = [*numbers[:-1], numbers[-1] * (1 + sign * 2.1 * 10.0**-DIGITS_KEPT)]
    assert likeness(csv(numbers), csv(moved)) == OTHER
    assert numbers_digest(csv(numbers)) != numbers_digest(csv([*numbers[:-1], numbers[-1] * 1.0001]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"threads 2: 1.5", b"threads 2: 1.5 "),
        (b"2 threads, 1.5", b"2 cores, 1.5"),
        (b"1,2", b"1,2,3"),
        (b"1.5 (JDK17)", b"1.5 (JDK25)"),
        (b"a -1", b"a 1"),
    ],
)
def test_other_words_and_other_counts_are_another_figure(old, new):
    assert likeness(old, new) == OTHER and numbers_digest(old) != numbers_digest(new)


def test_the_digest_is_that_of_rounded_numbers_and_of_every_content():
    assert numbers_digest(b"a 1.23456712") == numbers_digest(b"a 1.23456698") == numbers_digest(b"a 1.234567e0")
    assert numbers_digest(b"a 1.23456") != numbers_digest(b"a 1.23457")
    assert numbers_digest(b"a", b"b") != numbers_digest(b"ab")


def test_a_coordinate_may_move_by_its_last_digit_and_what_is_called_by_it_changes_its_name():
    old = svg("M 10.00 20.50")
    assert likeness(old, svg("M 10.01 20.49", name="m1f2974cdf0")) == DIGITS
    assert likeness(old, svg("M 10.04 20.50")) == OTHER
    assert likeness(old, svg("M 10.00 20.50").replace(b"0072b2", b"0072b3")) == OTHER


@pytest.mark.parametrize(("moved", "told"), [(3, DIGITS), (80, OTHER)])
def test_pixels_may_change_their_shade_at_an_edge_but_not_their_colour(moved, told):
    pixels = np.full((20, 30, 3), 120)
    other = pixels.copy()
    other[4, 5] += moved
    assert likeness(png(pixels), png(other)) == told
    assert likeness(svg("M 1 2", png(pixels)), svg("M 1 2", png(other))) == told


def test_a_picture_of_another_size_or_none_is_another_figure():
    pixels = np.full((20, 30, 3), 120)
    assert likeness(png(pixels), png(pixels, 1)) == DIGITS, "the same pixels in other bytes"
    assert likeness(png(pixels), png(pixels[:-1])) == OTHER
    assert likeness(png(pixels), png(pixels)[:-30]) == OTHER and likeness(b"1", png(pixels)) == OTHER
    assert likeness(svg("M 1 2", png(pixels)), svg("M 1 2")) == OTHER
