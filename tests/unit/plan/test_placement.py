"""Placements: what `pairs` and `pairs<=N` stand for on hosts of 1 to 64 CPUs, and that what is left out is told."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from conftest import TINY
from pipeline.catalogue import catalogue
from pipeline.measure import sweep as measure
from pipeline.plan import placement, plan
from pipeline.cli import app
from pipeline.errors import LabError
from pipeline.session.session import Session
from pipeline.plan.plan import Overrides
from pipeline.host.runtimes import Runtime

AVAILABLE = {"c": Runtime("c", "1", "x")}


@pytest.fixture
def host(monkeypatch):
    """A host of so many CPUs, the n-th of the first half on one core with the n-th of the second."""

    def of(cpus: int) -> None:
        monkeypatch.setattr(plan.host, "cpus", lambda: list(range(cpus)))
        monkeypatch.setattr(plan.host, "siblings", lambda cpu: sorted({cpu, (cpu + cpus // 2) % cpus}))

    return of


def pairs(word: str) -> list[tuple[int, ...]]:
    return [tuple(int(cpu) for cpu in one.split(",")) for one in placement.expand([word])]


@pytest.mark.parametrize(
    ("cpus", "word", "count"),
    [(1, "pairs<=60", 0), (2, "pairs<=2", 2), (2, "pairs<=60", 2), (8, "pairs<=60", 56), (8, "pairs<=56", 56),
     (8, "pairs<=55", 14), (8, "pairs<=13", 12), (64, "pairs", 4032), (64, "pairs<=200", 126), (64, "pairs<=126", 126),
     (64, "pairs<=60", 60), (64, "pairs<=12", 12), (64, "pairs<=2", 2)],
)  # fmt: skip
def test_pairs_with_a_limit(host, cpus, word, count):
    host(cpus)
    found = pairs(word)
    assert len(found) == len(set(found)) == count
    assert {(b, a) for a, b in found} == set(found) and all(a != b for a, b in found)
    assert bool(placement.left_out([word])) == (count < cpus * (cpus - 1))
    if count < cpus * (cpus - 1):
        partners = sorted({max(pair) for pair in found})
        assert all(min(pair) == 0 for pair in found) and cpus // 2 in partners
        if len(partners) > 4:
            assert partners[0] == 1 and partners[-1] == cpus - 1
            assert max(b - a for a, b in zip(partners, partners[1:], strict=False)) <= 2 * cpus / len(partners)


@given(st.integers(2, 200), st.integers(1, 100), st.integers(0, 8))
def test_partners_are_distinct_and_as_many_as_allowed(cpus, most, threads):
    others, siblings = list(range(1, cpus)), list(range(threads))
    found = placement._partners(others, siblings, most)
    assert found == sorted(set(found)) and set(found) <= set(others) and len(found) == min(most, len(others))


def test_the_sentences_say_how_many_and_which(host):
    host(64)
    every, some = placement.left_out(["spread", "pairs", "pairs<=126", "pairs<=60"])
    assert "4,032 ordered pairs" in every and "takes 126: CPU 0 with each of the 63 others, both ways" in every
    assert "takes 60: CPU 0 with 30 of the 63 others, both ways" in some


def swept(words: list[str]) -> catalogue.Experiment:
    entry = catalogue.experiment("lock_scaling").model_copy(update={"axes": {"threads": "int", "placement": "str"}})
    sweep = catalogue.Sweep(variants=["ticket"], axes={"threads": [2], "placement": words})
    profile = entry.profiles["smoke"].model_copy(update={"sweeps": [sweep]})
    return entry.model_copy(update={"profiles": {"smoke": profile}})


@pytest.mark.parametrize(("cpus", "count"), [(2, 2), (8, 56), (64, 60)])
def test_a_plan_stays_small_and_tells_what_it_leaves_out(host, cpus, count):
    host(cpus)
    entry = swept(["spread", "pairs<=60"])
    found = plan.configurations(entry, "smoke", AVAILABLE)
    assert len(found) == 1 + count
    assert all(plan.cpus_of(c) == [int(cpu) for cpu in c.axes["placement"].split(",")] for c in found[1:])
    assert len(plan.left_out(entry, "smoke")) == (cpus == 64)
    assert plan.left_out(entry, "smoke", Overrides(axes={"placement": ("spread",)})) == []
    assert plan.left_out(entry, "smoke", Overrides(variants=("mutex",))) == []


@pytest.mark.parametrize("profile", ["smoke", "quick"])
def test_no_entry_has_a_block_that_grows_with_the_square_of_the_cpus(host, profile):
    host(64)
    for entry in catalogue.load().values():
        available = {name: Runtime(name, "1", "x") for name in ("jdk17", "jdk25", "c", "fio")}
        assert len(plan.configurations(entry, profile, available)) < 200, entry.name


BAD = ["pairs<=1", "pairs<=0", "pairs<60", "pairs<=x", "pairs<= 60", "pair", "0,", "sideways", 0]


@pytest.mark.parametrize("word", BAD)
def test_a_bad_placement_is_named_by_the_catalogue_and_by_the_plan(lab, word):
    file = lab / "catalogue" / "lock_scaling.yaml"
    text = TINY.replace("axes: {threads: int}", "axes: {threads: int, placement: str}")
    file.write_text(text.replace("axes: {threads: [1, 2]}", f"axes: {{placement: [spread, {word!r}]}}"))
    with pytest.raises(LabError, match=r"lock_scaling.yaml: .*sweeps.*pairs<=N") as caught:
        catalogue.load.__wrapped__()
    assert repr(word) in str(caught.value)
    if isinstance(word, str):
        with pytest.raises(LabError, match="axis placement: .* pairs<=N"):
            plan.configurations(swept(["spread"]), "smoke", AVAILABLE, Overrides(axes={"placement": (word,)}))


@pytest.fixture
def fresh_catalogue(lab):
    yield lab / "catalogue"
    catalogue.load.cache_clear()


def test_what_is_left_out_is_told_by_plan_measure_journal_and_page(fresh_catalogue, monkeypatch):
    real = plan.host.cpus()
    if len(real) < 2:
        pytest.skip("needs two CPUs")
    text = TINY.replace("axes: {threads: int}", "axes: {threads: int, placement: str}")
    text = text.replace("axes: {threads: [1, 2]}", "axes: {threads: [2], placement: ['pairs<=2']}")
    (fresh_catalogue / "lock_scaling.yaml").write_text(text)
    catalogue.load.cache_clear()
    monkeypatch.setattr(plan.host, "cpus", lambda: [*real[:2], real[1] + 1])
    monkeypatch.setattr(plan.host, "siblings", lambda cpu: [])
    sentence = f"Of the 6 ordered pairs of CPUs, placement pairs<=2 takes 2: CPU {real[0]} with 1 of the 2 others"
    plain, as_json = (CliRunner().invoke(app, ["plan", "--profile", "smoke", *more]) for more in ([], ["--json"]))
    assert sentence in plain.stdout and sentence in as_json.stderr and len(json.loads(as_json.stdout)) == 4
    told = CliRunner().invoke(app, ["measure", "--run", "r", "--profile", "smoke"])
    assert told.exit_code == 0, told.exception
    assert sentence in told.stdout
    session = Session("lock_scaling", "r", "smoke", measuring=False)
    assert [sentence in one for one in session.left_out] == [True]
    assert sentence in session.how_it_ended()
    assert measure.planned(session.bundle.journal(), "lock_scaling")["left_out"] == session.left_out
