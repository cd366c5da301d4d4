"""What a plan leaves out on this host is told wherever somebody may look for it."""

from __future__ import annotations

import json

import pytest
from laboratory import TINY
from typer.testing import CliRunner

from pipeline.bundle import journal
from pipeline.catalogue import catalogue
from pipeline.commands.cli import app
from pipeline.host import cpus
from pipeline.session.display import Display
from pipeline.session.session import Session


def test_what_is_left_out_is_told_by_plan_measure_journal_and_page(lab, monkeypatch):
    real = cpus.usable()
    if len(real) < 2:
        pytest.skip("needs two CPUs")
    text = TINY.replace("axes: {threads: int}", "axes: {threads: int, placement: str}")
    text = text.replace("axes: {threads: [1, 2]}", "axes: {threads: [2], placement: ['pairs<=2']}")
    (lab / "catalogue" / "lock_scaling.yaml").write_text(text)
    catalogue.load.cache_clear()
    monkeypatch.setattr(cpus, "usable", lambda: [*real[:2], real[1] + 1])
    monkeypatch.setattr(cpus, "siblings", lambda cpu: [])
    sentence = f"Of the 6 ordered pairs of CPUs 2 are taken: CPU {real[0]} with 1 of the 2 others"
    plain, as_json = (CliRunner().invoke(app, ["plan", "--profile", "smoke", *more]) for more in ([], ["--json"]))
    assert sentence in plain.stdout and sentence in as_json.stderr and len(json.loads(as_json.stdout)) == 4
    told = CliRunner().invoke(app, ["measure", "--run", "r", "--profile", "smoke"])
    assert told.exit_code == 0, told.exception
    assert sentence in told.stdout
    session = Session("lock_scaling", "r", "smoke", measuring=False)
    assert [sentence in one for one in session.left_out] == [True]
    assert sentence in Display(session).how_it_ended()
    assert journal.planned(session.bundle.journal(), "lock_scaling")["left_out"] == session.left_out


def test_a_plan_tells_every_axis_that_has_a_value(lab):
    text = TINY.replace("axes: {threads: int}", "axes: {threads: int, window: int, log: int}")
    text = text.replace("axes: {threads: [1, 2]}", "axes: {threads: [1], window: [0]}")
    (lab / "catalogue" / "lock_scaling.yaml").write_text(text)
    catalogue.load.cache_clear()
    told = CliRunner().invoke(app, ["plan", "--profile", "smoke"])
    assert told.stdout.splitlines()[0] == "lock_scaling  mutex  c  threads=1 window=0", told.exception


def test_only_what_is_asked_for_is_listed_and_measured(lab):
    asked = ["--profile", "smoke", "--where", "variant=ticket", "--where", "threads=1"]
    listed = CliRunner().invoke(app, ["plan", *asked])
    assert listed.stdout.splitlines()[0] == "lock_scaling  ticket  c  threads=1", listed.exception
    assert "1 configuration, " in listed.stdout
    done = CliRunner().invoke(app, ["measure", "--run", "r", *asked])
    assert done.exit_code == 0, done.exception
    session = Session("lock_scaling", "r", "smoke", measuring=False)
    kinds = session.tables.measured[["variant", "threads"]].drop_duplicates()
    assert kinds.to_numpy().tolist() == [["ticket", 1]]
    more = CliRunner().invoke(app, ["measure", "--run", "r", "--profile", "smoke"])
    assert "choose another RUN" in str(more.exception)
