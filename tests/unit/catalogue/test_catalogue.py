"""Reading the catalogue: selectors, and a clear line for every malformed entry."""

from __future__ import annotations

import pytest
from laboratory import TINY

from pipeline.catalogue import catalogue, selectors
from pipeline.ground.errors import LabError


@pytest.mark.parametrize(
    ("selector", "runtime", "fits"),
    [
        ("jdk", "jdk17", True),
        ("jdk17", "jdk17-2", True),
        ("jdk17", "jdk25", False),
        ("jdk>=22", "jdk25", True),
        ("jdk<18", "jdk25", False),
        ("jdk", "c", False),
        ("c", "c", True),
        ("c", "jdk17", False),
    ],
)
def test_selectors(selector, runtime, fits):
    assert selectors.matches(selector, runtime) is fits


HARNESS = "variants.ticket.harness: Input should be 'java', 'c', 'fio', 'own' or 'command'"
UNKNOWN_VARIANT = "profiles.smoke.sweeps.0.variants.1: sweep names the unknown variant 'tocket'"
REFUSAL = "{{metrics: [{}], metric: {}, above: 1, why: x}}"
WRONG_TYPE = "profiles.smoke.sweeps.0.axes.threads: axis threads: {} is not of type int"


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (("harness: c, runs: ticket", "harness: rust, runs: ticket"), 12, HARNESS),
        (("axes: {threads: int}", "axes: {threads: int}\nsheep: 1"), 9, "sheep: Extra inputs are not permitted"),
        (("variants: [mutex, ticket]", "variants: [mutex, tocket]"), 19, UNKNOWN_VARIANT),
        (
            ("number: 1", "number: one"),
            3,
            "number: Input should be a valid integer, unable to parse string as an integer",
        ),
        (("title: Tiny\n", ""), 1, "title: Field required"),
        (("threads: [1, 2]", "threads: [1, two]"), 19, WRONG_TYPE.format("'two'")),
        (("threads: [1, 2]", "threads: [1, true]"), 19, WRONG_TYPE.format("True")),
        (("axes: {threads: [1, 2]}", "axes: {sheep: [1]}"), 19, "profiles.smoke.sweeps.0.axes.sheep: sweep names the "),
        (("min_blocks: 2", "min_blocks: 20"), 14, "profiles.smoke: min_blocks 20 is more than max_blocks 2"),
        (("  full: *sizes\n", ""), 13, "profiles: profile full is missing"),
        (("headlines:", "steady_by: [cost, cots]\nheadlines:"), 24, "steady_by.1: unknown metric 'cots'"),
        (
            ("headlines:", f"refusals: [{REFUSAL.format('cost', 'cots')}]\nheadlines:"),
            24,
            "refusals.0.metric: unknown ",
        ),
        (
            ("headlines:", f"refusals: [{REFUSAL.format('cots', 'cost')}]\nheadlines:"),
            24,
            "refusals.0.metrics: 'cots' is",
        ),
        (
            ("headlines:", f"refusals: [{REFUSAL.format('cost', 'cost')}]\nheadlines:"),
            24,
            "refusals.0.metric: 'cost' is ",
        ),
        (
            ("headlines:", "threads_by: {hands: count}\nheadlines:"),
            24,
            "threads_by.hands: 'hands' is no parameter of the entry",
        ),
        (
            ("parameters: {sample", "threads_by: {threads: {'1': 1}}\nparameters: {threads: 1, sample"),
            20,
            "profiles.smoke.sweeps.0.axes.threads: axis threads: threads_by does not say how many threads 2 has",
        ),
        (
            ("headlines:", "  twice: {kind: product, of: [cots], unit: ns, label: Twice}\nheadlines:"),
            24,
            "metrics.twice.of.0: 'cots' is no metric that is not itself made of others",
        ),
        (
            ("headlines:", "  twice: {kind: product, unit: ns, label: Twice}\nheadlines:"),
            24,
            "metrics.twice: kind product needs `of`",
        ),
        (
            ("headlines:", "  each: {kind: cost, scale_by: size, unit: ns, label: Each}\nheadlines:"),
            24,
            "metrics.each.scale_by: 'size' is not an axis",
        ),
        (("metric: cost", "metric: cots"), 24, "headlines.0.metric: headline names the unknown metric 'cots'"),
        (
            ("label: ticket, harness: c", "label: ticket, runtimes: [jkd], harness: c"),
            12,
            "variants.ticket: runtime selector",
        ),
        (
            ("harness: c, runs: ticket", "harness: java, runs: ticket, flags: {jdk<18: [-Xint, '-Da={thraeds}']}"),
            12,
            "variants.ticket.flags.jdk<18.1: -Da={thraeds}: 'thraeds' is no parameter or axis of its configurations in",
        ),
        (
            ("axes: {threads: int}", "axes: {threads: int, level: int}"),
            8,
            "axes.level: 'level' is a column of every table; give the axis another name",
        ),
    ],
)
def test_a_malformed_entry_is_one_line_that_names_line_and_key(lab, change, line, said):
    file = lab / "catalogue" / "lock_scaling.yaml"
    assert change[0] in TINY
    file.write_text(TINY.replace(*change))
    with pytest.raises(LabError) as caught:
        catalogue.load.__wrapped__()
    told = str(caught.value)
    assert told.startswith(f"lock_scaling.yaml:{line}: {said}") and told.endswith("; correct the catalogue entry")
    assert "\n" not in told


PAUSES = "where: {kind: safepoint_gc}"


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("kind: percentile", "kind percentile needs `percentile`"),
        ("kind: typical_percentile", "kind typical_percentile needs `percentile`"),
        ("kind: corrected", "kind corrected needs `percentile`"),
        ("kind: greatest", "kind greatest needs `samples`"),
        ("kind: measure", "kind measure needs `name`"),
        ("kind: measure_ratio, name: x", "kind measure_ratio needs `per`"),
        ("kind: measure_ratio, per: x", "kind measure_ratio needs `name`"),
        ("kind: difference", "kind difference needs `of`"),
        ("kind: difference, of: [cost]", "`of` names 1 metrics; a difference is of two"),
        ("kind: cost, of: [cost]", "kind cost has no `of`, which names what a product or difference or quotient is of"),
        ("kind: events", "kind events needs `where`"),
        ("kind: before_event", "kind before_event needs `where`"),
        ("kind: event_total", "kind event_total needs `where`"),
        ("kind: event_percentile, percentile: 50", "kind event_percentile needs `where`"),
        (f"kind: event_percentile, {PAUSES}", "kind event_percentile needs `percentile`"),
        (f"kind: event_total, per: seconds, {PAUSES}", "`per` of kind event_total is watched_ns or nothing, not 'sec"),
        ("kind: percentile, percentile: 50, fewest: 30", "`fewest` is of kind event_percentile, not of percentile"),
        ("kind: percentile, percentile: 100", "percentile 100 is of events only; the greatest of a histogram is the"),
        ("kind: cost, timed: true", "`timed` is of kind events, not of cost"),
        (f"kind: events, phase: warmup, {PAUSES}", "a `phase` of kind events needs `timed`"),
        ("kind: events, where: {method: a}", "`where` selects events, and needs their `kind`"),
        ("kind: cost, undisturbed: {method: a}", "`undisturbed` selects events, and needs their `kind`"),
        ("kind: events, where: {kind: 'a('}", "`where`: kind 'a(' is no regular expression: missing ), unterminated"),
    ],
)
def test_what_a_kind_of_metric_needs_is_told_when_the_entry_is_loaded(lab, declared, said):
    metric = f"  m: {{{declared}, unit: ns, label: M}}\nheadlines:"
    (lab / "catalogue" / "lock_scaling.yaml").write_text(TINY.replace("headlines:", metric))
    with pytest.raises(LabError) as caught:
        catalogue.load.__wrapped__()
    assert str(caught.value).startswith(f"lock_scaling.yaml:24: metrics.m: {said}") and "\n" not in str(caught.value)


def test_a_metric_with_what_its_kind_needs_is_taken(lab):
    declared = (
        f"  p0: {{kind: percentile, percentile: 0, unit: ns, label: A}}\n"
        f"  longest: {{kind: event_percentile, percentile: 100, {PAUSES}, unit: ns, label: B}}\n"
        f"  share: {{kind: event_total, per: watched_ns, {PAUSES}, unit: '1', label: C}}\n"
        f"  excess: {{kind: difference, of: [p0, longest], unit: ns, label: D}}\nheadlines:"
    )
    (lab / "catalogue" / "lock_scaling.yaml").write_text(TINY.replace("headlines:", declared))
    assert list(catalogue.load.__wrapped__()["lock_scaling"].metrics) == ["cost", "p0", "longest", "share", "excess"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            ("name: lock_scaling", "name: other"),
            "lock_scaling.yaml: name is 'other'; the file must be called other.yaml",
        ),
        (("title: Tiny", "title: [Tiny"), "lock_scaling.yaml:5: not readable as YAML"),
        (
            ("title: Tiny", "title: Tiny\ntitle: Other"),
            "lock_scaling.yaml:5: not readable as YAML (key 'title' appears",
        ),
        (("  ticket: {label", "  mutex: {label"), "lock_scaling.yaml:12: not readable as YAML (key 'mutex' appears"),
        (("profiles:", "\tprofiles:"), "lock_scaling.yaml:13: not readable as YAML"),
    ],
)
def test_what_cannot_be_read_names_its_line(lab, change, told):
    assert change[0] in TINY
    (lab / "catalogue" / "lock_scaling.yaml").write_text(TINY.replace(*change))
    with pytest.raises(LabError) as caught:
        catalogue.load.__wrapped__()
    assert str(caught.value).startswith(told) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "no mapping"), (b"- a\n", "no mapping"), (b"\xff\xfe", "not UTF-8"), (b"\x00", "YAML")]
)
@pytest.mark.parametrize("name", ["lock_scaling.yaml", "claims/lock_scaling.yaml"])
def test_a_file_that_is_no_entry_is_one_line(lab, name, content, words):
    (lab / "catalogue" / "claims").mkdir()
    (lab / "catalogue" / name).write_bytes(content)
    with pytest.raises(LabError, match=f"^{name}: .*{words}.*; ") as caught:
        catalogue.load.__wrapped__()
    assert "\n" not in str(caught.value)


def test_an_empty_catalogue_is_named(tmp_path):
    with pytest.raises(LabError, match=f"no catalogue entry .*{tmp_path}.*LAB_CATALOGUE"):
        catalogue.load.__wrapped__(tmp_path)


PEER = "harness: c, runs: ticket, beside: {peer: {harness: c, runs: mcs%s}}"
OWN_FLAGS = "harness: java, runs: x, beside: {peer: {harness: java, runs: y, flags: {jdk: ['-Da={thraeds}']}}}"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (PEER % ", sheep: 1", "variants.ticket.beside.peer.sheep: Extra inputs are not permitted"),
        (PEER.replace("c, runs: mcs", "fio, runs: mcs") % "", "variants.ticket.beside.peer.harness: Input should be "),
        (PEER % ", placement: spread", "variants.ticket.beside.peer.placement: Input should be 'next' or 'free'"),
        (PEER % ", flags: {jdk: [-Xint]}", "variants.ticket.beside.peer: flags are a JVM's; a part of harness c has"),
        (PEER % ", parameters: {warmup: 1}", "variants.ticket.beside.peer: parameter 'warmup' is the same for all"),
        (PEER % ", parameters: {placement: free}", "variants.ticket.beside.peer: 'placement' is no parameter of a"),
        (PEER.replace("peer", "p.q") % "", "variants.ticket.beside.p.q: part 'p.q': its name is not a word of small"),
        (PEER.replace("c, runs: ticket", "fio, runs: x") % "", "variants.ticket.beside.peer: a variant of harness fio"),
        (
            PEER.replace("c, runs: mcs", "java, runs: x") % "",
            "variants.ticket.beside.peer: a part of harness java runs",
        ),
        (OWN_FLAGS, "variants.ticket.beside.peer.flags.jdk.0: -Da={thraeds}: 'thraeds' is no parameter or axis"),
        (
            OWN_FLAGS.replace("['-Da={thraeds}']", "[-Xint], sheep: []"),
            "variants.ticket.beside.peer: runtime selector 'sheep' is not",
        ),
    ],
)
def test_a_malformed_part_is_one_line_that_names_it(lab, changed, said):
    (lab / "catalogue" / "lock_scaling.yaml").write_text(TINY.replace("harness: c, runs: ticket", changed))
    with pytest.raises(LabError) as caught:
        catalogue.load.__wrapped__()
    assert str(caught.value).startswith(f"lock_scaling.yaml:12: {said}") and "\n" not in str(caught.value)


def test_placeholders_may_name_axes_and_parameters_of_every_level(lab):
    flags = "['-Da={threads}{sample_every}{iteration_ms}{own}{swept}']"
    changed = f"harness: java, runs: ticket, parameters: {{own: 1}}, flags: {{jdk: {flags}}}"
    text = TINY.replace("harness: c, runs: ticket", changed)
    text = text.replace("axes: {threads: [1", "parameters: {swept: 1}, axes: {threads: [1")
    (lab / "catalogue" / "lock_scaling.yaml").write_text(text)
    assert catalogue.load.__wrapped__()["lock_scaling"].variants["ticket"].flags["jdk"][0].endswith("{swept}")


def test_values_may_be_relative_to_the_cpus_of_a_host():
    relative = ("cpus", "12*cpus", "0*cpus", "spread", 5)
    assert [selectors.absolute(value, 3) for value in relative] == [3, 36, "0*cpus", "spread", 5]
    with pytest.raises(LabError, match="'2\\*cpus' is relative to the CPUs of a host, and none is given"):
        selectors.absolute("2*cpus", None)
