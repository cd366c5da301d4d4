"""Where a sentence of a session ends, begins or falls away: at the edges of lengths, counts and selections."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.analyse.source import Source
from pipeline.bundle import journal
from pipeline.draw.figure import BRIEF
from pipeline.ground import paths
from pipeline.session import completion, figures
from pipeline.session.completion import how_it_ended
from pipeline.session.figure_summary import about, brief
from pipeline.session.figures import TitledFigure
from pipeline.session.session import Session
from pipeline.session.under_load import LOADS, UnderLoad

EMPTY = pd.DataFrame()


def lab(trials: list[dict], **frames) -> Session:
    """A session of the metric cost."""
    session = Session.__new__(Session)
    session.entry, session.tables = entry({"cost": {"kind": "cost", "series": "t*"}}), tables(trials, **frames)
    info = {"seed": 1, "host": {"cpu": {"cpus": 2}}, "profile": "quick"}
    session.bundle = SimpleNamespace(name="r", info=info, journal=lambda: [])
    return session


# --- a figure in few words --------------------------------------------------------------------------------------------


def test_a_brief_is_as_long_as_it_may_be():
    title = "T" * 10
    head = f"{title}. A."
    room = BRIEF - len(head) - 1
    assert brief(title, "A.", [["x" * room]]) == f"{head} {'x' * room}", "exactly as long"
    assert brief(title, "A.", [["x" * (room + 1), "short"]]) == f"{head} short"
    assert brief(title, "A.", [["x" * (room + 1)]]) == head
    assert brief("T" * (BRIEF - len(". A.")), "A.", []) == "T" * (BRIEF - len(". A.")) + ". A."
    assert brief("T" * (BRIEF - len(". A.") + 1), "A.", []) == ""


def test_of_numbers_without_room_for_the_first_nothing_is_said():
    assert brief("T", f"A. {'x' * BRIEF}; b: 1.", []) == "T. A."
    assert brief("T", f"A. a: 1; {'x' * BRIEF}; b: 1.", []) == "T. A. a: 1; …"


def test_what_a_figure_without_numbers_says_beside_its_words():
    session = lab([{"trial": "t1"}, {"trial": "t2"}, {"trial": "t3"}])
    drawn = SimpleNamespace(data=pd.DataFrame({"trial": ["t1", "t1", "t2"]}), alt="A line. a: 1 ns; b: 2 ns; nothing.")
    told = about(session, drawn, None, [["whole.", "short."]])
    assert (told["found"], told["rests_on"]) == (["whole."], "2 trials")
    assert told["table"] == {"columns": ["", "Values"], "rows": [["a", "1 ns"], ["b", "2 ns"]], "more": 0}
    assert about(session, SimpleNamespace(data=EMPTY, alt=""), EMPTY, [])["rests_on"] == "an experiment of 3 trials"
    numbers = pd.DataFrame({"rests_on": [Source("ratio", (), 4, 2)], "trials": [4], "label": ["a, C"]})
    numbers = numbers.assign(estimate=2.0, low=1.0, high=3.0, level=0.95)
    assert about(session, SimpleNamespace(data=EMPTY, alt=""), numbers, [])["rests_on"] == "an experiment of 3 trials"


def test_what_is_swept_was_measured_at_more_than_half_of_the_values():
    at = {"fast": (1, 2, 4, 8), "slow": (1, 2), "native": (1, 2, 4)}
    session = lab([{"variant": variant, "threads": n} for variant, threads in at.items() for n in threads])
    assert session.swept("threads") == ["fast", "native"]
    assert session.along("threads", {"threads": 2, "size": 3}) == {"variant": ["fast", "native"], "size": 3}


# --- captions ---------------------------------------------------------------------------------------------------------


def test_only_the_metric_that_is_drawn_is_beyond_the_cpus(monkeypatch):
    monkeypatch.setattr(figures, "scaling_curve", lambda *_, **__: None)
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, numbers, marks: marks)
    known = SimpleNamespace(
        metrics={"cost": None, "rate": None, "another": None}, axes={}, parameters={}, imported=False
    )
    session = SimpleNamespace(labels=dict, cpus=2, steps=[], seed=1, entry=known, derived=set())
    rows = pd.DataFrame({"metric": ["another", "cost", "rate"], "value": 1.0, "threads": [8, 2, 8]})
    assert "Shaded" not in TitledFigure(session, "T", "C").scaling("n", "cost", "ns", (rows, EMPTY))
    assert "Shaded" in TitledFigure(session, "T", "C").scaling("n", "cost", "ns", (rows.assign(threads=3), EMPTY))


def test_panels_by_runtime_are_headed_as_runtimes_are_called(monkeypatch):
    monkeypatch.setattr(figures, "stacked", lambda rows, **how: how)
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, marks: figure)
    rows, titled = pd.DataFrame({"runtime": ["jdk17", "c"]}), TitledFigure(SimpleNamespace(), "T", "C")
    assert titled.stacked("n", "ns", rows, panels="runtime")["headings"] == {"c": "C", "jdk17": "JDK 17"}
    assert "headings" not in titled.stacked("n", "ns", rows, panels="work")


# --- published numbers ------------------------------------------------------------------------------------------------


def test_published_numbers_are_read_once_and_only_those_of_the_entry(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "published", lambda: tmp_path)
    for name, value in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.csv").write_text(f"variant,value\nx,{value}\n")
    session = lab([{}])
    session.entry = replace(session.entry, published={"a.csv": {"x": "fast"}})
    assert {name: table["value"].tolist() for name, table in session.published.items()} == {"a.csv": [1]}
    (tmp_path / "a.csv").unlink()
    assert session.published["a.csv"]["value"].tolist() == [1]


# --- how it ended -----------------------------------------------------------------------------------------------------


def test_how_the_measuring_ended_counts_what_was_measured_and_what_failed():
    rows = [{"trial": f"t{n}", "block": n % 2} for n in range(4)]
    rows += [{"trial": "f1", "status": "failed", "reason": "no room"}, {"trial": "f2", "status": "timeout"}]
    rows += [{"trial": "u", "status": "unsupported", "reason": "no such call"}]
    session = lab(rows, iterations=[row for n in range(4) for row in costs_to_iterations(f"t{n}", [5.0])])
    finished = {"event": "finished", "experiment": "example", "ended_by": "budget", "blocks": 2, "spent_s": 1.0}
    session.bundle.journal = lambda: [finished]
    told = how_it_ended(session)
    assert told.startswith("Measuring ended because the time budget was spent. 4 trials in 2 blocks, none noisy.")
    assert "2 trials failed: f1: no room." in told and "no such call" not in told
    assert journal.MEASURED == "measured", "the status that is none of a failure"


def test_what_is_not_shown_is_told_by_reason_in_one_order():
    session = lab([{}])
    rows = [("longer", 1, 3), ("earlier", 2, 3), ("longer", 2, 4)]
    session.withheld = pd.DataFrame(rows, columns=["why", "trials", "of"]).assign(metric="cost")
    first, second = completion._not_shown(session)
    assert first == "Not shown because earlier: cost (2 of 3 trials)."
    assert second == "Not shown because longer: cost (3 of 7 trials)."


def test_what_the_same_trials_do_not_show_is_told_together():
    session = lab([{}])
    session.entry = entry({"cost": {"kind": "measure", "name": "a"}, "rate": {"kind": "measure", "name": "b"}})
    rows = [("late", "cost", 2, 3), ("late", "rate", 2, 3)]
    session.withheld = pd.DataFrame(rows, columns=["why", "metric", "trials", "of"])
    assert completion._not_shown(session) == ["Not shown because late: cost; rate (2 of 3 trials)."]


# --- loads ------------------------------------------------------------------------------------------------------------


def test_predictions_reach_to_the_load_asked_for(monkeypatch):
    asked = []
    found = pd.DataFrame({"load": [1.0]})
    monkeypatch.setattr("pipeline.analyse.resampled.curves", lambda *_, at: asked.append(at) or found)
    monkeypatch.setattr(UnderLoad, "services", None)
    monkeypatch.setattr(UnderLoad, "trials", lambda self, **_: found)
    under = UnderLoad(SimpleNamespace())
    under.lines()
    under.lines(to=20)
    assert asked == [list(LOADS), [5, 10, 20]] and sorted(LOADS) == list(LOADS) and 0 < LOADS[0] and LOADS[-1] < 100


def test_what_runs_as_fast_as_it_can_is_at_no_load():
    session = SimpleNamespace(chosen_trials=lambda **_: pd.DataFrame({"load": [0, 10, 80]}))
    assert UnderLoad(session).trials()["load"].tolist() == [10, 80]
