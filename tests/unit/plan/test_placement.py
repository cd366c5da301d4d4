"""Placements: what `pairs` and `pairs<=N` stand for on hosts of 1 to 64 CPUs, and that what is left out is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laboratory import TINY

from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.profile import Sweep
from pipeline.ground.errors import LabError
from pipeline.host import cpus as host_cpus
from pipeline.host import sysfs
from pipeline.host.runtimes import Runtime
from pipeline.host.topology import Place, Topology
from pipeline.plan import placement, plan
from pipeline.plan.overrides import Overrides

AVAILABLE = {"c": Runtime("c", "1", "x")}


@pytest.fixture
def host(monkeypatch, tmp_path):
    """A host of so many CPUs, the n-th of the first half on one core with the n-th of the second."""

    def of(cpus: int) -> None:
        root = tmp_path / str(cpus)
        for cpu in range(cpus):
            folder = root / sysfs.CPUS / f"cpu{cpu}" / "topology"
            folder.mkdir(parents=True)
            core = sorted({cpu, (cpu + cpus // 2) % cpus})
            (folder / "core_cpus_list").write_text(",".join(map(str, core)))
        monkeypatch.setattr(sysfs, "ROOT", root)
        monkeypatch.setattr(host_cpus, "usable", lambda: list(range(cpus)))

    return of


def pairs(word: str) -> list[tuple[int, ...]]:
    return [tuple(int(cpu) for cpu in one.split(",")) for one in placement.expand([word])]


@pytest.mark.parametrize(
    ("cpus", "word", "count"),
    [
        (1, "pairs<=60", 0),
        (2, "pairs<=2", 2),
        (2, "pairs<=60", 2),
        (8, "pairs<=60", 56),
        (8, "pairs<=56", 56),
        (8, "pairs<=55", 14),
        (8, "pairs<=13", 12),
        (64, "pairs", 4032),
        (64, "pairs<=200", 126),
        (64, "pairs<=126", 126),
        (64, "pairs<=60", 60),
        (64, "pairs<=12", 12),
        (64, "pairs<=2", 2),
    ],
)
def test_pairs_with_a_limit(host, cpus, word, count):
    host(cpus)
    found = pairs(word)
    assert len(found) == len(set(found)) == count
    assert {(b, a) for a, b in found} == set(found) and all(a != b for a, b in found)
    assert bool(placement.left_out([word])) == (cpus == 1 or count < cpus * (cpus - 1))
    if count < cpus * (cpus - 1):
        partners = sorted({max(pair) for pair in found})
        assert all(min(pair) == 0 for pair in found) and cpus // 2 in partners
        if len(partners) > 4:
            assert partners[0] == 1 and partners[-1] == cpus - 1
            assert max(b - a for a, b in zip(partners, partners[1:], strict=False)) <= 2 * cpus / len(partners)


@given(st.integers(2, 200), st.integers(1, 100), st.integers(0, 8))
def test_partners_are_distinct_and_as_many_as_allowed(cpus, most, threads):
    others, wanted = list(range(1, cpus)), list(range(1, min(1 + threads, cpus)))
    found = placement._partners(others, wanted, most)
    assert found == sorted(set(found)) and set(found) <= set(others) and len(found) == min(most, len(others))


def test_the_sentences_say_how_many_and_which(host):
    host(64)
    every, some = placement.left_out(["spread", "pairs", "pairs<=126", "pairs<=60"])
    assert "4,032 ordered pairs" in every and "126 are taken: CPU 0 with each of the 63 others, both ways" in every
    assert "60 are taken: CPU 0 with 30 of the 63 others, both ways" in some


def test_on_one_cpu_there_are_no_cpus_of_their_own(host):
    host(1)
    assert placement.expand(["spread", "single", "pairs", "free"]) == ("single", "free")
    told = "Not measured: threads on CPUs of their own, which needs 2 CPUs"
    assert placement.left_out(["spread", "pairs<=12", "single", "spread"]) == [f"{told}; this process may use 1."]
    assert placement.left_out(["single", "free"]) == []


@pytest.mark.parametrize(("cpus", "threads", "told"), [(1, 2, True), (1, 1, False), (1, 0, False), (2, 8, False)])
def test_threads_that_share_the_only_cpu_are_told(host, cpus, threads, told):
    host(cpus)
    assert bool(placement.crowded(threads)) == told


def test_a_plan_tells_that_its_threads_share_the_only_cpu(host):
    host(1)
    made = plan.make(swept(["spread", "free"]), "smoke", AVAILABLE)
    assert made.left_out == [*plan.left_out(made.entry, "smoke"), *placement.crowded(2)] and len(made.left_out) == 2


def swept(words: list[str]) -> Experiment:
    entry = replace(catalogue.experiment("lock_scaling"), axes={"threads": "int", "placement": "str"})
    sweep = Sweep(variants=["ticket"], axes={"threads": [2], "placement": words})
    profile = replace(entry.profiles["smoke"], sweeps=[sweep])
    return replace(entry, profiles={"smoke": profile})


@pytest.mark.parametrize(("cpus", "count"), [(2, 2), (8, 56), (64, 60)])
def test_a_plan_stays_small_and_tells_what_it_leaves_out(host, cpus, count):
    host(cpus)
    entry = swept(["spread", "pairs<=60"])
    found = plan.configurations(entry, "smoke", AVAILABLE)
    assert len(found) == 1 + count
    assert all(list(c.main.cpus) == [int(cpu) for cpu in c.axes["placement"].split(",")] for c in found[1:])
    assert len(plan.left_out(entry, "smoke")) == (cpus == 64)
    assert plan.left_out(entry, "smoke", Overrides(axes={"placement": ("spread",)})) == []
    assert plan.left_out(entry, "smoke", Overrides(variants=("mutex",))) == []


@pytest.mark.thorough
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
    with pytest.raises(
        LabError, match=r"^lock_scaling.yaml:19: profiles.smoke.sweeps.0: placement .*pairs<=N"
    ) as caught:
        catalogue.load.__wrapped__()
    assert repr(word) in str(caught.value)
    file.write_text(TINY)
    if isinstance(word, str):
        with pytest.raises(LabError, match="axis placement: .* pairs<=N"):
            plan.configurations(swept(["spread"]), "smoke", AVAILABLE, Overrides(axes={"placement": (word,)}))


def test_memory_is_of_the_first_workers_node_where_there_are_several(monkeypatch):
    places = Topology((Place(0, node=1), Place(1, node=1), Place(2, node=0)), {})
    monkeypatch.setattr(host_cpus, "places", lambda: places)
    assert placement.memory([2, 0]) == {"node": 0} and placement.memory([0, 1]) == {"node": 1}
    assert placement.memory([]) == {}
    monkeypatch.setattr(host_cpus, "places", lambda: Topology((Place(0, node=0), Place(1)), {}))
    assert placement.memory([0]) == {}
