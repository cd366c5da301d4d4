"""How numbers are said: digits, prefixes and units; and no other module of the pipeline rounds one for a reader."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground import paths
from pipeline.words import numbers as words
from pipeline.words.numbers import PREFIXES, SYMBOLS, exact, interval, number, quantity, ratio, short

NAN, INF = math.nan, math.inf
UNITS = st.sampled_from([*SYMBOLS, "ops/s", "cycles", "1", "ratio", "invocations"])
SIZES = st.floats(1e-12, 1e18)
VALUES = SIZES | SIZES.map(lambda value: -value) | st.just(0.0)
EXPONENT = re.compile(r"\d[eE][-+]?\d")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.4567, "0.457"),
        (12.5, "12.5"),
        (999.8, "1,000"),
        (6700, "6,700"),
        (2.78e8, "278 M"),
        (9.999e8, "1 G"),
        (2.49e9, "2.49 G"),
        (-2531.4, "-2,531"),
        (1.2e-9, "0.0000000012"),
        (0.0, "0"),
        (INF, "unbounded"),
        (NAN, "–"),
        (None, "–"),
    ],
)
def test_numbers_in_sentences_have_no_exponent(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(1, "1"), (1.0031, "1.003"), (0.9993, "0.999"), (1.1, "1.1"), (0.99999, "0.99999"), (12.5, "12.5"), (105, "105")]
    + [(1.0000001, "1"), (INF, "unbounded"), (NAN, "–"), (0.0, "0")],
)
def test_a_ratio_beside_its_row_is_never_rounded_to_1(value, said):
    assert ratio(value) == said


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (18_519_295, "ops/s", "18.5 M ops/s"),
        (240, "ns", "240 ns"),
        (1234, "ns", "1.23 µs"),
        (0.4, "ns", "0.4 ns"),
        (2.5, "ms", "2.5 ms"),
        (90, "s", "90 s"),
        (1.2e9, "bytes/s", "1.2 GB/s"),
        (4096, "bytes", "4.1 kB"),
        (12, "cycles", "12 cycles"),
        (9999, "invocations", "9,999 invocations"),
        (0.25, "1", "0.25"),
        (1.0031, "ratio", "1.003"),
        (999.9999999, "bytes/s", "1 kB/s"),
        (999.96, "ns", "1 µs"),
        (-1500, "ns", "-1.5 µs"),
        (0, "ns", "0 ns"),
        (1, "yes/no", "yes"),
        (0, "yes/no", "no"),
        (0.5, "yes/no", "0.5"),
        (NAN, "ns", "–"),
        (None, "ops/s", "–"),
        (INF, "ns", "unbounded"),
    ],
)
def test_values_are_said_with_prefixes(value, unit, said):
    assert quantity(value, unit) == said


@pytest.mark.parametrize(
    ("numbers", "unit", "said"),
    [
        ((1850, 1800, 1900), "ns", "1.85 [1.8, 1.9] µs"),
        ((1.1e6, 9e5, 1.2e6), "ns", "1.1 [0.9, 1.2] ms"),
        ((1.1e6, 4, 3e9), "ns", "1.1 ms [4 ns, 3 s]"),
        ((3e9, 1.5e9, 6e9), "bytes/s", "3 [1.5, 6] GB/s"),
        ((9.7e5, 9e5, 1.2e6), "ops/s", "970,000 [900,000, 1,200,000] ops/s"),
        ((0.25, 0.2, 0.3), "1", "0.25 [0.2, 0.3]"),
        ((1.0004, 1.0001, 1.2), "ratio", "1.0004 [1.0001, 1.2]"),
        ((2.0, NAN, NAN), "ns", "2 ns"),
        ((2.0, None, None), "ns", "2 ns"),
        ((2.0, 1.0, None), "ns", "2 ns"),
        ((NAN, NAN, NAN), "ns", "–"),
        ((1, 1, 1), "yes/no", "yes"),
        ((0, 0, 0), "yes/no", "no"),
        ((0.5, 0, 1), "yes/no", "0.5 [no, yes]"),
        ((2.0, 1.0, INF), "1", "2 [1, unbounded]"),
        ((1500, 1200, INF), "ns", "1.5 [1.2, unbounded] µs"),
        ((1500, 900, INF), "ns", "1.5 [0.9, unbounded] µs"),
        ((NAN, 900, 950), "ns", "– [900, 950] ns"),
        ((0, 0, 5), "ns", "0 [0, 5] ns"),
    ],
)
def test_an_interval_says_a_shared_unit_once(numbers, unit, said):
    assert interval(*numbers, unit) == said


@pytest.mark.parametrize(("level", "said"), [(0.95, ""), (0.9375, "; 93.75 %"), (0.75, "; 75 %"), (float("nan"), "")])
def test_an_interval_of_less_than_95_percent_says_so(level, said):
    assert words.interval(2, 1, 3, "ns", level) == f"2 [1, 3{said}] ns"
    assert words.interval(1.1e6, 9e5, 1.2e6, "ns", level) == f"1.1 [0.9, 1.2{said}] ms"


def test_an_interval_without_a_unit_is_of_a_plain_number():
    assert interval(2.0, 1.0, 3.0) == "2 [1, 3]"


@pytest.mark.parametrize(
    ("value", "said"), [(1.004, "1.004"), (10_000, "10,000"), (0.1, "0.1"), (4, "4"), (1e-5, "0.00001"), (-0.5, "-0.5")]
)
def test_a_threshold_is_said_as_it_was_fixed(value, said):
    assert exact(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(2, "2"), (2.0, "2"), (1048576.0, "1048576"), (0.5, "0.5"), ("0,1", "0,1"), (NAN, "nan")]
)
def test_a_place_is_named_as_it_was_asked_for(value, said):
    assert words.place(value) == said


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_threshold_loses_nothing_and_has_no_exponent(value):
    said = exact(value)
    assert type(value)(said.replace(",", "")) == value and not EXPONENT.search(said)


@pytest.mark.parametrize(
    ("value", "unit", "most", "said"),
    [
        (900, "ns", 1500, "0.9"),
        (1500, "ns", 1500, "1.5"),
        (120, "ns", 240, "120"),
        (5e6, "ops/s", 2e9, "0.005"),
        (0, "ns", 240, "0"),
        (3e6, "bytes/s", 4e8, "3"),
    ],
)
def test_a_cell_is_said_in_the_prefix_of_the_greatest(value, unit, most, said):
    assert short(value, unit, most) == said


# --- properties ------------------------------------------------------------------------------------------------------


def heard(said: str, unit: str) -> float:
    """The value that a reader takes from the words, in the table's unit."""
    digits, _, rest = said.partition(" ")
    factor, symbol = SYMBOLS.get(unit, (1.0, ""))
    powers = {f"{prefix}{symbol}": 10.0**power for power, prefix in PREFIXES.items()}
    if unit not in SYMBOLS:
        name = "" if unit in ("1", "ratio") else unit
        powers = {f"{letter} {name}".strip(): power for letter, power in (("", 1.0), ("M", 1e6), ("G", 1e9))}
    return float(digits.replace(",", "")) * powers[rest] / factor


@given(VALUES, UNITS)
def test_a_reader_hears_the_value_to_three_digits_and_no_exponent(value, unit):
    said = quantity(value, unit)
    assert not EXPONENT.search(said)
    assert heard(said, unit) == pytest.approx(value, rel=5.001e-3)


@given(VALUES)
def test_a_number_is_a_quantity_without_unit(value):
    assert number(value) == quantity(value, "1")
    assert number(value).split()[0] == quantity(value, "cycles").split()[0]
    assert f"{number(value)} cycles" == quantity(value, "cycles")


@given(VALUES)
def test_a_ratio_is_a_number_where_it_is_not_near_1(value):
    if float(f"{value:.3g}") == 1:
        assert float(ratio(value)) == pytest.approx(value, rel=1e-6)
    else:
        assert ratio(value) == number(value)


@given(VALUES, VALUES, VALUES, UNITS)
def test_an_interval_is_heard_as_its_numbers_in_the_unit_of_its_estimate(estimate, low, high, unit):
    said = interval(estimate, low, high, unit)
    first, least, most, shared = re.fullmatch(r"(.*?) \[(.*), (.*)\] ?(.*)", said).groups()
    parts = [f"{part} {shared}".strip() for part in (first, least, most)]
    assert not EXPONENT.search(said)
    assert [heard(part, unit) for part in parts] == pytest.approx([estimate, low, high], rel=5.001e-3)
    if estimate or not (low or high):
        assert parts[0] == quantity(estimate, unit)


def test_numbers_that_are_read_together_have_one_prefix():
    def said(values, unit):
        return [quantity(value, unit, words.scale(values, unit)) for value in values]

    assert said([794_033, 13e6, None], "ops/s") == ["0.794 M ops/s", "13 M ops/s", "–"]
    assert said([300, 5e7, 0], "ns") == ["0.3 µs", "50,000 µs", "0 µs"]
    assert said([5, 900], "ns") == ["5 ns", "900 ns"]
    assert said([24, 72, 280, 13_600], "B") == ["24 B", "72 B", "280 B", "13,600 B"], "as most are said alone"
    assert said([2.0, 5e9], "ops/s") == ["2 ops/s", "5 G ops/s"], "too far apart for one"
    assert words.scale([0.0, NAN, INF, None], "ns") is None
    assert interval(900, 800, 1100, "ns", power=-6) == "0.9 [0.8, 1.1] µs"


@given(st.lists(SIZES, min_size=1, max_size=5), UNITS)
def test_one_prefix_for_all_takes_few_digits(values, unit):
    power = words.scale(values, unit)
    if power is None:
        assert max(values) > 1e5 * min(values)
        return
    said = [quantity(value, unit, power) for value in values]
    assert len({one.partition(" ")[2] for one in said}) == 1
    assert [heard(one, unit) for one in said] == pytest.approx(values, rel=5.001e-3)


# A value further below the greatest than three digits reach is said to as many digits all the same.
@given(VALUES, st.floats(1e-9, 1e15), st.sampled_from([*SYMBOLS, "ops/s", "cycles"]))
def test_a_cell_times_the_prefix_is_the_value(value, most, unit):
    factor = SYMBOLS.get(unit, (1.0, ""))[0]
    said = short(value, unit, most)
    prefix = 10.0 ** words.exponent(most, unit) / factor
    assert not EXPONENT.search(said)
    assert float(said.replace(",", "")) * prefix == pytest.approx(value, rel=5.001e-3)


@given(VALUES | st.sampled_from([-0.0, 1.0, 100.0, 1e22, 5e-324]))
def test_all_digits_of_a_number_are_as_numpy_writes_them(value):
    assert words._positional(value) == np.format_float_positional(value, trim="-")
    assert words._positional(np.float64(value)) == words._positional(value)


# --- no other module rounds a number ---------------------------------------------------------------------------------

ROUNDS = re.compile(r"[eEfFgGn%]$")  # of a format specification; a bare comma groups a count and rounds nothing
ROUNDS_OLD = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?[eEfFgG]")
CALLS = {"format_float_positional", "format_float_scientific", "format_eng"}
# Module -> specification -> (how often, why it is none of words' business).
ALLOWED = {
    "draw/units.py": {
        ".6g": (1, "ticks of an axis: the prefix is in its label"),
        ",.6g": (1, "ticks of an axis: the prefix alone"),
        ".0f": (1, "ticks of an axis of whole numbers"),
        "g": (2, "binary sizes: whole numbers of KiB"),
    },
    "draw/similarity.py": {".{}e": (1, "numbers of a digest, not words")},
    "draw/matrix_grid.py": {"g": (1, "headings of rows and columns: values of an axis")},
    "draw/percentile.py": {".7g": (2, "a percentile as it is called: 99.999"), ",.0f": (1, "a count of samples")},
    "draw/ratios.py": {".4g": (1, "ticks of an axis"), ".0f": (1, "a count of trials")},
    "draw/scaling.py": {".0f": (1, "a count of threads")},
    "publish/caveats.py": {".0f": (1, "percentage of trials")},
    "publish/first_page.py": {".0f": (1, "percentage of trials")},
    "publish/host_facts.py": {".1f": (1, "memory in GiB"), ".2f": (1, "a clock, in the unit of data sheets")},
    "publish/kernel.py": {".0f": (1, "a limit of seconds, as it was given")},
    "foreign/reading.py": {"g": (2, "seconds of a damaged file, as they stand in it")},
    "measure/command/program.py": {"g": (1, "a time-out, as it was given; it imports nothing of ours")},
    "models/family.py": {"g": (1, "counts of threads"), ".0f": (3, "percentages")},
    "models/finite_source.py": {"g": (1, "what was given, of a refusal")},
    "models/j_curve.py": {"g": (10, "loads in percent, as they were given, and limits, which are constants")},
    "models/j_points.py": {
        ".0f": (1, "percentage"),
        ".2g": (1, "how many times more, of a refusal"),
        "g": (3, "loads and counts, as they were given"),
    },
    "models/lindley.py": {"g": (1, "what was given, of a refusal")},
    "models/contention.py": {"g": (4, "what was given, of a refusal")},
    "models/queueing.py": {"g": (4, "what was given, of a refusal"), ".4g": (1, "a load, of a refusal")},
    "models/waiting_times.py": {
        ".3g": (1, "how many times more, of a refusal"),
        ".8g": (1, "a load next to 1, of a refusal"),
    },
    "draw/agreement.py": {"g": (2, "a factor and its inverse, which are constants")},
    "draw/response.py": {"g": (1, "loads in percent, of the axis")},
    "draw/response_panels.py": {"g": (1, "a load in percent, of the axis")},
    "compare/comparison.py": {"g": (1, "a margin, as it was given")},
    "compare/text.py": {"g": (2, "a margin, as it was given")},
    "compare/verdicts.py": {"g": (1, "a margin, as it was given")},
    "draw/forest.py": {"g": (1, "a margin, as it was given")},
    "draw/shift.py": {"g": (1, "a margin, as it was given"), ".7g": (1, "a percentile as it is called: 99.999")},
    "explore/charts.py": {
        ".9g": (1, "values of a chart, not words"),
        "g": (2, "ends of a range, told as they were given"),
    },
    "explore/data.py": {".2g": (1, "percentage"), ".7g": (2, "a percentile as it is called: 99.999")},
    "explore/captions.py": {".1f": (1, "percentage"), ".7g": (2, "a percentile as it is called: 99.999")},
    "host/quota.py": {"g": (1, "a limit, as the host tells it")},
    "models/scaling.py": {"g": (5, "what a file holds, told as it is read; bounds and limits, which are constants")},
    "hdr/reader.py": {"g": (2, "an option, told as it was given")},
    "hdr/encode.py": {".3f": (5, "times of a log, in the format of its lines")},
    "hdr/distribution.py": {
        "f": (1, "values of a table, in the format of Java's tool"),
        "g": (1, "an option, told as it was given"),
    },
    "measure/noise.py": {".1f": (7, "percentages"), "+.1f": (1, "percentage, with its sign")},
    "measure/progress.py": {".0f": (1, "percentage of a status line")},
    "host/load.py": {".0f": (2, "percentages")},
    "measure/scratch.py": {".0f": (2, "whole megabytes of a disk")},
    "measure/doctor.py": {
        ".1f": (2, "percentages"),
        ".2f": (1, "milliseconds of a status line"),
        ".0f": (1, "whole gigabytes"),
    },
    "commands/archived.py": {".1f": (1, "megabytes of a status line"), ".0f": (1, "megabytes of a status line")},
    "bench/bench.py": {
        ".3f": (3, "columns of a table for developers, in line"),
        "g": (1, "limits, as they were fixed"),
    },
    "bench/versus.py": {".1f": (2, "percentages of a study"), "g": (3, "what was planted, as it is asked for")},
    "bench/aa.py": {".0%": (1, "percentage")},
    "bench/aa_findings.py": {
        ".0%": (7, "percentages"),
        ".1%": (2, "percentages"),
        "g": (1, "limits, as they were fixed"),
    },
    "bench/fio.py": {".0f": (1, "percentage")},
    "bench/state.py": {
        ".2f": (1, "a factor of a table for developers"),
        ".3f": (1, "a standard deviation of a logarithm"),
        ".3g": (4, "readings, for developers"),
    },
    "publish/states_strip.py": {".0f": (2, "percentages"), "g": (2, "lengths of an SVG")},
    "bench/noise.py": {
        ".0f": (2, "percentages"),
        ".1f": (2, "percentages"),
        ".2f": (1, "a factor of a table for developers"),
        "g": (1, "limits, as they were fixed"),
    },
}


def roundings(text: str) -> Iterator[str]:
    """Every way in which a module formats a number by itself: format specifications, and functions by their name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            parts = node.format_spec.values
            spec = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
            if ROUNDS.search(spec):
                yield spec
        elif isinstance(node, ast.Attribute) and node.attr in CALLS:
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg in ("float_format", "precision"):
            yield node.arg
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "format":
            yield "format()"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            yield from ROUNDS_OLD.findall(str(node.left.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            yield from re.findall(r"\{[^{}:]*:([^{}]*[eEfFgGn%])\}", str(getattr(node.func.value, "value", "")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('f"{x:.3g} of {y:,} and {z!r:>8}"', [".3g"]),
        ('f"{x:.{digits}g}"', [".{}g"]),
        ('f"{x:%}" f"{x:+,.1f}"', ["%", "+,.1f"]),
        ("np.format_float_positional(x)", ["format_float_positional"]),
        ('"%s %.3g" % x', ["%.3g"]),
        ('"{} {:.4g}".format(x, y)', [".4g"]),
        ('format(x, ".3g")', ["format()"]),
        ("frame.to_html(float_format=str)", ["float_format"]),
        ('f"{name:12} {count:3d}"', []),
    ],
)
def test_every_way_of_rounding_is_found(text, found):
    assert list(roundings(text)) == found


def test_numbers_are_rounded_for_readers_in_one_place():
    package = paths.ROOT / "pipeline"
    seen: Counter[tuple[str, str]] = Counter()
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package).as_posix()
        if name != "words/numbers.py":
            seen.update((name, spec) for spec in roundings(file.read_text(encoding="utf-8")))
    allowed = {(name, spec): count for name, specs in ALLOWED.items() for spec, (count, _) in specs.items()}
    assert dict(seen) == allowed, "say the number with pipeline/words/numbers.py, or allow the notation with its reason"


def test_things_are_counted_in_the_number_that_there_are():
    assert [words.counted(n, "thread") for n in (0, 1, 2, 1024)] == [
        "0 threads",
        "1 thread",
        "2 threads",
        "1,024 threads",
    ]
