"""What a notebook shows: figures with title and origin, fits, refusals, verdicts, and how the measuring ended."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from figures import PROVENANCE, near_one
from publish_toy import trial

from pipeline.analyse.source import Source
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.session.completion import ENDINGS
from pipeline.session.display import Display
from pipeline.session.session import Session
from pipeline.session.table import Table

pytestmark = pytest.mark.thorough

MEASURED = {
    "trial": "a-b01",
    "status": "measured",
    "variant": "a",
    "runtime": "jdk17",
    "reason": "",
    "block": 1,
    "noisy": False,
}
MEASURED |= {"cpus": "0", "apart": "one CPU"}
FINISHED = {"event": "finished", "experiment": "toy", "ended_by": "precision", "blocks": 3, "spent_s": 1.0}
VARIANTS = {"late": "Late", "early": "Early"}  # in the catalogue's order


def page(trials: list[dict] = (), lines: list[dict] = (), **parts) -> Display:
    """A display of a session as far as it is asked."""
    lab = Session.__new__(Session)
    lab.entry = SimpleNamespace(
        name="toy",
        axes={"threads": "int"},
        metrics={"cost": SimpleNamespace(label="Cost")},
        profiles={name: SimpleNamespace(min_blocks=n, budget_s=60) for name, n in (("quick", 6), ("full", 10))},
    )
    lab.labels = lambda: VARIANTS
    frame = pd.DataFrame([MEASURED | row for row in trials], columns=list(MEASURED))
    lab.tables = SimpleNamespace(trials=frame, measured=frame[frame["status"] == "measured"])
    lab.bundle = SimpleNamespace(
        name="r",
        journal=lambda: list(lines),
        info={"name": "theirs", "host": None, "created": "2026-01-02T03:04:05+00:00", "profile": "quick", "git": "0"},
    )
    lab.apart, lab.compiled = pd.DataFrame(), []
    for name, value in {"withheld": pd.DataFrame(columns=["metric", "why"]), **parts}.items():
        setattr(lab, name, value)
    return Display(lab)


# --- figures ---------------------------------------------------------------------------------------------------------


def test_a_figure_is_shown_with_title_caption_and_origin_and_saved(lab, monkeypatch):
    monkeypatch.setattr(Session, "provenance", PROVENANCE)
    plain = near_one()
    shown = page().figure("Near one", "A ratio near 1.").show(plain)
    words = json.loads((paths.figures("r") / "near_one.json").read_text())
    assert (words["title"], words["caption"], words["provenance"]) == ("Near one", "A ratio near 1.", PROVENANCE)
    assert len(list(paths.figures("r").iterdir())) == 4
    assert shown.title == "Near one" and "A ratio near 1." in shown._repr_html_()
    assert (plain.title, plain.caption, plain.provenance) == ("", "", {}), "a kind's figure knows nothing of a page"


def test_the_origin_is_that_of_the_run(monkeypatch):
    monkeypatch.setattr("pipeline.host.fingerprint.sentence", lambda host: "Toy CPU")
    known = {
        "run": "theirs",
        "host": "Toy CPU",
        "date": "2026-01-02",
        "profile": "quick",
        "git": "0",
        "experiment": "toy",
    }
    assert page(lines=[FINISHED]).lab.provenance == known
    planned = {"event": "planned", "experiment": "toy", "configurations": 1}
    begun = [planned, trial(1, 1), trial(1, 2)]
    assert page(lines=begun).lab.provenance == known | {"so_far": "so far, 2 of at least 6 blocks"}


# --- how it ended ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ended_by", ENDINGS)
def test_how_it_ended(ended_by):
    trials = [{"block": 1}, {"block": 2}, {"block": 2, "noisy": True}]
    lines = [
        {"event": "planned", "experiment": "toy", "left_out": ["Pairs were left out."]},
        FINISHED | {"ended_by": ended_by},
    ]
    assert page(trials, lines).how_it_ended() == (
        f"Measuring ended because {ENDINGS[ended_by]}. 3 trials in 2 blocks, 1 of them noisy (kept, drawn hollow). "
        "Pairs were left out."
    )


def test_what_the_host_left_nothing_of_says_so_in_place_of_trials():
    lines = [
        {"event": "planned", "experiment": "toy", "configurations": 0, "left_out": ["Not measured: pairs."]},
        FINISHED | {"ended_by": "left_out", "blocks": 0, "spent_s": 0.0},
    ]
    assert page([], lines).how_it_ended() == f"Measuring ended because {ENDINGS['left_out']}. Not measured: pairs."


def test_a_run_that_is_not_complete_says_so_and_names_what_failed():
    trials = [
        {},
        {"trial": "a-b02", "status": "crashed", "reason": "SIGSEGV"},
        {"status": "unsupported", "reason": "no such flag"},
    ]
    other = FINISHED | {"experiment": "other"}
    planned = {"event": "planned", "experiment": "toy", "configurations": 3}
    lines = [other, planned, trial(1, 1), trial(2, 1), trial(3, 1, status="unsupported"), trial(1, 2)]
    assert page(trials, lines).how_it_ended() == (
        "Measuring is not complete: 1 of at least 6 blocks (3 of 12 trials) are measured; "
        "to go on: make report RUN=r PROFILE=quick. 1 trial in 1 block, none noisy. 1 trial failed: a-b02: SIGSEGV."
    )


def test_threads_that_did_not_run_together_are_told():
    rows = [("late", "jdk17", count) for count in (3.0, 3.0, 4.0, 6.0, 8.0)]
    apart = pd.DataFrame(rows, columns=["variant", "runtime", "threads"])
    assert (
        "5 trials without a rate, for in most iterations the threads were at work together for less than half "
        "of the time: Late, JDK 17, threads 3; Late, JDK 17, threads 4; Late, JDK 17, threads 6; and 1 more "
        "configuration. Longer iterations (iteration-ms) or a quieter host help."
    ) in page([{}], [FINISHED], apart=apart).how_it_ended()


def test_what_was_compiled_in_iterations_is_told():
    assert page([{}], [FINISHED], compiled=["In 2 iterations."]).how_it_ended().endswith("none noisy. In 2 iterations.")


def test_a_host_that_changed_is_told_between_noise_and_what_was_left_out():
    changed = {"event": "host_changed", "at": "2026-02-03T04:05:06+00:00", "changes": {"microcode": ["1", "2"]}}
    planned = {"event": "planned", "experiment": "toy", "left_out": ["Pairs were left out."]}
    told = page([{}], [planned, changed, FINISHED]).how_it_ended().split("none noisy. ")[1]
    assert (
        told == "The host changed while this run was paused (2026-02-03): microcode from 1 to 2. Pairs were left out."
    )


def test_every_ending_that_a_journal_may_tell_has_words():
    from pipeline.bundle.journal_schema import ENDED_BY

    assert set(ENDINGS) == set(ENDED_BY)


# --- tables ----------------------------------------------------------------------------------------------------------


HEAD = "lab analyse --run r --experiments toy"
ROW = {"variant": "early", "runtime": "jdk25", "threads": 2.0, "metric": "cost", "unit": "ns", "trials": 5, "blocks": 4}


def records(table: Table) -> list[dict[str, str]]:
    """A table's rows by heading."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def estimates(*rows: dict) -> pd.DataFrame:
    return pd.DataFrame(
        [ROW | {"estimate": 1850.0, "low": 1800.0, "high": 1900.0, "level": 0.95} | row for row in rows]
    )


def test_estimates_are_a_line_per_place_and_a_column_per_metric():
    frame = estimates({}, {"metric": "steps", "unit": "1", "estimate": 3.0}, {"variant": "late", "threads": 16.0})
    shown = page().table(frame, ["variant", "threads"])
    assert shown.columns == ["variant", "threads", "Cost", "steps"] and shown.numeric == [False, False, True, True]
    assert shown.rows == [["Late", "16", "1.85 µs", "–"], ["Early", "2", "1.85 µs", "3"]]
    rests = "1.85 [1.8, 1.9] µs; level of cost: variant {}, runtime jdk25, threads {}; 5 trials in 4 blocks"
    assert [row[2] for row in shown.titles] == [rests.format("late", 16), rests.format("early", 2)]
    assert [row[:2] for row in shown.titles] == [["", ""]] * 2 and shown.titles[0][3] == ""
    (command,) = shown.commands
    assert (
        command
        == f"{HEAD} --where runtime=jdk25 --where metric=cost,steps --where variant=early,late --where threads=2,16"
    )


def test_an_axis_that_some_configurations_do_not_have_loses_no_row():
    """A pause between two polls is an axis of what polls alone; nan is not equal to itself."""
    frame = estimates({"pause": math.nan}, {"pause": 300.0, "variant": "late"})
    frame = pd.concat([frame, estimates({"pause": float("nan"), "metric": "steps", "unit": "1", "estimate": 3.0})])
    shown = page().table(frame, ["variant", "pause"])
    assert shown.rows == [["Late", "300", "1.85 µs", "–"], ["Early", "–", "1.85 µs", "3"]]
    lacking = {"variant": "early", "pause": math.nan, "metric": "steps", "why": "too few samples"}
    table = page(withheld=pd.DataFrame([lacking])).table(estimates({"pause": math.nan}), ["variant", "pause"])
    assert table.rows == [["Early", "–", "1.85 µs"]]
    trials = pd.DataFrame({"variant": "early", "runtime": "jdk25", "pause": [math.nan, 300.0], "value": [1.0, 2.0]})
    shown = page(counted=lambda rows: rows)
    fits = shown.fits(trials, ["variant", "pause"], lambda own: Fit("m", {}, "", True, f"{own['value'].iloc[0]}", {}))
    assert [row[1:] for row in fits.rows] == [["300", "2.0"], ["–", "1.0"]]


def test_a_table_has_the_columns_asked_for_in_their_order():
    frame = estimates({"metric": "b"}, {"metric": "a"}, {"metric": "c", "variant": "late"})
    ordered = page().table(frame, ["variant"], names=["b", "a"])
    named = page().table(frame, ["variant"], names={"a": "First", "b": "Second"})
    assert list(ordered.columns) == ["variant", "b", "a"] and list(named.columns) == ["variant", "First", "Second"]
    assert [row[0] for row in named.rows] == ["Early"], "what has none of them has no line"
    by_runtime = page().table(estimates({}, {"runtime": "c"}), ["variant"], columns="runtime")
    assert list(by_runtime.columns) == ["variant", "jdk25", "c"] and len(by_runtime.rows) == 1


def test_metrics_of_a_selection_are_a_table_by_variant_and_runtime_or_by_what_is_named():
    frame, asked = estimates({}, {"metric": "steps", "unit": "1"}), []
    shown = page(chosen=lambda **where: asked.append(where) or (None, frame))
    assert shown.metrics(["steps", "cost"], variant="early") == shown.table(
        frame, ["variant", "runtime"], names=["steps", "cost"]
    )
    named = shown.metrics({"cost": "Time"}, ["threads"])
    assert list(named.columns) == ["threads", "Time"] and asked == [{"variant": "early"}, {}]


def test_what_has_too_few_samples_is_said_and_its_cell_says_why():
    lacking = {"variant": "late", "threads": 16, "metric": "cost", "why": "too few samples", "trials": 2, "of": 5}
    shown = page([{}], [FINISHED], withheld=pd.DataFrame([lacking, lacking | {"threads": 2}]))
    assert shown.how_it_ended().endswith("Not shown because too few samples: Cost (4 of 10 trials).")
    frame = estimates({"variant": "late", "threads": 16.0, "metric": "steps"}, {})
    table = shown.table(frame, ["variant", "threads"], names=["cost", "steps"])
    assert table.rows[0][2] == "–" and table.titles[0][2] == "not shown: too few samples"
    assert table.titles[1][2].startswith("1.85") and table.titles[1][3] == ""


def test_a_table_of_levels_says_that_its_intervals_are_of_one_run():
    assert page().table(estimates({}), ["variant"], names=["cost"]).note.startswith("Intervals are of this run alone")
    assert not page().table(estimates({"low": math.nan, "high": math.nan}), ["variant"], names=["cost"]).note


def test_where_a_trial_has_too_few_events_the_table_says_how_many():
    few = {"variant": "late", "metric": "cost", "why": "fewer than 30 pauses in a trial", "instead": "2 pauses"}
    shown = page(withheld=pd.DataFrame([few | {"trials": 5, "of": 5}]))
    table = shown.table(estimates({"variant": "late", "metric": "steps"}), ["variant"], names=["cost", "steps"])
    assert table.rows[0][1] == "2 pauses" and table.titles[0][1] == "not shown: fewer than 30 pauses in a trial"


def test_a_table_of_nothing_is_a_sentence_that_says_which_profile_measures_more():
    empty, shown = estimates({}).head(0), page()
    said = "Nothing of this was measured in this run; its profile is quick, and full measures more."
    assert shown.table(empty, ["variant"], names=["cost"]) == said
    shown.lab.entry.profiles["quick"] = shown.lab.entry.profiles["full"]
    assert shown.table(empty, ["variant"], names=["cost"]) == "Nothing of this was measured in this run."


def test_where_threads_did_not_run_together_nothing_measured_says_so():
    shown = page(apart=pd.DataFrame({"trial": ["t1"]}))
    shown.lab.entry.profiles["quick"] = shown.lab.entry.profiles["full"]
    said = "Nothing of this was measured in this run, or its threads did not run together."
    assert shown.table(estimates({}).head(0), ["variant"], names=["cost"]) == said


def test_metrics_that_no_row_has_are_named_below_a_table_and_no_columns():
    rows = estimates({"metric": "cost"}, {"metric": "cost", "variant": "late"})
    shown = page().table(rows, ["variant"], names=["cost", "rate"])
    assert list(shown.columns) == ["variant", "Cost"] and shown.note.startswith("Not measured in this run: rate. ")
    assert not page().table(rows, ["variant"], names=["cost"]).note.startswith("Not measured")


def test_cells_of_one_metric_and_numbers_of_one_column_have_one_prefix():
    rows = estimates({"estimate": 794_033.0, "unit": "ops/s"}, {"variant": "late", "estimate": 13e6, "unit": "ops/s"})
    shown = page().table(rows, ["variant"], names=["cost"])
    assert [row[1] for row in shown.rows] == ["13 M ops/s", "0.794 M ops/s"]
    assert shown.titles[1][1].startswith("794,033"), "a number alone is in its own"
    words = page().words(pd.DataFrame({"a": ["x", "y"], "n": [794_033.0, 13e6]}))
    assert words.rows == [["x", "0.794 M"], ["y", "13 M"]]


def test_parameters_of_one_column_of_fits_have_one_prefix():
    found, timed = {"late": 900.0, "early": 5e4}, Kind("", {"a": ("a", "ns")})

    def fit(group):
        one = found[group["variant"].iloc[0]]
        return Fit("mean", {"a": Estimate(one, one / 2, 2 * one)}, "none", True, "Fits.", kind=timed)

    rows = [MEASURED | {"variant": name, "value": 1.0} for name in ("late", "early")]
    shown = page(rows).fits(pd.DataFrame(rows), ["variant"], fit, of=["cost"])
    assert [row[1] for row in shown.rows] == ["0.9 [0.45, 1.8] µs", "50 [25, 100] µs"]


def test_any_frame_is_said_in_the_words_of_all_numbers():
    frame = pd.DataFrame(
        {"variant": ["early", "other"], "place": ["a", 2.0], "x": [0.12345, float("nan")], "n": [1, 2]}
    )
    shown = page().words(frame, rests_on=estimates({}), note="A note.")
    assert shown.columns == ["variant", "place", "x", "n"] and shown.numeric == [False, False, True, True]
    assert shown.rows == [["Early", "a", "0.123", "1"], ["other", "2", "–", "2"]]
    assert shown.note == "A note." and shown.commands[0].startswith(f"{HEAD} --where metric=cost --where variant=early")
    assert page().words(frame).commands == []
    assert "No row." in page().words(frame[:0])._repr_html_(), "and not a head alone"


def test_the_index_of_a_frame_is_its_first_column_where_it_has_a_name():
    frame = pd.DataFrame({"variant": ["early"], "x": [1.5]}).set_index("variant")
    assert records(page().words(frame)) == [{"variant": "Early", "x": "1.5"}]
    wide = pd.DataFrame({("cost", "jdk17"): [2.0], ("cost", ""): [3.0]})
    assert records(page().words(wide)) == [{"cost, jdk17": "2", "cost": "3"}]


def test_a_fit_says_what_it_was_fitted_to():
    frame = rows("early").assign(block=[1, 1, 2, 3, 4, 5, 6], trial=list("abcdefg"), metric="cost", threads=2.0)
    shown = page().fits(frame, ["variant", "runtime", "threads"], mean)
    rests = "fit of cost: variant early, runtime jdk25, threads 2; 6 trials in 5 blocks"
    assert dict(zip(shown.columns, shown.titles[0], strict=True)) == {
        "variant": "",
        "runtime": "",
        "threads": "",
        "m": rests,
        "result": "",
    }
    assert shown.commands == [
        f"{HEAD} --where metric=cost --where variant=early --where runtime=jdk25 --where threads=2"
    ]


def test_a_fit_of_metrics_that_the_frame_does_not_name_is_told_them():
    frame = rows("early").assign(block=range(1, 8))
    shown = page().fits(frame, ["variant", "runtime"], mean, of=["cost", "steps"])
    assert "fit: metric cost / metric steps, variant early, runtime jdk25; 6 trials in 6 blocks" in shown.titles[0]
    assert shown.commands == [f"{HEAD} --where variant=early --where runtime=jdk25 --where metric=cost,steps"]
    for unknown in (
        page().fits(frame, ["variant", "runtime"], mean),
        page().fits(rows("early"), ["variant"], mean, of=["m"]),
    ):
        assert not any(any(row) for row in unknown.titles) and unknown.commands == []


def mean(group: pd.DataFrame) -> Fit:
    value = Estimate(group["value"].mean(), 1.0, float("inf"))
    return Fit("mean", {"m": value, "x": Estimate(float("nan"))}, "none", True, f"{len(group)} trials", {})


def rows(*variants: str) -> pd.DataFrame:
    found = [
        (name, "jdk25", 2, noisy, True, value)
        for name in variants
        for noisy, value in (*((False, value) for value in (1.0, 1.0, 2.0, 2.0, 3.0, 3.0)), (True, 100.0))
    ]
    return pd.DataFrame(found, columns=["variant", "runtime", "threads", "noisy", "steady", "value"])


def test_fits_use_the_quiet_trials_in_the_catalogues_order():
    shown = page().fits(rows("early", "late"), ["variant", "runtime"], mean)
    assert [row["variant"] for row in records(shown)] == ["Late", "Early"]
    assert {row["runtime"] for row in records(shown)} == {"JDK 25"}
    assert {row["result"] for row in records(shown)} == {"6 trials"} and shown.columns[-1] == "result"


def test_a_fit_tells_its_parameters_and_a_bound_that_there_is_not():
    (row,) = records(page().fits(rows("early"), ["variant", "runtime"], mean))
    assert row["m"] == "2 [1, unbounded]" and "x" not in row


def test_what_is_the_same_for_all_fits_of_a_model_stands_above_them():
    kind = Kind("m is the mean.", {"m": ("mean time", "ns")})

    def fit(group: pd.DataFrame) -> Fit:
        return replace(mean(group), kind=kind, short="high" if group["variant"].iloc[0] == "late" else "")

    shown = page().fits(rows("early", "late"), ["variant", "runtime"], fit)
    assert shown.above == "m is the mean."
    assert [(row["mean time"], row["result"]) for row in records(shown)] == [
        ("2 [1, unbounded] ns", "high"),
        ("2 [1, unbounded] ns", ""),
    ]


def test_what_a_model_refuses_is_said_in_its_row():
    def fussy(group):
        if group["variant"].iloc[0] == "late":
            raise LabError("too few values")
        return mean(group)

    shown = records(page().fits(rows("early", "late"), ["variant", "runtime"], fussy))
    assert [row["result"] for row in shown] == ["too few values.", "6 trials"]
    assert [row["m"] for row in shown] == ["", "2 [1, unbounded]"]


def test_littles_law_takes_its_columns_and_tells_those_that_are_metrics():
    frame = rows("early").drop(columns="value").assign(block=range(1, 8), cost=4.0, rate=5e8)
    (row,) = records(shown := page().little(frame, ["variant", "runtime"], "threads", "rate", "cost"))
    assert row["L / (λ W)"] == "1 [1, 1]" and row["result"] == "agree" and "within 10 %" in shown.above
    assert "fit of cost: variant early" in shown.titles[0][list(shown.columns).index("L / (λ W)")]
    (told,) = page().little(frame, ["variant", "runtime"], "threads", "rate", "cost", of=["x"]).commands
    assert told.endswith("--where metric=x --where variant=early --where runtime=jdk25")


def of_trials(*times: float | None, short: str = "undecided", took: float | None = 30.0) -> list[str]:
    """What a table says of fits to three trials each, one of `early` and one of `late` of `took` seconds each."""
    names = list(VARIANTS)[: len(times)]
    trials = [MEASURED | {"trial": f"{name}-{n}", "variant": name, "block": n} for name in names for n in (1, 2, 3)]
    shown = page(trials, [] if took is None else [line | {"took_s": took} for line in map(run_of, trials)])
    shown.lab.tables.trials["threads"] = 2.0
    frame = shown.lab.tables.trials[["trial", "variant", "block"]].set_index("trial")
    told = dict(zip(names, times, strict=True))
    fitted = shown.fits(
        frame,
        ["variant"],
        lambda own: Fit("m", {}, "", True, "Whole.", short=short, times_trials=told[own["variant"].iloc[0]]),
    )
    return [row["result"] for row in records(fitted)]


def run_of(row: dict) -> dict:
    """The journal's line of a trial."""
    return {
        "trial": row["trial"],
        "experiment": "toy",
        "axes": {"threads": 2},
        **{k: row[k] for k in ("variant", "runtime")},
    }


def test_an_undecided_fit_says_how_many_more_trials_and_minutes_would_decide_it():
    assert of_trials(5.0, None) == ["undecided; about 12 more trials (6 min) would decide", "undecided"]
    assert of_trials(1.01, 2.1) == [
        f"undecided; about {n} would decide" for n in ("1 more trial (1 min)", "4 more trials (2 min)")
    ]
    assert of_trials(5.0, short="undecided for 3 threads")[0].startswith(
        "undecided for 3 threads; about 12 more trials"
    )
    assert of_trials(5.0, took=None) == ["undecided; about 12 more trials would decide"]
    near = "undecided: too near the limit to tell with 20 times the trials"
    assert of_trials(21.0, math.inf) == [near, near]


def test_nothing_refused_is_a_sentence():
    assert page([{}]).unsupported().startswith("Nothing that was planned")


def test_what_was_refused_is_listed_once_with_its_reason():
    why = "; ".join(f"{part}: ring is not supported: it needs JDK 22" for part in ("lab", "peer"))
    refused = {"status": "unsupported", "variant": "late", "reason": why}
    shown = page([{}, refused, refused | {"trial": "b02"}]).unsupported()
    assert records(shown) == [{"variant": "Late", "runtime": "JDK 17", "reason": "it needs JDK 22"}]


def test_verdicts_are_shown_with_the_names_of_the_runtimes_and_what_they_rest_on():
    source = Source("level", ({"metric": "cost", "variant": "early"},), 5, 4)
    verdict = {"claim": "T01", "text": "t", "scope": "jdk17", "verdict": "reproduced", "reason": "r", "effect": 1.0}
    sources = [json.dumps([source.to_dict()] * 2), "[]"]
    shown = page(verdicts=pd.DataFrame([verdict | {"sources": one} for one in sources])).claims()
    said = {"claim": "T01", "text": "t", "scope": "JDK 17", "verdict": "reproduced", "reason": "r"}
    assert records(shown) == [said, said]
    rests = "level of cost: variant early; 5 trials in 4 blocks"
    assert list(shown.titles) == [["", "", "", "", f"{rests}; {rests}"], [""] * 5]
    assert shown.commands == ["lab claims --run r --experiments toy"] and shown.note == ""


def test_where_two_threads_ran_is_told_with_how_it_ended():
    two = {"cpus": "0,1", "apart": "one cache"}
    assert (
        page([two], [FINISHED])
        .how_it_ended()
        .endswith("Claims about two threads are judged by the nearest CPUs of this host: cores of one cache.")
    )
