"""Claims of the catalogue: whatever is wrong in one is told when it is loaded, with file, line and the path to it."""

from __future__ import annotations

import textwrap
from dataclasses import fields

import pytest
from claim_rules import effect
from hypothesis import given
from hypothesis import strategies as st

from pipeline.catalogue import catalogue, claims, claims_page
from pipeline.ground import paths
from pipeline.ground.errors import LabError

# Line 1 is the claim, line 2 `effects:`, and line 3 begins the first effect.
RATIO = """
    - kind: ratio
      metric: cost
      where: {threads: 2}
      of: {variant: mutex}
      to: {variant: ticket}
      reproduced: {low: 4}
      not_reproduced: {below: 2}
"""
SLOPE = """
    - kind: slope
      metric: cost
      of: {variant: mutex}
      by: threads
      reproduced: {above: 0}
"""
RANK = """
    - kind: rank
      metric: cost
      subject: mutex
      rivals: [ticket]
      against: best
      over: [{threads: 1}, {threads: 2}]
      reproduced: {above: 1}
"""
GROWTH = """
    - kind: growth
      metric: cost
      of: {variant: mutex}
      to: {variant: ticket}
      over: [{threads: 1}, {threads: 2}]
      reproduced: {above: 1}
"""
SPREAD = """
    - kind: spread
      metric: cost
      over: [{variant: mutex, threads: 1}, {variant: ticket, threads: 1}]
      reproduced: {low: 1}
"""
FACT = """
    - kind: fact
      of: {variant: mutex}
      name: vm.flag
      equals: x
      reproduced: {low: 1}
"""
ANY = """
    - kind: any
      effects:
        - kind: any
          effects:
            - kind: level
              metric: cost
              of: {variant: mutex, threads: 1}
              reproduced: {low: 1}
"""
KINDS = "'level', 'ratio', 'difference', 'slope', 'spread', 'steps', 'jump', 'growth', 'rank', 'fact', 'any'"


def load(lab, effects: str, head: str = "T1:\n  effects:"):
    """The claim T1 of the laboratory's only experiment."""
    (lab / "catalogue" / "claims").mkdir(exist_ok=True)
    (lab / "catalogue" / "claims" / "lock_scaling.yaml").write_text(head + effects)
    return catalogue.load.__wrapped__()["lock_scaling"].claims["T1"]


def refused(lab, effects: str, head: str = "T1:\n  effects:") -> str:
    """What is said of a wrong claim between the name of its file and what to do."""
    with pytest.raises(LabError) as caught:
        load(lab, effects, head)
    told = str(caught.value)
    assert told.startswith("claims/lock_scaling.yaml:") and told.endswith("; correct the claim") and "\n" not in told
    return told.removeprefix("claims/lock_scaling.yaml:").removesuffix("; correct the claim")


@pytest.mark.parametrize("effects", [RATIO, SLOPE, RANK, GROWTH, SPREAD, FACT, ANY])
def test_a_right_claim_is_loaded(lab, effects):
    assert len(load(lab, effects).effects) == 1


UNKNOWN_METRIC = "a selection names the unknown metric {}; the metrics are: cost"
UNKNOWN_KEY = "a selection names {!r}, which is neither metric, variant, runtime nor an axis (threads)"
NO_BOUND = "a region needs a bound: low, high, above or below"
NO_NUMBER = "Input should be a valid integer, unable to parse string as an integer"


@pytest.mark.parametrize(
    ("effects", "right", "wrong", "told"),
    [
        # kinds and fields
        (
            RATIO,
            "kind: ratio",
            "kind: ration",
            f"3: T1.effects.0: Input tag 'ration' found using 'kind' does not match any of the expected tags: {KINDS}",
        ),
        (RATIO, "kind: ratio", "label: x", "3: T1.effects.0: Unable to extract tag using discriminator 'kind'"),
        (RATIO, "      to: {variant: ticket}\n", "", "3: T1.effects.0.to: Field required"),
        (RATIO, "      reproduced: {low: 4}\n", "", "3: T1.effects.0.reproduced: Field required"),
        (RATIO, "metric: cost", "sheep: 1", "4: T1.effects.0.sheep: Extra inputs are not permitted"),
        (SLOPE, "by: threads", "over: []", "3: T1.effects.0.by: Field required"),
        (RATIO, "{threads: 2}", "[threads]", "5: T1.effects.0.where: Input should be a valid dictionary"),
        # regions
        (RATIO, "{low: 4}", "{lo: 4}", "8: T1.effects.0.reproduced.lo: Extra inputs are not permitted"),
        (RATIO, "{low: 4}", "{}", f"8: T1.effects.0.reproduced: {NO_BOUND}"),
        (RATIO, "{low: 4}", "{low: 4, by: overlap}", "8: T1.effects.0.reproduced.by: Extra inputs are not permitted"),
        (RATIO, "{low: 4}", "{low: four}", f"8: T1.effects.0.reproduced.low: {NO_NUMBER}"),
        (RATIO, "{low: 4}", "[{low: 4}, {lo: 3}]", "8: T1.effects.0.reproduced.1.lo: Extra inputs are not permitted"),
        (RATIO, "{low: 4}", "[{low: 4}, {}]", f"8: T1.effects.0.reproduced.1: {NO_BOUND}"),
        (RATIO, "{low: 4}", "[]", "8: T1.effects.0.reproduced: List should have at least 1 item"),
        (RATIO, "{low: 4}", "4", "8: T1.effects.0.reproduced: Input should be a valid dictionary"),
        (RATIO, "{low: 4}", "never", "8: T1.effects.0.reproduced: Input should be a valid dictionary"),
        (RATIO, "{below: 2}", "nevr", "9: T1.effects.0.not_reproduced: Input should be 'outside' or 'never'"),
        (RATIO, "{below: 2}", "{belo: 2}", "9: T1.effects.0.not_reproduced.belo: Extra inputs are not permitted"),
        (RATIO, "{below: 2}", "[{}]", f"9: T1.effects.0.not_reproduced.0: {NO_BOUND}"),
        # what an entry does not have
        (RATIO, "metric: cost", "metric: cots", f"3: T1.effects.0: {UNKNOWN_METRIC.format(repr('cots'))}"),
        (RATIO, "      metric: cost\n", "", f"3: T1.effects.0: {UNKNOWN_METRIC.format(None)}"),
        (
            RATIO,
            "of: {variant: mutex}",
            "of: {variant: mutx}",
            "3: T1.effects.0: a selection names the unknown variant",
        ),
        (
            RATIO,
            "to: {variant: ticket}",
            "to: {variant: x}",
            "3: T1.effects.0: a selection names the unknown variant 'x'",
        ),
        (RATIO, "of: {variant: mutex}", "of: {}", "3: T1.effects.0: a selection names the unknown variant None"),
        (
            RATIO,
            "of: {variant: mutex}",
            "of: {variant: [mutex]}",
            "6: T1.effects.0.of.variant: Input should be a valid",
        ),
        (RATIO, "where: {threads: 2}", "where: {sheep: 2}", f"3: T1.effects.0: {UNKNOWN_KEY.format('sheep')}"),
        (GROWTH, "{threads: 2}]", "{sheep: 2}]", f"3: T1.effects.0: {UNKNOWN_KEY.format('sheep')}"),
        (
            GROWTH,
            "of: {variant: mutex}",
            "of: {variant: 4}",
            "3: T1.effects.0: a selection names the unknown variant 4",
        ),
        (
            SPREAD,
            "variant: ticket",
            "variant: tocket",
            "3: T1.effects.0: a selection names the unknown variant 'tocket'",
        ),
        (
            SLOPE,
            "by: threads",
            "by: sheep",
            "6: T1.effects.0.by: slope by the unknown axis 'sheep'; the axes are: threads",
        ),
        (RANK, "[ticket]", "[tocket]", "3: T1.effects.0: a selection names the unknown variant 'tocket'"),
        (RANK, "[{threads: 1}", "[{variant: 4}", "3: T1.effects.0: a selection names the unknown variant '4'"),
        # what a kind asks for
        (RANK, "against: best", "against: median", "7: T1.effects.0.against: Input should be 'best' or 'worst'"),
        (RANK, "rivals: [ticket]", "rivals: []", "6: T1.effects.0.rivals: List should have at least 1 item"),
        (GROWTH, "over: [{threads: 1}, ", "over: [", "7: T1.effects.0.over: List should have at least 2 items"),
        (FACT, "equals: x", "equals: [x]", "6: T1.effects.0.equals: Input should be a valid string"),
        (FACT, "equals: x", "equals: 1.5", "6: T1.effects.0.equals: Input should be a valid string"),
        # one of several, one of which is one of several
        (ANY, "cost", "cots", f"7: T1.effects.0.effects.0.effects.0: {UNKNOWN_METRIC.format(repr('cots'))}"),
        (ANY, "kind: level", "kind: levle", "7: T1.effects.0.effects.0.effects.0: Input tag 'levle' found"),
        (
            ANY,
            "{low: 1}",
            "{lo: 1}",
            "10: T1.effects.0.effects.0.effects.0.reproduced.lo: Extra inputs are not permitted",
        ),
    ],
)
def test_a_wrong_effect_is_told_with_its_line_and_its_path(lab, effects, right, wrong, told):
    assert right in effects
    assert refused(lab, effects.replace(right, wrong)).startswith(told)


@pytest.mark.parametrize(
    ("head", "effects", "told"),
    [
        ("T1:\n  sheep: 1\n  effects:", RATIO, "2: T1.sheep: Extra inputs are not permitted"),
        ("T1:\n  needs_cpus: 0\n  effects:", RATIO, "2: T1.needs_cpus: Input should be greater than or equal to 1"),
        (
            "T1:\n  runtimes: [jdk, jkd]\n  effects:",
            RATIO,
            "2: T1.runtimes: runtime selector 'jkd' is not c, fio, jdk, jdk17, jdk>=22 or jdk<18",
        ),
        ("T1:\n  note: x\n", "", "1: T1.effects: Field required"),
        ("T1: 4\n", "", "1: T1: Input should be a valid dictionary or instance of Claim"),
        ("T0:\n  effects: []\nT1:\n  effects:", RATIO.replace("low", "lo"), "10: T1.effects.0.reproduced.lo: Extra"),
    ],
)
def test_a_wrong_claim_is_told_with_its_line_and_its_path(lab, head, effects, told):
    assert refused(lab, effects, head).startswith(told)


def test_the_second_effect_of_a_claim_is_told_apart_from_the_first(lab):
    assert refused(lab, RATIO + SPREAD.lstrip("\n").replace("low", "lo")).startswith("13: T1.effects.1.reproduced.lo: ")


@pytest.mark.parametrize(
    ("written", "told"), [("4000", "4000"), ("true", "true"), ("false", "false"), ("x", "x"), ("'True'", "True")]
)
def test_a_fact_equals_what_a_runtime_would_say(lab, written, told):
    assert load(lab, FACT.replace("equals: x", f"equals: {written}")).effects[0].equals == told


def test_what_a_rule_may_be(lab):
    several = RATIO.replace("{low: 4}", "[{low: 4}, {high: 0.5}]").replace("{below: 2}", "never")
    one = load(lab, several).effects[0]
    assert [(region.low, region.high) for region in one.reproduced] == [(4, None), (None, 0.5)]
    assert one.not_reproduced == "never"
    assert load(lab, RATIO.replace("      not_reproduced: {below: 2}\n", "")).effects[0].not_reproduced == "outside"


def test_the_page_on_claims_is_made_of_their_types():
    page = paths.docs() / "claims.md"
    rewrite = ".venv/bin/python -m pipeline.catalogue.claims_page > docs/claims.md"
    assert page.read_text(encoding="utf-8") == claims_page.documentation(), f"docs/claims.md is stale; run: {rewrite}"


def test_the_page_on_claims_has_every_kind_with_its_fields():
    text = claims_page.documentation()
    common = {"kind", *(one.name for one in fields(claims.Judged))}
    for name, kind in claims.KINDS.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        own = {one.name for one in fields(kind)} - common
        assert kind.__dataclass_fields__["kind"].type in (f"Literal['{name}']", f'Literal["{name}"]')
        assert all(f"`{field}`" in row for field in own) and row.split("|")[3].strip().endswith(".")


# --- selections ------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["metric", "variant", "runtime", "threads"])
SELECTIONS = st.dictionaries(KEYS, st.integers(0, 9) | st.sampled_from(["a", "b"]))


@given(st.none() | st.sampled_from(["cost", "rate"]), SELECTIONS, SELECTIONS)
def test_a_part_has_the_last_word_before_where_and_where_before_the_metric(metric, where, part):
    found = effect(kind="level", metric=metric, where=where, of=part).selection(part)
    own = {} if metric is None else {"metric": metric}
    assert set(found) == {*own, *where, *part}
    for key, value in found.items():
        assert value == next(one[key] for one in (part, where, own) if key in one)


@given(SELECTIONS, SELECTIONS, st.lists(SELECTIONS, min_size=2, max_size=4))
def test_growth_compares_both_sides_at_every_place(of, to, over):
    found = effect(kind="growth", of=of, to=to, over=over).selections()
    assert found == [side | part for part in over for side in (of, to)]


def test_names_of_a_rank_replace_the_braces_of_a_variant():
    fields = {"kind": "rank", "metric": "cost", "subject": "a", "rivals": ["b", "c"], "against": "best"}
    found = effect(**fields, over=[{"variant": "{}_biased"}, {"threads": 2}]).selections()
    assert [one["variant"] for one in found] == ["a_biased", "b_biased", "c_biased", "a", "b", "c"]
    assert all(one.get("threads") == 2 for one in found[3:])


def test_an_entry_without_claims_has_none(lab):
    assert catalogue.load.__wrapped__()["lock_scaling"].claims == {}


def test_claims_in_an_entry_of_its_own_are_told_as_such(lab):
    """Claims belong beside the entry; those inside it are checked all the same, and named by the entry's file."""
    file = lab / "catalogue" / "lock_scaling.yaml"
    file.write_text(
        file.read_text() + "claims:\n  T1:\n    effects:" + textwrap.indent(RATIO.replace("low", "lo"), "  ")
    )
    with pytest.raises(LabError, match=r"^lock_scaling.yaml:33: claims.T1.effects.0.reproduced.lo: Extra inputs"):
        catalogue.load.__wrapped__()
