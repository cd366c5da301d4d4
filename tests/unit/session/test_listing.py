"""What the command line lists: selections by NAME=VALUE, ratios, verdicts, and that printed commands are understood."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from analyse_tables import entry, tables
from typer.testing import CliRunner

from pipeline.analyse import estimates
from pipeline.analyse.source import Source
from pipeline.analyse.undecided import Undecided
from pipeline.catalogue import catalogue
from pipeline.commands import cli, options
from pipeline.ground.errors import LabError
from pipeline.session import listing
from pipeline.session.session import Session

pytestmark = pytest.mark.thorough

METRICS = {"cost": {"kind": "cost"}, "rate": {"kind": "rate", "unit": "ops/s"}}
REGION = {"low": 1}
CLAIMS = {"T01": {"effects": [{"kind": "level", "metric": "cost", "of": {"variant": "fast"}, "reproduced": REGION}]}}
PLACES = ("spread", "0,1", "1,0")
# (variant, runtime, threads, placement, metric) -> value of every block
VALUES = {
    ("fast", "jdk17", 1, "spread", "cost"): 2.0,
    ("fast", "jdk17", 2, "0,1", "cost"): 4.0,
    ("fast", "jdk17", 2, "1,0", "cost"): 5.0,
    ("slow", "jdk17", 2, "0,1", "cost"): 12.0,
    ("fast", "jdk25", 2, "0,1", "cost"): 3.0,
    ("slow", "jdk25", 2, "0,1", "cost"): 6.0,
    ("fast", "jdk17", 2, "0,1", "rate"): 8e8,
    ("native", "c", None, None, "cost"): 1.0,
}


@pytest.fixture
def session(monkeypatch) -> Session:
    """A session of four blocks, with an axis that one variant does not have."""
    toy = replace(entry(METRICS, claims=CLAIMS), axes={"threads": "int", "placement": "str"})
    keys = ["variant", "runtime", "threads", "placement", "metric"]
    rows = [
        dict(zip(keys, key, strict=True))
        | {"trial": f"{key}-{block}", "block": block, "noisy": False, "steady": True, "value": value * factor}
        for key, value in VALUES.items()
        for block, factor in enumerate((1.0, 2.0, 1.0, 4.0), 1)
    ]
    lab = Session.__new__(Session)
    lab.entry, lab.metrics = toy, pd.DataFrame(rows)
    trials = [{name: row[name] for name in ("trial", *keys[:-1], "block")} for row in rows]
    lab.tables = tables(trials)
    lab.bundle = SimpleNamespace(name="r", info={"seed": 1, "host": {"cpu": {"cpus": 2}}})
    lab.estimates = estimates.compute(toy, lab.metrics)
    assert lab.estimates["threads"].dtype == float  # of an axis that is not always there
    return lab


@pytest.fixture
def call(session, monkeypatch):
    """`lab analyse` and `lab claims` on the session, in this process."""
    monkeypatch.setattr(options, "held_of", lambda run, experiments: [session.entry.name])
    monkeypatch.setattr(options, "profile_of", lambda run: "quick")
    monkeypatch.setattr("pipeline.session.session.Session", lambda *_, **__: session)
    monkeypatch.setattr(catalogue, "experiment", lambda name: session.entry)
    monkeypatch.setattr(options.console, "width", 500)

    def called(command: str):
        found = CliRunner().invoke(cli.app, shlex.split(command.removeprefix("lab ")))
        if isinstance(found.exception, LabError):
            raise found.exception
        assert found.exit_code == 0, found.output
        return found.output.splitlines()

    return called


# --- selections ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        (None, {}),
        (["variant=fast"], {"variant": "fast"}),
        (["variant=fast,slow"], {"variant": ["fast", "slow"]}),
        (["variant=fast", "variant=slow", "variant=fast"], {"variant": ["fast", "slow"]}),
        (["threads=2", "metric=cost"], {"threads": 2, "metric": "cost"}),
        (["threads=1,2"], {"threads": [1, 2]}),
        (["placement=0,1"], {"placement": "0,1"}),
        (["placement=0,1", "placement=1,0"], {"placement": ["0,1", "1,0"]}),
    ],
)
def test_words_become_a_selection(session, where, chosen):
    found = listing.selection(session, where)
    assert found == chosen and not isinstance(found.get("threads"), float)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("sheep=1", "'sheep=1' is not NAME=VALUE with NAME one of: metric, variant, runtime, threads, placement"),
        ("variant", "'variant' is not NAME=VALUE with NAME one of: metric, variant, runtime, threads, placement"),
        ("=fast", "'=fast' is not NAME=VALUE with NAME one of: metric, variant, runtime, threads, placement"),
        ("threads=3", "threads=3 was not measured; there are: 1, 2"),
        ("threads=1,3", "threads=3 was not measured; there are: 1, 2"),
        ("threads=2.0", "threads=2.0 was not measured; there are: 1, 2"),
        ("placement=0,2", "placement=0 was not measured; there are: spread, 0,1, 1,0"),
        ("variant=", "variant= was not measured; there are: fast, slow, native"),
    ],
)
def test_an_unknown_name_or_value_is_told_with_those_there_are(session, where, told):
    with pytest.raises(LabError) as caught:
        listing.estimates(session, [where])
    assert sorted(str(caught.value)) == sorted(told) and str(caught.value).startswith(told.split("; there")[0])


def test_estimates_are_those_selected(session):
    rows = listing.estimates(session, ["threads=2", "placement=0,1", "runtime=jdk17", "metric=cost"])
    assert dict(zip(rows["variant"], rows["estimate"], strict=True)) == {"fast": 6.0, "slow": 18.0}
    assert len(listing.estimates(session, None)) == len(VALUES)


# --- lines -----------------------------------------------------------------------------------------------------------


def test_a_line_per_estimate_tells_the_axes_as_they_are_asked_for(session):
    rows = listing.estimates(session, ["variant=fast", "metric=rate"])
    assert list(listing.lines(session, rows)) == [
        "example  fast  jdk17  threads=2 placement=0,1  rate  1.2 [0.8, 3.2; 87.5 %] G ops/s  4 trials in 4 blocks"
    ]


def test_an_axis_that_a_variant_does_not_have_is_not_told(session):
    rows = listing.estimates(session, ["variant=native"])
    assert list(listing.lines(session, rows)) == [
        "example  native  c  cost  1.5 [1, 4; 87.5 %] ns  4 trials in 4 blocks"
    ]


# --- ratios ----------------------------------------------------------------------------------------------------------

AT = ["metric=cost", "placement=0,1", "threads=2"]


def test_a_ratio_by_runtime_is_paired_by_block(session):
    rows = listing.ratios(session, AT, ["variant=slow"], ["variant=fast"])
    assert rows.set_index("runtime")["estimate"].to_dict() == {"jdk17": 3, "jdk25": 2}
    assert list(listing.lines(session, rows)) == [
        "example  ratio of cost: variant slow / variant fast, runtime jdk17, placement 0,1, threads 2; "
        "4 trials in 4 blocks  3 [3, 3; 87.5 %]",
        "example  ratio of cost: variant slow / variant fast, runtime jdk25, placement 0,1, threads 2; "
        "4 trials in 4 blocks  2 [2, 2; 87.5 %]",
    ]


@pytest.mark.parametrize(
    ("asked", "runtimes"), [("jdk25", ["jdk25"]), ("jdk17,jdk25", ["jdk17", "jdk25"]), ("jdk25,c", ["jdk25"])]
)
def test_a_ratio_on_some_runtimes(session, asked, runtimes):
    rows = listing.ratios(session, [*AT, f"runtime={asked}"], ["variant=slow"], ["variant=fast"])
    assert rows["runtime"].tolist() == runtimes


def test_a_ratio_of_two_runtimes_is_listed_once(session):
    sides = ["variant=fast", "runtime=jdk17"], ["variant=fast", "runtime=jdk25"]
    rows = listing.ratios(session, AT, *sides)
    assert rows["estimate"].tolist() == [4 / 3] and rows["runtime"].tolist() == ["jdk17"]


def test_a_ratio_of_two_metrics(session):
    rows = listing.ratios(session, [*AT[1:], "variant=fast"], ["metric=rate"], ["metric=cost"])
    assert rows["estimate"].tolist() == [2e8] and rows["metric"].tolist() == ["rate / cost"]


@pytest.mark.parametrize(
    ("where", "of", "to", "told"),
    [
        ([], ["variant=slow"], ["variant=fast"], "a ratio needs a metric: --where metric=NAME"),
        ([], ["variant=slow", "metric=cost"], ["variant=fast"], "a ratio needs a metric"),
        (["metric=cost,rate"], ["variant=slow"], ["variant=fast"], "give metric one value"),
        (AT[:2], ["variant=slow"], ["variant=fast,slow"], "give variant one value"),
        (AT, ["variant=native"], ["variant=fast"], "nothing was measured on both sides of the ratio"),
        ([*AT, "runtime=c"], ["variant=slow"], ["variant=fast"], "nothing was measured on both sides of the ratio"),
        (AT, ["variant=slow"], None, "nothing was measured on both sides of the ratio"),
    ],
)
def test_what_is_no_ratio_is_told(session, where, of, to, told):
    with pytest.raises(LabError, match=told):
        listing.ratios(session, where, of, to)


def test_a_ratio_of_trials_whose_threads_did_not_run_together_says_so(session):
    session.apart = session.tables.trials[:2]
    with pytest.raises(
        LabError, match=r"ratio \(2 trials without a rate: in most iterations .* a quieter host helps\);"
    ):
        listing.ratios(session, AT, ["variant=native"], ["variant=fast"])


# --- verdicts --------------------------------------------------------------------------------------------------------


def verdict(claim: str, scope: str = "jdk17") -> dict:
    source = Source("level", ({"metric": "cost", "variant": "fast"},), 5, 5)
    return {
        "claim": claim,
        "scope": scope,
        "verdict": "reproduced",
        "text": "It is fast",
        "reason": "level 2 ns",
        "advice": "",
        "sources": json.dumps([source.to_dict()]),
    }


def test_verdicts_are_those_named_and_each_tells_what_it_rests_on(session, call):
    session.verdicts = pd.DataFrame([verdict("T01"), verdict("T01", ""), verdict("T02")])
    told = [
        "T01 on jdk17 reproduced: It is fast (level 2 ns)",
        "  level of cost: variant fast; 5 trials in 5 blocks",
        "T01 reproduced: It is fast (level 2 ns)",
        "  level of cost: variant fast; 5 trials in 5 blocks",
    ]
    assert list(listing.told(listing.verdicts(session, " T01 ,T99"))) == told
    assert len(listing.verdicts(session, "")) == 3
    assert call("lab claims --run r --claim T01") == told
    rows = json.loads("".join(call("lab claims --run r --json")))
    assert [row["claim"] for row in rows] == ["T01", "T01", "T02"]


def test_what_is_undecided_tells_why_and_how_long_it_would_take(session, call):
    wide = Undecided("open", "too wide: an even chance in about 2 more minutes", (0.4, 0.6) + (0.8,) * 58, ("a", "b"))
    rows = [verdict("T01"), verdict("T01", "jdk25") | wide.columns() | {"verdict": "inconclusive"}]
    session.verdicts = pd.DataFrame([row | ({} if "why" in row else Undecided().columns()) for row in rows])
    told = "T01 on jdk25  open: too wide: an even chance in about 2 more minutes; decided in 10 more rounds with 80 %"
    assert call("lab claims --run r --open") == [told]
    assert [row["scope"] for row in json.loads("".join(call("lab claims --run r --open --json")))] == ["jdk25"]


def test_a_claim_that_nothing_tests_is_told(session, call):
    session.verdicts = pd.DataFrame([verdict("T01")])
    with pytest.raises(LabError, match="no experiment asked for tests the claim 'T99'; tested: T01$"):
        call("lab claims --run r --claim T01,T99")
    others = SimpleNamespace(claims={"T02": None})
    assert listing.testing([session.entry, others], "T02") == [others]
    assert listing.testing([session.entry, others], "") == [session.entry, others]


# --- printed commands ------------------------------------------------------------------------------------------------


def test_the_command_of_an_estimate_prints_it_again(session, call):
    for row in session.estimates.to_dict("records"):
        source = session.source(row)
        shown = call(source.command("r", "example"))
        assert shown == list(
            listing.lines(session, session.estimates[session.estimates["estimate"] == row["estimate"]])
        )


def test_the_command_of_several_estimates_prints_them_all(session, call):
    every = tuple(session.source(row).selections[0] for row in session.estimates.to_dict("records"))
    shown = call(Source("levels", every, 0, 0).command("r", "example"))
    assert shown == list(listing.lines(session, session.estimates))


def test_the_command_of_a_ratio_prints_it_again(session, call):
    at = {"placement": "0,1", "threads": 2}
    rows = session.ratios("cost", {"": ({"variant": "slow"}, {"variant": "fast"})}, **at)[0]
    assert len(rows) == 2
    for row in rows.to_dict("records"):
        (shown,) = call(row["rests_on"].command("r", "example"))
        numbers = f"{row['estimate']:.0f} [{row['low']:.0f}, {row['high']:.0f}; 87.5 %]"
        assert shown == f"example  {row['rests_on'].words()}  {numbers}"


@pytest.mark.parametrize(
    "sides",
    [
        ({"variant": "fast", "runtime": "jdk17", "metric": "rate"}, {"variant": "fast", "metric": "cost"}),
        ({"variant": "fast", "runtime": "jdk17"}, {"variant": "slow", "runtime": "jdk25"}),
        ({"variant": "fast", "runtime": "jdk17", "placement": "1,0"}, {"variant": "fast"}),
    ],
)
def test_the_command_of_a_ratio_across_metrics_runtimes_or_places_prints_it_again(session, call, sides):
    at = {"placement": "0,1", "threads": 2, "runtime": "jdk17"}
    row = session.ratios("cost", {"": sides}, **at)[0].iloc[0]
    rows = json.loads("".join(call(row["rests_on"].command("r", "example") + " --json")))
    assert [one["estimate"] for one in rows] == [pytest.approx(row["estimate"])]
