"""lab place: what is odd about a host is said, worst first, with number, peers and what to try; else nothing is."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import many_hosts
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cpus_apart import halves, star

from pipeline.collection import hosts, place, summary

pytestmark = pytest.mark.thorough


@pytest.fixture
def eight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight copies of one quiet host, each a machine of its own."""
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(hosts, "committed", lambda: tmp_path / "none")
    source = Path(hosts.__file__).parents[2] / "data" / "collection" / "amd-epyc"
    for number in range(8):
        target = tmp_path / "runs" / f"host-{number}" / "summary"
        many_hosts.copied(source, target, number)
    return tmp_path / "runs"


def edited(run: Path, change) -> None:
    file = run / "summary" / summary.HOST
    told = json.loads(file.read_text())
    change(told)
    file.write_text(json.dumps(told))


def moved(run: Path, metric: str, factor: float, high: float = 1.0) -> None:
    file = run / "summary" / "estimates.parquet"
    rows = pq.read_table(file)
    told = rows.to_pylist()
    for row in told:
        if row["metric"] == metric and row["experiment"] == "clock" and row["headline"]:
            row["estimate"], row["low"] = row["estimate"] * factor, row["low"] * factor
            row["high"] = row["high"] * factor * high
    pq.write_table(pa.Table.from_pylist(told, rows.schema), file)


def apart(run: Path, cost, pairs=None, cpus: int = 16, metric: str = "hop") -> None:
    """Another host of one cache, where a hop from a to b takes cost(a, b) ns."""
    file = run / "summary" / "estimates.parquet"
    schema, rows = pq.read_schema(file), pq.read_table(file).to_pylist()
    found = [row for row in rows if "," in json.loads(row["axes"]).get("placement", "")]
    one = next(row for row in found if row["metric"] == metric)
    rows = [row for row in rows if row not in found]
    for a, b in itertools.permutations(range(cpus), 2) if pairs is None else pairs:
        rows.append(one | {"axes": json.dumps({"placement": f"{a},{b}"}), "estimate": cost(a, b)})
    pq.write_table(pa.Table.from_pylist(rows, schema), file)
    edited(run, lambda told: told["host"]["cpu"].update(thread_siblings={str(cpu): [cpu] for cpu in range(cpus)}))


def told(name: str = "host-0") -> list[str]:
    every = hosts.every()
    mine = next(host for host in every if host.run == name)
    return place.told(mine, [host for host in every if host is not mine])


def test_among_its_likes_nothing_is_odd(eight: Path):
    (standing,) = told()
    assert "next to 7 machines (AMD guests)" in standing and "1x their median" in standing


def test_a_dear_clock_comes_first_with_number_peers_and_what_to_try(eight: Path):
    moved(eight / "host-0", "cost", 4.0)
    standing, first = told()
    assert "4x slower than the median of 7 hosts" in first and "clock source" in first and " ns" in first


def test_less_time_than_anything_takes_that_a_cpu_does_is_no_oddity(eight: Path):
    """A loop that the compiler folded costs 0.002 ns an increment: four times as much says nothing of a host."""
    for number in range(8):
        moved(eight / f"host-{number}", "cost", 1e-5 if number else 4e-5)
    assert len(told()) == 1


def test_a_number_that_jumps_between_levels(eight: Path):
    moved(eight / "host-0", "cost", 1.0, high=3.0)
    _, first = told()
    assert "jumps between levels" in first and "look at its trials" in first


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told["host"].update(clocksource="hpet"), "clock source is hpet"),
        (lambda told: told["host"].update(cpu_limit="1.5 CPUs"), "the time of 1.5 CPUs"),
        (lambda told: told["host"]["cpu"].update(governor="powersave"), "governor is powersave"),
        (lambda told: told["host"].update(transparent_huge_pages="always madvise [never]"), "Huge pages are never"),
        (lambda told: told.update(noisy=told["trials"] // 5), "of the trials are noisy"),
        (
            lambda told: told.update(states={"way": {"one core": 0.1, "near": 0.7, "far": 0.2}}),
            "For 30 % of the time two of the CPUs were farther apart than otherwise, or on one core",
        ),
        (
            lambda told: told.update(states={"core": {"alone": 0.9, "shared": 0.1}}),
            "For 10 % of the time somebody else worked on a core of ours",
        ),
        (lambda told: told["noise"].update(hiccup_worst_ns=9e9), "Hiccups: the longest pause"),
        (lambda told: told["noise"].update(hiccup_p99_ns=9e6), "Hiccups: the pauses that 1 % exceed"),
        (
            lambda told: told["host"]["cpu"]["mitigations"].update({f"fault{n}": "Mitigation: slow" for n in range(9)}),
            "mitigations of faults of the CPU are on",
        ),
    ],
)
def test_a_setting_that_moves_numbers_is_said(eight: Path, change, words: str):
    edited(eight / "host-0", change)
    _, *odd = told()
    assert len(odd) == 1 and words in odd[0] and odd[0].endswith(".")


def test_cpus_that_lie_as_told_are_no_oddity(eight: Path):
    apart(eight / "host-0", lambda a, b: 129 + a + b)
    (standing,) = told()
    assert standing.endswith("of one cache: all pairs of CPUs are of one group (130 to 158 ns, no gap).")


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (None, "CPUs 0–7 and 8–15 are two groups (48 and 131 ns)."),
        (star(range(16)), "CPU 0 is 48 ns from CPUs 1–7; 131 ns from 8–15."),
    ],
)
def test_cpus_that_lie_otherwise_than_told_are_odd(eight: Path, pairs, words: str):
    apart(eight / "host-0", halves, pairs)
    standing, first = told()
    assert "Measured" not in standing
    assert first.startswith(f"The kernel tells 16 cores of one cache; measured, {words} Where it matters which CPUs")


def test_distances_that_no_pair_shows_are_less_odd_than_groups_that_no_kernel_tells(eight: Path):
    apart(eight / "host-0", halves)
    edited(eight / "host-0", lambda told: told["host"].update(clocksource="hpet", transparent_huge_pages="[never]"))
    assert [words in one for words, one in zip(("hpet", "two groups", "Huge"), told()[1:], strict=True)] == [True] * 3
    apart(eight / "host-0", lambda a, b: 48.0)
    packages = {"cpu": [*range(16)], "core": [*range(16)], "package": [0] * 8 + [8] * 8, "cache": [0] * 8 + [8] * 8}
    edited(eight / "host-0", lambda told: told["host"]["cpu"].update(topology=packages))
    assert [words in one for words, one in zip(("hpet", "Huge", "2 packages"), told()[1:], strict=True)] == [True] * 3


def test_of_two_cpus_only_a_few_ns_say_something(eight: Path):
    apart(eight / "host-0", lambda a, b: 60.0, cpus=2)
    assert len(told()) == 1 and "CPU" not in told()[0].split("median")[1]
    apart(eight / "host-0", lambda a, b: 9.0, cpus=2)
    assert "as near as hardware threads of one core" in told()[1]


def test_pairs_are_those_of_the_headline_s_number(eight: Path):
    apart(eight / "host-0", halves, metric="round_trip_p50")
    assert len(told()) == 1


def test_at_most_ten_and_worst_first(eight: Path):
    def everything(told: dict) -> None:
        told["host"].update(clocksource="hpet", cpu_limit="1 CPUs", transparent_huge_pages="[never]")
        told["host"]["cpu"].update(governor="powersave")
        told.update(noisy=told["trials"] // 2)
        told["noise"].update(hiccup_worst_ns=9e9, hiccup_p99_ns=9e6)

    edited(eight / "host-0", everything)
    file = eight / "host-0" / "summary" / "estimates.parquet"
    rows = pq.read_table(file)
    slow = [row | {name: row[name] * 3 for name in ("estimate", "low", "high")} for row in rows.to_pylist()]
    pq.write_table(pa.Table.from_pylist(slow, rows.schema), file)
    _, *odd = told()
    assert len(odd) == place.MOST and "Hiccups" in odd[0]


def test_alone_there_is_nothing_to_stand_among(eight: Path):
    every = hosts.every()
    (standing,) = place.told(every[0], [])
    assert "nothing to stand among" in standing
