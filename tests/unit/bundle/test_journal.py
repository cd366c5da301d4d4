"""The journal's lines: whatever is damaged in one is named with its line and field, and what is unknown is kept."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish_toy import noise, noise_on_cpus, trial

from pipeline.bundle import journal, journal_schema
from pipeline.ground import paths
from pipeline.ground.errors import LabError

PLANNED = {"event": "planned", "experiment": "toy", "overrides": {}, "configurations": 2, "left_out": ["a pair"]}
FINISHED = {"event": "finished", "experiment": "toy", "ended_by": "budget", "blocks": 3, "spent_s": 4.5}
CHANGED = {"event": "host_changed", "at": "2026-01-02", "changes": {"microcode": ["0x1", "0x2"]}}
TRIAL = trial(1, 1, axes={"threads": 2, "size": None, "mode": "x", "share": 0.5}, files={"raw/toy/x.hlog": "00"})
STATUSES = ("measured", "unsupported", "check_failed", "no_resources", "bad_argument", "crashed", "timeout")


def content(*lines: object) -> bytes:
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)


def refused(*lines: object) -> str:
    with pytest.raises(LabError) as caught:
        journal.parse(content(*lines), "r")
    message = str(caught.value)
    assert caught.value.status == 2 and "\n" not in message and message.startswith("run 'r': journal.jsonl line ")
    assert message.endswith("; restore the file")
    return message


def test_good_lines_are_kept_as_they_are():
    lines = [PLANNED, TRIAL, CHANGED, trial(2, 1), FINISHED]
    assert journal.parse(content(*lines), "r") == lines


@pytest.mark.parametrize("status", STATUSES)
def test_every_status_is_taken_and_documented(status):
    assert journal.parse(content(TRIAL | {"status": status}), "r")[0]["status"] == status
    assert set(journal_schema.STATUSES) == set(STATUSES)
    text = (paths.ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert set(re.search(r'"status": "([\w|]+)"', text)[1].split("|")) == set(STATUSES)


def test_a_file_belongs_to_the_part_whose_name_follows_the_trials():
    parts = {"parts": {"peer": {"command": ["{c}"], "exit": 0}}}
    line = journal.parse(content(TRIAL | parts | {"trial": "x=1.5-b01"}), "r")[0]
    files = {"peer.hlog": "peer", "peer.json": "peer", "hlog": "", "json": "", "peer.log": "", "jit.log": ""}
    assert {end: journal.part_of(line, f"raw/toy/x=1.5-b01.{end}") for end in files} == files
    assert journal.part_of(TRIAL, f"raw/toy/{TRIAL['trial']}.peer.hlog") == ""


def test_what_may_be_missing_of_a_trial():
    short = {key: value for key, value in TRIAL.items() if key not in ("noise", "files", "took_s", "command")}
    assert journal.parse(content(short, short | {"noise": None}), "r")[0] == short
    old = TRIAL | {"noise": noise() | {"noisy": True, "reasons": ["steal 2.0 %"]}}
    assert journal.parse(content(old), "r") == [old]


@pytest.mark.parametrize(
    "name",
    ["trial", "experiment", "variant", "runtime", "axes", "block", "order", "attempt", "status", "reason", "wall_s"],
)
def test_a_trial_that_lacks_something_is_named_with_it(name):
    line = {key: value for key, value in TRIAL.items() if key != name}
    message = refused(PLANNED, line)
    assert "line 2 is damaged" in message
    assert name == "trial" or f"({name}: Field required)" in message


WRONG = {
    "trial": (1, None, ["x"]),
    "experiment": (1, None),
    "variant": (2.5, None),
    "runtime": ({}, None),
    "axes": (None, [], "threads", {"threads": [1]}, {"threads": {}}),
    "block": ("1", 1.5, None, True, []),
    "order": ("1", None, False),
    "attempt": ("0", None, 0.5),
    "status": ("done", "", None, 0, ["measured"]),
    "reason": (None, 5, []),
    "wall_s": ("1", None, []),
    "took_s": ("1", None),
    "noise": ([], "quiet", 1, {}),
    "files": (None, [], {"x": 1}),
    "parts": (None, [], {"peer": {"command": ["{c}"]}}, {"peer": {"command": "{c}", "exit": 0}}, {"peer": {}}),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_value_in_a_trial_is_named_with_its_field(name, value):
    assert re.search(rf"line 3 is damaged \({name}[.:]", refused(PLANNED, TRIAL, TRIAL | {name: value}, FINISHED))


@pytest.mark.parametrize("name", noise_on_cpus())
@pytest.mark.parametrize("value", ["1", None, [], True])
def test_a_wrong_fact_about_the_noise_is_named_with_its_field(name, value):
    assert f"line 1 is damaged (noise.{name}: " in refused(TRIAL | {"noise": noise() | {name: value}})


def test_the_facts_about_noise_and_the_events_are_those_that_are_documented():
    text = (paths.ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    facts = re.search(r'"noise": \{([^}]*)\}', text)[1]
    assert re.findall(r'"(\w+)"', facts) == list(noise_on_cpus()) == list(journal_schema.NOISE)
    assert set(re.findall(r'\{"event": "(\w+)"', text)) == set(journal_schema.EVENTS)


@pytest.mark.parametrize("name", [name for name in noise() if not name.startswith("foreign")])
def test_a_missing_fact_about_the_noise_is_named(name):
    facts = {key: value for key, value in noise().items() if key != name}
    assert f"(noise.{name}: Field required)" in refused(TRIAL | {"noise": facts})


def test_a_run_from_before_foreign_cpu_was_recorded_is_read():
    facts = {key: value for key, value in noise().items() if not key.startswith("foreign")}
    assert journal.parse(content(TRIAL | {"noise": facts}), "r")


def test_who_used_the_cpu_when_measuring_began_is_told():
    busy = {
        "event": "host_busy",
        "at": "2026-02-03T04:05:06+00:00",
        "pct": 52.4,
        "processes": [{"name": "java", "pid": 4711, "pct": 98.2}, {"name": "cc1", "pid": 9, "pct": 5.0}],
    }
    assert journal.busy(journal.parse(content(PLANNED, busy), "r")) == [
        "When measuring began (2026-02-03 04:05), other processes used 52 % of all CPUs: "
        "java (pid 4711) 98 %, cc1 (pid 9) 5 % of one CPU."
    ]
    assert "line 1 is damaged (processes.0.pid:" in refused(busy | {"processes": [{"name": "a", "pid": "b", "pct": 1}]})


def test_a_floor_of_nothing_is_no_fact():
    for floor in (0.0, -1.0):
        assert "noise.floor_before_ns" in refused(TRIAL | {"noise": noise(floor_before_ns=floor)})
    for name in ("steal_pct", "floor_after_ns"):
        assert f"noise.{name}" in refused(TRIAL | {"noise": noise(**{name: float("nan")})})


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (PLANNED | {"overrides": []}, "overrides"),
        (PLANNED | {"configurations": "2"}, "configurations"),
        (PLANNED | {"left_out": "a pair"}, "left_out"),
        (PLANNED | {"left_out": [1]}, "left_out.0"),
        (PLANNED | {"experiment": None}, "experiment"),
        (FINISHED | {"ended_by": "whim"}, "ended_by"),
        (FINISHED | {"blocks": 2.5}, "blocks"),
        (FINISHED | {"spent_s": "4"}, "spent_s"),
        (FINISHED | {"experiment": 7}, "experiment"),
        (CHANGED | {"changes": []}, "changes"),
        (CHANGED | {"changes": {"microcode": "0x2"}}, "changes.microcode"),
        (CHANGED | {"changes": {"microcode": [1, 2]}}, "changes.microcode.0"),
        (CHANGED | {"changes": {"microcode": ["0x2"]}}, "changes.microcode"),
        ({"event": "finished", "experiment": "toy"}, "ended_by"),
    ],
)
def test_a_wrong_event_is_named_with_its_field(line, field):
    assert f"line 1 is damaged ({field}: " in refused(line)


@pytest.mark.parametrize(
    "line",
    [
        b"garbage",
        b"",
        b"[1, 2]",
        b"3",
        b"null",
        b'"trial"',
        b'["trial"]',
        b'{"a": 1}',
        b'{"event": 3}',
        b'{"event": ["planned"]}',
        b'{"event": {}}',
        b"\xff\xfe",
        b'{"trial": "x"',
        b"[" * 100_000,
    ],
)
def test_what_is_no_line_is_named_with_its_number(line):
    assert "line 2 is damaged" in refused(PLANNED, line, FINISHED)


def test_a_last_line_cut_short_counts_as_not_written():
    whole = content(PLANNED, TRIAL)
    assert journal.parse(whole + b'{"trial": "plain-c', "r") == journal.parse(whole, "r") == [PLANNED, TRIAL]
    assert journal.parse(b"", "r") == journal.parse(b'{"tri', "r") == []


def test_events_and_fields_of_a_later_version_are_kept():
    later = {"event": "paused", "experiment": "toy", "why": {"any": ["thing"]}}
    more = TRIAL | {"energy_j": 3.5}
    lines = journal.parse(content(later, more), "r")
    assert lines == [later, more] and journal.trials(lines) == [more] and journal.finished(lines, "toy") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_a_damaged_name_does_not_break_the_line_that_tells_of_it():
    with pytest.raises(LabError, match=r"line 1 is damaged \(changes\.\\n\\x1b"):
        journal.parse(content(CHANGED | {"changes": {"\n\x1b[2J": None}}), "r")


@given(st.sampled_from([TRIAL, PLANNED, FINISHED, CHANGED]), st.data())
def test_any_damage_to_a_field_is_a_clear_line_or_a_line_that_can_be_used(line, data):
    name = data.draw(st.sampled_from([*line, *TRIAL["noise"]]))
    value = data.draw(JSON)
    changed = line | {name: value} if name in line else line | {"noise": noise() | {name: value}}
    try:
        lines = journal.parse(content(changed), "r")
    except LabError as error:
        assert "line 1 is damaged" in str(error) and "\n" not in str(error)
        return
    assert len(journal.trials(lines)) == ("trial" in changed)
    journal.experiments(lines)
    journal.finished(lines, "toy"), journal.planned(lines, "toy"), journal.host_changes(lines)


def test_the_questions_that_are_asked_of_lines():
    other = trial(3, 2, experiment="other")
    lines = [PLANNED, TRIAL, CHANGED, other, FINISHED]
    assert journal.of(lines, "toy") == [PLANNED, TRIAL, FINISHED]
    assert journal.trials(lines) == [TRIAL, other] and journal.trials(lines, "other") == [other]
    assert journal.experiments(lines) == {"toy", "other"}
    assert journal.planned(lines, "toy") == PLANNED and journal.planned(lines, "other") is None
    assert journal.finished(lines, "toy") == FINISHED and journal.finished(lines, "other") is None
    assert journal.host_changes(lines) == [CHANGED]


def test_a_host_that_changed_is_told_in_a_sentence_each():
    later = CHANGED | {"at": "2026-05-06T07:08:09+00:00", "changes": {"build of jdk17": ["17.0.1", "17.0.2"]}}
    changes = {"frequency governor": ["powersave", "performance"], "microcode": ["1", "2"]}
    first = CHANGED | {"at": "2026-02-03T04:05:06+00:00", "changes": changes}
    assert journal.told([PLANNED, first, TRIAL, later]) == [
        "The host changed while this run was paused (2026-02-03): frequency governor from powersave to performance; "
        "microcode from 1 to 2.",
        "The host changed while this run was paused (2026-05-06): build of jdk17 from 17.0.1 to 17.0.2.",
    ]
    assert journal.told([PLANNED, TRIAL]) == journal.told([]) == []
