"""What is asked of programs is checked before anything is started."""

from __future__ import annotations

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from pipeline.ground.errors import LabError
from pipeline.plan.plan import Configuration
from pipeline.versus import alpha_spending, arguments, plan, revisions, setup, versus
from pipeline.versus.arguments import Arguments

TWO = {"old": ["true"], "new": ["true", "{out}", "{threads}"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["old=true"], "give two commands"),
        (["old=true", "new"], "'new' is not NAME=COMMAND"),
        (["old=true", "old=false"], "old: the name is taken"),
        (["old=true", "old-again=false"], "old-again: the name is taken"),
        (["old=true", "new=./nothing here"], "new: ./nothing: no such program; commands are run from"),
        (["old=true", "new=nothing_of_that_name"], "new: nothing_of_that_name: no such program"),
        (["old=true", "new='unended"], "cannot be split as a shell would"),
        (["old=true", "new={jdk1} -jar x"], "new: no jdk1 on this host; there are:"),
        ([f"n{at}=true" for at in range(21)], "21 commands; at most 20"),
    ],
)
def test_commands_that_are_none_are_one_line(words, said, tmp_path):
    with pytest.raises(LabError, match="^[^\n]*$") as told:
        arguments.commands(words, False, tmp_path)
    assert said in str(told.value)


def test_commands_are_split_as_a_shell_would_and_with_one_not_at_all(tmp_path):
    words = ["a=echo 'two words' ümlaut", 'b=echo "line\nbreak"']
    assert arguments.commands(words, False, tmp_path)["a"] == ["echo", "two words", "ümlaut"]
    assert arguments.commands(words, False, tmp_path)["b"] == ["echo", "line\nbreak"]
    assert arguments.commands(["a=echo $X | wc", "b=true"], True, tmp_path)["a"] == ["echo $X | wc"]


def test_a_file_that_is_no_program_is_said_to_be_so(tmp_path):
    (tmp_path / "script").write_text("#!/bin/sh\n")
    with pytest.raises(LabError, match="script: is not executable"):
        arguments.commands(["a=./script", "b=true"], False, tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["threads"], "is not NAME=VALUE,VALUE"),
        (["threads="], "is not NAME=VALUE,VALUE"),
        (["cores=1,2"], "no command has {cores}"),
        (["out=1"], "the name 'out' is taken"),
        (["side=1"], "the name 'side' is taken"),
        (["threads=1", "threads=2"], "the name 'threads' is taken"),
    ],
)
def test_an_axis_needs_a_place_and_values(words, said):
    with pytest.raises(LabError) as told:
        arguments.sweep(words, TWO)
    assert said in str(told.value)


def test_values_of_an_axis_are_whole_numbers_where_all_are():
    assert arguments.sweep(["threads=1,2,2,4"], TWO) == {"threads": [1, 2, 4]}
    assert arguments.sweep(["threads=1,two"], TWO) == {"threads": ["1", "two"]}


def test_only_the_names_of_variables_are_kept(monkeypatch):
    monkeypatch.setenv("LAB_CANARY", "")
    assert arguments.environment(["LAB_CANARY=secret"]) == ("LAB_CANARY",)
    with pytest.raises(LabError, match="is not NAME=VALUE") as told:
        arguments.environment(["se-cret"])
    assert "secret" not in str(told.value)


def one(**more) -> Arguments:
    return Arguments(TWO, "/", {"threads": [1, 2]}, **more)


def test_what_a_run_is_continued_by_is_told_as_its_file_holds_it():
    """A tuple of folders is no list of them, and a run of two revisions was refused as one of other folders."""
    told = one(cpus=(0, 1), folders={"old": ("/a", "/b"), "new": ("/c",)}).told()
    assert json.loads(json.dumps(told)) == told
    assert told["folders"] == {"old": ["/a", "/b"], "new": ["/c"]} and told["commands"]["old"] == "true"
    assert one(title="t", unit="ms", more_is_better=True).told() == one().told()


def made(what: Arguments, minutes: float = 5.0) -> plan.Interleaved:
    entry = setup.entry(what, ())
    executions = {plan.place({"threads": count}): 1 for count in (1, 2)}
    return plan.make(what, entry, {}, executions, setup.Path("commands.json"), minutes)


def side(configuration: Configuration) -> tuple[int, str]:
    return configuration.axes["threads"], configuration.runtime


def test_a_block_holds_every_command_and_the_first_twice_side_by_side():
    expected = {(count, name) for count in (1, 2) for name in ("old", "old-again", "new")}
    orders = set()
    for _, block in itertools.islice(made(one()).blocks(7), 40):
        assert {side(each) for each in block} == expected and len(block) == len(expected)
        assert [each.axes["threads"] for each in block] in ([1, 1, 1, 2, 2, 2], [2, 2, 2, 1, 1, 1])
        assert len({each.main.parameters["padding"] for each in block}) == 1
        orders.add(tuple(map(side, block[:3])))
    assert len(orders) == 12  # both places, every order of three
    assert {len(block) for _, block in itertools.islice(made(one(control=False)).blocks(7), 3)} == {4}


def test_blocks_follow_from_the_seed_alone():
    def told(seed):
        return [(n, [each.main for each in block]) for n, block in itertools.islice(made(one()).blocks(seed), 5)]

    assert told(3) == told(3) and told(3) != told(4)


def test_what_is_judged_by_default_is_the_program_or_what_it_writes():
    assert [each.metric for each in setup.entry(one(), ()).headlines] == ["time", "cpu", "memory"]
    assert [each.metric for each in setup.entry(one(value="x"), ()).headlines] == ["value"]
    assert [each.metric for each in setup.entry(one(metrics=("cpu",)), ()).headlines] == ["cpu"]
    with pytest.raises(LabError, match="--metric 'p99': nothing measures it; there are: time, cpu, memory"):
        setup.entry(one(metrics=("p99",)), ())
    with pytest.raises(LabError, match="a percentile needs ten values beyond it"):
        setup.entry(one(metrics=("p99_9",)), ())


@given(st.integers(1, 500), st.integers(1, 30))
def test_looks_together_err_no_oftener_than_promised(rows, sittings):
    early = [alpha_spending.error_of(number, 0) for number in range(len(alpha_spending.EARLY))]
    assert sum([*early, *(alpha_spending.error_of(-1, ended) for ended in range(sittings))]) <= alpha_spending.ERROR * (
        1 + 1e-12
    )
    when = alpha_spending.planned(400, rows)
    for at, error in zip(when, early, strict=False):
        assert at >= alpha_spending.fewest(error, rows) and at < 200


@given(st.floats(-0.3, 0.3), st.floats(0.001, 0.3), st.sampled_from([0.01, 0.05]))
def test_the_minutes_foretold_decide_in_nine_of_ten_if_the_middle_is_the_true_one(middle, half, bound):
    now, then = alpha_spending.error_of(0, 0), alpha_spending.error_of(-1, 0)
    needed = max(bound - abs(middle), abs(middle) if abs(middle) > bound else 0.0)
    times = alpha_spending.further(middle, half, bound, now, then)
    assert (times is None) == (needed <= 0.05 * half)
    if times is not None and times > 0.1:
        deviation = half / -ndtri(now / 2) / np.sqrt(1 + times)
        assert ndtr(needed / deviation + ndtri(then / 2)) == pytest.approx(0.9)


def test_rows_are_counted_once_for_each_place_and_further_command():
    three = Arguments(TWO | {"third": TWO["new"]}, "/", {"threads": [1, 2]})
    assert [versus._rows(SimpleNamespace(plan=made(what))) for what in (one(), three)] == [6, 12]
    assert versus._rows(SimpleNamespace(plan=made(one(control=False, metrics=("cpu",))))) == 2


def test_a_trial_is_as_many_executions_as_fill_its_time_but_one_that_writes_a_file():
    tried = setup.Tried({"a": 0.004, "b": 3.0}, ())
    assert tried.executions(Arguments({"old": ["true"], "new": ["true"]}, "/", {})) == {"a": 250, "b": 1}
    assert tried.executions(one()) == {"a": 1, "b": 1}


def test_revisions_have_names_that_a_run_can_hold():
    assert revisions._names(["main", "HEAD"]) == ["main", "HEAD"]
    assert revisions._names(["main", "feature/x y"]) == ["main", "feature-x-y"]
    assert revisions._names(["HEAD", "HEAD"]) == ["HEAD-1", "HEAD-2"]
    assert revisions._names(["HEAD~1", "."]) == ["HEAD-1", "tree"]
