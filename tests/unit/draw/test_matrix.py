"""The matrix of all pairs of many CPUs: what is drawn of it, in which colours, and where groups begin."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from figures import draw
from hypothesis import given
from hypothesis import strategies as st

from pipeline.draw import style
from pipeline.draw.matrix import matrix, most
from pipeline.draw.matrix_grid import STAR_FROM, Grid
from pipeline.draw.style import LIGHT

pytestmark = pytest.mark.thorough  # whole figures


def drawn(figure):
    with style.context(LIGHT, figure.name):
        canvas = draw(figure)
        canvas.draw_without_rendering()
    return canvas


def pairs(cpus: int, caches: int = 8, packages: int = 2) -> pd.DataFrame:
    """20 ns within a cache, 50 within a package, 120 beyond it, each with a little noise."""
    random = np.random.default_rng(1)
    cells = pd.DataFrame([(a, b) for a in range(cpus) for b in range(cpus) if a != b], columns=["from", "to"])
    sides = [cells[side] for side in ("from", "to")]
    one = {many: sides[0] * many // cpus == sides[1] * many // cpus for many in (caches, packages)}
    far = np.select([one[caches], one[packages]], [20.0, 50.0], 120.0)
    return cells.assign(value=far * np.exp(random.normal(0, 0.05, len(cells))))


def groups(cpus: int, caches: int = 8, packages: int = 2) -> dict[str, dict[int, int]]:
    words = {"next package": packages, "next cache": caches}
    return {word: {cpu: cpu * many // cpus for cpu in range(cpus)} for word, many in words.items()}


def figure(cells: pd.DataFrame, **how):
    sides = {"row": "from", "column": "to", "row_label": "From CPU", "column_label": "To CPU"}
    return matrix(cells, name="pairs", unit="ns", label="One way", **{"from_zero": True} | sides | how)


def lines(axes) -> dict[str, list[float]]:
    """Where the lines of each group are, those across rows and those across columns."""
    found: dict[str, list[float]] = {}
    for line in axes.lines:
        if not line.get_label().startswith("_"):
            across = set(line.get_ydata()) if line.get_xdata()[0] == 0 and line.get_xdata()[1] == 1 else set()
            found.setdefault(line.get_label(), []).append(across.pop() if len(across) == 1 else line.get_xdata()[0])
    return found


def told(canvas) -> list[str]:
    return [text.get_text() for legend in canvas.legends for text in legend.get_texts()]


@pytest.mark.parametrize("cpus", [64, 192])
def test_cells_of_many_cpus_are_about_square_without_edges_and_numbers_and_ticks_do_not_touch(cpus):
    axes = drawn(figure(pairs(cpus))).axes[0]
    box = axes.get_window_extent()
    assert 0.9 < box.width / box.height < 1.1
    assert not axes.texts and axes.collections[0].get_rasterized() and len(axes.collections[0].get_edgecolor()) == 0
    for axis in (axes.xaxis, axes.yaxis):
        boxes = [label.get_window_extent() for label in axis.get_ticklabels()]
        assert 8 <= len(boxes) <= 32 and not any(a.overlaps(b) for a, b in zip(boxes, boxes[1:], strict=False))


def test_few_values_far_beyond_all_others_do_not_stretch_the_colours_and_are_told():
    cells = pairs(64)
    usual = drawn(figure(cells)).axes[0]
    cells.loc[100, "value"] = 5000.0
    canvas = drawn(figure(cells))
    scales = [axes.collections[0].get_clim() for axes in (usual, canvas.axes[0])]
    assert scales[0] == scales[1] and scales[1][1] < 200 and canvas.axes[1].get_ylim()[1] == scales[1][1]
    assert told(canvas) == ["beyond the colours (1 of 4,032): up to 5 µs"]
    assert not told(drawn(figure(pairs(64)))) and "5 µs" in figure(cells).alt


def test_a_hundredth_of_all_values_and_a_matrix_of_few_have_their_colours():
    assert most(np.array([1.0] * 90 + [100.0] * 10)) == 100, "a tenth is no outlier"
    assert most(np.array([1.0] * 50 + [100.0])) == 100, "among few it may be what one looks for"
    assert most(np.array([1.0] * 199 + [1.4])) == 1.4, "close to the others"
    assert most(np.array([1.0] * 199 + [100.0])) == 1


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=300))
def test_at_most_a_hundredth_is_beyond_the_colours(values):
    values = np.array(values)
    assert most(values) in values and (values > most(values)).mean() <= 0.01


# One CPU with all others


def star(cpus: int, hub: int = 0) -> pd.DataFrame:
    cells = pairs(cpus)
    return cells[(cells["from"] == hub) | (cells["to"] == hub)]


@pytest.mark.parametrize("hub", [0, 5])
def test_the_pairs_of_one_cpu_are_two_rows(hub):
    cells = star(64, hub)
    one = figure(cells)
    canvas = drawn(one)
    axes = canvas.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"From CPU {hub}", f"To CPU {hub}"]
    assert axes.get_xlabel() == "To CPU / From CPU" and not axes.get_ylabel()
    cell = np.asarray(axes.collections[0].get_array())
    others = [cpu for cpu in range(64) if cpu != hub]
    for row, (here, there) in zip(cell, (("from", "to"), ("to", "from")), strict=True):
        assert (row == cells[cells[here] == hub].set_index(there).loc[others, "value"].to_numpy()).all()
    assert len(one.data) == 126 and "3,906 of 4,032 cells were not measured" in one.alt
    assert not [patch for patch in axes.patches if patch.get_hatch()]


def test_other_matrices_are_drawn_whole():
    def starred(cells):
        return Grid.star(cells.rename(columns={"from": "row", "to": "column"}), None, ("From", "To")) is not None

    assert starred(star(STAR_FROM)) and not starred(star(STAR_FROM - 1)), "few things are legible"
    assert not starred(pairs(20)), "all pairs"
    assert not starred(pd.concat([star(20), pairs(20).query("`from` == 3 and to == 7")])), "a pair of others"
    assert not starred(pairs(20).query("`from` == 0")), "one row"
    itself = pd.DataFrame({"from": [0], "to": [0], "value": [1.0]})
    assert not starred(pd.concat([star(20), itself])), "it has a value with itself"
    words = pairs(20).query("`from` == 0").assign(to=lambda rows: "size " + rows["to"].astype(str))
    assert not starred(words), "rows and columns are not the same things"


def test_a_way_that_was_not_measured_is_hatched_also_there():
    one = figure(star(64).query("not (`from` == 0 and to == 9)"))
    assert told(drawn(one)) == ["not measured (1 of 126)"] and "3,907 of 4,032 cells were not measured" in one.alt


# Groups


def test_lines_lie_where_groups_begin_thick_between_the_widest():
    one = figure(pairs(64), groups=groups(64))
    canvas = drawn(one)
    found = lines(canvas.axes[0])
    assert sorted(found["next package"]) == [32, 32]
    assert sorted(set(found["next cache"])) == [8, 16, 24, 40, 48, 56], "the package's line is no other's"
    assert told(canvas) == ["next package", "next cache"]
    widths = {line.get_label(): line.get_linewidth() for line in canvas.axes[0].lines}
    assert widths["next package"] > widths["next cache"]
    assert "Lines show where the next package and the next cache begins." in one.alt


def test_there_are_no_lines_where_nothing_is_told_or_neighbours_are_in_other_groups():
    plain = figure(pairs(20))
    for of in ({}, {"next cache": {}}, {"next cache": dict.fromkeys(range(20), 0)}):
        one = figure(pairs(20), groups=of)
        assert one.alt == plain.alt and not drawn(one).axes[0].lines
    odd = {"next package": {cpu: cpu % 2 for cpu in range(20)}}
    assert not drawn(figure(pairs(20), groups=odd)).axes[0].lines
    some = {"next cache": {cpu: cpu // 5 for cpu in range(20) if cpu != 5}}
    assert sorted(set(lines(drawn(figure(pairs(20), groups=some)).axes[0])["next cache"])) == [10, 15]


def test_the_pairs_of_one_cpu_are_parted_by_columns_alone():
    found = lines(drawn(figure(star(64), groups=groups(64))).axes[0])
    assert found["next package"] == [31] and found["next cache"] == [7, 15, 23, 39, 47, 55]
